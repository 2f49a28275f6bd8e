"""The file formats of n-best lists: choosing one, reading, writing, and what each cannot carry."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Protocol

from isogloss.corpus.streams import StrPath, atomic_output, read_chunks
from isogloss.errors import ConfigError, DataFormatError
from isogloss.nbest import fairseq, jsonl, marian, moses, sockeye
from isogloss.nbest.store import NbestStore

__all__ = ["FORMATS", "STORE", "losses", "read_nbest", "write_nbest"]

STORE = "store"
"""The name of isogloss's own folder format, which carries everything."""

Note = Callable[[str], None]


class NbestFormat(Protocol):
    """What a module of this package must have to be a file format."""

    def read(self, chunks: Iterable[bytes], path: StrPath) -> NbestStore:
        """The list in the unpacked bytes of ``path``."""

    def write(self, store: NbestStore) -> Iterator[str]:
        """The list as pieces of text."""

    def losses(self, store: NbestStore) -> list[str]:
        """What of this list the format has no place for, in words."""


FORMATS: dict[str, NbestFormat] = {
    "moses": moses,
    "marian": marian,
    "fairseq": fairseq,
    "sockeye": sockeye,
    "jsonl": jsonl,
}


def format_named(name: str) -> NbestFormat:
    """The file format with that name."""
    if name not in FORMATS:
        raise ConfigError(f"no n-best format is called '{name}'; known are: {', '.join([*FORMATS, STORE])}")
    return FORMATS[name]


def read_nbest(path: StrPath, *, format: str | None = None) -> NbestStore:
    """Read an n-best list of any format: a stored folder, or a file (plain, gzip, zstd, ``-``).

    Without ``format`` it is recognised by its first line.
    """
    if format == STORE or (format is None and Path(path).is_dir()):
        return NbestStore.open(path)
    chunks = read_chunks(path)
    first = next(chunks, b"")
    if not first:
        raise DataFormatError("the file is empty", path, hint="an n-best list has at least one candidate")
    reader = format_named(format or recognise(first))
    return reader.read(itertools.chain([first], chunks), path)


def write_nbest(store: NbestStore, path: StrPath, *, format: str) -> None:
    """Write an n-best list; ``losses`` tells beforehand what the format cannot carry."""
    if format == STORE:
        store.save(path)
        return
    writer = format_named(format)
    with atomic_output(path) as stream:
        for piece in writer.write(store):
            stream.write(piece)


def losses(store: NbestStore, format: str) -> list[str]:
    """What of this list would be lost in that format, in words; empty if nothing."""
    return [] if format == STORE else format_named(format).losses(store)


def recognise(first: bytes) -> str:
    """The format of a list that begins with these bytes."""
    line = first.split(b"\n", 1)[0].decode("utf-8", "replace").removeprefix("\ufeff").strip()
    if re.match(r"[STHDPAEIC]-\d+\t", line):
        return "fairseq"
    if line.startswith("{"):
        try:
            keys = json.loads(line).keys()
        except ValueError:
            keys = set()
        return "sockeye" if keys & {"translation", "translations"} else "jsonl"
    fields = line.split(" ||| ")
    if len(fields) >= 4 and re.fullmatch(r"(F\d+=\s*\S+\s*)+", fields[-2].strip() + " "):
        return "marian"
    return "moses"
