"""Text given by users: a file, or sentences in any collection."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from os import PathLike, fspath
from pathlib import Path

from isogloss.io.errors import ConfigError, InputFileError
from isogloss.io.streams import StrPath, read_lines

__all__ = ["TextLines", "names_file", "text_lines"]

TextLines = StrPath | Iterable[Sequence[str]]
"""A file name, or sentences as strings or lists of words. A single string is always a file name."""


def text_lines(text: TextLines, what: str) -> list[str]:
    """The sentences of a file or a collection; ``what`` names them in messages.

    >>> text_lines(["a house", ["a", "tree"]], "source")
    ['a house', 'a tree']
    """
    if isinstance(text, str | PathLike):
        if isinstance(text, str) and text != "-" and not names_file(text):
            hint = f"{what}: a single string is the name of a file; put sentences into a list"
            raise InputFileError("No such file or directory", text, hint)
        return list(read_lines(text))
    lines = []
    for number, line in enumerate(text, start=1):
        if isinstance(line, str):
            lines.append(line)
        elif isinstance(line, Sequence) and all(isinstance(word, str) for word in line):
            lines.append(" ".join(line))
        else:
            found = f"the file name {fspath(line)}" if isinstance(line, PathLike) else repr(line)[:60]
            raise ConfigError(
                f"{what}: sentence {number} is {found}; a string or a list of words is expected"
            )
    return lines


def names_file(text: str) -> bool:
    """Whether a string, however long, is the name of something on disk."""
    with contextlib.suppress(OSError, ValueError):
        return Path(text).exists()
    return False
