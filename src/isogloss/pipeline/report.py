"""The HTML report of a trained system."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from isogloss.corpus.check import RULES
from isogloss.corpus.languages import language_name
from isogloss.decoder.weights import read_weights
from isogloss.features.weights import SparseWeights
from isogloss.report import Line, Page, line_plot
from isogloss.report.verdict import ConfidenceCheck, JudgedString, Verdict, share
from isogloss.tuning import TuneResult

if TYPE_CHECKING:
    from isogloss.pipeline.train import Trained

__all__ = ["REPORT", "history_of", "system_page", "tuning_section"]

REPORT = "report.html"
"""Name of the page in the folder of a trained system."""
_FEATURES = 40
_DONE = {
    "unknown": "copied",
    "split": "translated by its parts",
    "related": "translated as a related form",
    "dictionary": "from the dictionary",
    "rewritten": "written as in the target language",
    "table": "translated with its neighbors",
}


def system_page(trained: Trained) -> Page:
    """Make the report of a trained system."""
    verdict = trained.verdict
    source, target = map(language_name, verdict.languages)
    page = Page(f"{trained.folder.resolve().name}: {source} → {target}")
    _verdict(page, verdict)
    _text(page, trained)
    _examples(page, verdict)
    if verdict.confidence is not None:
        _confidence(page, verdict.confidence)
    tuning_section(page, trained.history, _tokens_bleu(trained.results))
    _details(page, trained)
    page.note(f"Made by {trained.records[-1].made_by}.")
    return page


def _verdict(page: Page, verdict: Verdict) -> None:
    page.lead(verdict.headline())
    if "all" in verdict.parts:
        whole = verdict.parts["all"]
        score = whole.engine.scores["chrF2"]
        page.tiles(
            [
                (share(whole.engine.right, whole.strings), "right as they stand"),
                (share(whole.memory.right, whole.strings), "right with a translation memory"),
                (f"{score.score:.1f}", f"chrF, 0 to 100 (95%: {score.low:.0f} to {score.high:.0f})"),
                (f"{whole.strings:,}", "strings tested"),
                (f"{verdict.pairs:,}", "training pairs"),
            ]
        )
    for text in verdict.warnings:
        page.warning(text)
    if verdict.advice:
        page.heading("What would help most")
        page.items(verdict.advice)
    if verdict.parts:
        page.heading("Scores")
        page.table(verdict.HEAD, verdict.rows())
        page.note(
            "Right: equal to the reference, apart from white space. chrF and BLEU: sacreBLEU on the final "
            "text. Translation memory: the translation of the most similar training string, as it is. "
            + (
                "The strings were drawn at random or given as a test set; the engine has not seen them."
                if verdict.set == "test"
                else "The strings are those of the development set."
            )
        )


def _text(page: Page, trained: Trained) -> None:
    verdict, facts = trained.verdict, trained.cleaning
    page.heading("Text")
    rows = [
        [side, f"{language_name(language)} ({language})", tokenizer]
        for side, language, tokenizer in zip(
            ("source", "target"), verdict.languages, verdict.tokenizers, strict=True
        )
    ]
    page.table(["side", "language", "tokenizer"], rows)
    page.paragraph(
        f"{facts['kept']:,} pairs were kept and {facts['dropped']:,} dropped. The engine was trained on "
        f"{verdict.pairs:,} pairs; what it was tuned and tested on is not among them."
    )
    if facts["reasons"]:
        page.table(
            ["dropped for", "pairs", "which means"],
            [[rule, f"{count:,}", RULES.get(rule, "")] for rule, count in facts["reasons"].items()],
        )
        page.note("A pair may have several reasons. work/clean/dropped.tsv lists every dropped pair.")
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


def _examples(page: Page, verdict: Verdict) -> None:
    for title, strings in (("worst", verdict.worst), ("best", verdict.best)):
        if strings:
            page.heading(f"The {len(strings)} {title} translations")
            if title == "worst":
                page.note("Crossed out: not in the reference. Underlined: missing from the translation.")
            for one in strings:
                page.example(one.source, one.translation, one.reference, _note(one, verdict.set))
    if verdict.unknown_words:
        with page.folded("Unknown words of the development set"):
            page.table(
                ["word", "strings", "what was done", "translation"],
                [
                    [one.word, f"{one.strings:,}", _DONE.get(one.origin, one.origin), one.translation]
                    for one in verdict.unknown_words
                ],
            )


def _note(one: JudgedString, name: str) -> str:
    return f"{name} line {one.line:,} · chrF {one.chrf:.0f} · confidence {one.confidence:.2f}"


def _confidence(page: Page, check: ConfidenceCheck) -> None:
    page.heading("Confidence")
    rank = "" if check.correlation is None else f" Its rank correlation with chrF is {check.correlation:.2f}."
    off = f" On average it is off by {check.error:.2f}." if check.calibrated else ""
    page.paragraph(f"Confidence is {check.meaning}.{rank}{off}")
    if len(check.reliability) > 1:
        page.figure(
            line_plot(
                "Confidence and quality of the test strings",
                [
                    Line("mean chrF / 100", [(row.confidence, row.chrf) for row in check.reliability]),
                    Line("as promised", [(row.confidence, row.confidence) for row in check.reliability]),
                ],
                x_label="confidence, groups of equal size",
                y_label="mean chrF / 100",
            )
        )
    everything = sum(row.strings for row in check.reliability)
    page.table(
        ["--min-confidence", "strings filled", "share", "mean chrF", "right as they stand"],
        [
            [
                f"{row.low:g}",
                f"{row.strings:,}",
                share(row.strings, everything),
                f"{100 * row.chrf:.1f}",
                share(row.right, row.strings),
            ]
            for row in check.thresholds
        ],
    )


def history_of(result: TuneResult, method: str) -> dict[str, Any]:
    """The stored history of tuning."""
    return {
        "method": method,
        "best": result.best.iteration,
        "iterations": [step.to_dict() for step in result.history],
        "notes": list(result.notes),
        "choice": None if result.choice is None else result.choice.to_dict(),
    }


def _tokens_bleu(results: Mapping[str, Any]) -> tuple[float, float] | None:
    """BLEU of the development set with the final weights: of tokens, and of text."""
    dev = results.get("dev", {})
    if "tokens" not in dev:
        return None
    return dev["tokens"]["BLEU"], dev["scores"]["BLEU"]["score"]


def tuning_section(page: Page, history: Mapping[str, Any], final: tuple[float, float] | None = None) -> None:
    """Learning curves from the history of tuning; ``final`` is the score of the final weights."""
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
    if final is not None:
        curves.append(Line("dev, final weights", [(step["iteration"], final[0]) for step in steps]))
    active = [(step["iteration"], step["active_features"]) for step in steps]
    sparse = any(count for _, count in active)
    if sparse:
        curves.append(Line("active features", active, right=True))
    page.figure(
        line_plot(
            "Learning curve",
            curves,
            x_label="iteration",
            y_label="BLEU of tokens",
            right_label="active features" if sparse else "",
        )
    )
    page.paragraph(f"Tuned by {history['method']}; the weights of iteration {history['best']} are used.")
    for note in history.get("notes", ()):
        page.paragraph(f"{note[0].upper()}{note[1:]}.")
    if choice := history.get("choice"):
        page.table(
            ["tuned on one half, scored on the other", "BLEU", "length", "difference", "p"],
            [
                [
                    one["name"],
                    f"{one['bleu']:.2f}",
                    f"{one['length']:.3f}",
                    f"{one['difference']:+.2f}",
                    f"{one['p_value']:.3f}",
                ]
                for one in choice["candidates"]
            ],
        )
    if bound:
        page.paragraph(
            "The curve 'dev' is the mean sentence BLEU of the training text used for tuning; 'held out' is "
            "the development set."
        )
    if final is not None:
        page.note(
            "Tuning compares tokens in the engine's own case, where a placeholder is one word; the scores "
            "above compare the final text. With the final weights, the development set has BLEU "
            f"{final[0]:.2f} in tokens and {final[1]:.2f} as text. While online tuning runs, the weights "
            "change with every sentence; the final weights are averages, so the curve need not end at their "
            "score."
        )
    parts = list(dict.fromkeys(part for step in steps for part in step["seconds"]))
    with page.folded("Iterations"):
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


def _details(page: Page, trained: Trained) -> None:
    page.heading("Details")
    with page.folded("All scores"):
        _scores(page, trained.results)
    folder = trained.folder / "system"
    with page.folded("Weights of dense features"):
        dense = read_weights(folder / "weights.tsv")
        page.table(["feature", "weight"], [[name, f"{value:.4f}"] for name, value in dense.items()])
    if (folder / "weights.sparse").exists():
        sparse = SparseWeights.open(folder / "weights.sparse")
        with page.folded("Strongest sparse features"):
            page.paragraph(f"{len(sparse):,} features have a weight; those with the largest are:")
            page.table(
                ["feature", "weight"],
                [[item.name, f"{item.weight:.4f}"] for item in sparse.strongest(_FEATURES)],
            )
    with page.folded("Stages: time and memory"):
        _stages(page, trained)
    with page.folded("Options"):
        page.code(json.dumps(asdict(trained.options), indent=1, ensure_ascii=False, default=str))


def _scores(page: Page, results: Mapping[str, Any]) -> None:
    rows = [
        [
            name,
            f"{found['sentences']:,}",
            metric,
            f"{score['score']:.2f}",
            f"{score['interval'][0]:.2f} to {score['interval'][1]:.2f}",
            score["signature"],
        ]
        for name, found in results.items()
        for metric, score in found["scores"].items()
    ]
    page.table(["set", "sentences", "metric", "score", "95% interval", "signature"], rows)


def _stages(page: Page, trained: Trained) -> None:
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
