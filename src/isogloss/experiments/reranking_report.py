"""Tables 1 and 2 and the learning curves of Shen et al. 2004 as pages."""

from __future__ import annotations

from isogloss.experiments.reranking import Experiment
from isogloss.report import Page
from isogloss.rerank.report import add_curves

__all__ = ["experiment_page", "method_table", "single_table"]


def single_table(found: Experiment) -> tuple[list[str], list[list[str]]]:
    """Table 1 of the paper: each feature alone beside the baseline."""
    head = ["features", "cross-validated", "gain", "p against decoder"]
    base = found.singles[0].difference
    rows = [
        [row.features, f"{row.score:.2f}", f"{row.difference - base:+.2f}", f"{row.p_value:.3f}"]
        for row in found.singles
    ]
    return head, rows


def method_table(found: Experiment) -> tuple[list[str], list[list[str]]]:
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


def experiment_page(found: Experiment, metric: str) -> Page:
    """All of an experiment's results."""
    page = Page("Reranking")
    decoder = f"The decoder's choice scores {found.decoder:.2f} {metric} on the development list"
    on_test = "" if found.test_decoder is None else f" and {found.test_decoder:.2f} on the test list"
    page.paragraph(f"{decoder}{on_test}.")
    page.heading("Each feature alone")
    page.table(*single_table(found))
    page.heading("Sets of features")
    page.table(["set", "features"], [[name, "  ".join(names)] for name, names in found.sets.items()])
    page.heading("Methods")
    page.paragraph("Cross-validated on the development list" + (" / on the test list." if on_test else "."))
    page.table(*method_table(found))
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
