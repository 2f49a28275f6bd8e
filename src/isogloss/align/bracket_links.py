"""Links of brackets: a bracket is linked to one of the other side, or to what stands inside it.

Aligners link words that the other language lacks to whatever is rare, and often to a bracket: *the* becomes
``(``, and then each translation of *the* may be one. So brackets of a pair that has the same ones on both
sides are linked to each other and to nothing else. Where a side lacks them, both brackets of the other side
are linked to the counterparts of all words between them: a rule then has both, with what they enclose, or
none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from isogloss.align.links import Link

__all__ = ["BRACKETS", "bracket_links"]

_WIDE = {"(": "\uff08", ")": "\uff09", "[": "\uff3b", "]": "\uff3d", "{": "\uff5b", "}": "\uff5d"}
_PLAIN = {"(": ")", "[": "]", "{": "}", "\u3010": "\u3011"}
BRACKETS = {**_PLAIN, **{_WIDE[one]: _WIDE[other] for one, other in _PLAIN.items() if one in _WIDE}}
"""Opening brackets with the closing ones."""

_KINDS = {wide: plain for plain, wide in _WIDE.items()}
_TOKENS = {*BRACKETS, *BRACKETS.values()}


def bracket_links(links: Iterable[Link], source: Sequence[str], target: Sequence[str]) -> list[Link]:
    """Return the links of a tokenized pair, with corrected links of brackets.

    >>> bracket_links([(0, 0), (1, 1), (1, 2)], ["the", "house"], ["(", "das", ")", "haus"])
    [(1, 0), (1, 1), (1, 2)]
    """
    sides = source, target
    places = [[at for at, word in enumerate(side) if word in _TOKENS] for side in sides]
    kept = list(links)
    if not any(places):
        return kept
    kinds = [
        [_KINDS.get(side[at], side[at]) for at in found] for side, found in zip(sides, places, strict=True)
    ]
    marked = [set(found) for found in places]
    kept, given = [(i, j) for i, j in kept if i not in marked[0] and j not in marked[1]], kept
    if kinds[0] == kinds[1]:
        return sorted([*kept, *zip(*places, strict=True)])
    found = set(kept)
    for own, side in enumerate(sides):
        for begin, end in _enclosed(side):
            inside = {link[1 - own] for link in kept if begin < link[own] < end}
            if not inside:  # nothing between them has a counterpart: they belong to the nearest word that has
                near = kept or given
                distance = min((abs(link[own] - begin) for link in near), default=0)
                inside = {link[1 - own] for link in near if abs(link[own] - begin) == distance}
            for at in (begin, end):
                found |= {(at, other) if own == 0 else (other, at) for other in inside}
    return sorted(found)


def _enclosed(words: Sequence[str]) -> list[tuple[int, int]]:
    """Return where pairs of brackets begin and end, inner ones first, without single ones."""
    found, waiting = [], []
    for at, word in enumerate(words):
        if word in BRACKETS:
            waiting.append(at)
        elif word in _TOKENS and waiting and BRACKETS[words[waiting[-1]]] == word:
            found.append((waiting.pop(), at))
    return found
