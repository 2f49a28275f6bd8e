"""Recognition hypotheses: for each utterance, some strings and their confidences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from isogloss.decoder.plf import Lattice
from isogloss.io.errors import ConfigError
from isogloss.metric.interface import FloatArray
from isogloss.nbest.store import NbestStore
from isogloss.speech.strings import best_strings

__all__ = [
    "Hypothesis",
    "Utterance",
    "best_hypotheses",
    "lattice_utterances",
    "list_utterances",
    "text_utterances",
]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One hypothesis with the recognizer's score (a natural logarithm) and its other numbers."""

    words: tuple[str, ...]
    score: float = 0.0
    columns: Mapping[str, float] = field(default_factory=dict)


Utterance = Sequence[Hypothesis]
"""The hypotheses of an utterance, best first; empty if the recognizer has none."""


def best_hypotheses(utterances: Iterable[Utterance]) -> list[list[str]]:
    """The words of the best hypothesis of every utterance; empty if there is none."""
    return [list(utterance[0].words) if utterance else [] for utterance in utterances]


def text_utterances(lines: Iterable[str]) -> list[Utterance]:
    """Utterances with one hypothesis each."""
    return [[Hypothesis(tuple(line.split()))] for line in lines]


def lattice_utterances(lattices: Iterable[Lattice], hypotheses: int) -> list[Utterance]:
    """The best different strings of word lattices."""
    return [
        [Hypothesis(words, score) for words, score in best_strings(lattice, hypotheses)]
        for lattice in lattices
    ]


def list_utterances(store: NbestStore, hypotheses: int, count: int | None = None) -> list[Utterance]:
    """The first hypotheses of an n-best list, by their scores; sentence n of it is utterance n.

    There are ``count`` utterances, or as many as the list has. A missing score, or a number missing on some
    lines of the list (it is read as 0 there), is replaced with the lowest of its utterance. A column that
    repeats the score is left out. If no line has a score, the first column is used as the score.
    """
    if hypotheses < 1:
        raise ConfigError(f"hypotheses must be at least 1, got {hypotheses}")
    lines = store.num_lines
    if count is not None and count < lines:
        raise ConfigError(
            f"the list has hypotheses of utterance {lines - 1}, counted from 0, but the count is {count:,}"
        )
    names = store.dense_names
    gaps = {
        name for group in store.dense_groups if group.name in store.filled for name in group.column_names()
    }
    columns = {
        name: np.where((store.dense[:, i] == 0) & (name in gaps), np.nan, store.dense[:, i])
        for i, name in enumerate(names)
    }
    scores = store.scores
    if names and np.all(np.isnan(scores)):
        scores = columns.pop(names[0])
    known = ~np.isnan(scores)
    columns = {name: column for name, column in columns.items() if not _repeats(column, scores, known)}
    filled = _filled(scores, store)
    numbers = {name: _filled(column, store) for name, column in columns.items()}
    found: list[Utterance] = [[] for _ in range(lines if count is None else count)]
    texts = [tuple(text.split(" ")) if text else () for text in store.texts()]
    for sentence, number in enumerate(store.sentence_ids.tolist()):
        rows = sorted(store.rows_of(sentence), key=lambda row: -filled[row])
        found[number] = [
            Hypothesis(
                texts[row], float(filled[row]), {name: float(column[row]) for name, column in numbers.items()}
            )
            for row in rows[:hypotheses]
        ]
    return found


def _repeats(
    column: FloatArray, scores: FloatArray, known: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> bool:
    both = known & ~np.isnan(column)
    return bool(np.any(both)) and bool(np.allclose(column[both], scores[both], rtol=1e-6, atol=1e-6))


def _filled(column: FloatArray, store: NbestStore) -> FloatArray:
    """The column with missing values filled in: the lowest of the sentence, or the overall mean."""
    known = column[~np.isnan(column)]
    usual = float(known.mean()) if len(known) else 0.0
    filled = column.copy()
    for sentence in range(store.num_sentences):
        own = slice(int(store.sentence_offsets[sentence]), int(store.sentence_offsets[sentence + 1]))
        missing = np.isnan(filled[own])
        if np.any(missing):
            least = float(np.nanmin(filled[own])) if not np.all(missing) else usual
            filled[own] = np.where(missing, least, filled[own])
    return filled


def confidences(utterance: Utterance, scale: float = 1.0) -> list[tuple[float, float, float]]:
    """For each hypothesis: its log probability, and the mean and minimum log probability of its words.

    P(hypothesis) ∝ exp(scale · score). The probability of a word is the total probability of the hypotheses
    that contain it (as often). A hypothesis without words has its own probability.
    """
    if not utterance:
        return []
    highest = max(hypothesis.score for hypothesis in utterance)
    weights = [math.exp(max(scale * (hypothesis.score - highest), -500)) for hypothesis in utterance]
    total = sum(weights)
    of_word: dict[tuple[str, int], float] = {}
    words = [_numbered(hypothesis.words) for hypothesis in utterance]
    for own, weight in zip(words, weights, strict=True):
        for word in own:
            of_word[word] = of_word.get(word, 0.0) + weight / total
    found = []
    for own, weight in zip(words, weights, strict=True):
        sentence = math.log(weight / total)
        each = [log_probability(of_word[word]) for word in own] or [sentence]
        found.append((sentence, sum(each) / len(each), min(each)))
    return found


def log_probability(sum_of_shares: float) -> float:
    """The logarithm of a probability that may be slightly off because of rounding."""
    return math.log(min(max(round(sum_of_shares, 12), 1e-12), 1.0))


def _numbered(words: Sequence[str]) -> list[tuple[str, int]]:
    """Each word with the number of its earlier occurrences."""
    seen: dict[str, int] = {}
    numbered = []
    for word in words:
        numbered.append((word, seen.get(word, 0)))
        seen[word] = seen.get(word, 0) + 1
    return numbered
