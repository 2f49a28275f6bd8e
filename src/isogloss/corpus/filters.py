"""Line filters: tokenize, detokenize, truecase. Output files appear only when a filter has finished."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice, zip_longest
from typing import IO

from isogloss.corpus.languages import checked_language
from isogloss.corpus.placeholders import DEFAULT_KINDS, Placeholder, Protector, restore
from isogloss.corpus.plain import unequal_lines
from isogloss.corpus.processing import LEARNED_CASES, SideOptions, TextProcessing, TextSide
from isogloss.corpus.truecase import load_truecaser, train_truecaser, undo_truecase
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, atomic_output, atomic_outputs, read_lines

__all__ = [
    "apply_truecaser",
    "detokenize_file",
    "detokenize_with",
    "learn_truecaser",
    "tokenize_file",
    "tokenize_with",
    "undo_truecaser",
]

_BATCH = 10_000


def tokenize_file(
    input: StrPath,
    output: StrPath,
    options: SideOptions | None = None,
    *,
    placeholders: StrPath | None = None,
    protect: Sequence[str] = (),
    track: Track = no_track,
) -> None:
    """Split lines into tokens.

    If ``placeholders`` names a file, placeholders of the kinds ``protect`` are replaced by marks and written
    to it.
    """
    if protect and placeholders is None:
        raise ConfigError("`protect` needs `placeholders`, the file to keep what is protected in")
    side, protector = TextSide(_checked(options)), Protector(protect or DEFAULT_KINDS)

    def change(lines: list[str]) -> list[str]:
        return side.cased_lines(side.split_lines(lines, threads=_threads()))

    def marked(line: str) -> str:
        line, found = protector.protect(line)
        tables[0].write(_pack(found) + "\n")
        return line

    with atomic_outputs([output, *([placeholders] if placeholders else [])]) as (text, *tables):
        lines = track(read_lines(input), "lines")
        _change(map(marked, lines) if tables else lines, text, change)


def _threads() -> int:
    return os.cpu_count() or 1


def _change(lines: Iterable[str], output: IO[str], change: Callable[[list[str]], list[str]]) -> None:
    """Write lines that the engine changes many at a time."""
    rest = iter(lines)
    while batch := list(islice(rest, _BATCH)):
        output.writelines(f"{line}\n" for line in change(batch))


def detokenize_file(
    input: StrPath,
    output: StrPath,
    options: SideOptions | None = None,
    *,
    placeholders: StrPath | None = None,
    track: Track = no_track,
) -> None:
    """Join tokens to text, replacing marks by the placeholders that ``tokenize_file`` wrote."""
    side = TextSide(_checked(options))
    lines = track(read_lines(input), "lines")
    with atomic_output(output) as text:
        if placeholders is None:
            text.writelines(side.detokenize(line.split()) + "\n" for line in lines)
            return
        pairs = enumerate(_same_length(lines, input, placeholders), start=1)
        for number, (line, row) in pairs:
            text.write(restore(side.detokenize(line.split()), _unpack(row, placeholders, number)) + "\n")


def _checked(options: SideOptions | None) -> SideOptions:
    options = options or SideOptions()
    checked_language(options.language, "language")
    if options.case in LEARNED_CASES:
        raise ConfigError(
            f"case must be keep or lowercase, got '{options.case}'; 'isogloss corpus truecase' learns case"
        )
    return options


def tokenize_with(
    text: TextProcessing,
    input: StrPath,
    output: StrPath,
    *,
    target_of: StrPath | None = None,
    track: Track = no_track,
) -> None:
    """Tokenize lines as a system does: source sentences or, with ``target_of``, their translations."""
    _filter(text.tokenize, text.tokenize_target, input, output, target_of, track)


def detokenize_with(
    text: TextProcessing,
    input: StrPath,
    output: StrPath,
    *,
    source: StrPath | None = None,
    track: Track = no_track,
) -> None:
    """Detokenize the output of a system; with its ``source``, marks are replaced by placeholders."""
    _filter(text.detokenize, text.detokenize, input, output, source, track)


def _filter(
    alone: Callable[[str], str],
    beside: Callable[[str, str], str],
    input: StrPath,
    output: StrPath,
    others: StrPath | None,
    track: Track,
) -> None:
    """Change every line, alone or together with the same line of another file."""
    lines = track(read_lines(input), "lines")
    with atomic_output(output) as stream:
        if others is None:
            stream.writelines(alone(line) + "\n" for line in lines)
        else:
            stream.writelines(beside(*pair) + "\n" for pair in _same_length(lines, input, others))


def _same_length(lines: Iterable[str], input: StrPath, beside: StrPath) -> Iterator[tuple[str, str]]:
    for number, (line, row) in enumerate(zip_longest(lines, read_lines(beside)), start=1):
        if line is None:
            raise unequal_lines(input, beside, number)
        if row is None:
            raise unequal_lines(beside, input, number)
        yield line, row


def _pack(placeholders: Sequence[Placeholder]) -> str:
    rows = [[found.text, found.left, found.right] for found in placeholders]
    return json.dumps(rows, ensure_ascii=False)


def _unpack(row: str, path: StrPath, number: int) -> list[Placeholder]:
    try:
        rows = json.loads(row)
        found = [Placeholder(text, left, right) for text, left, right in rows]
        parts = [part for item in found for part in (item.text, item.left, item.right)]
        if isinstance(rows, list) and all(isinstance(part, str) for part in parts):
            return found
    except (ValueError, TypeError, RecursionError):
        pass
    raise DataFormatError(
        "a JSON list of placeholders expected", path, number, "'isogloss corpus tokenize' writes such files"
    )


def learn_truecaser(input: StrPath, model: StrPath, *, track: Track = no_track) -> None:
    """Learn the usual case of words from tokenized text."""
    train_truecaser(" ".join(line.split()) for line in track(read_lines(input), "lines")).save(model)


def apply_truecaser(input: StrPath, output: StrPath, model: StrPath, *, track: Track = no_track) -> None:
    """Give the first words of tokenized sentences the case they usually have inside sentences."""
    truecaser = load_truecaser(model)
    with atomic_output(output) as text:
        lines = (" ".join(line.split()) for line in track(read_lines(input), "lines"))
        _change(lines, text, partial(truecaser.truecase_lines, threads=_threads()))


def undo_truecaser(input: StrPath, output: StrPath, *, track: Track = no_track) -> None:
    """Capitalize the first words of tokenized sentences."""
    with atomic_output(output) as text:
        for line in track(read_lines(input), "lines"):
            text.write(" ".join(undo_truecase(line.split())) + "\n")
