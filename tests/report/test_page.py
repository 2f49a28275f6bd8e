"""Pages and plots: what they show, and that they are sound XML."""

from __future__ import annotations

import itertools
import math
import re
from xml.etree import ElementTree

import pytest

from isogloss.report import Line, Page, line_plot
from isogloss.report.plot import ticks


def test_a_plot_has_a_line_per_series_and_is_sound() -> None:
    lines = [
        Line("loss <1>", [(1, 5.0), (2, 3.0), (3, math.nan), (4, 2.0)]),
        Line("BLEU", [(1, 30.0), (4, 31.0)], right=True),
    ]
    svg = line_plot("A & B", lines, x_label="sweep", y_label="loss", right_label="BLEU")
    root = ElementTree.fromstring(svg)  # our own
    drawn = root.findall("{*}polyline")
    assert [len(line.attrib["points"].split()) for line in drawn] == [3, 2]
    texts = [text.text for text in root.findall("{*}text")]
    assert {"A & B", "loss <1>", "BLEU", "sweep"} <= set(texts)


def test_names_of_lines_stand_beside_their_ends_and_apart() -> None:
    ends = [31.0, 30.99, 30.98, 20.0]
    lines = [Line(f"line {i}", [(1, 25.0), (2, end)]) for i, end in enumerate(ends)]
    root = ElementTree.fromstring(line_plot("t", lines, x_label="x", y_label="y"))
    points = [line.attrib["points"].split()[-1].split(",") for line in root.findall("{*}polyline")]
    names = [text for text in root.findall("{*}text") if (text.text or "").startswith("line ")]
    places = [float(text.attrib["y"]) for text in names]
    assert all(float(text.attrib["x"]) > max(float(x) for x, _ in points) for text in names)
    assert places == sorted(places)
    assert all(below - above >= 12.9 for above, below in itertools.pairwise(places))
    # Lines with room have their names at their own height.
    assert abs(places[0] - float(points[0][1])) < 5
    assert abs(places[3] - float(points[3][1])) < 5


def test_an_axis_of_scores_does_not_enlarge_noise() -> None:
    def height(**options: float) -> float:
        lines = [Line("BLEU", [(1, 30.0), (2, 30.1)])]
        root = ElementTree.fromstring(line_plot("t", lines, x_label="", y_label="", **options))  # type: ignore[arg-type]
        ys = [float(point.split(",")[1]) for point in root.findall("{*}polyline")[0].attrib["points"].split()]
        return abs(ys[1] - ys[0])

    assert height(span=1.0) == pytest.approx(height() / 10, rel=0.02)


@pytest.mark.parametrize("points", [[], [(1, 2.0)], [(1, 2.0), (2, 2.0)]])
def test_plots_of_nothing_and_of_constants(points: list[tuple[float, float]]) -> None:
    ElementTree.fromstring(line_plot("t", [Line("x", points)], x_label="", y_label=""))


def test_ticks_are_round_and_inside() -> None:
    for low, high in [(0, 1), (-3.7, 12), (1e-9, 2e-9), (31.2, 31.9), (0, 10_000)]:
        found = ticks(low, high)
        assert 2 <= len(found) <= 8
        assert all(low - 1e-9 <= value <= high + 1e-9 for value in found)


def test_pages_escape_what_they_are_given() -> None:
    page = Page("<b>")
    page.heading("h & h")
    page.paragraph("<script>alert(1)</script>")
    page.code("a < b")
    page.table(["name", "n"], [["<i>", "1,000.5"], ["x", "-3 %"]])
    html = page.html()
    assert "<script>" not in html
    assert "<b>" not in html
    assert "<i>" not in html
    assert "<td class=n>1,000.5</td>" in html


def test_parts_are_folded_and_nothing_is_loaded() -> None:
    page = Page("x")
    page.lead("good <enough>")
    page.tiles([("41%", "right")])
    page.warning("few & small")
    page.items(["one", "<two>"])
    with page.folded("Weights <w>"):
        page.table(["feature", "weight"], [["lm", "0.5"]])
    html = page.html()
    assert "<details><summary>Weights &lt;w&gt;</summary><div" in html
    assert html.index("<td class=n>0.5</td>") < html.index("</details>")
    assert "<li dir=auto>&lt;two&gt;</li>" in html
    assert "good &lt;enough&gt;" in html
    assert "few &amp; small" in html
    assert 'name="viewport"' in html
    for rule in ("prefers-color-scheme:dark", "@media print", "max-width:40rem"):
        assert rule in html
    assert not re.search(r"""(src|href)\s*=|url\(|@import|<script""", html)
