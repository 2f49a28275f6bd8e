"""The experiment of Shen et al. 2004 with its tables and a page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from isogloss.experiments.reranking import RerankingResults, RerankingTask, reranking_results
from isogloss.experiments.results import ExperimentResults, ResultTable, Say
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.report import Page
from isogloss.rerank.comparison import SweepRow
from isogloss.rerank.report import add_curves

__all__ = ["run_reranking"]


def run_reranking(
    task: RerankingTask,
    folder: StrPath,
    *,
    threads: int = 1,
    say: Say = lambda message: None,
    warn: Callable[[str], None] = lambda message: None,
    track: Track = no_track,
) -> ExperimentResults:
    """Run everything. Each result is written to ``partial.jsonl`` at once, which is gone at the end."""
    partial = Path(folder) / "partial.jsonl"
    partial.parent.mkdir(parents=True, exist_ok=True)
    partial.unlink(missing_ok=True)

    def report(row: SweepRow) -> None:
        say(f"{row.method}, {row.features}: {row.score:.2f} ({row.difference:+.2f}, p {row.p_value:.3f})")
        with partial.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(row.to_dict()) + "\n")

    found, metric = reranking_results(task, threads=threads, warn=warn, track=track, report=report)
    partial.unlink(missing_ok=True)
    tables = [
        ResultTable(f"each feature alone, {metric}", *_single_table(found)),
        ResultTable(f"methods and sets, {metric}", *_method_table(found)),
        ResultTable("sets of features", *_set_table(found)),
    ]
    return ExperimentResults(values=found.to_dict(), tables=tables, page=_page(found, metric))


def _single_table(found: RerankingResults) -> tuple[list[str], list[list[str]]]:
    """Table 1 of the paper: each feature added to the baseline."""
    head = ["features", "cross-validated", "gain", "p against decoder"]
    base = found.singles[0].difference
    rows = [
        [row.features, f"{row.score:.2f}", f"{row.difference - base:+.2f}", f"{row.p_value:.3f}"]
        for row in found.singles
    ]
    return head, rows


def _method_table(found: RerankingResults) -> tuple[list[str], list[list[str]]]:
    """Table 2 of the paper: methods (rows) by sets of features, cross-validated / on the test list."""
    tests = {(test.method, test.features): test for test in found.tests}
    head = ["method", *found.sets]
    rows = []
    for method in dict.fromkeys(row.method for row in found.rows):
        cells = [method]
        for row in found.rows:
            if row.method == method:
                test = tests.get((method, row.features))
                cells.append(f"{row.score:.2f}" if test is None else f"{row.score:.2f} / {test.score:.2f}")
        rows.append(cells)
    return head, rows


def _set_table(found: RerankingResults) -> tuple[list[str], list[list[str]]]:
    return ["set", "features"], [
        [name, "  ".join(names) or "(the list alone)"] for name, names in found.sets.items()
    ]


def _page(found: RerankingResults, metric: str) -> Page:
    """The HTML page of all results."""
    page = Page("Reranking")
    decoder = f"The decoder's choice scores {found.decoder:.2f} {metric} on the development list"
    on_test = "" if found.test_decoder is None else f" and {found.test_decoder:.2f} on the test list"
    page.paragraph(f"{decoder}{on_test}.")
    page.heading("Each feature alone")
    page.table(*_single_table(found))
    page.heading("Sets of features")
    page.table(*_set_table(found))
    page.heading("Methods")
    page.paragraph("Cross-validated on the development list" + (" / on the test list." if on_test else "."))
    page.table(*_method_table(found))
    if found.tests:
        page.heading("On the test list, against the decoder's choice")
        page.table(
            ["method", "features", metric, "difference", "p"],
            [
                [
                    test.method,
                    test.features,
                    f"{test.score:.2f}",
                    f"{test.difference:+.2f}",
                    f"{test.p_value:.4f}",
                ]
                for test in found.tests
            ],
        )
    add_curves(page, found.curves, metric)
    return page
