"""The JSON output of sockeye: one object per sentence, with ``translations`` and ``scores``.

Sockeye's scores are costs, lower is better; the store holds their negatives. Where a hypothesis has
several scores (target factors), the first is the translation's and the others become dense columns.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from isogloss._engine import NbestBuilder
from isogloss.corpus.streams import StrPath, naming_file
from isogloss.errors import DataFormatError
from isogloss.nbest.jsonl import json_objects
from isogloss.nbest.store import NbestStore

__all__ = ["losses", "read", "write"]

_FACTORS = "FactorScore"


def read(chunks: Iterable[bytes], path: StrPath) -> NbestStore:
    """Read a list; the n-th line is the n-th sentence."""
    builder = NbestBuilder()
    with naming_file(path):
        for sentence, (number, entry) in enumerate(json_objects(chunks, path)):
            for text, scores in _candidates(entry, path, number):
                builder.add(
                    sentence,
                    text,
                    score=-scores[0] if scores else None,
                    dense=[(_FACTORS, [-score for score in scores[1:]])],
                    line=number,
                )
        store = NbestStore.from_columns(builder.finish())
    if store.num_candidates == 0:
        raise DataFormatError("no candidates in the file", path)
    return store


def _candidates(entry: dict[str, Any], path: StrPath, line: int) -> Iterator[tuple[str, list[float]]]:
    if "translations" in entry:
        texts, all_scores = entry["translations"], entry.get("scores")
    elif "translation" in entry:
        texts, all_scores = [entry["translation"]], [entry.get("score")]
    else:
        raise DataFormatError("neither 'translations' nor 'translation' in the object", path, line)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise DataFormatError("'translations' is not a list of strings", path, line)
    if all_scores is None:
        all_scores = [None] * len(texts)
    if not isinstance(all_scores, list) or len(all_scores) != len(texts):
        raise DataFormatError(f"'scores' has not one entry for each of {len(texts)} translations", path, line)
    for text, scores in zip(texts, all_scores, strict=True):
        listed = [] if scores is None else scores if isinstance(scores, list) else [scores]
        if not all(isinstance(score, int | float) for score in listed):
            raise DataFormatError(f"'scores' holds {scores!r}, a number is expected", path, line)
        yield text, listed


def write(store: NbestStore) -> Iterator[str]:
    """Yield one line per sentence; a sentence without candidates gets an empty list."""
    texts = store.texts()
    factors = store.columns_of(_FACTORS)
    sentence = 0
    for number in range(int(store.sentence_ids[-1]) + 1 if store.num_sentences else 0):
        rows = range(0)
        if store.sentence_ids[sentence] == number:
            rows = store.rows_of(sentence)
            sentence = min(sentence + 1, store.num_sentences - 1)
        translations = [next(texts) for _ in rows]
        scores = []
        for row in rows:
            score = float(store.scores[row])
            others = (-store.dense[row, factors]).tolist()
            scores.append(None if math.isnan(score) else [-score, *others])
        entry: dict[str, Any] = {"sentence_id": number}
        if translations:
            entry |= {"translation": translations[0], "score": scores[0] and scores[0][0]}
        entry |= {"translations": translations, "scores": scores}
        yield json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n"


def losses(store: NbestStore) -> list[str]:
    """Only words and scores have a place."""
    lost = []
    others = [group.name for group in store.dense_groups if group.name != _FACTORS]
    if others:
        lost.append("dense features: " + ", ".join(others))
    if store.sparse is not None:
        lost.append(f"{len(store.sparse.names):,} sparse features")
    if store.alignment is not None:
        lost.append("word alignments")
    if store.segmentation is not None:
        lost.append("phrase segmentations")
    return lost
