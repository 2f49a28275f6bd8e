"""One JSON object per candidate, for lists that people make themselves (samples of an LLM, an API).

    {"sentence": 0, "text": "a house", "score": -1.5, "dense": {"LM": -3.2}, "sparse": {"seen": 1}}

``sentence`` and ``text`` are needed, the rest may be missing. A dense value may be a list. ``alignment``
is a list of [source, target] pairs. Phrase segmentations have no place.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from isogloss._engine import NbestBuilder
from isogloss.corpus.streams import StrPath, decode_lines, naming_file
from isogloss.errors import DataFormatError
from isogloss.nbest.store import NbestStore

__all__ = ["json_objects", "losses", "read", "write"]

_KEYS = {"sentence", "text", "score", "dense", "sparse", "alignment"}


def json_objects(chunks: Iterable[bytes], path: StrPath) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and JSON object of every line; empty lines are passed over."""

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not a number")

    for number, line in enumerate(decode_lines(chunks, path), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, parse_constant=refuse)
        except (ValueError, RecursionError) as error:
            raise DataFormatError(f"not JSON ({error})", path, number) from None
        if not isinstance(value, dict):
            raise DataFormatError("a JSON object is expected on every line", path, number)
        yield number, value


def read(chunks: Iterable[bytes], path: StrPath) -> NbestStore:
    """Read a list of JSON objects."""
    builder = NbestBuilder()
    found = False
    with naming_file(path):
        for number, entry in json_objects(chunks, path):
            found = True
            try:
                _add(builder, entry, number)
            except (TypeError, KeyError, OverflowError) as error:
                raise DataFormatError(f"not a candidate ({_words(error)})", path, number) from None
        if not found:
            raise DataFormatError("no candidates in the file", path)
        return NbestStore.from_columns(builder.finish())


def _words(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"'{error.args[0]}' is missing"
    text = str(error)
    return "a value has the wrong type" if "incompatible function arguments" in text else text


def _add(builder: NbestBuilder, entry: dict[str, Any], line: int) -> None:
    unknown = entry.keys() - _KEYS
    if unknown:
        raise TypeError(f"unknown key '{min(unknown)}'; known are {', '.join(sorted(_KEYS))}")
    dense = entry.get("dense") or {}
    sparse = entry.get("sparse") or {}
    builder.add(
        entry["sentence"],
        entry["text"],
        score=entry.get("score"),
        dense=[(name, value if isinstance(value, list) else [value]) for name, value in dense.items()],
        sparse=list(sparse.items()),
        alignment=[(source, target) for source, target in entry.get("alignment") or []],
        line=line,
    )


def write(store: NbestStore) -> Iterator[str]:
    """Yield one line per candidate."""
    sparse = store.sparse.flat() if store.sparse is not None else None
    names = sparse.names.words() if sparse else []
    texts = store.texts()
    for sentence, number in enumerate(store.sentence_ids.tolist()):
        for row in store.rows_of(sentence):
            entry: dict[str, Any] = {"sentence": number, "text": next(texts)}
            if not math.isnan(store.scores[row]):
                entry["score"] = float(store.scores[row])
            values = store.dense[row].tolist()
            if values:
                entry["dense"] = {}
            for group in store.dense_groups:
                own, values = values[: group.size], values[group.size :]
                entry["dense"][group.name] = own[0] if group.size == 1 else own
            if sparse is not None:
                begin, end = sparse.events.offsets[row], sparse.events.offsets[row + 1]
                columns = sparse.events.values[begin:end].tolist()
                counts = sparse.event_counts[begin:end].tolist()
                entry["sparse"] = {names[c]: value for c, value in zip(columns, counts, strict=True)}
            if store.alignment is not None:
                entry["alignment"] = store.alignment.row(row).tolist()
            yield json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n"


def losses(store: NbestStore) -> list[str]:
    """Only segmentations have no place."""
    return ["phrase segmentations"] if store.segmentation is not None else []
