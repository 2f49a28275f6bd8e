"""Storage of a rule table: a folder of kind ``rules``, written column by column."""

from __future__ import annotations

import contextlib
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.io.errors import OutputError, UserError
from isogloss.io.scratch import temporary_folder
from isogloss.io.streams import StrPath
from isogloss.storage.folder import write_folder

__all__ = ["KIND", "VERSION", "RuleColumns", "rule_scratch", "steps", "store_table"]

KIND = "rules"
VERSION = 1

Array = npt.NDArray[Any]
T = TypeVar("T")


def steps(call: Callable[[int], bool], size: int) -> Iterator[int]:
    """Call until it returns False, so that progress and Ctrl-C are handled in between."""
    count = 0
    while True:
        more = call(size)
        yield count
        count += 1
        if not more:
            return


@contextlib.contextmanager
def rule_scratch(parent: StrPath | None) -> Iterator[Path]:
    """A temporary folder; an error names it if it cannot be written."""
    where = Path(parent) if parent is not None else Path(tempfile.gettempdir())
    try:
        with temporary_folder(where, "isogloss-rules-") as folder:
            yield folder
    except OSError as error:
        if isinstance(error, UserError):
            raise
        raise OutputError(
            error.strerror or str(error),
            where,
            "temporary files are written there; choose another folder with --scratch",
        ) from None


class RuleColumns(Mapping[str, Array]):
    """Arrays that grow on disk, row by row. Each is mapped only while it is used, because a table may be
    larger than memory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files: dict[str, IO[bytes]] = {}
        self._kinds: dict[str, tuple[np.dtype[Any], tuple[int, ...]]] = {}
        self._rows: dict[str, int] = {}
        self._whole: dict[str, Array] = {}

    def append(self, rows: Mapping[str, Array]) -> None:
        """Append rows to the named arrays; the first rows determine type and width."""
        for name, array in rows.items():
            if name not in self._files:
                # Nameless where the system allows it, so that a killed program leaves nothing behind.
                self._files[name] = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115
                self._kinds[name] = (array.dtype, array.shape[1:])
                self._rows[name] = 0
            self._files[name].write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
            self._rows[name] += len(array)

    def put(self, arrays: Mapping[str, Array]) -> None:
        """Add complete arrays."""
        self._whole.update(arrays)

    def discard(self, name: str) -> None:
        """Remove and return an array."""
        self._files.pop(name).close()

    def __getitem__(self, name: str) -> Array:
        if name in self._whole:
            return self._whole[name]
        self._files[name].flush()
        dtype, width = self._kinds[name]
        shape = (self._rows[name], *width)
        if math.prod(shape) == 0:
            return np.zeros(shape, dtype)
        return np.memmap(self._files[name], dtype=dtype, mode="r", shape=shape)

    def __iter__(self) -> Iterator[str]:
        yield from self._files
        yield from self._whole

    def __len__(self) -> int:
        return len(self._files) + len(self._whole)

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.close()


def store_table(
    path: StrPath,
    columns: RuleColumns,
    *,
    source_words: _engine.Vocabulary,
    target_words: _engine.Vocabulary,
    attributes: Mapping[str, Any],
) -> None:
    """Store the output of a rule writer, with the words and their hash table."""
    for optional in ("orientation", "counts"):
        if not len(columns[optional]):
            columns.discard(optional)
    slots, longest_probe = _engine.build_slots(columns["nodes"].reshape(-1))
    columns.put({"slots": slots.reshape(-1, 2)})
    for side, words in (("source", source_words), ("target", target_words)):
        text, offsets = words.arrays()
        columns.put({f"{side}_word_bytes": text, f"{side}_word_offsets": offsets})
    rules = len(columns["rules"]) - 1
    write_folder(
        path,
        kind=KIND,
        version=VERSION,
        arrays=columns,
        attributes={"rules": rules, "longest_probe": longest_probe, **attributes},
    )
