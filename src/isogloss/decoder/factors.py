"""Words with factors, such as ``Haus|NN|haus``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from isogloss.decoder.sentence import Sentence
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import StrPath

__all__ = ["factor_names", "parse_factors", "split_factors"]

_WORD = re.compile(r"[^ \t-\r]+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST = 32


def factor_names(text: str) -> tuple[str, ...]:
    """Parse factor names such as ``pos,lemma``, or a number of factors.

    >>> factor_names("pos,lemma"), factor_names("2")
    (('pos', 'lemma'), ('factor1', 'factor2'))
    """
    if re.fullmatch(r"[0-9]+", text):
        count = int(text)
        if not 1 <= count <= _MOST:
            raise ConfigError(f"the number of factors must be between 1 and {_MOST}, got {count}")
        return tuple(f"factor{i}" for i in range(1, count + 1))
    names = tuple(text.split(","))
    for name in names:
        if not _NAME.fullmatch(name):
            raise ConfigError(
                f"'{name}' is not a valid factor name; give names such as 'pos,lemma', or the number of "
                "factors"
            )
    if len(set(names)) < len(names):
        raise ConfigError(f"a factor name occurs twice in '{text}'")
    return names


def split_factors(token: str, names: Sequence[str]) -> list[str]:
    """Split a word and its factors; raises ValueError."""
    if not names:
        return [token]
    parts = token.split("|")
    if len(parts) != len(names) + 1:
        raise ValueError(f"'{token[:60]}' has {len(parts) - 1} factors, {len(names)} expected")
    if not all(parts):
        raise ValueError(f"'{token[:60]}' has an empty part")
    return parts


def parse_factors(
    line: str, names: Sequence[str], *, path: StrPath = "sentence", number: int | None = None
) -> Sentence:
    """Read a line of words with factors; ``path`` and line ``number`` are for messages.

    >>> parse_factors("das|ART Haus|NN", ["pos"]).factor("pos")
    ('ART', 'NN')
    """
    rows = []
    for match in _WORD.finditer(line):
        try:
            rows.append(split_factors(match[0], names))
        except ValueError as error:
            raise DataFormatError(
                f"{error} at column {match.start() + 1}",
                path,
                number,
                f"write a word as {'|'.join(['word', *names])}; write a bar inside a word as &#124;",
            ) from None
    words, *columns = zip(*rows, strict=True) if rows else [()] * (len(names) + 1)
    return Sentence(tuple(words), factors=tuple(columns), factor_names=tuple(names))
