"""The experiment of Shen et al. 2004 with its tables and a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from isogloss.experiments.kept import Kept
from isogloss.experiments.presets import preset_title, settings_toml
from isogloss.experiments.reranking import RerankingResults, RerankingTask, reranking_results
from isogloss.experiments.results import ExperimentResults, ResultTable, Say
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.report import Page
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
    """Run everything that an earlier run did not finish."""
    kept = Kept(Path(folder) / "rows", _facts(task))
    found, metric = reranking_results(task, kept, threads=threads, warn=warn, track=track, report=say)
    tables = [
        ResultTable(preset_title(title, task.preset), *table)
        for title, table in (
            (f"each feature alone, {metric}", _single_table(found)),
            (f"methods and sets, {metric}", _method_table(found)),
            ("sets of features", _set_table(found)),
        )
    ]
    values = {"preset": task.preset, "settings": settings_toml(task), **found.to_dict()}
    return ExperimentResults(values=values, tables=tables, page=_page(found, metric, task.preset))


def _facts(task: RerankingTask) -> dict[str, Any]:
    """What every row depends on, apart from its method and its features."""
    of_rows = ("features", "methods", "single_method", "sets", "made_sets", "validate", "preset")
    gains = ("best_count", "top_gain", "large_gain", "least_gain")
    facts = {name: value for name, value in asdict(task).items() if name not in (*of_rows, *gains)}
    files = [
        task.list,
        task.test_list,
        task.source,
        task.test_source,
        *task.references,
        *task.test_references,
    ]
    named = [Path(file) for file in (*files, *task.test_tags) if file is not None]
    return facts | {"sizes": [path.stat().st_size if path.exists() else 0 for path in named]}


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
    scores: dict[tuple[str, str], list[str]] = {}
    for row in found.rows:
        scores.setdefault((row.method, row.features), []).append(f"{row.score:.2f}")
    for test in found.tests:
        scores.setdefault((test.method, test.features), []).append(f"{test.score:.2f}")
    methods = dict.fromkeys(method for method, _ in scores)
    rows = [
        [method, *(" / ".join(scores.get((method, name), [])) for name in found.sets)] for method in methods
    ]
    return ["method", *found.sets], rows


def _set_table(found: RerankingResults) -> tuple[list[str], list[list[str]]]:
    return ["set", "features"], [
        [name, "  ".join(names) or "(the list alone)"] for name, names in found.sets.items()
    ]


def _page(found: RerankingResults, metric: str, preset: str) -> Page:
    """The HTML page of all results."""
    page = Page("Reranking")
    decoder = f"The decoder's choice scores {found.decoder:.2f} {metric} on the development list"
    on_test = "" if found.test_decoder is None else f" and {found.test_decoder:.2f} on the test list"
    page.paragraph(f"Preset {preset}; settings are in results.json. {decoder}{on_test}.")
    page.heading("Each feature alone")
    page.table(*_single_table(found))
    page.heading("Sets of features")
    page.table(*_set_table(found))
    page.heading("Methods")
    scores = ["cross-validated on the development list"] if found.rows else []
    page.paragraph(" / ".join([*scores, *(["on the test list"] if on_test else [])]).capitalize() + ".")
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
