"""Near matches by edit: what of a similar sentence's translation can stay, and where new words go.

The source of the example is compared with the new sentence word by word. The translation of every word that
both have stays. Where they differ, the words that translate the example's part are taken out, and a hole is
left for the translation of the new part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from isogloss.align.links import Link
from isogloss.corpus.placeholders import MARK

__all__ = ["Frame", "Hole", "edit_regions", "frames", "unmarked"]

_WIDENED = ((0, 0), (1, 0), (0, 1), (1, 1))  # words that a difference takes in at its left and right


class Hole(NamedTuple):
    """A place for the translation of the words ``begin`` up to ``end`` (exclusive) of the new sentence."""

    begin: int
    end: int


class Region(NamedTuple):
    """Words of the example's source and of the new sentence that correspond; both ends are exclusive."""

    begin: int
    end: int
    new_begin: int
    new_end: int


class Frame(NamedTuple):
    """A translation with holes."""

    pieces: tuple[str | Hole, ...]
    dropped: int
    """Words of the example's translation that were taken out."""
    torn: int
    """Differences whose translation is in several places, or shared with words that stay."""
    widened: int
    """Words around differences that are translated again."""

    def holes(self) -> list[Hole]:
        """The holes, from left to right."""
        return [piece for piece in self.pieces if isinstance(piece, Hole)]


def unmarked(words: Sequence[str]) -> list[str]:
    """The words with the same text for every placeholder mark."""
    return ["ǁ" if MARK.fullmatch(word) else word for word in words]


def edit_regions(old: Sequence[str], new: Sequence[str]) -> list[Region]:
    """The regions in which two sentences differ, so that as few words as possible do.

    >>> edit_regions("delete the old volume".split(), "delete volume now".split())
    [Region(begin=1, end=3, new_begin=1, new_end=1), Region(begin=4, end=4, new_begin=2, new_end=3)]
    """
    first, last = 0, 0
    most = min(len(old), len(new))
    while first < most and old[first] == new[first]:
        first += 1
    while last < most - first and old[-1 - last] == new[-1 - last]:
        last += 1
    steps = _edit_path(old[first : len(old) - last], new[first : len(new) - last])
    found: list[Region] = []
    for begin, end, new_begin, new_end in steps:
        step = Region(begin + first, end + first, new_begin + first, new_end + first)
        if found and (found[-1].end, found[-1].new_end) == (step.begin, step.new_begin):
            step = Region(found[-1].begin, step.end, found.pop().new_begin, step.new_end)
        found.append(step)
    return found


def _edit_path(old: Sequence[str], new: Sequence[str]) -> Iterator[Region]:
    """The single edits of a shortest path; of equally short ones, one that keeps the most words."""
    one = len(old) + len(new) + 1  # an edit costs more than all words that can be kept
    rows = [[one * j for j in range(len(new) + 1)]]
    for i, word in enumerate(old, start=1):
        before, row = rows[-1], [one * i]
        for j, other in enumerate(new, start=1):
            row.append(min(before[j - 1] + (one if word != other else -1), before[j] + one, row[-1] + one))
        rows.append(row)
    i, j = len(old), len(new)
    path = []
    while i or j:
        if i and j and rows[i][j] == rows[i - 1][j - 1] + (one if old[i - 1] != new[j - 1] else -1):
            i, j = i - 1, j - 1
            if old[i] != new[j]:
                path.append(Region(i, i + 1, j, j + 1))
        elif i and rows[i][j] == rows[i - 1][j] + one:
            i -= 1
            path.append(Region(i, i + 1, j, j))
        else:
            j -= 1
            path.append(Region(i, i, j, j + 1))
    return reversed(path)


def frames(
    old: Sequence[str], target: Sequence[str], links: Sequence[Link], new: Sequence[str]
) -> list[Frame]:
    """The example's translation with holes, in several ways: a difference may take in its neighbors.

    Placeholder marks are those of the new sentence.

    >>> links = [(0, 3), (1, 0), (2, 1), (3, 2)]
    >>> frames("delete the old volume".split(), "das alte Volume löschen".split(), links,
    ...        "delete the new volume".split())[0].pieces
    ('das', Hole(begin=2, end=3), 'Volume', 'löschen')
    """
    compared = [unmarked(old), unmarked(new)]
    regions = edit_regions(*compared)
    marks = _marks(old, new, regions)
    found: dict[tuple[str | Hole, ...], Frame] = {}
    for left, right in _WIDENED if regions else _WIDENED[:1]:
        widened = _widened(regions, left, right, len(old))
        taken = sum(one.new_end - one.new_begin for one in widened)
        more = taken - sum(one.new_end - one.new_begin for one in regions)
        frame = _frame(target, links, widened, marks, more)
        found.setdefault(frame.pieces, frame)
    return list(found.values())


def _marks(old: Sequence[str], new: Sequence[str], regions: Sequence[Region]) -> dict[str, str]:
    """The new sentence's mark for each mark of the example outside of differences."""
    found: dict[str, str] = {}
    at, shift = 0, 0
    for one in (*regions, Region(len(old), len(old), len(new), len(new))):
        for place in range(at, one.begin):
            if MARK.fullmatch(old[place]):
                found[old[place]] = new[place + shift]
        at, shift = one.end, one.new_end - one.end
    return found


def _widened(regions: Sequence[Region], left: int, right: int, size: int) -> list[Region]:
    found: list[Region] = []
    for one in regions:
        before = min(left, one.begin - (found[-1].end if found else 0))
        after = min(right, size - one.end)
        wide = Region(one.begin - before, one.end + after, one.new_begin - before, one.new_end + after)
        if found and wide.begin <= found[-1].end:
            wide = Region(found[-1].begin, wide.end, found.pop().new_begin, wide.new_end)
        found.append(wide)
    return found


def _frame(
    target: Sequence[str],
    links: Sequence[Link],
    regions: Sequence[Region],
    marks: dict[str, str],
    widened: int,
) -> Frame:
    of_source: dict[int, set[int]] = {}
    of_target: dict[int, set[int]] = {}
    for i, j in links:
        of_source.setdefault(i, set()).add(j)
        of_target.setdefault(j, set()).add(i)
    gone: set[int] = set()
    holes: dict[int, list[Hole]] = {}
    torn = 0
    for one in regions:
        inside = set(range(one.begin, one.end))
        linked = set().union(*(of_source.get(i, set()) for i in inside))
        own = {j for j in linked if of_target[j] <= inside}
        torn += own != linked
        if own:
            place = min(own)
            hull = range(place, max(own) + 1)
            free = {j for j in hull if j not in of_target}
            torn += len(own | free) < len(hull)
            gone |= own | free
        else:
            place = _insertion(one, of_source)
        if one.new_begin < one.new_end:
            holes.setdefault(place, []).append(Hole(one.new_begin, one.new_end))
    pieces: list[str | Hole] = []
    dropped = 0
    for place, word in enumerate((*target, "")):
        pieces += holes.get(place, [])
        if place in gone:
            dropped += 1
        elif MARK.fullmatch(word):
            pieces += [marks[word]] if word in marks else []
        elif word:
            pieces.append(word)
    return Frame(tuple(pieces), dropped, torn, widened)


def _insertion(region: Region, of_source: dict[int, set[int]]) -> int:
    """Where the translation of new words goes: after that of the word before them, or before the next."""
    for before in range(region.begin - 1, -1, -1):
        if before in of_source:
            return max(of_source[before]) + 1
    after = min((i for i in of_source if i >= region.end), default=None)
    return 0 if after is None else min(of_source[after])
