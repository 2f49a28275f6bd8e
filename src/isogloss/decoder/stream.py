"""Lines to translate, as they arrive on a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from isogloss.decoder.factors import parse_factors
from isogloss.decoder.markup import parse_markup
from isogloss.decoder.plf import parse_plf
from isogloss.decoder.sentence import Sentence, Source
from isogloss.decoder.terms import Terms
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath, split_chunks

__all__ = ["ReadLine", "arriving_batches", "line_reader"]

ReadLine = Callable[[str, int], Source]
"""What a line with a number is; raises DataFormatError."""


def line_reader(
    path: StrPath,
    *,
    plf: bool = False,
    markup: bool = False,
    factor_names: Sequence[str] = (),
    terms: Terms | None = None,
    tokenize: Callable[[str], str] | None = None,
) -> ReadLine:
    """How to read the lines of a file: lattices, or sentences with any of markup, factors and terms.

    Lines that are text with neither markup nor factors are split by ``tokenize``; all others are tokens.
    """

    def sentence(line: str, number: int) -> Sentence:
        if markup:
            return parse_markup(line, factor_names=factor_names, path=path, number=number)
        if factor_names:
            return parse_factors(line, factor_names, path=path, number=number)
        return Sentence.of(line) if tokenize is None else Sentence.of(tokenize(line), text=line)

    if plf:
        return lambda line, number: parse_plf(line, path, number)
    if terms is not None:
        return lambda line, number: terms.apply(sentence(line, number))
    return sentence


def arriving_batches(
    chunks: Iterable[bytes],
    path: StrPath,
    read: ReadLine,
    *,
    size: int,
    replace_invalid: bool = False,
    bad_line: Callable[[DataFormatError], None] | None = None,
) -> Iterator[list[Source]]:
    """Yield what is to be translated, at most ``size`` at a time, as soon as lines are complete.

    Whoever writes line by line and waits for an answer gets one. A line that cannot be read is told to
    ``bad_line`` and is empty; without ``bad_line``, what comes before it is yielded and the error raised.
    """
    number = 0
    for lines in split_chunks(chunks, path, allow_zero=True):
        batch: list[Source] = []
        for line in lines:
            number += 1
            try:
                batch.append(read(_text(line, path, number, replace_invalid), number))
            except DataFormatError as error:
                if bad_line is None:
                    if batch:
                        yield batch
                    raise
                bad_line(error)
                batch.append("")
            if len(batch) == size:
                yield batch
                batch = []
        if batch:
            yield batch


def _text(line: bytes, path: StrPath, number: int, replace_invalid: bool) -> str:
    if (zero := line.find(b"\0")) >= 0:
        raise DataFormatError(f"a zero byte at column {zero + 1}, which is no text", path, number)
    try:
        text = line.decode("utf-8", "replace" if replace_invalid else "strict")
    except UnicodeDecodeError as error:
        raise DataFormatError(
            f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not valid UTF-8",
            path,
            number,
            "--replace-invalid writes U+FFFD for such bytes",
        ) from None
    return text.removeprefix("\ufeff") if number == 1 else text
