"""Translate all hypotheses of a recognizer into one list for each utterance.

Every candidate has the features of its translation and of its hypothesis:

    AsrScore         the recognizer's score
    AsrConfidence    log probability of the hypothesis among those of the utterance
    AsrWords         mean log probability of its words
    AsrLeastWord     log probability of its least probable word
    AsrRank          minus its rank among the hypotheses
    AsrLength        its number of words
    AsrSupport       log probability of all hypotheses that have this translation
    Asr.NAME         other numbers of the recognizer
    SourceLM         log probability of the hypothesis by a language model, and SourceLMUnknown

A reranker learns their weights. Without one, the candidate with the highest sum of translation score and
AsrConfidence wins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from isogloss.decoder.system import System
from isogloss.io.options import AtLeast, Options
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.lm import natural_scores
from isogloss.metric.interface import FloatArray
from isogloss.nbest.edit import merge
from isogloss.nbest.store import DenseGroup, Int64, NbestStore
from isogloss.speech.hypotheses import Hypothesis, Utterance, confidences, log_probability

__all__ = ["SpeechOptions", "spoken_lines", "translate_speech"]

OWN_COLUMNS = (
    "AsrScore",
    "AsrConfidence",
    "AsrWords",
    "AsrLeastWord",
    "AsrRank",
    "AsrLength",
    "AsrSupport",
)
SOURCE_LM = ("SourceLM", "SourceLMUnknown")
_BATCH = 500  # strings to translate at once, per thread
_SEARCHES = 50  # the same if their searches are kept, which are large
_NOTHING = Hypothesis(())


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechOptions(Options):
    """How to translate the hypotheses of an utterance."""

    nbest: Annotated[int, AtLeast(1)] = 10
    """Number of translations of each hypothesis."""
    scale: Annotated[float, AtLeast(0)] = 1.0
    """Scale of the recognizer's scores for confidences: P(hypothesis) ∝ exp(scale · score)."""
    source_lm: StrPath | None = None
    """Language model of the source language (folder or ARPA file), which adds two features to every
    hypothesis."""
    sparse: bool = False
    """Keep the sparse features of every candidate that the decoder has a weight for, and its word alignment,
    so that a reranker can use them. Without it, lists are smaller."""


def translate_speech(
    system: System,
    utterances: Sequence[Utterance],
    options: SpeechOptions | None = None,
    *,
    tokenized: bool = False,
    threads: int = 1,
    track: Track = no_track,
) -> NbestStore:
    """Translate all hypotheses; sentence n of the list is utterance n, and its translations are all
    different.

    If the system was trained with a tokenizer, hypotheses are plain text, unless you set ``tokenized``. An
    utterance without hypotheses has one candidate without words. The list contains tokens.
    """
    options = options or SpeechOptions()
    text = None if tokenized else system.text
    heard = [utterance or [_NOTHING] for utterance in utterances]
    lines = [
        [" ".join(h.words) if text is None else text.tokenize(" ".join(h.words)) for h in utterance]
        for utterance in heard
    ]
    different = list(dict.fromkeys(line for own in lines for line in own))
    language = _language(options.source_lm, different, threads)
    translated = _Translated(system, different, options, threads, track)
    extra = sorted({name for utterance in heard for h in utterance for name in h.columns})
    rows: list[int] = []
    columns: list[list[float]] = []
    offsets = [0]
    for utterance, own in zip(heard, lines, strict=True):
        found = _candidates(utterance, own, translated, language, extra, options)
        rows += [row for row, _ in found]
        columns += [values for _, values in found]
        offsets.append(len(rows))
    names = (*OWN_COLUMNS, *(f"Asr.{name}" for name in extra), *(SOURCE_LM if language else ()))
    return translated.selected(
        np.array(rows, np.int64),
        np.array(offsets, np.int64),
        names,
        np.array(columns, np.float64).reshape(len(rows), len(names)),
    )


def spoken_lines(
    store: NbestStore, rows: Int64, count: int, system: System, *, tokenized: bool = False
) -> Iterator[str]:
    """The chosen candidate of every utterance, as text if the system was trained with a tokenizer."""
    lines = store.lines(rows, count)
    return lines if tokenized or system.text is None else map(system.text.detokenize, lines)


class _Translated:
    """The translations of the distinct strings, and the rows of each string."""

    def __init__(
        self, system: System, strings: list[str], options: SpeechOptions, threads: int, track: Track
    ) -> None:
        size = (_SEARCHES if options.sparse else _BATCH) * threads
        parts = []
        for first in track(range(0, len(strings), size), "translating hypotheses", -(-len(strings) // size)):
            part = _translations(system, strings[first : first + size], options, threads)
            parts.append(replace(part, sentence_ids=part.sentence_ids + first))
        self.store = parts[0] if len(parts) == 1 else merge(parts)
        self._place = {strings[number]: i for i, number in enumerate(self.store.sentence_ids.tolist())}

    def rows(self, string: str) -> range:
        place = self._place.get(string)
        return range(0) if place is None else self.store.rows_of(place)

    def selected(self, rows: Int64, offsets: Int64, names: Sequence[str], columns: FloatArray) -> NbestStore:
        """The given rows as a list with additional columns; the score is the sum of translation and
        hypothesis."""
        store = self.store
        confidence = columns[:, names.index("AsrConfidence")]
        return NbestStore(
            sparse=store.sparse and store.sparse.select(rows),
            alignment=store.alignment and store.alignment.select_or_none(rows),
            segmentation=store.segmentation and store.segmentation.select_or_none(rows),
            sentence_ids=np.arange(len(offsets) - 1, dtype=np.int64),
            sentence_offsets=offsets,
            scores=store.scores[rows] + confidence,
            dense_groups=(*store.dense_groups, *(DenseGroup(name, 1) for name in names)),
            dense=np.hstack([store.dense[rows], columns]),
            words=store.words,
            tokens=store.tokens.select(rows),
        )


def _translations(system: System, strings: list[str], options: SpeechOptions, threads: int) -> NbestStore:
    weights = system.decoder.sparse_weights
    if not options.sparse or weights is None:
        return system.nbest(strings, nbest=options.nbest, threads=threads)
    found = system.decoder.search(strings, nbest=options.nbest, threads=threads, aligned=True)
    return found.with_sparse(weights)


def _candidates(
    utterance: Utterance,
    lines: Sequence[str],
    translated: _Translated,
    language: dict[str, tuple[float, float]],
    extra: Sequence[str],
    options: SpeechOptions,
) -> list[tuple[int, list[float]]]:
    """Rows of the different translations of an utterance, with their columns, best first."""
    sure = confidences(utterance, options.scale)
    best: dict[bytes, tuple[float, int, int]] = {}
    support: dict[bytes, float] = {}
    store = translated.store
    for place, line in enumerate(lines):
        for row in translated.rows(line):
            words = store.tokens.row(row).tobytes()
            support[words] = support.get(words, 0.0) + math.exp(sure[place][0])
            score = float(store.scores[row]) + sure[place][0]
            if words not in best or score > best[words][0]:
                best[words] = (score, row, place)
    found = []
    for words, (_, row, place) in sorted(best.items(), key=lambda item: -item[1][0]):
        hypothesis = utterance[place]
        values = [hypothesis.score, *sure[place], -float(place), float(len(hypothesis.words))]
        values.append(log_probability(support[words]))
        values += [hypothesis.columns.get(name, 0.0) for name in extra]
        if language:
            values += language[lines[place]]
        found.append((row, values))
    return found


def _language(path: StrPath | None, lines: list[str], threads: int) -> dict[str, tuple[float, float]]:
    if path is None:
        return {}
    scores = natural_scores(path, lines, threads)
    return {line: (float(a), float(b)) for line, (a, b) in zip(lines, scores.tolist(), strict=True)}
