"""One JSON object per candidate, for your own lists (such as samples of an LLM).

    {"sentence": 0, "text": "a house", "score": -1.5, "dense": {"LM": -3.2}, "sparse": {"seen": 1}}

``sentence`` and ``text`` are required, the rest is optional. A dense value may be a list. ``alignment`` is a
list of [source, target] pairs. ``derivation``, which ``isogloss translate`` writes, is ignored. Any other key
with a number is a dense column too; other keys are named in a note. The format has no phrase segmentations.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NoReturn

from isogloss._engine import NbestBuilder
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath, decode_lines, naming_file
from isogloss.nbest.check import column_of
from isogloss.nbest.format_losses import lost_segmentation
from isogloss.nbest.store import NbestStore

__all__ = ["add_candidate", "entries", "json_objects", "losses", "number", "read", "write"]

_KEYS = {"sentence", "text", "score", "dense", "sparse", "alignment", "derivation"}
_LAST_SENTENCE = 2**63 - 1


def json_objects(chunks: Iterable[bytes], path: StrPath) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line number and JSON object of every line; empty lines are skipped."""

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not a number")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(pairs)
        if len(entries) < len(pairs):
            keys = [key for key, _ in pairs]
            raise ValueError(f"the key '{next(key for key in keys if keys.count(key) > 1)}' occurs twice")
        return entries

    for number, line in enumerate(decode_lines(chunks, path), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, parse_constant=refuse, object_pairs_hook=once)
        except json.JSONDecodeError as error:
            problem = f"not JSON ({error.msg} at column {error.colno})"
            raise DataFormatError(problem, path, number) from None
        except (ValueError, RecursionError) as error:
            raise DataFormatError(f"not a usable JSON object ({error})", path, number) from None
        if not isinstance(value, dict):
            raise DataFormatError("every line must be a JSON object", path, number)
        yield number, value


def read(chunks: Iterable[bytes], path: StrPath) -> NbestStore:
    """Read a list of JSON objects."""
    builder = NbestBuilder()
    found = False
    ignored: set[str] = set()
    with naming_file(path):
        for number, entry in json_objects(chunks, path):
            found = True
            try:
                _add(builder, entry, number, ignored)
            except (TypeError, KeyError) as error:
                raise DataFormatError(f"not a candidate: {_words(error)}", path, number) from None
        if not found:
            raise DataFormatError("no candidates in the file", path)
        store = NbestStore.from_columns(builder.finish())
    names = ", ".join(f"'{name}'" for name in sorted(ignored))
    return replace(store, notes=(f"keys that are not numbers are left out: {names}",)) if ignored else store


def _words(error: Exception) -> str:
    return f"'{error.args[0]}' is missing" if isinstance(error, KeyError) else str(error)


def _expected(what: str, found: object, expected: str) -> TypeError:
    shown = json.dumps(found)
    return TypeError(f"{what} is {shown if len(shown) <= 60 else shown[:60] + '…'}, {expected} is expected")


def number(value: object, what: str) -> float:
    """A JSON value as a number; raises TypeError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _expected(what, value, "a number")
    try:
        return float(value)
    except OverflowError:
        raise TypeError(f"{what} is too large") from None


def _whole_number(value: object, what: str, last: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= last:
        raise _expected(what, value, f"a whole number from 0 to {last}")
    return value


def _object(value: object, what: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _expected(what, value, "an object of names and values")
    return value


def _values(value: object, what: str) -> list[float]:
    if not isinstance(value, list):
        return [number(value, what)]
    if not value:
        raise _expected(what, value, "at least one number")
    return [number(item, what) for item in value]


def _pairs(value: object) -> list[tuple[int, int]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        raise _expected("'alignment'", value, "a list of [source, target] pairs")
    return [
        (_whole_number(source, "a position", 65535), _whole_number(target, "a position", 65535))
        for source, target in value
    ]


def add_candidate(builder: NbestBuilder, sentence: int, text: object, *, line: int, **parts: Any) -> None:
    """Add one candidate to the builder; raises TypeError if it is invalid."""
    if not isinstance(text, str):
        raise _expected("the text", text, "a string")
    try:
        builder.add(sentence, text, line=line, **parts)
    except TypeError:  # the types are right, so this is the only possible cause
        raise TypeError("the text or a name contains a lone surrogate") from None


def _add(builder: NbestBuilder, entry: dict[str, Any], line: int, ignored: set[str]) -> None:
    score = entry.get("score")
    dense, sparse = _object(entry.get("dense"), "'dense'"), _object(entry.get("sparse"), "'sparse'")
    for key in sorted(entry.keys() - _KEYS - dense.keys()):
        if column_of(key, entry[key]) is None:
            ignored.add(key)
        else:
            dense = {**dense, key: float(entry[key])}
    add_candidate(
        builder,
        _whole_number(entry["sentence"], "'sentence'", _LAST_SENTENCE),
        entry["text"],
        score=None if score is None else number(score, "the score"),
        dense=[(name, _values(value, f"'{name}'")) for name, value in dense.items()],
        sparse=[(name, number(value, f"'{name}'")) for name, value in sparse.items()],
        alignment=_pairs(entry.get("alignment")),
        line=line,
    )


def write(store: NbestStore) -> Iterator[str]:
    """Yield one line per candidate."""
    for entry in entries(store):
        yield json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n"


def entries(store: NbestStore) -> Iterator[dict[str, Any]]:
    """Yield one object per candidate."""
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
            yield entry


def losses(store: NbestStore) -> list[str]:
    """The format holds everything except segmentations."""
    return lost_segmentation(store)
