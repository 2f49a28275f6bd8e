"""Finding text that was decoded with the wrong encoding: ``fÃ¼r`` where ``für`` was meant."""

from __future__ import annotations

import re

__all__ = ["find_mojibake"]

# The characters that bytes 0x80 to 0xff become when read as Windows-1252, or as Latin-1 where that has none.
_READ_AS = {bytes([byte]).decode("cp1252", "ignore") or chr(byte): byte for byte in range(0x80, 0x100)} | {
    chr(byte): byte for byte in range(0x80, 0x100)
}
_FOLLOWING = "".join(character for character, byte in _READ_AS.items() if byte < 0xC0)
_LEADING = "".join(character for character, byte in _READ_AS.items() if byte >= 0xC2 and byte <= 0xF4)
_SEQUENCE = re.compile(f"[{re.escape(_LEADING)}][{re.escape(_FOLLOWING)}]+")
# Leading bytes of the letters of Western Europe (Â, Ã), of typographic quotes and dashes (â), and of the
# byte-order mark and the replacement character (ï): in text that is right, what follows them here does
# not follow these letters. Others, as in ``É…``, must come twice.
_TELLING = frozenset("ÂÃâï")


def find_mojibake(text: str) -> tuple[str, str] | None:
    """Return a piece of text that is UTF-8 read as Latin-1 or Windows-1252, and what it should be.

    >>> find_mojibake("GrÃ¼ÃŸe aus KÃ¶ln")
    ('Ã¼', 'ü')
    >>> find_mojibake("Grüße aus Köln")
    """
    if text.isascii():
        return None
    found: list[tuple[str, str]] = []
    for match in _SEQUENCE.finditer(text):
        piece = match.group()
        meant = _decode(piece)
        if meant is None:
            continue
        found.append((piece[: _length(piece)], meant))
        if piece[0] in _TELLING or len(found) > 1:
            return found[0]
    return None


def _length(piece: str) -> int:
    lead = _READ_AS[piece[0]]
    return 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def _decode(piece: str) -> str | None:
    code = bytes(_READ_AS[character] for character in piece[: _length(piece)])
    try:
        return code.decode("utf-8")
    except UnicodeDecodeError:
        return None
