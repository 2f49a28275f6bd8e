"""Reference translations: one or several per sentence, some of which may be missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from typing import TypeGuard

from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import StrPath, read_lines
from isogloss.io.text_lines import names_file

__all__ = ["References", "ReferencesLike", "as_references"]


class References:
    """The references of a test set, as one stream of lines per translator.

    An empty line (or ``None``) is a missing reference; a sentence without any reference is an error. Do not
    change an object after creation: metrics cache what they computed from it.

    >>> references = References([["a b", "c"], ["a", ""]])
    >>> references.of(0), references.of(1)
    (['a b', 'a'], ['c'])
    """

    def __init__(self, streams: Sequence[Sequence[str | None]], names: Sequence[str] = ()) -> None:
        self.names = tuple(names) or tuple(f"reference {i}" for i in range(1, len(streams) + 1))
        self.streams = [[line if line and line.strip() else None for line in stream] for stream in streams]
        if not self.streams:
            raise DataFormatError(
                "there are no references", "references", hint="give at least one reference file"
            )
        for name, stream in zip(self.names, self.streams, strict=True):
            check_length(name, len(stream), self.names[0], len(self.streams[0]))
        self._sentences = [
            [line for line in lines if line is not None] for lines in zip(*self.streams, strict=True)
        ]
        for number, present in enumerate(self._sentences, start=1):
            if not present:
                raise DataFormatError(
                    "the line is empty" + (" in all reference files" if len(self.streams) > 1 else ""),
                    self.names[0],
                    number,
                    "every sentence needs at least one reference",
                )

    @classmethod
    def read(cls, paths: Sequence[StrPath]) -> References:
        """Read one file per translator; line i of each translates the same sentence."""
        return cls([list(read_lines(path)) for path in paths], [fspath(path) for path in paths])

    def __len__(self) -> int:
        return len(self._sentences)

    def of(self, sentence: int) -> list[str]:
        """The references of one sentence that are not missing."""
        return self._sentences[sentence]

    @property
    def count(self) -> int | None:
        """Number of references of each sentence, or None if it differs between sentences."""
        counts = {len(present) for present in self._sentences}
        return counts.pop() if len(counts) == 1 else None


ReferencesLike = (
    References | StrPath | Iterable[str | None] | Iterable[Sequence[str]] | Iterable[PathLike[str]]
)
"""References in any accepted form: a file; a list with a string or a list of strings for each sentence; or
several files as ``Path`` objects, one per translator."""


def as_references(references: ReferencesLike, *, at_least: int = 0, exactly: int | None = None) -> References:
    """Convert any accepted form to references, for this many sentences.

    >>> as_references(["a house", "a tree"]).of(1)
    ['a tree']
    >>> as_references([["a house", "one house"], "a tree"]).of(0)
    ['a house', 'one house']
    """
    given: list[object] = []
    if isinstance(references, References):
        found = references
    elif isinstance(references, str | PathLike):
        found = References.read([references])
    else:
        given = list(references)
        found = References.read(given) if _are_paths(given) else References(_streams(given, exactly))
    wanted = at_least if exactly is None else exactly
    if len(found) < wanted:
        raise ConfigError(
            f"references for {len(found):,} sentences only, {wanted:,} are expected{_hint(given)}"
        )
    if exactly is not None and len(found) > exactly:
        raise ConfigError(f"references for {len(found):,} sentences, {exactly:,} are expected")
    return found


def _are_paths(given: Sequence[object]) -> TypeGuard[Sequence[PathLike[str]]]:
    return bool(given) and all(isinstance(item, PathLike) for item in given)


def _streams(given: Sequence[object], sentences: int | None) -> list[list[str | None]]:
    """One stream per translator from the references of each sentence."""
    groups = [_group(item, number) for number, item in enumerate(given, start=1)]
    sizes = {len(group) for group in groups}
    if sentences is not None and len(groups) != sentences and sizes == {sentences} != {1}:
        raise ConfigError(
            f"{len(groups):,} lists of {sentences:,} references look like one list per translator, but "
            "references[i] must hold those of sentence i; use isogloss.metric.References(lists)"
        )
    most = max((len(group) for group in groups), default=0)
    return [[group[i] if i < len(group) else None for group in groups] for i in range(most)]


def _group(item: object, number: int) -> list[str | None]:
    """The references of one sentence."""
    if item is None or isinstance(item, str):
        return [item]
    lines: list[str | None] = []
    for line in item if isinstance(item, Iterable) else (item,):
        if line is not None and not isinstance(line, str):
            raise ConfigError(
                f"references: sentence {number} has {line!r}; a string or a list of strings is expected"
            )
        lines.append(line)
    return lines


def _hint(given: Sequence[object]) -> str:
    names = [item for item in given if isinstance(item, str) and names_file(item)]
    if not names:
        return ""
    return f"; '{names[0]}' is a file: give one file as a plain string, several as Path objects"


def check_length(name: str, lines: int, other: str, expected: int) -> None:
    """The error for parallel files that are empty or have different numbers of lines."""
    if expected == 0:
        raise DataFormatError("the file has no lines", other, hint="at least one sentence is expected")
    if lines != expected:
        raise DataFormatError(
            f"{lines:,} line{'s' * (lines != 1)} found, but {other} has {expected:,}",
            name,
            min(lines, expected) + 1,
            "line i of each file must belong to the same sentence",
        )
