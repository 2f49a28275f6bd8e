"""Arrays in files on storage that all workers share, in parts that are read and checked one by one."""

from __future__ import annotations

import math
import secrets
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.io.errors import InputFileError
from isogloss.io.streams import StrPath

__all__ = ["SharedPart", "join_parts", "write_parts"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPart:
    """An array in a file, with its checksum."""

    path: str
    offset: int
    dtype: str
    shape: tuple[int, ...]
    checksum: int

    @property
    def bytes(self) -> int:
        """Its size."""
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize

    def read(self) -> Array:
        """The array, if it is what was written; otherwise an error."""
        count = math.prod(self.shape)
        try:
            found = np.fromfile(self.path, self.dtype, count, offset=self.offset)
        except OSError as error:
            raise InputFileError(
                error.strerror or str(error), self.path, "is this folder on storage that all nodes share?"
            ) from None
        if len(found) != count or zlib.crc32(found.data) != self.checksum:
            raise InputFileError(
                "is not what the worker wrote", self.path, "check the shared storage, then repeat the command"
            )
        return found.reshape(self.shape)


def write_parts(place: StrPath, *arrays: Array) -> list[SharedPart]:
    """Write arrays one after the other into a new file whose name begins with ``place``.

    Every call has a file of its own, because a worker that was given up may still be writing.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     numbers, letters = write_parts(f"{folder}/one", np.arange(3), np.array([b"a", b"b"]))
    ...     numbers.read().tolist(), letters.read().tolist()
    ([0, 1, 2], [b'a', b'b'])
    """
    path = Path(f"{Path(place).resolve()}.{secrets.token_hex(8)}")
    parts, offset = [], 0
    with path.open("xb") as stream:
        for array in map(np.ascontiguousarray, arrays):
            content = array.reshape(-1).view(np.uint8).data
            stream.write(content)
            parts.append(
                SharedPart(
                    path=str(path),
                    offset=offset,
                    dtype=array.dtype.str,
                    shape=array.shape,
                    checksum=zlib.crc32(content),
                )
            )
            offset += array.nbytes
    return parts


def join_parts(parts: Sequence[SharedPart]) -> Array:
    """The arrays of parts, one after the other; there must be at least one."""
    return np.concatenate([part.read() for part in parts])
