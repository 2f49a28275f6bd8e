"""Find text that was decoded with the wrong encoding: ``fÃ¼r`` instead of ``für``."""

from __future__ import annotations

import re

__all__ = ["find_mojibake"]

# The characters for bytes 0x80 to 0xff in Windows-1252, or in Latin-1 where Windows-1252 has none.
_READ_AS = {bytes([byte]).decode("cp1252", "ignore") or chr(byte): byte for byte in range(0x80, 0x100)} | {
    chr(byte): byte for byte in range(0x80, 0x100)
}


def _characters(first: int, last: int) -> str:
    return re.escape("".join(character for character, byte in _READ_AS.items() if first <= byte <= last))


_NEXT = f"[{_characters(0x80, 0xBF)}]"
_SEQUENCE = (
    f"(?:[{_characters(0xC2, 0xDF)}]{_NEXT}|[{_characters(0xE0, 0xEF)}]{_NEXT}{{2}}"
    f"|[{_characters(0xF0, 0xF4)}]{_NEXT}{{3}})"
)
# Lead bytes of Western European letters (Â, Ã), of typographic quotes and dashes (â), and of the byte-order
# mark and the replacement character (ï): in correct text, these letters are not followed by such characters.
# Other lead bytes, as in ``É…``, must occur twice in a row.
_TELLING = re.compile(f"(?=[ÂÃâï]){_SEQUENCE}|{_SEQUENCE}{{2,}}")


def find_mojibake(text: str) -> tuple[str, str] | None:
    """Return a piece of text that is UTF-8 read as Latin-1 or Windows-1252, and what it should be.

    >>> find_mojibake("GrÃ¼ÃŸe aus KÃ¶ln")
    ('Ã¼', 'ü')
    >>> find_mojibake("Grüße aus Köln")
    """
    if text.isascii():
        return None
    for match in _TELLING.finditer(text):
        code = bytes(_READ_AS[character] for character in match.group())
        try:
            return match.group(), code.decode("utf-8")
        except UnicodeDecodeError:
            continue
    return None
