"""Lines to translate, as they arrive on a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from isogloss.corpus.streams import StrPath, not_text
from isogloss.errors import DataFormatError
from isogloss.search.plf import Lattice, parse_plf

__all__ = ["arriving_batches"]


def arriving_batches(
    chunks: Iterable[bytes],
    path: StrPath,
    *,
    size: int,
    plf: bool = False,
    replace_invalid: bool = False,
) -> Iterator[list[str | Lattice]]:
    """Yield the sentences or lattices of a stream, at most ``size`` at a time, as soon as they are complete.

    Whoever writes line by line and waits for an answer gets one. What comes before a line that cannot be
    read is still yielded, then the error is raised.
    """
    read: Callable[[str, int], str | Lattice] = (
        (lambda line, number: parse_plf(line, path, number)) if plf else (lambda line, number: line)
    )
    number = 0
    for lines in _arriving_lines(chunks, path):
        batch: list[str | Lattice] = []
        for line in lines:
            number += 1
            try:
                batch.append(read(_text(line, path, number, replace_invalid), number))
            except DataFormatError:
                if batch:
                    yield batch
                raise
            if len(batch) == size:
                yield batch
                batch = []
        if batch:
            yield batch


def _arriving_lines(chunks: Iterable[bytes], path: StrPath) -> Iterator[list[bytes]]:
    """The lines that every chunk completes."""
    begun: list[bytes] = []  # pieces of a line: joining them each time would be quadratic
    for chunk in chunks:
        if b"\0" in chunk:
            raise not_text(path)
        first, *others = chunk.split(b"\n")
        begun.append(first)
        if others:
            others.insert(0, b"".join(begun))
            begun = [others.pop()]
            yield others
    if rest := b"".join(begun):
        yield [rest]


def _text(line: bytes, path: StrPath, number: int, replace_invalid: bool) -> str:
    try:
        text = line.decode("utf-8", "replace" if replace_invalid else "strict")
    except UnicodeDecodeError as error:
        raise DataFormatError(
            f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not valid UTF-8",
            path,
            number,
            "--replace-invalid writes U+FFFD for such bytes and goes on",
        ) from None
    return text.removeprefix("\ufeff") if number == 1 else text
