"""The verdict on a trained engine: how good it is, how sure that is, and what would help."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from isogloss.io.errors import ModelFormatError
from isogloss.io.streams import StrPath, atomic_output

__all__ = [
    "SIMILAR",
    "VERDICT",
    "ConfidenceCheck",
    "ConfidenceRow",
    "JudgedString",
    "PartVerdict",
    "Score",
    "SystemVerdict",
    "UnknownWord",
    "Verdict",
]

VERDICT = "verdict.json"
"""Name of the file in the folder of an engine."""
SIMILAR = 0.7
"""Similarity from which a translation memory would offer a match."""
_VERSION = 1

PARTS = {
    "all": "all strings",
    "similar": f"with a training string at least {SIMILAR} similar",
    "other": "the rest",
}
"""Parts of the test set, and what they are called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A score with its 95% interval over resampled test sets."""

    score: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemVerdict:
    """Translations of some strings, compared with their references."""

    right: int
    """Number of strings that are equal to a reference, apart from white space and Unicode normalization."""
    scores: Mapping[str, Score]
    """Corpus scores by metric: BLEU, chrF2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartVerdict:
    """The engine and the translation memory on the same strings."""

    strings: int
    engine: SystemVerdict
    memory: SystemVerdict
    """The translation of the most similar source of the training text, taken as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedString:
    """A string of the test set with its score."""

    line: int
    source: str
    translation: str
    reference: str
    chrf: float
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceRow:
    """Strings with a similar confidence, or with at least some confidence."""

    low: float
    """Lowest confidence."""
    strings: int
    confidence: float
    """Mean confidence."""
    chrf: float
    """Mean chrF of the strings, divided by 100."""
    right: int
    """Number of strings that are right as they stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceCheck:
    """Whether the confidence keeps what it promises, on the test set."""

    calibrated: bool
    """Whether it was learned from held-out text."""
    meaning: str
    correlation: float | None
    """Spearman's rank correlation of confidence and sentence chrF; None if one of them is constant."""
    error: float
    """Mean distance of confidence and quality over the rows of ``reliability``."""
    reliability: Sequence[ConfidenceRow]
    """Groups of equal size, the least confident first."""
    thresholds: Sequence[ConfidenceRow]
    """What ``--min-confidence`` would fill."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownWord:
    """A source word that is not in the training text."""

    word: str
    strings: int
    """Number of strings of the development set that contain it."""
    origin: str = ""
    """What was done with it: ``unknown`` (copied), ``split``, ``related``, ``dictionary``, ``rewritten``, or
    ``table``; empty if nobody looked."""
    translation: str = ""
    """What became of it in the first of these strings, as tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How good an engine is.

    ``print(verdict.text())`` prints what ``isogloss train`` prints at its end.
    """

    HEAD: ClassVar = ("strings", "number", "system", "right", "chrF (95% interval)", "BLEU (95% interval)")
    """Head of the table that ``rows`` returns."""

    set: str
    """Set that was judged: ``test``, ``dev`` if there is no test set, or empty if there is neither."""
    parts: Mapping[str, PartVerdict]
    """By ``all``, ``similar`` (the nearest training string is at least 0.7 similar) and ``other``."""
    p_value: float | None
    """How often a resampled test set turns the difference in chrF from the translation memory around."""
    best: Sequence[JudgedString]
    worst: Sequence[JudgedString]
    confidence: ConfidenceCheck | None
    unknown_words: Sequence[UnknownWord]
    """The most frequent unknown words of the development set."""
    warnings: Sequence[str]
    """Why the scores may mislead."""
    advice: Sequence[str]
    """What would help, the most first."""
    languages: tuple[str, str]
    tokenizers: tuple[str, str]
    pairs: int
    """Number of training pairs."""

    def headline(self) -> str:
        """The verdict in two sentences."""
        if "all" not in self.parts:
            return f"Nothing is known about its quality: no string was held out of the {self.pairs:,} pairs."
        whole = self.parts["all"]
        engine, memory = whole.engine, whole.memory
        return (
            f"{share(engine.right, whole.strings)} of {whole.strings:,} {_UNSEEN[self.set]} strings are "
            f"right as they stand; a translation memory gets {share(memory.right, whole.strings)} right. "
            f"chrF is {engine.scores['chrF2'].score:.1f}, and {memory.scores['chrF2'].score:.1f} with the "
            "memory."
        )

    def rows(self) -> list[list[str]]:
        """The table of scores as text: a row for each part and system."""
        found = []
        for name, part in self.parts.items():
            for system, verdict in (("engine", part.engine), ("translation memory", part.memory)):
                first = [PARTS[name], f"{part.strings:,}"] if system == "engine" else ["", ""]
                scores = [
                    f"{one.score:.1f} ({one.low:.0f} to {one.high:.0f})"
                    for one in (verdict.scores[metric] for metric in ("chrF2", "BLEU"))
                ]
                found.append([*first, system, share(verdict.right, part.strings), *scores])
        return found

    def text(self) -> str:
        """What ``isogloss train`` prints at its end."""
        from isogloss.report.verdict_text import verdict_lines

        return "\n".join(verdict_lines(self))

    def to_dict(self) -> dict[str, Any]:
        """As plain values, ready for JSON."""
        return {**asdict(self), "headline": self.headline()}

    def write(self, path: StrPath) -> None:
        """Write the verdict to a file."""
        with atomic_output(path) as stream:
            content = {"version": _VERSION, **self.to_dict()}
            stream.write(json.dumps(content, indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def read(cls, folder: StrPath) -> Verdict | None:
        """The verdict on the engine in a folder; None if an earlier version trained it."""
        path = Path(folder) / VERDICT
        try:
            row = json.loads(path.read_bytes())
            if row.pop("version") > _VERSION:
                return None
            row.pop("headline")
            return _from_dict(row)
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ModelFormatError("is damaged", path, "repeat the 'isogloss train' that made it") from None


_UNSEEN = {"test": "unseen", "dev": "development"}


def share(count: int, of: int) -> str:
    """A share as a percentage.

    >>> share(1, 3)
    '33%'
    """
    return f"{100 * count / of:.0f}%" if of else ""


def _from_dict(row: dict[str, Any]) -> Verdict:
    confidence = row.pop("confidence")
    return Verdict(
        parts={
            name: PartVerdict(
                strings=part["strings"], engine=_system(part["engine"]), memory=_system(part["memory"])
            )
            for name, part in row.pop("parts").items()
        },
        best=[JudgedString(**item) for item in row.pop("best")],
        worst=[JudgedString(**item) for item in row.pop("worst")],
        unknown_words=[UnknownWord(**item) for item in row.pop("unknown_words")],
        confidence=None if confidence is None else _check(confidence),
        languages=_two(row.pop("languages")),
        tokenizers=_two(row.pop("tokenizers")),
        **row,
    )


def _system(row: Mapping[str, Any]) -> SystemVerdict:
    scores = {metric: Score(**score) for metric, score in row["scores"].items()}
    return SystemVerdict(right=row["right"], scores=scores)


def _check(row: dict[str, Any]) -> ConfidenceCheck:
    reliability, thresholds = (
        [ConfidenceRow(**item) for item in row.pop(name)] for name in ("reliability", "thresholds")
    )
    return ConfidenceCheck(reliability=reliability, thresholds=thresholds, **row)


def _two(values: Sequence[str]) -> tuple[str, str]:
    first, second = values
    return first, second
