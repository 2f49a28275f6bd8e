"""Several arrays packed into one, so that they are written, checked and mapped as one file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.io.errors import ModelFormatError
from isogloss.io.streams import StrPath

__all__ = ["pack", "unpack"]

Array = npt.NDArray[Any]

_ALIGNMENT = 64
_HEADER = np.dtype("<u8")
_DTYPES = {"u1", "u2", "u4", "u8", "i1", "i4", "i8", "f4", "f8"}


def pack(arrays: Mapping[str, Array]) -> npt.NDArray[np.uint8]:
    """Pack arrays into one array of bytes for ``unpack``.

    >>> unpack(pack({"a": np.arange(3)}), "x")["a"].tolist()
    [0, 1, 2]
    """
    table: dict[str, Any] = {}
    at = 0
    for name, array in arrays.items():
        table[name] = [array.dtype.str[1:], list(array.shape), at]
        at = _aligned(at + array.nbytes)
    header = json.dumps(table).encode()
    begin = _aligned(_HEADER.itemsize + len(header))
    out = np.zeros(begin + at, np.uint8)
    out[: _HEADER.itemsize] = np.array([len(header)], _HEADER).view(np.uint8)
    out[_HEADER.itemsize : _HEADER.itemsize + len(header)] = np.frombuffer(header, np.uint8)
    for name, array in arrays.items():
        flat = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False)).reshape(-1)
        first = begin + table[name][2]
        out[first : first + array.nbytes] = flat.view(np.uint8)
    return out


def unpack(packed: Array, path: StrPath) -> dict[str, Array]:
    """Views of the packed arrays; ``path`` is for the error message if they are invalid."""
    try:
        if packed.dtype != np.uint8 or packed.ndim != 1:
            raise ValueError("not bytes")
        size = int(packed[: _HEADER.itemsize].view(_HEADER)[0])
        table = json.loads(packed[_HEADER.itemsize : _HEADER.itemsize + size].tobytes())
        begin = _aligned(_HEADER.itemsize + size)
        return {name: _view(packed, begin, *row) for name, row in table.items()}
    except (ValueError, IndexError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise ModelFormatError(
            f"is damaged ({error})", path, "rebuild it or restore it from a backup"
        ) from None


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _view(packed: Array, begin: int, dtype: str, shape: list[int], at: int) -> Array:
    if dtype not in _DTYPES or at < 0 or any(n < 0 for n in shape):
        raise ValueError("an impossible array")
    kind = np.dtype("<" + dtype)
    first, size = begin + at, math.prod(shape) * kind.itemsize
    if first + size > len(packed):
        raise ValueError("cut off")
    return packed[first : first + size].view(kind).reshape(shape)
