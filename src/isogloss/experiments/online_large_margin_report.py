"""The results of online large-margin training as tables, and the differences that the paper speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from isogloss.experiments.presets import preset_title
from isogloss.experiments.results import ResultTable
from isogloss.metric import Bleu, References, paired_bootstrap

__all__ = ["FOLDS", "SEEDS", "large_margin_tables", "row_differences"]

FOLDS = 4
SEEDS = "seeds"
_TITLES = {
    "1": "1. Token types",
    "2": "2. Templates added one by one",
    "3": "3. Constraints",
    str(FOLDS): "4. Two-fold cross-validation",
    SEEDS: "All templates and token types, by random seed",
}

Rows = Sequence[Mapping[str, Any]]


def row_differences(tables: Mapping[str, Rows], references: Mapping[str, References]) -> list[dict[str, Any]]:
    """Differences in BLEU between rows of a table: token types against surface forms, each template against
    the row without it, constraints against 1 x 1, and sentence against document BLEU; with p-values."""
    metric, found = Bleu(), []
    for number, rows in tables.items():
        for one, other in _pairs(number, rows):
            scores = {}
            for name in one["scores"]:
                ours, theirs = (
                    metric.statistics(row["texts"][name], references[name]) for row in (one, other)
                )
                compared = paired_bootstrap(metric, [theirs], [ours])
                scores[name] = {"difference": compared.difference, "p_value": compared.p_value}
            found.append(
                {"table": number, "label": one["label"], "against": other["label"], "scores": scores}
            )
    return found


def _pairs(number: str, rows: Rows) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    if number == "2":
        return [(row, before) for before, row in pairwise(rows)]
    pairs = [(row, rows[0]) for row in rows[1:]]
    if number == "3":
        pairs[-1] = (rows[-1], rows[-2])  # the same constraints, another kind of BLEU
    return pairs


def large_margin_tables(results: Mapping[str, Any]) -> list[ResultTable]:
    """The results as tables in the order of the paper.

    A + marks a BLEU score that is better than the baseline, a - one that is worse (p < 0.05).
    """
    made = []
    for number, rows in results["tables"].items():
        if number != str(FOLDS):
            rows = [results["baseline"], results["start"], *rows]
        names = list(rows[0]["scores"])
        heads = ["", "features", *(f"{name} {metric}" for name in names for metric in ("NIST", "BLEU"))]
        first = rows[0]["scores"]
        body = []
        for row in rows:
            cells = [row["label"], f"{row['features']:,}" if row["features"] else "-"]
            for name in names:
                score = row["scores"][name]
                mark = "+" if score["BLEU"] > first[name]["BLEU"] else "-"
                cells += [
                    f"{score['NIST']:.2f}",
                    f"{score['BLEU']:.2f}{mark if score['p_value'] < 0.05 else ''}",
                ]
            body.append(cells)
        made.append(ResultTable(preset_title(_TITLES[number], results["preset"]), heads, body))
    if results["differences"]:
        made.append(_differences(results))
    return made


def _differences(results: Mapping[str, Any]) -> ResultTable:
    rows = results["differences"]
    names = list(rows[0]["scores"])
    body = []
    for row in rows:
        scores = [row["scores"][name] for name in names]
        cells = [f"{score['difference']:+.2f} (p {score['p_value']:.3f})" for score in scores]
        body.append([row["table"], row["label"], row["against"], *cells])
    heads = ["table", "row", "against", *(f"{name} BLEU" for name in names)]
    return ResultTable(preset_title("Differences between rows", results["preset"]), heads, body)
