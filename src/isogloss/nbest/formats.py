"""The file formats of n-best lists: detect, read and write them, and what each cannot hold."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, Protocol

from isogloss.io.errors import ConfigError, DataFormatError, OutputError
from isogloss.io.streams import StrPath, atomic_output, read_chunks
from isogloss.nbest import fairseq, jsonl, marian, moses, plain, responses, sockeye
from isogloss.nbest.store import NbestStore

__all__ = ["FORMATS", "STORE", "FormatName", "ReadFormatName", "losses", "read_nbest", "write_nbest"]

STORE = "store"
"""The name of isogloss's own folder format, which holds everything."""

FormatName = Literal["moses", "marian", "fairseq", "sockeye", "jsonl", "store"]
"""The formats for writing lists."""
ReadFormatName = Literal[
    "moses",
    "marian",
    "fairseq",
    "sockeye",
    "jsonl",
    "store",
    "samples",
    "openai",
    "vllm",
    "ctranslate2",
    "huggingface",
    "lines",
]
"""The formats for reading lists."""
Chunks = Iterable[bytes]

_RECOGNIZED_BY = 1 << 16  # bytes to read for detection: logs begin with lines that are not part of the list


class ReadFormat(Protocol):
    """The interface of a file format that is only read, implemented by a module of this package."""

    def read(self, chunks: Iterable[bytes], path: StrPath) -> NbestStore:
        """Read the list from the decompressed bytes of ``path``."""


class NbestFormat(ReadFormat, Protocol):
    """The interface of a file format that is also written."""

    def write(self, store: NbestStore) -> Iterator[str]:
        """Yield the list as chunks of text."""

    def losses(self, store: NbestStore) -> list[str]:
        """What the format cannot hold of this list, in words."""


FORMATS: dict[str, NbestFormat] = {
    "moses": moses,
    "marian": marian,
    "fairseq": fairseq,
    "sockeye": sockeye,
    "jsonl": jsonl,
}


_ONLY_READ: dict[str, ReadFormat] = {
    **dict.fromkeys(("samples", "openai", "vllm", "ctranslate2", "huggingface"), responses),
    "lines": plain,
}
"""What other systems write; each object says by its keys which system it is from."""


def format_named(name: str) -> NbestFormat:
    """The file format with that name, for writing."""
    if name not in FORMATS:
        raise ConfigError(f"no n-best format is called '{name}'; known are: {', '.join([*FORMATS, STORE])}")
    return FORMATS[name]


def reader_named(name: str) -> ReadFormat:
    """The file format with that name, for reading."""
    return _ONLY_READ[name] if name in _ONLY_READ else format_named(name)


def read_nbest(
    path: StrPath, *, format: str | None = None, watch: Callable[[Chunks], Chunks] = iter
) -> NbestStore:
    """Read an n-best list of any format: a stored folder, or a file (plain, gzip, zstd, ``-``).

    Without ``format``, it is detected from the first lines. All content is checked, including that of a
    stored folder, which ``NbestStore.open`` does not check. ``watch`` passes on the chunks of a file and can
    show progress.
    """
    if format == STORE or (format is None and Path(path).is_dir()):
        store = NbestStore.open(path)
        store.check()
        return store
    reader = None if format is None else reader_named(format)
    chunks = iter(watch(read_chunks(path)))
    first = b""
    while len(first) < _RECOGNIZED_BY:
        chunk = next(chunks, b"")
        first += chunk
        if not chunk:
            break
    if not first:
        raise DataFormatError(
            "the file is empty", path, hint="give an n-best list with at least one candidate"
        )
    if reader is None:
        found = recognize(first)
        if found == "moses" and b"|||" not in first and _is_text(first):
            raise DataFormatError(
                "no line has '|||', and it is no other n-best format that is known",
                path,
                hint="if it has N lines of plain text for every sentence, use --format lines",
            )
        reader = reader_named(found)
    return reader.read(itertools.chain([first], chunks), path)


def _is_text(first: bytes) -> bool:
    try:
        first[: first.rfind(b"\n") + 1].decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in first


def write_nbest(
    store: NbestStore, path: StrPath, *, format: str, warn: Callable[[str], None] = lambda message: None
) -> None:
    """Write an n-best list; ``warn`` is called with what the format cannot hold."""
    if lost := losses(store, format):
        warn(f"the format '{format}' cannot hold: {'; '.join(lost)}")
    if format == STORE:
        if os.fspath(path) == "-":
            raise OutputError("cannot hold a stored list", "standard output", "give the name of a folder")
        store.save(path)
        return
    writer = format_named(format)
    if store.num_candidates == 0:
        raise OutputError("the list has no candidates", path, "a file must have at least one")
    with atomic_output(path) as stream:
        for piece in writer.write(store):
            stream.write(piece)


def losses(store: NbestStore, format: str) -> list[str]:
    """What would be lost of this list in a format, in words; empty if nothing."""
    return [] if format == STORE else format_named(format).losses(store)


def recognize(first: bytes) -> str:
    """The format of a list that begins with these bytes, from the first line that matches a format."""
    text = first.decode("utf-8", "replace").removeprefix("\ufeff")
    if text.lstrip()[:1] in ("{", "[") and responses.begins_with_shape(text):
        return "samples"
    for line in text.split("\n"):
        if re.match(r"[STHDPAEIC]-\d+\t", line):
            return "fairseq"
        if line.lstrip().startswith("{"):
            return "sockeye" if re.search(r'"translations?"\s*:', line) else "jsonl"
        if re.match(r"\s*\d+\s+\|\|\|\s", line):
            fields = re.split(r"(?<!\S)\|\|\|(?!\S)", line)
            # An alignment or word scores before the features; otherwise single values named F0, F1, …
            early = len(fields) > 4 and re.match(r"\s*(\d+-\d+\s|WordScores=)", fields[2])
            named = len(fields) > 3 and re.fullmatch(r"(\s*F\d+=\s*[^\s=]+)+\s*", fields[-2])
            return "marian" if early or named else "moses"
    return "moses"
