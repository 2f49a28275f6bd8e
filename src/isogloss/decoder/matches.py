"""Exact matches: a source that is already translated gets its known translation, without any search.

    ENGINE/matches/    the sources of the training text, each with its most frequent translation
    ENGINE/contexts/   the same for every source and context, if the training text has contexts (PO, XLIFF)

Two sources match if they differ only in white space and in the text of their placeholders. Context and source
are joined by one character, as in MO files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from isogloss.corpus.placeholders import Protector
from isogloss.corpus.processing import TextProcessing
from isogloss.io.errors import ModelFormatError
from isogloss.io.streams import StrPath
from isogloss.storage.folder import ArrayFolder, open_folder, write_folder

__all__ = ["Match", "MatchKind", "TrainingMatches", "in_context", "refilled", "write_matches"]

KIND, VERSION = "matches", 1
_JOINT = "\x04"  # between context and source
_ARRAYS = ("keys", "rows", "source_text", "source_ends", "target_text", "target_ends")

MatchKind = Literal["", "correction", "training", "near"]
"""Origin of a translation: the decoder (empty), a correction or the training text for the same source, or an
edited translation of a similar one."""
Pairs = Callable[[], Iterable[tuple[str, str]]]


class Match(NamedTuple):
    """A known translation and its origin."""

    text: str
    kind: MatchKind


def refilled(target: str, of: str, source: str, placeholders: tuple[str, ...]) -> str | None:
    """Adapt a translation of the sentence ``of`` to ``source``, which differs only in its placeholders.

    Returns None if the placeholders do not correspond one to one.

    >>> refilled("%s löschen?", "Delete %s?", "Delete %d?", ("printf",))
    '%d löschen?'
    """
    if not placeholders:
        return target
    find = Protector(placeholders).found
    old, new = find(of), find(source)
    if old == new:
        return target
    waiting: dict[str, list[str]] = {}
    for text, other in zip(old, new, strict=False):
        waiting.setdefault(text, []).append(other)
    parts: list[str] = []
    expected: list[str] = []
    done = 0
    for text in find(target):
        if not waiting.get(text):
            return None
        place = target.index(text, done)
        expected.append(waiting[text].pop(0))
        parts += [target[done:place], expected[-1]]
        done = place + len(text)
    made = "".join(parts) + target[done:]
    complete = len(old) == len(new) and not any(waiting.values()) and find(made) == expected
    return made if complete else None


def in_context(source: str, context: str) -> str:
    """Return a source together with its context, as ``write_matches`` and ``find`` expect it."""
    return f"{context}{_JOINT}{source}" if context else source


@dataclass(frozen=True, slots=True)
class TrainingMatches:
    """The training text as a translation memory, mapped into memory rather than read."""

    folder: ArrayFolder
    text: TextProcessing | None

    @classmethod
    def open(cls, path: StrPath, text: TextProcessing | None) -> TrainingMatches:
        """Open a folder written by ``write_matches``, with the text processing of its system."""
        folder = open_folder(path, kind=KIND, version=VERSION)
        sound = all(name in folder.arrays and folder.arrays[name].ndim == 1 for name in _ARRAYS)
        sizes = {len(folder.arrays[name]) for name in ("keys", "rows", "source_ends", "target_ends") if sound}
        if not sound or len(sizes) != 1:
            raise ModelFormatError("not sound", folder.path, "create the system again")
        return cls(folder, text)

    def __len__(self) -> int:
        """Return the number of known sources."""
        return len(self.folder.arrays["keys"])

    def find(self, source: str) -> Match | None:
        """Return the translation of a source, or None if the source is unknown.

        A source of several lines has no match: the training text has one line per sentence.
        """
        key = _key(source, self.text)
        if not key or key.endswith(_JOINT) or "\n" in source.strip():
            return None
        arrays, number = self.folder.arrays, _hash(key)
        first, last = (int(arrays["keys"].searchsorted(number, side)) for side in ("left", "right"))
        for row in arrays["rows"][first:last].tolist():
            known = self._line("source", row)
            if _key(known, self.text) == key:
                placeholders = () if self.text is None else self.text.placeholders
                old, new = (one.rpartition(_JOINT)[2] for one in (known, source))
                found = refilled(self._line("target", row), old, new, placeholders)
                return None if found is None else Match(found, "training")
        return None

    def pairs(self) -> Iterator[tuple[str, str]]:
        """All sources with their translations, in the order of the training text."""
        for row in range(len(self)):
            yield self._line("source", row), self._line("target", row)

    def _line(self, side: str, row: int) -> str:
        ends, text = self.folder.arrays[f"{side}_ends"], self.folder.arrays[f"{side}_text"]
        if not 0 <= row < len(ends):
            raise ModelFormatError("a row that is not there", self.folder.path, "create the system again")
        begin = int(ends[row - 1]) if row else 0
        return text[begin : int(ends[row])].tobytes().decode(errors="replace")


def write_matches(path: StrPath, pairs: Pairs, text: TextProcessing | None) -> None:
    """Store the most frequent translation of every source; ties go to the first one."""
    hashes = np.fromiter(
        (number for pair in pairs() for number in (_hash(_key(pair[0], text)), _hash(pair[1]))), np.uint64
    ).reshape(-1, 2)
    chosen = _most_frequent(hashes)
    wanted = iter(chosen.tolist())
    following = next(wanted, -1)
    texts = {"source": bytearray(), "target": bytearray()}
    ends: dict[str, list[int]] = {"source": [], "target": []}
    for number, pair in enumerate(pairs()):
        if number == following:
            for side, line in zip(texts, pair, strict=True):
                texts[side] += line.encode(errors="replace")
                ends[side].append(len(texts[side]))
            following = next(wanted, -1)
    keys = hashes[chosen, 0]
    order = np.argsort(keys, kind="stable")
    arrays: dict[str, npt.NDArray[np.generic]] = {"keys": keys[order], "rows": order.astype(np.int64)}
    for side in texts:
        arrays[f"{side}_text"] = np.frombuffer(bytes(texts[side]), np.uint8)
        arrays[f"{side}_ends"] = np.array(ends[side], np.int64)
    write_folder(path, kind=KIND, version=VERSION, arrays=arrays, attributes={"pairs": len(hashes)})


def _most_frequent(hashes: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return the numbers of the pairs to keep: per source, the first pair with its most frequent target."""
    if not len(hashes):
        return np.zeros(0, np.int64)
    order = np.lexsort((hashes[:, 1], hashes[:, 0]))  # stable: equal pairs stay in order
    ordered = hashes[order]
    starts = np.flatnonzero(np.r_[True, (ordered[1:] != ordered[:-1]).any(axis=1)])
    counts, firsts = np.diff(np.r_[starts, len(ordered)]), order[starts]
    best = np.lexsort((firsts, -counts, ordered[starts, 0]))
    sources = ordered[starts[best], 0]
    return np.sort(firsts[best[np.r_[True, sources[1:] != sources[:-1]]]])


def _key(source: str, text: TextProcessing | None) -> str:
    context, joint, rest = source.rpartition(_JOINT)
    return context + joint + " ".join((rest if text is None else text.protect(rest)).split())


def _hash(key: str) -> int:
    return int.from_bytes(blake2b(key.encode(errors="replace"), digest_size=8).digest(), "little")
