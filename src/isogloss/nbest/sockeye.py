"""The JSON output of sockeye: one object per sentence, with ``translations`` and ``scores``.

The scores of sockeye are costs (lower is better); the store has their negatives. If a hypothesis has several
scores (target factors), the first is its score and the others become dense columns.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from isogloss._engine import NbestBuilder
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath, naming_file
from isogloss.nbest.format_losses import lost_alignment, lost_dense, lost_segmentation, lost_sparse
from isogloss.nbest.jsonl import add_candidate, json_objects, number
from isogloss.nbest.store import NbestStore

__all__ = ["losses", "read", "write"]

_FACTORS = "FactorScore"


def read(chunks: Iterable[bytes], path: StrPath) -> NbestStore:
    """Read a list; the n-th line is the n-th sentence."""
    builder = NbestBuilder()
    with naming_file(path):
        for line, entry in json_objects(chunks, path):
            try:
                for text, scores in _candidates(entry):
                    add_candidate(
                        builder,
                        line - 1,
                        text,
                        score=-scores[0] if scores else None,
                        dense=[(_FACTORS, [-score for score in scores[1:]])],
                        line=line,
                    )
            except TypeError as error:
                raise DataFormatError(str(error), path, line) from None
        store = NbestStore.from_columns(builder.finish())
    if store.num_candidates == 0:
        raise DataFormatError("no candidates in the file", path)
    return store


def _candidates(entry: dict[str, Any]) -> Iterator[tuple[object, list[float]]]:
    if "translations" in entry:
        texts, all_scores = entry["translations"], entry.get("scores")
    elif "translation" in entry:
        texts, all_scores = [entry["translation"]], [entry.get("score")]
    else:
        raise TypeError("the object has neither 'translations' nor 'translation'")
    if not isinstance(texts, list):
        raise TypeError("'translations' is not a list")
    if all_scores is None:
        all_scores = [None] * len(texts)
    if not isinstance(all_scores, list) or len(all_scores) != len(texts):
        raise TypeError(f"'scores' must have one entry for each of {len(texts)} translations")
    for text, scores in zip(texts, all_scores, strict=True):
        listed = [] if scores is None else scores if isinstance(scores, list) else [scores]
        yield text, [number(score, "a score") for score in listed]


def write(store: NbestStore) -> Iterator[str]:
    """Yield one line per sentence; a sentence without candidates gets an empty list."""
    texts = store.texts()
    factors = [column for name in _carried(store) for column in store.columns_of(name)]
    sentence = 0
    for index in range(store.num_lines):
        rows = range(0)
        if store.sentence_ids[sentence] == index:
            rows = store.rows_of(sentence)
            sentence = min(sentence + 1, store.num_sentences - 1)
        translations = [next(texts) for _ in rows]
        scores = []
        for row in rows:
            score = float(store.scores[row])
            others = (-store.dense[row, factors]).tolist()
            scores.append(None if math.isnan(score) else [-score, *others])
        entry: dict[str, Any] = {"sentence_id": index}
        if translations:
            entry |= {"translation": translations[0], "score": scores[0] and scores[0][0]}
        entry |= {"translations": translations, "scores": scores}
        yield json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n"


def losses(store: NbestStore) -> list[str]:
    """The format holds only words and scores."""
    lost = lost_dense(store, _carried(store)) + lost_sparse(store)
    return lost + lost_alignment(store) + lost_segmentation(store)


def _carried(store: NbestStore) -> tuple[str, ...]:
    """Factor scores follow a candidate's own score, so all candidates must have a score."""
    return () if np.any(np.isnan(store.scores)) else (_FACTORS,)
