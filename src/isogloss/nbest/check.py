"""Checks of a stored n-best list, which may be damaged or come from an untrusted source.

``check_shapes`` is cheap and runs whenever a store is opened. ``check_content`` reads every column once and
makes sure that all offsets, ids and names are valid.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from isogloss.io.errors import ModelFormatError

if TYPE_CHECKING:
    from isogloss.nbest.store import NbestStore, Ragged

__all__ = ["check_content", "check_shapes", "column_of", "is_feature_name"]

_ASCII_SPACES = frozenset(" \t\n\v\f\r")


def is_feature_name(name: str) -> bool:
    """Whether every file format can hold a feature with this name."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return bool(name) and "|||" not in name and "\0" not in name and _ASCII_SPACES.isdisjoint(name)


def column_of(name: str, value: object) -> float | None:
    """A value as a column, or None if it is not a number or the name cannot be a column."""
    if not is_feature_name(name) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def check_shapes(store: NbestStore) -> None:
    """Raise an error for columns of the wrong type or length, without reading them."""
    candidates, columns = store.num_candidates, sum(group.size for group in store.dense_groups)
    rows = [("tokens", store.tokens), ("alignment", store.alignment), ("segmentation", store.segmentation)]
    _expect(store, "sentence_ids", store.sentence_ids, np.int64, (None,))
    _expect(store, "sentence_offsets", store.sentence_offsets, np.int64, (len(store.sentence_ids) + 1,))
    _expect(store, "scores", store.scores, np.float64, (None,))
    _expect(store, "dense", store.dense, np.float64, (candidates, columns))
    _expect(store, "tokens", store.tokens.values, np.uint32, (None,))
    if store.alignment is not None:
        _expect(store, "alignment", store.alignment.values, np.uint16, (None, 2))
    if store.segmentation is not None:
        _expect(store, "segmentation", store.segmentation.values, np.uint16, (None, 4))
    if store.sparse is not None:
        sparse, rows = store.sparse, [*rows, ("events", store.sparse.events)]
        _expect(store, "events", sparse.events.values, np.uint32, (None,))
        _expect(store, "event_counts", sparse.event_counts, np.float32, sparse.events.values.shape)
        if sparse.event_features is not None:
            features = sparse.event_features
            _expect(store, "event_feature_offsets", features.offsets, np.int64, (None,))
            _expect(store, "event_features", features.values, np.uint32, (None,))
            if len(features.offsets) == 0:
                raise _unsound(store, "event_feature_offsets is empty")
        if sparse.feature_values is not None:
            fired = sparse.names if sparse.event_features is None else sparse.event_features.values
            _expect(store, "feature_values", sparse.feature_values, np.float32, (len(fired),))
    for name, ragged in rows:
        if ragged is not None:
            _expect(store, f"the offsets of {name}", ragged.offsets, np.int64, (candidates + 1,))


def _expect(
    store: NbestStore,
    name: str,
    array: npt.NDArray[Any],
    dtype: npt.DTypeLike,
    shape: tuple[int | None, ...],
) -> None:
    fits = len(array.shape) == len(shape) and all(
        wanted is None or found == wanted for found, wanted in zip(array.shape, shape, strict=True)
    )
    if array.dtype != dtype or not fits:
        raise _unsound(store, f"{name} has type {array.dtype} and shape {array.shape}")


def _unsound(store: NbestStore, problem: str) -> ModelFormatError:
    return ModelFormatError(
        f"the n-best store is damaged ({problem})",
        store.path or "n-best store",
        "rebuild it or restore it from a backup",
    )


def check_content(store: NbestStore) -> None:
    """Raise an error for invalid offsets, ids and names, and for values that are not finite."""
    candidates = store.num_candidates
    checks = {
        "sentence numbers that do not rise": _rising(store.sentence_ids),
        "sentence offsets that do not fit": (
            _offsets_fit(store.sentence_offsets, candidates) and bool(np.all(np.diff(store.sentence_offsets)))
        ),
        "tokens that do not exist": _rows_fit(store.tokens, len(store.words)),
        "alignment offsets that do not fit": _rows_fit(store.alignment, None),
        "segmentation offsets that do not fit": _rows_fit(store.segmentation, None),
        "dense values that are not finite": bool(np.all(np.isfinite(store.dense))),
        "scores that are not finite": not np.any(np.isinf(store.scores)),
        "impossible feature names": all(is_feature_name(group.name) for group in store.dense_groups),
        "sparse features that do not exist": _sparse_fits(store),
    }
    for problem, passed in checks.items():
        if not passed:
            raise _unsound(store, problem)


def _rising(numbers: npt.NDArray[np.int64]) -> bool:
    return len(numbers) == 0 or (int(numbers[0]) >= 0 and bool(np.all(numbers[1:] > numbers[:-1])))


def _offsets_fit(offsets: npt.NDArray[np.int64], values: int) -> bool:
    return (
        len(offsets) > 0
        and int(offsets[0]) == 0
        and int(offsets[-1]) == values
        and bool(np.all(offsets[1:] >= offsets[:-1]))
    )


def _rows_fit(rows: Ragged | None, names: int | None) -> bool:
    if rows is None:
        return True
    known = names is None or len(rows.values) == 0 or int(rows.values.max()) < names
    return known and _offsets_fit(rows.offsets, len(rows.values))


def _sparse_fits(store: NbestStore) -> bool:
    sparse = store.sparse
    if sparse is None:
        return True
    names = len(sparse.names)
    events = names if sparse.event_features is None else len(sparse.event_features.offsets) - 1
    values = sparse.feature_values
    return (
        _rows_fit(sparse.events, events)
        and _rows_fit(sparse.event_features, names)
        and bool(np.all(np.isfinite(sparse.event_counts)))
        and (values is None or bool(np.all(np.isfinite(values))))
        and all(is_feature_name(name) for name in sparse.names.words())
    )
