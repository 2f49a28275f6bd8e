"""Bounded working memory: arrays that do not fit go to temporary files that are removed automatically."""

from __future__ import annotations

import contextlib
import mmap
import os
import sys
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from isogloss.io.errors import OutputError
from isogloss.io.streams import StrPath

__all__ = ["Scratch", "SpillFile"]

Array = npt.NDArray[Any]


class Scratch:
    """Arrays up to ``memory`` bytes in total; further ones are mapped files in ``folder``.

    The files have no names (or are removed when closed, where that is not possible), so that a killed process
    leaves nothing behind. Their space is allocated before they are mapped: a full disk is an error here, not
    a crash later.
    """

    def __init__(self, memory: int, folder: StrPath | None = None) -> None:
        self.memory = memory
        self.folder = Path(folder) if folder is not None else Path(tempfile.gettempdir())
        self.used = 0
        self._maps: list[weakref.ref[mmap.mmap]] = []
        self.spilled = 0
        """Bytes of all temporary files so far."""

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """An uninitialized array."""
        return self._make(shape, np.dtype(dtype), np.empty)

    def zeros(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """An array of zeros."""
        return self._make(shape, np.dtype(dtype), np.zeros)

    def hold(self, array: Array) -> Array:
        """Count an existing array as long as it is in use."""
        self.used += array.nbytes
        weakref.finalize(array, self._release, array.nbytes)
        return array

    def keep(self, array: Array) -> Array:
        """The array itself if there is room for it, else a copy in a mapped file."""
        if self.used + array.nbytes <= self.memory:
            return self.hold(array)
        copy = self.empty(array.shape, array.dtype)
        copy[...] = array
        return copy

    def ranges(self, size: int, step: int) -> Iterator[tuple[int, int]]:
        """Split 0 … size into pieces; after each, release the memory of mapped files."""
        for begin in range(0, size, step):
            yield begin, min(size, begin + step)
            self.trim()

    def trim(self) -> None:
        """Release the memory of mapped files; it is read again when used."""
        self._maps = [reference for reference in self._maps if reference() is not None]
        for mapped in (reference() for reference in self._maps):
            if mapped is not None and sys.platform == "linux":
                mapped.madvise(mmap.MADV_DONTNEED)  # safe for shared file mappings: nothing is lost

    def open_file(self) -> IO[bytes]:
        """A temporary file without a name."""
        with self.failures():
            return tempfile.TemporaryFile(dir=self.folder, buffering=0)

    @contextlib.contextmanager
    def failures(self) -> Iterator[None]:
        """Name the folder in the error if it cannot be written."""
        try:
            yield
        except OSError as error:
            raise OutputError(
                f"cannot write temporary files here ({error.strerror or error})",
                self.folder,
                "free some space, or choose another folder with --scratch",
            ) from None

    def _make(self, shape: int | tuple[int, ...], dtype: np.dtype[Any], make: Any) -> Array:
        size = int(np.prod(shape)) * dtype.itemsize
        if size == 0 or self.used + size <= self.memory:
            return self.hold(make(shape, dtype))
        with self.open_file() as file, self.failures():
            _reserve(file, size)
            self.spilled += size
            return self.map_file(file, mmap.ACCESS_WRITE).view(dtype).reshape(shape)

    def map_file(self, file: IO[bytes], access: int) -> Array:
        """The bytes of a file that is not empty."""
        mapped = mmap.mmap(file.fileno(), 0, access=access)
        self._maps.append(weakref.ref(mapped))
        return np.frombuffer(mapped, np.uint8)

    def _release(self, size: int) -> None:
        self.used -= size


class SpillFile:
    """Arrays of 32-bit numbers appended to one temporary file and read back piece by piece."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._file = scratch.open_file()
        weakref.finalize(self, self._file.close)
        self.size = 0

    def append(self, array: npt.NDArray[np.uint32]) -> None:
        """Append all bytes."""
        data = array.view(np.uint8).data
        with self._scratch.failures():
            while data:
                written = self._file.write(data)
                self.size += written
                self._scratch.spilled += written
                data = data[written:]

    def read(self, begin: int, end: int) -> npt.NDArray[np.uint32]:
        """The content between two byte positions."""
        parts = bytearray(end - begin)
        view = memoryview(parts)
        with self._scratch.failures():
            self._file.seek(begin)
            while view:
                got = self._file.readinto(view)  # type: ignore[attr-defined]
                if not got:
                    raise OSError("a temporary file was truncated")
                view = view[got:]
        return np.frombuffer(parts, np.uint32)

    def map(self) -> npt.NDArray[np.uint32]:
        """The whole file as a mapped array; nothing may be appended after this."""
        if self.size == 0:
            return np.zeros(0, np.uint32)
        return self._scratch.map_file(self._file, mmap.ACCESS_READ).view(np.uint32)


def _reserve(file: IO[bytes], size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
        return
    block = bytes(1 << 20)
    for start in range(0, size, len(block)):
        file.write(block[: size - start])
