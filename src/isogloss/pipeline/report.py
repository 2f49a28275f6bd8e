"""The HTML report of a trained system."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.decoder.weights import read_weights
from isogloss.features.weights import SparseWeights
from isogloss.io.streams import read_lines
from isogloss.metric.bleu import SENTENCE_BLEU, Bleu, bleu_scores
from isogloss.metric.references import References
from isogloss.report import Line, Page, line_plot
from isogloss.tuning import TuneResult

if TYPE_CHECKING:
    from isogloss.pipeline.train import Trained

__all__ = ["REPORT", "history_of", "system_page", "tuning_section"]

REPORT = "report.html"
"""Name of the page in the folder of a trained system."""
_EXAMPLES = 12
_FEATURES = 40


def system_page(trained: Trained) -> Page:
    """Make the report of a trained system."""
    page = Page(f"Training of {trained.folder.name}")
    _scores(page, trained.results, tuned=bool(trained.history["iterations"]))
    tuning_section(page, trained.history)
    _examples(page, trained)
    _weights(page, trained)
    _stages(page, trained)
    _corpus(page, trained)
    return page


def _scores(page: Page, results: Mapping[str, Any], *, tuned: bool) -> None:
    page.heading("Scores")
    rows = [
        [
            name,
            f"{found['sentences']:,}",
            metric,
            f"{score['score']:.2f}",
            _interval(score),
            score["signature"],
        ]
        for name, found in results.items()
        for metric, score in found["scores"].items()
    ]
    page.table(["set", "sentences", "metric", "score", "95% interval", "signature"], rows)
    if not tuned:
        return
    page.paragraph(
        "The system was tuned on the set dev: its score there is no measure of quality on other text."
        if "test" in results
        else "The system was tuned on the set dev, and there was no other to test it on: on other text its "
        "scores will be lower."
    )


def _interval(score: Mapping[str, Any]) -> str:
    low, high = score["interval"]
    return f"{low:.2f} to {high:.2f}"


def history_of(result: TuneResult, method: str) -> dict[str, Any]:
    """The stored history of tuning."""
    return {
        "method": method,
        "best": result.best.iteration,
        "iterations": [step.to_dict() for step in result.history],
    }


def tuning_section(page: Page, history: Mapping[str, Any]) -> None:
    """Learning curves from the history of tuning."""
    steps = history["iterations"]
    page.heading("Tuning")
    if not steps:
        page.paragraph("The weights are not tuned.")
        return
    curves = [Line("dev", [(step["iteration"], step["dev_score"]) for step in steps])]
    held_out = [(s["iteration"], s["held_out_score"]) for s in steps if s["held_out_score"] is not None]
    if held_out:
        curves.append(Line("held out", held_out))
    bound = [(s["iteration"], s["upper_bound"]) for s in steps if s.get("upper_bound") is not None]
    if bound:
        curves.append(Line("best known", bound))
    active = [(step["iteration"], step["active_features"]) for step in steps]
    sparse = any(count for _, count in active)
    if sparse:
        curves.append(Line("active features", active, right=True))
    page.figure(
        line_plot(
            "Learning curve",
            curves,
            x_label="iteration",
            y_label="BLEU",
            right_label="active features" if sparse else "",
        )
    )
    page.paragraph(f"Tuned by {history['method']}; the weights of iteration {history['best']} are used.")
    if bound:
        page.paragraph(
            "The curve 'dev' is the mean sentence BLEU of the training text used for tuning; 'held out' is "
            "the development set."
        )
    parts = list(dict.fromkeys(part for step in steps for part in step["seconds"]))
    page.table(
        ["iteration", "dev BLEU", "held-out BLEU", "active features", *(f"{part}, s" for part in parts)],
        [
            [
                str(step["iteration"]),
                f"{step['dev_score']:.2f}",
                "" if step["held_out_score"] is None else f"{step['held_out_score']:.2f}",
                f"{step['active_features']:,}",
                *(f"{step['seconds'].get(part, 0.0):.1f}" for part in parts),
            ]
            for step in steps
        ],
    )


def _examples(page: Page, trained: Trained) -> None:
    if not trained.results:  # a corpus of a few sentences
        return
    name = list(trained.results)[-1]
    source, targets = _files(trained, name)
    sources = list(read_lines(source))
    outputs = list(read_lines(trained.folder / f"{name}.translation"))
    references = References.read(targets)
    chosen = np.unique(np.linspace(0, len(sources) - 1, _EXAMPLES).round().astype(int)).tolist()
    rows = Bleu(tokenize="13a").statistics(outputs, references)
    scores = 100 * bleu_scores(rows, SENTENCE_BLEU)
    page.heading(f"Translations from the set {name}")
    page.table(
        ["line", "source", "translation", "reference", "sentence BLEU"],
        [[str(at + 1), sources[at], outputs[at], references.of(at)[0], f"{scores[at]:.1f}"] for at in chosen],
    )


def _files(trained: Trained, name: str) -> tuple[Any, Sequence[Any]]:
    options = trained.options
    source, targets = (
        (options.dev_source, options.dev_target)
        if name == "dev"
        else (options.test_source, options.test_target)
    )
    if source is not None:
        return source, targets
    folder = trained.folder / "work" / "held-out"
    return folder / f"{name}.source", [folder / f"{name}.target"]


def _weights(page: Page, trained: Trained) -> None:
    folder = trained.folder / "system"
    page.heading("Weights of dense features")
    dense = read_weights(folder / "weights.tsv")
    page.table(["feature", "weight"], [[name, f"{value:.4f}"] for name, value in dense.items()])
    if not (folder / "weights.sparse").exists():
        return
    sparse = SparseWeights.open(folder / "weights.sparse")
    page.heading("Strongest sparse features")
    page.paragraph(f"{len(sparse):,} features have a weight; those with the largest are:")
    page.table(
        ["feature", "weight"], [[item.name, f"{item.weight:.4f}"] for item in sparse.strongest(_FEATURES)]
    )


def _stages(page: Page, trained: Trained) -> None:
    page.heading("Stages")
    rows = [
        [
            record.stage,
            f"{record.wall_seconds:,.1f}",
            f"{record.cpu_seconds:,.1f}",
            f"{record.peak_bytes / 1e6:,.0f}",
            f"{record.output_bytes / 1e6:,.1f}",
            record.start,
        ]
        for record in trained.records
    ]
    total = [
        f"{sum(record.wall_seconds for record in trained.records):,.1f}",
        f"{sum(record.cpu_seconds for record in trained.records):,.1f}",
        f"{max(record.peak_bytes for record in trained.records) / 1e6:,.0f}",
        f"{sum(record.output_bytes for record in trained.records) / 1e6:,.1f}",
    ]
    page.table(
        ["stage", "seconds", "CPU seconds", "peak memory, MB", "written, MB", "begun (UTC)"],
        [*rows, ["all", *total, ""]],
    )


def _corpus(page: Page, trained: Trained) -> None:
    facts = trained.cleaning
    page.heading("Corpus and options")
    page.paragraph(f"{facts['kept']:,} training pairs were kept and {facts['dropped']:,} dropped.")
    if facts["reasons"]:
        page.table(
            ["dropped for", "pairs"], [[rule, f"{count:,}"] for rule, count in facts["reasons"].items()]
        )
    if trained.sampling is not None:
        found = trained.sampling
        page.paragraph(
            f"{found['chosen']:,} of {found['pairs']:,} pairs were chosen for the text to adapt to. "
            "What 3-gram models of their source sides say about it:"
        )
        page.table(
            ["model of", "pairs", "words", "perplexity", "unknown words"],
            [
                [
                    name,
                    f"{row['sentences']:,}",
                    f"{row['words']:,}",
                    f"{row['perplexity']:.1f}",
                    f"{row['unknown']:,}",
                ]
                for name, row in found["perplexity"].items()
            ],
        )
    page.code(json.dumps(asdict(trained.options), indent=1, ensure_ascii=False, default=str))
    page.paragraph(f"Made by {trained.records[-1].made_by}.")
