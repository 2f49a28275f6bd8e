"""The content of a segment as text: XML elements become numbered tags, and are restored exactly afterwards.

delete <g id="a">%s</g><ph id="b">&lt;br></ph>   <->   delete <ig1>%s</ig1><ig2/>
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from isogloss.corpus.markup import content, local_name

__all__ = ["Inline"]

_PIECE = re.compile(
    r"""<!--.*?--> | <\?.*?\?> | <!\[CDATA\[(?P<cdata>.*?)\]\]>
      | <(?P<close>/?)(?P<name>[\w:.-]+)(?P<attributes>(?:[^<>"']|"[^"]*"|'[^']*')*?)(?P<empty>/?)>""",
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_CODES = frozenset({"bpt", "ept", "ph", "it", "ut"})
"""Elements whose content is not text."""
_BEGINNINGS = {"bpt": "ept", "bx": "ex", "sc": "ec"}
"""Elements that mark the beginning of a span, and the elements that mark its end."""
_OWN = re.compile(r"</?ig[0-9]+/?>")


@dataclass(frozen=True)
class Inline:
    """Text with numbered tags, and the XML that each tag replaces."""

    text: str
    tags: dict[str, str]

    @classmethod
    def read(cls, raw: str) -> Inline:
        """Parse the content of an element, which must be well-formed."""
        reader = _Reader()
        done = 0
        for match in _PIECE.finditer(raw):
            if match.start() < done:  # inside a code element
                continue
            reader.text(html.unescape(raw[done : match.start()]))
            done = reader.piece(match, raw)
        reader.text(html.unescape(raw[done:]))
        return cls("".join(reader.parts), reader.tags)

    def read_beside(self, raw: str) -> str:
        """Parse the content of the translation of this segment; equal elements get the same tags."""
        other = Inline.read(raw)
        free: dict[str, list[str]] = {}
        for tag, xml in self.tags.items():
            if not tag.startswith("</"):
                free.setdefault(xml, []).append(tag)
        renamed: dict[str, str] = {}
        for tag, xml in other.tags.items():
            if not tag.startswith("</") and free.get(xml):
                own = free[xml].pop(0)
                renamed |= {tag: own, tag.replace("<", "</"): own.replace("<", "</")}
        return _OWN.sub(lambda match: renamed.get(match.group(), match.group()), other.text)

    def write(self, translation: str) -> str:
        """Turn a translation with the same tags back into XML."""
        done, parts = 0, []
        for match in _OWN.finditer(translation):
            if match.group() in self.tags:
                parts += [content(translation[done : match.start()]), self.tags[match.group()]]
                done = match.end()
        return "".join(parts) + content(translation[done:])


def _end_of(opening: re.Match[str], raw: str) -> int:
    """The position after the end tag of an element, which may contain elements of the same name."""
    depth = 1
    for match in _PIECE.finditer(raw, opening.end()):
        if match["name"] == opening["name"] and not match["empty"]:
            depth += -1 if match["close"] else 1
            if depth == 0:
                return match.end()
    return len(raw)


class _Reader:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.tags: dict[str, str] = {}
        self._opened: list[int] = []
        self._begun: dict[tuple[str, str], int] = {}
        self._count = 0

    def text(self, text: str) -> None:
        # Text that looks like one of our tags must not be mistaken for one.
        self.parts.append(_OWN.sub(lambda match: match.group().replace("ig", "ig "), text))

    def piece(self, match: re.Match[str], raw: str) -> int:
        """Add an element, comment, instruction or CDATA section; return the position after it."""
        if match["cdata"] is not None:
            self.text(match["cdata"])
            return match.end()
        name = match["name"] and local_name(match["name"].replace(":", "}"))
        if not name:
            self._add("<ig{}/>", match.group())
            return match.end()
        if name in _CODES and not match["empty"]:
            end = _end_of(match, raw)
            self._alone(name, match["attributes"], raw[match.start() : end])
            return end
        if match["close"]:
            self._add("</ig{}>", match.group(), self._opened.pop())
        elif match["empty"]:
            self._alone(name, match["attributes"], match.group())
        else:
            self._opened.append(self._add("<ig{}>", match.group()))
        return match.end()

    def _alone(self, name: str, attributes: str, raw: str) -> None:
        """Add an element without text: the beginning or the end of a span, or a standalone element."""
        values = {key: double or single for key, double, single in _ATTRIBUTE.findall(attributes)}
        key = next((values[known] for known in ("startRef", "rid", "i", "id") if known in values), "")
        if name in _BEGINNINGS:
            self._begun[_BEGINNINGS[name], key] = self._add("<ig{}>", raw)
        elif (name, key) in self._begun:
            self._add("</ig{}>", raw, self._begun.pop((name, key)))
        else:
            self._add("<ig{}/>", raw)

    def _add(self, form: str, raw: str, number: int | None = None) -> int:
        if number is None:
            self._count += 1
            number = self._count
        self.parts.append(form.format(number))
        self.tags[form.format(number)] = raw
        return number
