"""Markup for translations given inside the text.

    das <t translation="Old Town">Alte Stadt</t> von <t>Foo &amp; Bar</t>

``<t translation="…">`` gives the translation of the words up to ``</t>``; ``<t>`` alone keeps them unchanged.
``&lt;``, ``&gt;``, ``&amp;``, ``&quot;``, ``&apos;`` and numbers such as ``&#124;`` are character references,
everywhere in the text. A tag separates words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from isogloss.decoder.factors import split_factors
from isogloss.decoder.sentence import Fixed, Sentence, split_words
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath

__all__ = ["escape_markup", "parse_markup"]

_TAG = re.compile(
    r"""
      <t (?: [ \t]+ translation [ \t]* = [ \t]* (?: "(?P<double>[^"<]*)" | '(?P<single>[^'<]*)' ) )? [ \t]* >
    | (?P<end> </t [ \t]* > )
    """,
    re.VERBOSE,
)
_ENTITY = re.compile(
    r"&(?:(?P<name>[A-Za-z][A-Za-z0-9]*)|#(?P<number>[0-9]{1,7})|#x(?P<hex>[0-9A-Fa-f]{1,6}));"
)
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_ESCAPES = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;"})


class _BrokenError(ValueError):
    def __init__(self, problem: str, place: int, hint: str = "") -> None:
        super().__init__(problem)
        self.problem, self.place, self.hint = problem, place, hint


def parse_markup(
    line: str, *, factor_names: Sequence[str] = (), path: StrPath = "sentence", number: int | None = None
) -> Sentence:
    """Read a line of text with markup, and with factors if their names are given.

    ``path`` and line ``number`` are for messages, which also name the column.

    >>> parse_markup('see <t translation="Old Town">Alte Stadt</t>').fixed
    (Fixed(begin=1, end=3, translation=('Old', 'Town')),)
    """
    try:
        return _parse(line, factor_names)
    except _BrokenError as broken:
        raise DataFormatError(
            f"{broken.problem} at column {broken.place + 1}", path, number, broken.hint
        ) from None


def escape_markup(text: str) -> str:
    """Escape text for ``parse_markup``.

    >>> escape_markup("a <b> & c")
    'a &lt;b&gt; &amp; c'
    """
    return text.translate(_ESCAPES)


def _parse(line: str, factor_names: Sequence[str]) -> Sentence:
    words: list[str] = []
    columns: list[list[str]] = [[] for _ in factor_names]
    fixed: list[Fixed] = []
    begun: tuple[int, int, tuple[str, ...] | None] | None = None  # column, word, translation
    place = 0
    while place < len(line):
        tag = line.find("<", place)
        end = len(line) if tag < 0 else tag
        _add_words(line, place, end, words, columns, factor_names)
        if tag < 0:
            break
        match = _TAG.match(line, tag)
        if match is None:
            raise _BrokenError("'<' does not begin a tag", tag, _hint(line[tag : tag + 2]))
        if match["end"] is None:
            if begun is not None:
                raise _BrokenError("'<t' is inside another '<t'", tag, "close the first with </t>")
            begun = (tag, len(words), _translation(match))
        else:
            if begun is None:
                raise _BrokenError("'</t>' without a matching '<t'", tag)
            _, first, translation = begun
            if first == len(words):
                raise _BrokenError("'</t>' closes a span without words", tag)
            kept = tuple(words[first:])
            fixed.append(Fixed(first, len(words), kept if translation is None else translation))
            begun = None
        place = match.end()
    if begun is not None:
        raise _BrokenError("'<t' is never closed", begun[0], "close it with </t>")
    return _sentence(words, columns, factor_names, fixed)


def _hint(found: str) -> str:
    if found in ("<t", "</"):
        return 'tags are <t translation="…">, <t> and </t>'
    return "write &lt; for the character itself, or switch markup off"


def _sentence(
    words: list[str], columns: list[list[str]], factor_names: Sequence[str], fixed: list[Fixed]
) -> Sentence:
    try:
        return Sentence(
            tuple(words),
            factors=tuple(map(tuple, columns)),
            factor_names=tuple(factor_names),
            fixed=tuple(fixed),
        )
    except ValueError as error:
        raise _BrokenError(str(error), 0) from None


def _translation(match: re.Match[str]) -> tuple[str, ...] | None:
    for quotes in ("double", "single"):
        if match[quotes] is not None:
            return tuple(split_words(_plain(match[quotes], match.start(quotes))))
    return None


def _add_words(
    line: str, begin: int, end: int, words: list[str], columns: list[list[str]], factor_names: Sequence[str]
) -> None:
    for match in re.finditer(r"[^ \t-\r]+", line[begin:end]):
        place = begin + match.start()
        try:
            word, *factors = split_factors(match[0], factor_names)
        except ValueError as error:
            raise _BrokenError(str(error), place) from None
        words.append(_plain_word(word, place))
        for column, factor in zip(columns, factors, strict=True):
            column.append(_plain_word(factor, place))


def _plain_word(text: str, place: int) -> str:
    plain = _plain(text, place)
    if split_words(plain) != [plain]:
        raise _BrokenError("a word contains whitespace written as a character reference", place)
    return plain


def _plain(text: str, place: int) -> str:
    if "&" not in text:
        return text

    def character(match: re.Match[str]) -> str:
        if match["name"] is not None:
            if match["name"] not in _NAMED:
                raise _BrokenError(
                    f"'{match[0]}' is not a known character reference",
                    place + match.start(),
                    f"known are {', '.join(f'&{name};' for name in _NAMED)} and numbers; write &amp; for '&'",
                )
            return _NAMED[match["name"]]
        code = int(match["number"]) if match["number"] else int(match["hex"], 16)
        if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
            raise _BrokenError(f"'{match[0]}' is not a character", place + match.start())
        return chr(code)

    return _ENTITY.sub(character, text)
