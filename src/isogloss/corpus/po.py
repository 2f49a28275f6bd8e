"""Gettext catalogs (PO), parsed by polib."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from types import ModuleType
from typing import IO, Any

from isogloss.corpus.draft_mark import untouched_drafts
from isogloss.corpus.languages import declared_language
from isogloss.corpus.pairs import PairWriter, Reading, ReadOptions, SentencePair
from isogloss.corpus.po_text import (
    header_encoding,
    header_lines,
    is_comment,
    message_text,
    quoted,
    unescaped,
)
from isogloss.io.errors import DataFormatError, MissingExtraError, OutputError
from isogloss.io.streams import StrPath, read_byte_lines

__all__ = ["decoded_lines", "read_po", "write_po"]

_BLOCK = 2000  # lines handed to polib at a time, because it keeps everything in memory
_NUMBERED = re.compile(r"(?<!\\)(?:\\\\)*\\(?:x[0-9A-Fa-f]|[0-7])")
_KEYWORD = re.compile(r"(?:#~\s*)?(msgctxt|msgid_plural|msgid|msgstr)\b")
_QUOTED = re.compile(r'(?:#~\s*)?(?:msg\w+(?:\[\d+\])?\s*)?"(?:[^"\\]|\\.)*"')
_SYNTAX = re.compile(r"\(line (\d+)\)(?:: (.*))?")


class _Block(str):
    """Text whose lines end at line feeds only; polib would break it at U+2028 and the like."""

    def splitlines(self, keepends: bool = False) -> list[str]:
        return self.split("\n")


def _import_polib(purpose: str) -> ModuleType:
    try:
        import polib
    except ImportError:
        raise MissingExtraError(purpose, "formats") from None
    return polib  # type: ignore[no-any-return]


def read_po(
    paths: Sequence[StrPath], options: ReadOptions | None = None, reading: Reading | None = None
) -> Iterator[SentencePair]:
    """Yield the finished translations of a catalog; fuzzy, untranslated and obsolete ones are skipped.

    Messages are in English unless the header has a field ``X-Source-Language``. A plural entry gives one pair
    per form: the first form translates ``msgid``, the others ``msgid_plural``; the only form of a language
    without plurals translates ``msgid_plural``. A message that is a key is read as its default text.
    """
    (path,) = paths
    reading = reading if reading is not None else Reading()
    polib = _import_polib("reading PO files")
    for first_line, block in _blocks(decoded_lines(path), path):
        try:
            catalog = polib.pofile(_Block("\n".join(block) + "\n"), encoding="utf-8")
        except OSError as error:
            raise _syntax_error(str(error), path, first_line) from None
        if first_line == 1:
            reading.source_language = _declared(catalog.metadata, "X-Source-Language") or "en"
            reading.target_language = _declared(catalog.metadata, "Language", "X-Poedit-Language")
        if catalog and not catalog[0].tcomment:
            catalog[0].tcomment = catalog.header  # polib takes a block's first comment for a header
        for entry in catalog:
            yield from _pairs(entry, first_line, reading)


def _declared(header: Mapping[str, str], *fields: str) -> str:
    """Return the language code that one of the header fields declares."""
    return next(filter(None, (declared_language(header.get(field, "")) for field in fields)), "")


def _pairs(entry: Any, first_line: int, reading: Reading) -> Iterator[SentencePair]:
    line = first_line + max(entry.linenum, 1) - 1
    context = entry.msgctxt or ""
    if entry.obsolete:
        reading.skipped["obsolete"] += 1
    elif entry.fuzzy:
        reading.skipped["fuzzy"] += 1
    elif not entry.translated():
        reading.skipped["untranslated"] += 1
    elif _is_draft(entry):
        reading.skipped["drafts"] += 1
    elif entry.msgid_plural and entry.msgstr_plural:
        forms = [form for _, form in sorted(entry.msgstr_plural.items())]
        for at, form in enumerate(forms):
            source = entry.msgid if at == 0 and len(forms) > 1 else entry.msgid_plural
            yield SentencePair(source, form, context=context, line=line)
    else:
        yield SentencePair(message_text(entry.msgid, entry.comment), entry.msgstr, context=context, line=line)


def _is_draft(entry: Any) -> bool:
    """Whether an engine wrote the translation and nobody has reviewed it since."""
    forms = entry.msgstr_plural or {0: entry.msgstr}
    return bool(untouched_drafts(entry.tcomment, entry.msgid, forms, flagged=False))


def decoded_lines(path: StrPath) -> Iterator[str]:
    """Decode a catalog, including the lines above the header, in the encoding that the header declares.

    In comments, invalid bytes are replaced: translators' names are often in an older encoding.
    """
    lines = read_byte_lines(path)
    head = list(header_lines(lines))
    encoding = header_encoding(head) or "utf-8"
    for number, line in enumerate(chain(head, lines), start=1):
        try:
            text = line.decode(encoding, errors="replace" if is_comment(line) else "strict")
        except UnicodeDecodeError as error:
            raise DataFormatError(
                f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not valid {encoding}",
                path,
                number,
                "does the header's charset tell the truth?",
            ) from None
        text = text.removeprefix("\ufeff") if number == 1 else text
        yield _without_numbers(text, encoding) if "\\" in text and not is_comment(line) else text


def _without_numbers(line: str, encoding: str) -> str:
    """Resolve numeric escapes such as ``\\x41``, which polib does not support."""
    begin, end = line.find('"'), line.rfind('"')
    if begin == end or not _NUMBERED.search(line):
        return line
    text = unescaped(line[begin + 1 : end], encoding)
    inside = "".join(part[1:-1] for part in quoted(text))
    return line[: begin + 1] + inside + line[end:]


def _blocks(lines: Iterator[str], path: StrPath) -> Iterator[tuple[int, list[str]]]:
    """Split a catalog between entries into blocks, each with the number of its first line."""
    block: list[str] = []
    first_line, keyword, commented = 1, "", False
    for number, line in enumerate(lines, start=1):
        block.append(line)
        stripped = line.strip()
        if not stripped:
            if keyword == "msgstr" and not commented and len(block) >= _BLOCK:
                yield first_line, block
                block, first_line = [], number + 1
            continue
        match = _KEYWORD.match(stripped)
        if match:
            keyword = match.group(1)
        commented = match is None and stripped.startswith("#")
        if not commented and not _QUOTED.fullmatch(stripped):
            raise DataFormatError(
                f"found {stripped[:40]!r} where PO expects a comment or a keyword with a quoted text",
                path,
                number,
            )
    if block:
        yield first_line, block


def _syntax_error(message: str, path: StrPath, first_line: int) -> DataFormatError:
    match = _SYNTAX.search(message)
    if match is None:
        return DataFormatError(f"not a PO file ({message})", path)
    what = match.group(2) or "this does not follow from the lines before it"
    return DataFormatError(f"not PO: {what}", path, first_line + int(match.group(1)) - 1)


@contextmanager
def write_po(streams: Sequence[IO[str]], languages: tuple[str, str], path: StrPath) -> Iterator[PairWriter]:
    """Write pairs as a catalog.

    A catalog has one translation per source and context: further ones are dropped, as are pairs with an
    empty source. This takes memory for one hash per pair.
    """
    (stream,) = streams
    polib = _import_polib("writing PO files")
    seen: set[int] = set()
    header = polib.POFile()
    header.metadata = {
        "Language": languages[1],
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
    }
    stream.write(header.metadata_as_entry().__unicode__(wrapwidth=0) + "\n")

    def write(pair: SentencePair) -> bool:
        if "\0" in pair.source + pair.target + pair.context:
            raise OutputError(f"a catalog cannot hold the zero byte in {pair.source[:40]!r}", path)
        key = hash((pair.source, pair.context))
        if not pair.source or key in seen:
            return False
        seen.add(key)
        entry = polib.POEntry(msgid=pair.source, msgstr=pair.target, msgctxt=pair.context or None)
        stream.write(entry.__unicode__(wrapwidth=0) + "\n")
        return True

    yield write
