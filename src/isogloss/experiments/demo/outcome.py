"""Results of the demo: scores of all translations of the test set, examples, and an HTML page."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.corpus.placeholders import DEFAULT_KINDS, Protector
from isogloss.decoder import load
from isogloss.decoder.derivation_plot import derivation_plot
from isogloss.experiments.demo.journey import METHODS, SYSTEMS, Journey
from isogloss.io.streams import read_lines
from isogloss.metric import EvaluateOptions, References, SystemOutput, evaluate_systems
from isogloss.metric.evaluation import SystemResult
from isogloss.pipeline.evaluation import scoring
from isogloss.report import Bar, Line, Page, bar_plot, line_plot

__all__ = ["DemoOutcome", "Marker", "Timed"]

_BASELINE = "mert"
_SHORTEST, _LONGEST = 4, 16  # length in words of a sentence to show


@dataclass(frozen=True, slots=True)
class Timed:
    """A finished step."""

    purpose: str
    command: str
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOutcome:
    """Scores and the translations they belong to."""

    journey: Journey
    steps: Sequence[Timed]
    sources: Sequence[str]
    references: References
    translations: Mapping[str, Sequence[str]]
    """Translations of the test set, by the names of ``SYSTEMS``."""
    results: Mapping[str, SystemResult]
    marked: Mapping[str, float]
    """BLEU with every placeholder counted as one word."""
    kept: Mapping[str, int]
    """Number of lines with exactly the placeholders of their source."""
    signature: str

    @classmethod
    def of(cls, journey: Journey, steps: Sequence[Timed]) -> DemoOutcome:
        """Read all translations of the test set and score them."""
        how = scoring(journey.tokenizer, "truecase")
        sources = list(read_lines(journey.corpus.source("test")))
        references = References.read([journey.corpus.target("test")])
        names = [_BASELINE, *(name for name in SYSTEMS if name != _BASELINE)]
        lines = {name: list(read_lines(journey.output(name))) for name in names}
        options = EvaluateOptions(metrics=("bleu", "chrf"), **how)
        found = evaluate_systems([SystemOutput(name, (lines[name],)) for name in names], references, options)
        marker = Marker(sources)
        once = EvaluateOptions(metrics=("bleu",), test="none", **how)
        marked = evaluate_systems(
            [SystemOutput(name, (marker.marked(lines[name]),)) for name in names],
            References([marker.marked(references.streams[0])]),
            once,
        )
        return cls(
            journey=journey,
            steps=steps,
            sources=sources,
            references=references,
            translations=lines,
            results={result.name: result for result in found.systems},
            marked={result.name: result.scores[0].score for result in marked.systems},
            kept={name: marker.kept(lines[name]) for name in names},
            signature=found.signatures["BLEU"],
        )

    @property
    def report(self) -> Path:
        """Where the page goes."""
        return self.journey.folder / "report.html"

    HEAD = (
        "translation of the test set",
        "BLEU",
        "95% interval",
        "against MERT",
        "p",
        "BLEU, marked",
        "chrF",
    )

    def rows(self) -> list[list[str]]:
        """The table of scores, as text."""
        rows = []
        for name, title in SYSTEMS.items():
            bleu, chrf = self.results[name].scores
            compared = bleu.comparison
            rows.append(
                [
                    title,
                    f"{bleu.score:.1f}",
                    f"{bleu.interval.low:.1f} to {bleu.interval.high:.1f}",
                    "" if compared is None else f"{compared.difference:+.1f}",
                    "" if compared is None else f"{compared.p_value:.3f}",
                    f"{self.marked[name]:.1f}",
                    f"{chrf.score:.1f}",
                ]
            )
        return rows

    def placeholders(self) -> str:
        """Statistics of placeholders, as text."""
        own = min(self.kept[name] for name in METHODS)
        return (
            f"{own:,} of {len(self.sources):,} lines have every placeholder of their source exactly as often"
        )

    def examples(self, count: int) -> list[tuple[str, str]]:
        """Rows of a name and a text: sentences and translations, first those that the methods differ in."""
        plain, best = (self.translations[name] for name in METHODS)
        places = [place for place, _ in self.journey.shown()]
        changed = [place for place, source in enumerate(self.sources) if plain[place] != best[place]]
        fit = [place for place in changed if _SHORTEST <= len(self.sources[place].split()) <= _LONGEST]
        rows: list[tuple[str, str]] = []
        for place in [*fit[: count // 2], *places][:count]:
            rows += [("source", self.sources[place]), ("MERT", plain[place])]
            rows += [("the default", best[place])] if plain[place] != best[place] else []
            rows += [("reference", self.references.of(place)[0]), ("", "")]
        return rows

    def next_commands(self) -> list[str]:
        """Commands to try next."""
        system, sentence = self.journey.system, self.journey.shown()[0][1]
        catalog = f"{self.journey.folder}/untranslated.po"
        return [
            f"echo {shlex.quote(sentence)} | isogloss translate {system}",
            f"isogloss serve {system}  # then open http://127.0.0.1:8700/ in a browser: the workbench",
            f"isogloss catalog fill {system} {catalog} -o filled.po  # or a catalog of yours",
            "isogloss train my-engine --source my.po  # train on your own catalog, memory (TMX) or text",
        ]

    def page(self) -> Page:
        """The HTML page."""
        journey = self.journey
        corpus = journey.corpus
        page = Page(f"Isogloss demo: {corpus.languages[0]} → {corpus.languages[1]}")
        parts = ", ".join(f"{part} {count:,}" for part, count in corpus.pairs.items())
        page.paragraph(f"{corpus.found:,} translated messages gave these clean pairs: {parts}.")
        page.heading("Scores on the test set")
        page.figure(bar_plot("BLEU with 95% intervals", self._bars()))
        page.table(self.HEAD, self.rows())
        page.paragraph(
            f"BLEU is {self.signature}; in the column 'marked', every placeholder counts as one word. "
            "p: how often a resampled test set turns the difference from MERT around. "
            f"Placeholders: {self.placeholders()}."
        )
        page.heading("How the methods learned")
        page.figure(
            line_plot("BLEU on the development set", self._curves(), x_label="iteration", y_label="BLEU")
        )
        page.paragraph("Tokens of the development set, which is learned from: see above for the test set.")
        self._examples(page)
        self._explained(page)
        page.heading("Steps")
        for number, step in enumerate(self.steps, start=1):
            page.paragraph(f"{number}. {step.purpose} ({step.seconds:.1f} s)")
            page.code(f"$ {step.command}")
        return page

    def _bars(self) -> list[Bar]:
        scores = {name: self.results[name].scores[0] for name in SYSTEMS}
        return [
            Bar(title, scores[name].score, scores[name].interval.low, scores[name].interval.high)
            for name, title in SYSTEMS.items()
        ]

    def _curves(self) -> list[Line]:
        return [
            Line(
                SYSTEMS[name],
                [
                    (step["iteration"], step["dev_score"])
                    for step in json.loads(self.journey.history(name).read_bytes())["iterations"]
                ],
            )
            for name in METHODS
        ]

    def _explained(self, page: Page) -> None:
        system = load(self.journey.system)
        assert system.text is not None
        tokens = system.text.tokenize(self.journey.shown()[0][1])
        _, (steps,) = system.explained([tokens])
        page.heading("One translation, rule by rule")
        page.paragraph("Filled: the rule's own words. Dashed: what it leaves to the rules below.")
        page.figure(derivation_plot(tokens.split(" "), steps))

    def _examples(self, page: Page) -> None:
        page.heading("Examples")
        names = ("nearest", *METHODS)
        for place, source in self.journey.shown():
            rows = [["source", source], ["reference", self.references.of(place)[0]]]
            rows += [[SYSTEMS[name], self.translations[name][place]] for name in names]
            page.table(["", f"line {place + 1}"], rows)


class Marker:
    """Replaces placeholders with marks, so that each counts as one word."""

    def __init__(self, sources: Sequence[str]) -> None:
        self._protector = Protector(DEFAULT_KINDS)
        self._sources = sources
        self._known = [self._protector.protect(line)[1] for line in sources]

    def marked(self, lines: Sequence[str | None]) -> list[str]:
        """Lines with the marks of the same placeholders in their sources."""
        return [
            self._protector.protect(line or "", known)[0]
            for line, known in zip(lines, self._known, strict=True)
        ]

    def kept(self, lines: Sequence[str]) -> int:
        """The number of lines with exactly the placeholders of their source."""
        found = self._protector.found
        return sum(
            Counter(found(line)) == Counter(found(source))
            for line, source in zip(lines, self._sources, strict=True)
        )
