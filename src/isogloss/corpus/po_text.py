"""Text in PO files: the encoding that the header declares, and escapes inside quotes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

__all__ = ["header_encoding", "header_lines", "is_comment", "message_text", "quoted", "unescaped"]

_LINE = re.compile(rb'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)?\s*"((?:[^"\\]|\\.)*)"')
_CHARSET = re.compile(rb"(?:^|\\n)Content-Type:[^\\]*?charset=([\w:.-]{1,60})", re.IGNORECASE)
_DEFAULT = re.compile(r'^\s*Default: "(.*)"\s*$', re.MULTILINE | re.DOTALL)
_NO_CHARSETS = frozenset({"idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape", "utf_7"})
"""Codecs of Python that no catalog is written in, and that fail in ways of their own."""
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPES = re.compile(r"((?:\\x[0-9A-Fa-f]+|\\[0-7]{1,3})+)|\\(.)", re.DOTALL)
_BYTE = re.compile(r"\\(?:x([0-9A-Fa-f]+)|([0-7]{1,3}))")
_QUOTED = str.maketrans(
    {"\\": r"\\", '"': r"\"", **{plain: f"\\{name}" for name, plain in _NAMED.items() if name != "n"}}
)


def is_comment(line: bytes) -> bool:
    """Whether a line is a comment and not an obsolete entry; a comment may have invalid bytes."""
    stripped = line.removeprefix(b"\xef\xbb\xbf").lstrip()
    return stripped.startswith(b"#") and not stripped.startswith(b"#~")


def header_lines(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Yield lines until the first entry is complete; the rest stays in the iterator."""
    translated = False
    for line in lines:
        yield line
        match = _LINE.match(line.removeprefix(b"\xef\xbb\xbf").strip())
        if translated and (match is None or (match[1] and not match[1].startswith(b"msgstr"))):
            return
        translated = translated or bool(match and match[1] and match[1].startswith(b"msgstr"))


def header_encoding(lines: Iterable[bytes]) -> str:
    """Return the encoding that a catalog's header declares: the first entry, if its msgid is empty.

    The result is empty if there is no header or the encoding is unknown: templates say CHARSET.

    >>> header_encoding([b'msgid ""', b'msgstr "Content-Type: text/plain; charset=latin-1"'])
    'latin-1'
    """
    texts: dict[bytes, bytes] = {}
    keyword = b""
    for line in lines:
        match = _LINE.match(line.removeprefix(b"\xef\xbb\xbf").strip())
        if match is None:
            if b"msgstr" in texts:
                break
            continue
        if match[1]:
            if b"msgstr" in texts:
                break
            keyword = match[1]
        texts[keyword] = texts.get(keyword, b"") + match[2]
    if texts.get(b"msgid") or b"msgctxt" in texts:
        return ""
    declared = _CHARSET.search(texts.get(b"msgstr", b""))
    return _known(declared[1].decode()) if declared else ""


def _known(name: str) -> str:
    sample = 'msgid ""'
    try:
        usual = codecs.lookup(name).name.replace("-", "_")  # as versions of Python differ in
        known = usual not in _NO_CHARSETS and sample.encode().decode(name) == sample
    except (LookupError, UnicodeError):
        return ""
    return name if known else ""


def unescaped(text: str, encoding: str = "utf-8") -> str:
    r"""Resolve the escapes of a quoted text; numeric escapes are bytes in the file's encoding.

    >>> unescaped(r"\x41 \303\251 \"a\"\n")
    'A é "a"\n'
    """

    def plain(match: re.Match[str]) -> str:
        if match[1] is None:
            return _NAMED.get(match[2], match[2])
        codes = (
            int(hexadecimal, 16) if hexadecimal else int(octal, 8) for hexadecimal, octal in found(match)
        )
        return bytes(code & 0xFF for code in codes).decode(encoding, errors="replace")

    def found(match: re.Match[str]) -> list[tuple[str, str]]:
        return _BYTE.findall(match[1])

    return _ESCAPES.sub(plain, text) if "\\" in text else text


def message_text(message: str, comment: str) -> str:
    r"""Return the text that a message stands for: the message itself or, if it is a key, its default text.

    Catalogs of Plone and Zope have keys as messages, and their texts in extracted comments.

    >>> message_text("label_open", 'in menus\nDefault: "Open..."'), message_text("Open it", 'Default: "Open"')
    ('Open...', 'Open it')
    """
    if any(map(str.isspace, message)) or '"' not in comment:
        return message
    match = _DEFAULT.search(comment)
    return unescaped(" ".join(match[1].split("\n"))) if match and match[1].strip() else message


def quoted(text: str) -> list[str]:
    r"""Quote a text, one string per line.

    >>> quoted("a\nb")
    ['"a\\n"', '"b"']
    """
    parts = [f'"{part.translate(_QUOTED)}\\n"' for part in text.split("\n")]
    last = parts.pop().removesuffix('\\n"') + '"'
    if last != '""' or not parts:
        parts.append(last)
    return parts
