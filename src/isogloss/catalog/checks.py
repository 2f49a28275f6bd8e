"""Final checks of a translation before it is written: would it break the program that uses it?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from isogloss.catalog.icu import choices, icu_parts
from isogloss.corpus.edges import bare_text
from isogloss.corpus.placeholders import Protector

__all__ = ["fault", "hollow_tags", "unnumbered", "well_nested"]

# Possessive (*+), so that a name that nothing closes takes linear time.
TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w:.-]*+)[^<>]*?(?P<empty>/?)>")
_HOLLOW = re.compile(r"<([A-Za-z][\w:.-]*+)[^<>]*+>\s*+</\1\s*+>")
_NEVER_CLOSED = frozenset({"br", "hr", "img", "input", "wbr"})
_DIRECTIVE = re.compile(
    r"%(?:%|(?P<name>\([^()]*\))?(?P<place>[0-9]+\$)?[-+ #0']*(?:\*|[0-9]+)?(?:\.(?:\*|[0-9]+)?)?"
    r"(?:hh|ll|[hlLqjzt])?(?P<kind>[A-Za-z@])|(?P<stray>))"
)
_PRINTF = frozenset({"c-format", "objc-format", "python-format", "php-format", "perl-format"})
_UNNUMBERED = re.compile(r"%[^%(]*|\{\}", re.DOTALL)


def fault(source: str, translation: str, protector: Protector, formats: Collection[str] = ()) -> str:
    """Return what is wrong with a translation; empty if nothing is.

    ``formats`` are flags of the entry, such as ``c-format``, that declare a string to be a format.

    >>> fault("Delete %s?", "Löschen?", Protector())
    "'%s' is lost"
    """
    if source.strip() and not translation.strip():
        return "the translation is empty"
    lost, more = protector.difference(*(bare_text(text) for text in (source, translation)))
    if choices(source):
        if choices(source) != choices(translation) or not icu_parts(translation):
            return "the choices of the message (plural, select) differ or cannot be read"
        # Another language may have more plural forms, and a placeholder in each.
        before, after = (_in_choices(text, protector) for text in (source, translation))
        lost, more = min(before - after, default=""), min(after - before, default="")
    if lost or more:
        return f"'{lost}' is lost" if lost else f"'{more}' is too much"
    for end, where in ((str.startswith, "begins"), (str.endswith, "ends")):
        if end(source, "\n") != end(translation, "\n"):
            return f"only one of message and translation {where} with a line break"
    if well_nested(source) and not well_nested(translation):
        return "tags are not closed in their order"
    if _PRINTF.intersection(formats) and _directives(source) != _directives(translation):
        return "the directives of the format differ"
    return ""


def _in_choices(message: str, protector: Protector) -> set[str]:
    return {found for text in icu_parts(message)[::2] for found in protector.found(text)}


def _directives(text: str) -> tuple[list[str], Counter[str]]:
    """Return the directives of a format: positional ones in order, named and numbered ones as counts."""
    found = [match for match in _DIRECTIVE.finditer(text) if match.group() != "%%"]
    by_place = [match.group() for match in found if not (match["name"] or match["place"])]
    return by_place, Counter(match.group() for match in found if match["name"] or match["place"])


def unnumbered(placeholder: str) -> bool:
    """Whether the value of a placeholder depends on its position: ``%s`` and ``{}``, not ``%1$s``.

    >>> [unnumbered(text) for text in ("%s", "{}", "%1$s", "%(name)s", "{0}", "%%", "<b>")]
    [True, True, False, False, False, False, False]
    """
    return _UNNUMBERED.fullmatch(placeholder) is not None and "$" not in placeholder


def hollow_tags(text: str) -> int:
    """Count the tag pairs that enclose nothing."""
    return len(_HOLLOW.findall(text))


def well_nested(text: str) -> bool:
    """Whether every opened tag is closed again, in the right order.

    >>> well_nested("<b>a<br></b>"), well_nested("</b>a<b>")
    (True, False)
    """
    opened: list[str] = []
    for match in TAG.finditer(text):
        if match["empty"] or match["name"].lower() in _NEVER_CLOSED:
            continue
        if not match["close"]:
            opened.append(match["name"])
        elif not opened or opened.pop() != match["name"]:
            return False
    return not opened
