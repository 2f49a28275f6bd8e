"""The results of the experiment of Liu et al. (2012) as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from isogloss.experiments.presets import preset_title
from isogloss.experiments.results import ResultTable

__all__ = ["local_training_tables"]

METHODS = ("mbuu", "ebuu")


def local_training_tables(results: Mapping[str, Any]) -> list[ResultTable]:
    """The results as tables in the order of the paper."""
    names = list(results["baseline"])

    def row(label: str, values: Mapping[str, float], form: str = ".2f") -> list[str]:
        return [label, *(format(values[name], form) if name in values else "" for name in names)]

    def local(method: str) -> list[str]:
        cells = results["methods"][method]
        marks = {n: "+" if cells[n]["p_value"] < 0.05 else "" for n in names}
        worse = {n: cells[n]["bleu"] < results["baseline"][n] for n in names}
        return [
            method.upper(),
            *(f"{cells[n]['bleu']:.2f}" + ("-" if worse[n] and marks[n] else marks[n]) for n in names),
        ]

    def control(tuned_on: str, values: Mapping[str, Mapping[str, float]]) -> list[str]:
        cells = [f"{values[n]['bleu']:.2f} (p {values[n]['p_value']:.3f})" for n in names]
        return [f"MERT, tuned on {tuned_on}", *cells]

    def curve(key: str, rows: Sequence[Mapping[str, float]]) -> list[list[str]]:
        return [row(f"{one[key]:g}", one) for one in rows]

    baseline = row("MERT", results["baseline"])
    seconds = [[what, f"{value * 1e3:.2f} ms"] for what, value in results["seconds"].items()]
    zero = [row(name, values, ".4g") for name, values in results["zero"].items()]
    other = [control(name, values) for name, values in results["development_sets"].items()]
    external = [row(name, values) for name, values in results["external"].items()]
    tables = [
        ResultTable("1. The baseline beside other systems (BLEU)", ["", *names], [*external, baseline]),
        ResultTable("2. Time per sentence (CPU)", ["", ""], seconds),
        ResultTable(
            "3. Local weights; + better, - worse than MERT (p < 0.05)",
            ["", *names],
            [baseline, *(local(method) for method in METHODS)],
        ),
        ResultTable(
            "4. Similarity to the development set",
            ["", *names],
            [row(results["dev"], results["similarity"], ".3f")],
        ),
        ResultTable(
            "5. Choice of the development set; p against EBUU",
            ["", *names],
            [baseline, *other, local("ebuu")],
        ),
        ResultTable("6. Sentences without a four-word match", ["", *names], zero),
        ResultTable("Figure 2. EBUU by λ", ["λ", *names], curve("strength", results["curves"]["ebuu"])),
        ResultTable("MBUU by λ", ["λ", *names], curve("strength", results["curves"]["mbuu"])),
        ResultTable("7. EBUU by number of examples", ["K", *names], curve("size", results["sizes"])),
        ResultTable(
            "8. The better of MERT and EBUU, sentence by sentence",
            ["", *names],
            [baseline, local("ebuu"), row("oracle", results["oracle"])],
        ),
    ]
    return [table._replace(title=preset_title(table.title, results["preset"])) for table in tables]
