"""What a recognizer heard: for each utterance some strings, and how sure it is of them."""

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
    """One string, with the recognizer's score (a natural logarithm) and other numbers it gave."""

    words: tuple[str, ...]
    score: float = 0.0
    columns: Mapping[str, float] = field(default_factory=dict)


Utterance = Sequence[Hypothesis]
"""The hypotheses of an utterance, best first; none if the recognizer heard nothing."""


def best_hypotheses(utterances: Iterable[Utterance]) -> list[list[str]]:
    """The words of the best hypothesis of every utterance; none where nothing was heard."""
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

    There are ``count`` utterances, or as many as the list has. A score that is missing counts as the lowest
    of its utterance. So does a number that some lines of the list do not give (it is read as 0 there). A
    column that repeats the score is left out. Where no line has a score, the first column is taken for it.
    """
    if hypotheses < 1:
        raise ConfigError(f"hypotheses must be at least 1, got {hypotheses}")
    lines = store.num_lines
    if count is not None and count < lines:
        raise ConfigError(
            f"the list has hypotheses of utterance {lines - 1}, counted from 0, but there are to be {count:,}"
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
    """The column with what is missing put in: the lowest of the sentence, or the mean of all there is."""
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
    """For each hypothesis the logarithm of its probability among the others, and for the logarithms of the
    probabilities of its words their mean and the least.

    P(hypothesis) ∝ exp(scale · score). A word is as probable as it is that a hypothesis has it (as often). A
    hypothesis without words has the probability of itself.
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
    """The logarithm of a sum that rounding may have moved a little away from 0 or 1."""
    return math.log(min(max(round(sum_of_shares, 12), 1e-12), 1.0))


def _numbered(words: Sequence[str]) -> list[tuple[str, int]]:
    """Each word with how often it stood before."""
    seen: dict[str, int] = {}
    numbered = []
    for word in words:
        numbered.append((word, seen.get(word, 0)))
        seen[word] = seen.get(word, 0) + 1
    return numbered
