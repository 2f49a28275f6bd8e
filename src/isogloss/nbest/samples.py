"""Samples of a language model, or the beams of a neural system, as an n-best list.

The same text drawn several times is one candidate, with a column that counts how often. A log-probability
that is missing becomes the smallest of its sentence, with a column that says so: 0 would be the best of all.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from isogloss._engine import NbestBuilder
from isogloss.nbest.store import DenseGroup, Float64, NbestStore

__all__ = [
    "ALWAYS_THERE",
    "COUNT",
    "LOGPROB",
    "LOGPROB_MISSING",
    "ModelSample",
    "SentenceSamples",
    "list_of_samples",
]

COUNT = "Count"
LOGPROB = "LogProb"
LOGPROB_MEAN = "LogProbMean"
LOGPROB_MISSING = "LogProbMissing"
TOKENS = "Tokens"
ALWAYS_THERE = frozenset({COUNT, LOGPROB_MISSING})
"""Columns that a list of samples has even if they are constant, so that two lists of one system are alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSample:
    """One translation that a model wrote."""

    text: str
    score: float | None = None
    """What the system ranks by, higher is better: for samples the log-probability of the whole text."""
    tokens: int | None = None
    """How many tokens the score is of."""
    columns: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceSamples:
    """The samples of one sentence."""

    sentence: int
    samples: Sequence[ModelSample]
    source: str | None = None
    line: int = 0


def list_of_samples(
    sentences: Iterable[SentenceSamples], *, ignored: Counter[str] | None = None, summed: bool = True
) -> NbestStore:
    """One list of all samples; ``ignored`` counts keys that no column can hold.

    ``summed`` says that scores are sums over tokens, so that their mean is a column too.
    """
    merged = [(one, _distinct(one.samples)) for one in sentences]
    builder = NbestBuilder()
    for one, distinct in merged:
        for sample, _ in distinct:
            columns = [(name, [value]) for name, value in sample.columns.items()]
            builder.add(one.sentence, sample.text, dense=columns, line=one.line)
    rows = [pair for _, distinct in _sorted(merged) for pair in distinct]
    store = NbestStore.from_columns(builder.finish())
    counts = {COUNT: np.array([float(count) for _, count in rows])}
    scores, missing = _scores(store, [sample for sample, _ in rows])
    if scores is not None:
        counts |= {LOGPROB: scores, LOGPROB_MISSING: missing}
        tokens = np.array([float(sample.tokens or 0) for sample, _ in rows])
        if np.all(tokens > 0):
            counts[TOKENS] = tokens
            if summed:
                counts[LOGPROB_MEAN] = scores / tokens
    own = {name: column for name, column in counts.items() if name not in store.dense_names}
    return replace(
        store,
        scores=store.scores if scores is None else scores,
        dense_groups=(*(DenseGroup(name, 1) for name in own), *store.dense_groups),
        dense=np.column_stack([*own.values(), store.dense]) if rows else store.dense,
        notes=_notes(len(rows), int(missing.sum()), ignored or Counter()),
        source=_source([one for one, _ in merged]),
    )


def _sorted(
    merged: list[tuple[SentenceSamples, list[tuple[ModelSample, int]]]],
) -> list[tuple[SentenceSamples, list[tuple[ModelSample, int]]]]:
    """In the order of the store: by sentence, otherwise as given."""
    return sorted(merged, key=lambda pair: pair[0].sentence)


def _distinct(samples: Sequence[ModelSample]) -> list[tuple[ModelSample, int]]:
    """Each text once, as its most probable sample, with how often it was drawn."""
    found: dict[str, tuple[ModelSample, int]] = {}
    for sample in samples:
        text = " ".join(sample.text.split())
        best, count = found.get(text, (replace(sample, text=text), 0))
        if (-math.inf if sample.score is None else sample.score) > (
            -math.inf if best.score is None else best.score
        ):
            best = replace(sample, text=text)
        found[text] = best, count + 1
    return list(found.values())


def _scores(store: NbestStore, samples: Sequence[ModelSample]) -> tuple[Float64 | None, Float64]:
    """The score of every candidate, and 1 where there is none."""
    given = np.array([math.nan if one.score is None else one.score for one in samples], dtype=np.float64)
    missing = np.isnan(given)
    if np.all(missing):
        return None, np.zeros(len(given))
    lowest = float(np.nanmin(given))
    scores = given.copy()
    for sentence in range(store.num_sentences):
        rows = slice(*store.sentence_offsets[sentence : sentence + 2])
        own = given[rows]
        known = own[~np.isnan(own)]
        scores[rows] = np.where(np.isnan(own), known.min() if len(known) else lowest, own)
    return scores, missing.astype(np.float64)


def _notes(candidates: int, missing: int, ignored: Counter[str]) -> tuple[str, ...]:
    notes = []
    if 0 < missing < candidates:
        notes.append(
            f"{missing:,} of {candidates:,} candidates have no log-probability; they get the smallest of "
            f"their sentence, and the column '{LOGPROB_MISSING}' is 1"
        )
    if ignored:
        names = ", ".join(f"'{name}'" for name in sorted(ignored))
        notes.append(f"keys that are not numbers are left out: {names}")
    return tuple(notes)


def _source(sentences: Sequence[SentenceSamples]) -> tuple[str, ...] | None:
    """The source of every sentence, if all have one and none is missing."""
    known = {one.sentence: one.source for one in sentences if one.source is not None}
    if not known or len(known) < len({one.sentence for one in sentences}):
        return None
    if sorted(known) != list(range(len(known))):
        return None
    return tuple(known[number] for number in range(len(known)))
