"""Judge the translations of a test set: scores beside a translation memory, confidence, what would help."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.corpus.placeholders import MARK
from isogloss.decoder.confidence import CALIBRATED, RULE_OF_THUMB
from isogloss.decoder.sentence import split_words
from isogloss.metric import (
    EvaluateOptions,
    Metric,
    References,
    SystemOutput,
    SystemResult,
    evaluate_systems,
    metric_named,
    sacre_bleu,
)
from isogloss.pipeline.similarity import Nearest
from isogloss.report.verdict import (
    SIMILAR,
    ConfidenceCheck,
    ConfidenceRow,
    JudgedString,
    PartVerdict,
    Score,
    SystemVerdict,
    UnknownWord,
)

__all__ = [
    "Judged",
    "combinations",
    "confidence_check",
    "part_verdicts",
    "rank_correlation",
    "reported_metrics",
    "same_text",
    "unknown_words",
]

Float64 = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_SHOWN = 10
_WORDS = 30
"""Unknown words to list."""
_GROUPS, _SMALLEST = 10, 20
"""Groups of a reliability curve, and the strings that each needs."""
_THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
_WORD = re.compile(r"[^\W\d_]{2}|[^\W\d_]$")
"""What begins like a word: "'re" and "-" do not."""


def same_text(first: str, second: str) -> bool:
    """Whether two texts are equal apart from white space and Unicode normalization.

    >>> same_text("Qui\\u202f?  Moi ", "Qui ? Moi")
    True
    """
    return _plain(first) == _plain(second)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


@dataclass(frozen=True, eq=False, kw_only=True)
class Judged:
    """Translations of a set, and what is known about its strings."""

    sources: Sequence[str]
    tokens: Sequence[str]
    """The sources as tokens."""
    lines: Sequence[str]
    memory: Sequence[str]
    """What a translation memory offers."""
    references: References
    confidence: Float64
    nearest: Nearest
    scoring: Mapping[str, Any]

    @property
    def similar(self) -> Bools:
        """Strings that a translation memory would offer a match for."""
        return self.nearest.similarity >= SIMILAR

    def chrf(self, lines: Sequence[str]) -> Float64:
        """Sentence chrF of every line; there may be fewer lines than strings."""
        if not lines:
            return np.zeros(0)
        metric = metric_named("chrf", lowercase=bool(self.scoring["lowercase"]))
        rows = metric.statistics(list(lines), self.references, range(len(lines)))
        return np.asarray(metric.scores(rows))

    def right(self, lines: Sequence[str]) -> Bools:
        """Which lines are right as they stand."""
        return np.array(
            [any(same_text(line, one) for one in self.references.of(at)) for at, line in enumerate(lines)],
            np.bool_,
        )

    def strings(self, rows: Sequence[int], chrf: Float64) -> list[JudgedString]:
        """Strings to show."""
        return [
            JudgedString(
                line=row + 1,
                source=self.sources[row],
                translation=self.lines[row],
                reference=self.references.of(row)[0],
                chrf=round(float(chrf[row]), 1),
                confidence=float(self.confidence[row]),
            )
            for row in rows
        ]

    def best_and_worst(self, chrf: Float64) -> tuple[list[JudgedString], list[JudgedString]]:
        """Ten of each; among equals, long ones, which say more."""
        lengths = np.array([len(line) for line in self.sources])
        best = np.lexsort((np.arange(len(chrf)), -lengths, -chrf))
        worst = np.lexsort((np.arange(len(chrf)), -lengths, chrf))
        count = min(_SHOWN, len(chrf) // 2)
        return self.strings(best[:count].tolist(), chrf), self.strings(worst[:count].tolist(), chrf)


def reported_metrics(scoring: Mapping[str, Any]) -> list[Metric]:
    """sacreBLEU's BLEU and chrF, both fast on many rows, as resampling needs them."""
    return [sacre_bleu(**scoring), metric_named("chrf", lowercase=scoring["lowercase"])]


def part_verdicts(judged: Judged) -> tuple[dict[str, PartVerdict], float | None]:
    """Scores of all strings, the similar ones and the others; and the p-value of the difference of all."""
    right = judged.right(judged.lines), judged.right(judged.memory)
    everything = np.ones(len(judged.lines), np.bool_)
    metrics = reported_metrics(judged.scoring)
    found: dict[str, PartVerdict] = {}
    p_value = None
    for name, chosen in (("all", everything), ("similar", judged.similar), ("other", ~judged.similar)):
        if not chosen.any() or (name != "all" and chosen.all()):  # would repeat the row of all
            continue
        rows = np.flatnonzero(chosen).tolist()
        streams = [[stream[row] for row in rows] for stream in judged.references.streams]
        systems = [
            SystemOutput(system, ([lines[row] for row in rows],))
            for system, lines in (("memory", judged.memory), ("engine", judged.lines))
        ]
        options = EvaluateOptions(**judged.scoring, test="bootstrap" if name == "all" else "none")
        scored = evaluate_systems(systems, References(streams), options, metrics=metrics)
        memory, engine = scored.systems
        found[name] = PartVerdict(
            strings=len(rows),
            engine=_verdict(engine, right[0][chosen]),
            memory=_verdict(memory, right[1][chosen]),
        )
        if name == "all":
            compared = next(score.comparison for score in engine.scores if score.metric == "chrF2")
            p_value = None if compared is None else compared.p_value
    return found, p_value


def _verdict(result: SystemResult, right: Bools) -> SystemVerdict:
    return SystemVerdict(
        right=int(right.sum()),
        scores={
            score.metric: Score(score=score.score, low=score.interval.low, high=score.interval.high)
            for score in result.scores
        },
    )


def confidence_check(
    confidence: Float64, chrf: Float64, right: Bools, *, calibrated: bool
) -> ConfidenceCheck:
    """Compare the confidence of translations with their quality."""
    order = np.argsort(confidence, kind="stable")
    groups = np.array_split(order, max(1, min(_GROUPS, len(order) // _SMALLEST)))

    def row(chosen: npt.NDArray[np.int64], low: float) -> ConfidenceRow:
        return ConfidenceRow(
            low=round(low, 3),
            strings=len(chosen),
            confidence=round(float(confidence[chosen].mean()), 3),
            chrf=round(float(chrf[chosen].mean()) / 100, 3),
            right=int(right[chosen].sum()),
        )

    reliability = [row(group, float(confidence[group].min())) for group in groups]
    above = [(low, np.flatnonzero(confidence >= low)) for low in _THRESHOLDS]
    return ConfidenceCheck(
        calibrated=calibrated,
        meaning=CALIBRATED if calibrated else RULE_OF_THUMB,
        correlation=rank_correlation(confidence, chrf),
        error=round(
            sum(one.strings * abs(one.confidence - one.chrf) for one in reliability) / len(confidence), 3
        ),
        reliability=reliability,
        thresholds=[row(chosen, low) for low, chosen in above if len(chosen)],
    )


def rank_correlation(first: Float64, second: Float64) -> float | None:
    """Spearman's rank correlation, with mean ranks for ties; None if one side is constant.

    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([1.0, 4.0, 9.0]))
    1.0
    """
    ranks = [_ranks(values) - (len(values) + 1) / 2 for values in (first, second)]
    spread = float(np.sqrt((ranks[0] ** 2).sum() * (ranks[1] ** 2).sum()))
    return round(float(ranks[0] @ ranks[1]) / spread, 3) if spread else None


def _ranks(values: Float64) -> Float64:
    """Ranks from 1, the mean of their ranks for equal values; importing SciPy's would take a second."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    means: Float64 = np.cumsum(counts) - (counts - 1) / 2
    return means[places]


def unknown_words(training: Sequence[str], sentences: Sequence[str]) -> tuple[list[UnknownWord], Bools]:
    """Words that the training text does not have, the most frequent first, and which sentences have one.

    Both texts are tokens. Numbers, punctuation and placeholders need no translation and do not count.
    """
    known = {word for line in training for word in split_words(line)}
    counts: Counter[str] = Counter()
    has = np.zeros(len(sentences), np.bool_)
    for at, line in enumerate(sentences):
        found = {
            word
            for word in split_words(line)
            if word not in known and _WORD.match(word) and not MARK.fullmatch(word)
        }
        counts.update(found)
        has[at] = bool(found)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [UnknownWord(word=word, strings=count) for word, count in ordered[:_WORDS]], has


def combinations(training: Sequence[str], judged: Judged, unknown: Bools) -> Bools:
    """Which strings are pieces of training strings put together in another way.

    All words are known, and either a training string is similar or at most two pairs of neighbors are new, as
    when a word of one string takes the place of a word in another. In catalogs as people write them, that is
    half to two thirds of the strings.
    """
    wanted = [_pairs(line) for line in judged.tokens]
    new = set[tuple[str, str]]().union(*wanted)  # all pairs of a large text would fill the memory
    for line in training:
        new -= _pairs(line)
    missing = np.array([len(pairs & new) for pairs in wanted])
    return ~unknown & (judged.similar | (missing <= 2))


def _pairs(line: str) -> set[tuple[str, str]]:
    return set(pairwise(["<s>", *split_words(line), "</s>"]))
