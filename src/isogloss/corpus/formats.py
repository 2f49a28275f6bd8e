"""Detect the format of bilingual files, and convert between formats."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, Any, Literal, Protocol

from isogloss.corpus.pairs import PairWriter, Reading, ReadOptions, SentencePair
from isogloss.corpus.plain import read_plain, write_plain
from isogloss.corpus.po import read_po, write_po
from isogloss.corpus.tmx import read_tmx, write_tmx
from isogloss.corpus.tsv import read_tsv, write_tsv
from isogloss.corpus.xliff import read_xliff, write_xliff1, write_xliff2
from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, atomic_outputs, open_bytes

__all__ = [
    "FORMATS",
    "Conversion",
    "Format",
    "FormatName",
    "PairFiles",
    "detect_format",
    "has_contexts",
    "plan_conversion",
    "split_files",
]

FormatName = Literal["plain", "tsv", "po", "tmx", "xliff", "xliff2"]
_IDS = "ids of the pairs"
_CONTEXTS = "contexts of the pairs"
_LANGUAGES = "names of the languages"
_BREAKS = "line breaks inside a sentence (they become spaces)"
_TABS = "tabs inside a sentence (they become spaces)"
_SEVERAL = "further translations of the same source and context, and pairs with an empty source"
_EVERYTHING = frozenset({_IDS, _CONTEXTS, _LANGUAGES, _BREAKS, _TABS, _SEVERAL})
_TAGS = "inline tags"


class _Read(Protocol):
    def __call__(
        self, paths: Sequence[StrPath], options: ReadOptions | None = None, reading: Reading | None = None
    ) -> Iterator[SentencePair]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """How a kind of bilingual file is recognized, read and written."""

    name: str
    suffixes: tuple[str, ...]
    files: int
    """Number of files per corpus: two for plain text, otherwise one."""
    read: _Read
    write: Callable[[Sequence[IO[str]], tuple[str, str], StrPath], AbstractContextManager[PairWriter]]
    carries: frozenset[str]
    """Fields of a pair that the format can store in addition to the two sentences."""
    unread: tuple[str, ...] = ()
    """Content that such files may have and that is not read."""


_XML_UNREAD = ("notes and properties", _TAGS)

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format(
            name="plain",
            suffixes=(),
            files=2,
            read=read_plain,
            write=write_plain,
            carries=frozenset({_TABS, _SEVERAL}),
        ),
        Format(
            name="tsv",
            suffixes=(".tsv", ".tab"),
            files=1,
            read=read_tsv,
            write=write_tsv,
            carries=frozenset({_IDS, _CONTEXTS, _SEVERAL}),
        ),
        Format(
            name="po",
            suffixes=(".po", ".pot"),
            files=1,
            read=read_po,
            write=write_po,
            carries=frozenset({_CONTEXTS, _BREAKS, _TABS}),
            unread=("comments and flags",),
        ),
        Format(
            name="tmx",
            suffixes=(".tmx",),
            files=1,
            read=read_tmx,
            write=write_tmx,
            carries=_EVERYTHING,
            unread=_XML_UNREAD,
        ),
        Format(
            name="xliff",
            suffixes=(".xlf", ".xliff", ".sdlxliff", ".mqxliff"),
            files=1,
            read=read_xliff,
            write=write_xliff1,
            carries=_EVERYTHING,
            unread=_XML_UNREAD,
        ),
        Format(
            name="xliff2",
            suffixes=(),
            files=1,
            read=read_xliff,
            write=write_xliff2,
            carries=_EVERYTHING,
            unread=_XML_UNREAD,
        ),
    )
}
"""All formats by name. ``xliff`` writes version 1.2 and ``xliff2`` version 2.0; both read either version."""


@dataclass(frozen=True, slots=True)
class PairFiles:
    """One bilingual corpus on disk: its format and its one or two files."""

    format: Format
    paths: tuple[StrPath, ...]

    def read(
        self, options: ReadOptions | None = None, reading: Reading | None = None
    ) -> Iterator[SentencePair]:
        """Yield the pairs one by one."""
        return self.format.read(self.paths, options, reading)

    @contextmanager
    def write(
        self, languages: tuple[str, str] = ("", ""), *, beside: Sequence[StrPath] = ()
    ) -> Iterator[tuple[PairWriter, list[IO[str]]]]:
        """Open the files, and the files ``beside``, for writing. Either all of them appear, or none.

        Yields a function that writes a pair, and the streams of the additional files.
        """
        paths = [*self.paths, *beside]
        if len({os.path.realpath(path) for path in paths}) < len(paths):
            raise ConfigError(f"two outputs have the same name: {', '.join(map(str, paths))}")
        with atomic_outputs(paths) as streams:
            own, others = streams[: len(self.paths)], streams[len(self.paths) :]
            with self.format.write(own, languages, self.paths[0]) as write:
                yield write, others


def detect_format(path: StrPath, *, look_inside: bool) -> Format:
    """Detect the format of a file from its name or, if that does not tell, from its first bytes."""
    name = Path(path)
    if name.suffix in (".gz", ".zst"):
        name = name.with_suffix("")
    for format in FORMATS.values():
        if name.suffix.lower() in format.suffixes:
            return format
    if look_inside and os.fspath(path) != "-":
        with open_bytes(path) as stream:
            start = stream.read(4096)
        return FORMATS[_guess(start)]
    return FORMATS["plain"]


def has_contexts(path: StrPath) -> bool:
    """Whether a file is a catalog (PO, XLIFF), whose messages may have contexts."""
    return detect_format(path, look_inside=True).name in ("po", "xliff", "xliff2")


def _guess(start: bytes) -> str:
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        start = start.decode("utf-16", errors="replace").encode()
    start = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith(b"<"):
        if re.search(rb"<tmx\b", start):
            return "tmx"
        if re.search(rb"<(\w+:)?xliff\b", start):
            return "xliff"
    return "po" if re.search(rb'^msgid "', start, re.MULTILINE) else "plain"


def split_files(
    files: Sequence[StrPath], *, format: str | None = None, look_inside: bool = True
) -> tuple[PairFiles, list[StrPath]]:
    """Take the first file, or the first two for plain text, as a corpus; return it and the other files."""
    if not files:
        raise ConfigError("a bilingual file is missing: one, or two of plain text")
    found = named_format(format) if format else detect_format(files[0], look_inside=look_inside)
    if len(files) < found.files:
        raise ConfigError(
            f"'{files[0]}' is taken as plain text, and the file with its translation is missing; "
            "give both, or name another format (" + ", ".join(FORMATS) + ")"
        )
    return PairFiles(found, tuple(files[: found.files])), list(files[found.files :])


def named_format(name: str) -> Format:
    """Look up a format by name."""
    try:
        return FORMATS[name]
    except KeyError:
        raise ConfigError(f"unknown format '{name}'; known are {', '.join(FORMATS)}") from None


def plan_conversion(
    files: Sequence[StrPath],
    *,
    from_format: str | None = None,
    to_format: str | None = None,
    options: ReadOptions | None = None,
) -> Conversion:
    """Interpret a list of files as one or two input files followed by one or two output files."""
    source, rest = split_files(files, format=from_format)
    if not rest:
        raise ConfigError("the file to write is missing")
    target, rest = split_files(rest, format=to_format, look_inside=False)
    if rest:
        raise ConfigError(
            f"one file too many: reading {_listed(source)} and writing {_listed(target)} leaves '{rest[0]}'"
        )
    return Conversion(source=source, target=target, options=options or ReadOptions())


def _listed(files: PairFiles) -> str:
    return f"{' and '.join(str(path) for path in files.paths)} ({files.format.name})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """A conversion from one bilingual corpus to another."""

    source: PairFiles
    target: PairFiles
    options: ReadOptions
    reading: Reading = field(default_factory=Reading)

    def losses(self) -> list[str]:
        """List the content that the input may have and the output format cannot store."""
        unread = [
            what for what in self.source.format.unread if not (what == _TAGS and self.options.keep_markup)
        ]
        return unread + sorted(self.source.format.carries - self.target.format.carries)

    def languages(self) -> tuple[str, str]:
        """Return the two languages: from the options, the input file, or the file extensions."""
        found = (
            self.options.source_language or self.reading.source_language or self._from_name(0),
            self.options.target_language or self.reading.target_language or self._from_name(1),
        )
        if not all(found) and _LANGUAGES in self.target.format.carries:
            raise ConfigError(
                f"{self.target.format.name.upper()} files name their languages: "
                "give source_language and target_language"
            )
        return found

    def _from_name(self, side: int) -> str:
        name = Path(self.source.paths[min(side, len(self.source.paths) - 1)])
        if name.suffix in (".gz", ".zst"):
            name = name.with_suffix("")
        match = re.fullmatch(r"\.([a-z]{2}([-_][A-Z]{2})?)", name.suffix)
        return match.group(1) if match and self.source.format.files == 2 else ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: the formats, skipped units and content that is lost."""
        return {
            "format": self.source.format.name,
            "to": self.target.format.name,
            "skipped": dict(self.reading.skipped),
            "lost": self.losses(),
        }

    def run(self, pairs: Iterator[SentencePair] | None = None, *, track: Track = no_track) -> int:
        """Write all pairs of the input, or the given ``pairs`` instead; return the number written."""
        pairs = self.source.read(self.options, self.reading) if pairs is None else pairs
        pairs = iter(track(pairs, "pairs"))
        first = next(pairs, None)  # the languages are known once the first pair is read
        count = 0
        with self.target.write(self.languages()) as (write, _):
            for pair in chain([first] if first else [], pairs):
                count += write(pair)
        return count
