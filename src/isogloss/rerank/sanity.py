"""Cheap checks of what belongs together, before hours are spent on it.

Each check is one statistic of the whole list, and a message that says what it looks like and what to do.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence

import numpy as np

from isogloss.learn.problem import Problem
from isogloss.metric.interface import FloatArray
from isogloss.nbest import NbestList, NbestStore
from isogloss.nbest.edit import highest_rows
from isogloss.nbest.store import Int64

__all__ = ["doubts", "list_fingerprint", "score_doubts", "text_doubts", "value_doubts"]

_FEWEST = 20  # sentences below which a statistic says nothing
_SAME_TEXT = 0.5
_FITS = 1.5  # overlap with the own reference must be so many times that with another
_ALONE = 0.5  # share of a column's variance that one value may have
_LENGTH_CORRELATION = 0.2


def doubts(nbest: NbestList, assembled: NbestStore, problem: Problem) -> list[str]:
    """All checks of a list that is learned from."""
    return [
        f"{nbest.name}: {doubt}"
        for doubt in [*text_doubts(nbest), *score_doubts(problem), *value_doubts(assembled)]
    ]


def text_doubts(nbest: NbestList) -> list[str]:
    """Whether source and references belong to the list, in this order."""
    store = nbest.store
    if store.num_sentences < _FEWEST:
        return []
    found, numbers = [], store.sentence_ids.tolist()
    first = [line.lower().split() for line in store.texts(store.sentence_offsets[:-1].tolist())]
    references = nbest.reference_words()
    if references is not None:
        own = [references.of(number)[0].lower().split() for number in numbers]
        found += _order_doubts(first, own)
        source = nbest.source
        if source is not None:
            same = np.mean([source[number].split() == references.of(number)[0].split() for number in numbers])
            if same > _SAME_TEXT:
                found.append(
                    f"source and references are the same text in {same:.0%} of the sentences; is one of them "
                    "the wrong file?"
                )
    found += _source_doubts(nbest)
    words = nbest.source_words()
    if words is not None:
        lengths = np.array([[len(a), len(b)] for a, b in zip(words, first, strict=True)], dtype=float)
        if np.all(lengths.std(axis=0) > 0):
            correlation = float(np.corrcoef(lengths.T)[0, 1])
            if correlation < _LENGTH_CORRELATION:
                found.append(
                    f"the lengths of source and candidates have nothing to do with each other (correlation "
                    f"{correlation:.2f}); is this the source of this list, in the same order?"
                )
    return found


def _source_doubts(nbest: NbestList) -> list[str]:
    """Whether a source that was given is the one that the list itself has; tokens may be split otherwise."""
    own, given, numbers = nbest.store.source, nbest.source, nbest.store.sentence_ids.tolist()
    if own is None or given is None:
        return []
    differ = np.mean(["".join(own[number].split()) != "".join(given[number].split()) for number in numbers])
    if differ <= _SAME_TEXT:
        return []
    return [
        f"the list has a source of its own, and the given one differs in {differ:.0%} of the sentences; is "
        "it the source of this list, in the same order?"
    ]


def _order_doubts(candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> list[str]:
    """References of another set, or in another order: they are no closer than any other reference."""
    count = len(candidates)
    rare = _rare_words(references)
    if sum(len(set(line) & rare) for line in references) < count:
        return []  # the same few words everywhere: nothing can be told

    def overlap(shift: int) -> float:
        pairs = zip(candidates, (references[(i + shift) % count] for i in range(count)), strict=True)
        return float(np.mean([_overlap(a, b, rare) for a, b in pairs]))

    own, others = overlap(0), {shift: overlap(shift) for shift in (1, -1, count // 2)}
    for shift in (1, -1):
        if others[shift] > max(_FITS * own, 0.1):
            there = "next" if shift > 0 else "previous"
            return [
                f"the candidates fit the reference of the {there} sentence better than their own; a line is "
                "missing or added somewhere"
            ]
    if own > max(_FITS * others[count // 2], 0.01):
        return []
    found = np.mean(
        [_finds_own(i, candidates, references, rare) for i in range(0, count, max(count // 50, 1))]
    )
    if found:
        return [
            "the candidates fit references of other sentences: the list has another order than the references"
        ]
    return ["the candidates are no closer to their references than to others: references of another set?"]


def _rare_words(lines: Sequence[Sequence[str]]) -> set[str]:
    """Words of at most a tenth of the lines: others occur everywhere and tell nothing."""
    counts = Counter(word for line in lines for word in set(line))
    return {word for word, count in counts.items() if count <= max(len(lines) // 10, 1)}


def _overlap(candidate: Sequence[str], reference: Sequence[str], rare: set[str]) -> float:
    mine, theirs = set(candidate) & rare, set(reference) & rare
    return 2 * len(mine & theirs) / max(len(mine) + len(theirs), 1)


def _finds_own(
    place: int, candidates: Sequence[Sequence[str]], references: Sequence[Sequence[str]], rare: set[str]
) -> bool:
    """Whether another reference fits this candidate well."""
    best = max(range(len(references)), key=lambda j: _overlap(candidates[place], references[j], rare))
    return best != place and _overlap(candidates[place], references[best], rare) > 0.5


def score_doubts(problem: Problem) -> list[str]:
    """Whether higher scores are better."""
    store = problem.store
    if store.num_sentences < _FEWEST or np.any(np.isnan(store.scores)):
        return []
    highest = problem.score_of_rows(highest_rows(store, store.scores))
    lowest = problem.score_of_rows(highest_rows(store, -store.scores))
    first = problem.score_of_rows(store.sentence_offsets[:-1])
    # Lists begin with what the system prefers: if that has the lowest score, scores are costs.
    ascending = np.mean(
        store.scores[store.sentence_offsets[:-1]]
        <= np.minimum.reduceat(store.scores, store.sentence_offsets[:-1])
    )
    if lowest > highest and (ascending > 0.9 or lowest > 1.2 * highest) and first >= highest:
        return [
            "candidates with low scores are better than those with high ones; are the scores costs? "
            "Higher must be better: change their sign"
        ]
    return []


def value_doubts(store: NbestStore) -> list[str]:
    """Whether one absurd value makes all others of a column look alike."""
    found = []
    sizes = np.diff(store.sentence_offsets)
    if store.num_candidates < 100:
        return []
    for name, column in zip(store.dense_names, store.dense.T, strict=True):
        squares = _centered(np.asarray(column, dtype=np.float64), store.sentence_offsets, sizes) ** 2
        total = float(squares.sum())
        row = int(np.argmax(squares))
        if total > 0 and squares[row] > _ALONE * total and np.count_nonzero(squares) > 20:
            sentence = int(store.sentence_ids[store.sentence_of_row()[row]])
            found.append(
                f"feature '{name}' of a candidate of sentence {sentence} is {column[row]:.6g}, so far from "
                "all others that they look alike; correct it, or leave the feature out"
            )
    return found


def _centered(values: FloatArray, offsets: Int64, sizes: Int64) -> FloatArray:
    means = np.add.reduceat(values, offsets[:-1]) / sizes
    return np.asarray(values - np.repeat(means, sizes))


def list_fingerprint(store: NbestStore) -> str:
    """A hash of the words of a list, to recognize it again."""
    digest = hashlib.sha256()
    digest.update(np.ascontiguousarray(store.sentence_offsets).tobytes())
    digest.update(np.ascontiguousarray(store.words.hashes()[store.tokens.values]).tobytes())
    return digest.hexdigest()[:16]
