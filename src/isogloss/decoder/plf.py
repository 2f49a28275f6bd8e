"""Word lattices in Moses' Python lattice format (PLF), one per line.

    ((('guten', -0.1, 1), ('gutes', -2.3, 1),), (('morgen', 0, 1),),)

A lattice is a list of nodes, a node is a list of arcs, and an arc is a word, a score and the number of nodes
it leads ahead; the final node follows the last one in the list. Words are quoted like Python strings. A score
is a logarithm; ``-inf`` is read as -100, so that such an arc is still used if there is no other. The format
has its own parser: nothing in a file is ever executed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath

__all__ = ["Arc", "Lattice", "format_plf", "parse_plf"]

_TOKEN = re.compile(
    r"""[ \t]*(?:
        (?P<mark>[(),])
      | (?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
      | (?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|-inf(?:inity)?\b)
    )""",
    re.VERBOSE | re.ASCII,
)
_ESCAPE = re.compile(r"\\(.)")
_WORD = re.compile(r"[^ \t-\r\0]+")
_LARGEST_SCORE = 1e30
_IMPOSSIBLE = -100.0
_MOST_PLACES = 4096


class Arc(NamedTuple):
    """A word between two nodes."""

    begin: int
    end: int
    word: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Lattice:
    """Words on arcs between the nodes 0 to ``places`` - 1; every arc leads to a higher node.

    >>> Lattice.from_words(["guten", "morgen"]).arcs[1]
    Arc(begin=1, end=2, word='morgen', score=0.0)
    """

    places: int
    arcs: tuple[Arc, ...]

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Lattice:
        """A lattice with one path."""
        return cls(len(words) + 1, tuple(Arc(i, i + 1, word) for i, word in enumerate(words)))

    def __post_init__(self) -> None:
        if not 1 <= self.places <= _MOST_PLACES:
            raise ValueError(
                f"the lattice has {self.places} nodes; it must have between 1 and {_MOST_PLACES}"
            )
        reached = {0}
        for arc in sorted(self.arcs):
            if not 0 <= arc.begin < arc.end < self.places:
                raise ValueError(
                    f"the arc '{arc.word}' leads from node {arc.begin} to {arc.end}; arcs must lead to "
                    f"a higher node, at most {self.places - 1}"
                )
            if not _WORD.fullmatch(arc.word):
                raise ValueError(f"the word {arc.word!r} is empty or contains whitespace")
            if not abs(arc.score) <= _LARGEST_SCORE:
                raise ValueError(f"the score of '{arc.word}' is {arc.score}, a finite number is expected")
            if arc.begin in reached:
                reached.add(arc.end)
        if self.places - 1 not in reached:
            raise ValueError(f"no path leads from the first node to the last one, {self.places - 1}")


def parse_plf(line: str, path: StrPath = "lattice", number: int | None = None) -> Lattice:
    """Read one lattice; ``path`` and line ``number`` are for messages. An empty line is an empty lattice.

    >>> parse_plf("((('a', -0.5, 1), ('b', 0, 2),), (('c', 0, 1),),)").places
    3
    """
    if not line.strip():
        return Lattice(1, ())
    try:
        return _Parser(line).lattice()
    except ValueError as error:
        raise DataFormatError(
            f"not a lattice: {error}", path, number, "write a lattice as ((('word', -0.5, 1),),)"
        ) from None


def format_plf(lattice: Lattice) -> str:
    """Write a lattice on one line for ``parse_plf``, with arcs in the order of nodes."""
    columns: list[list[str]] = [[] for _ in range(lattice.places - 1)]
    for arc in sorted(lattice.arcs, key=lambda arc: arc.begin):
        word = arc.word.replace("\\", "\\\\").replace("'", "\\'")
        columns[arc.begin].append(f"('{word}', {arc.score!r}, {arc.end - arc.begin}),")
    return f"({''.join('(' + ''.join(arcs) + '),' for arcs in columns)})"


class _Parser:
    """Reads the tokens of one line."""

    def __init__(self, line: str) -> None:
        self._line, self._end = line, 0
        self._tokens = self._scan()
        self._next = next(self._tokens, None)

    def lattice(self) -> Lattice:
        arcs: list[Arc] = []
        places = 0
        self._open()
        while not self._closed():
            self._open()
            while not self._closed():
                arcs.append(self._arc(places))
                self._separator()
            self._separator()
            places += 1
        if self._next is not None:
            raise self._expected("the end of the line")
        return Lattice(places + 1, tuple(arcs))

    def _arc(self, begin: int) -> Arc:
        self._open()
        quoted = self._take("quoted", "a word in quotes")
        self._take("mark", "','", ",")
        score = float(self._take("number", "the arc's score"))
        if score == -math.inf:
            score = _IMPOSSIBLE
        self._take("mark", "','", ",")
        text = self._take("number", "how far the arc leads")
        if not text.isdigit() or len(text) > 9:
            raise ValueError(f"an arc leads {text} nodes ahead, a whole number above 0 is expected")
        self._separator()
        if not self._closed():
            raise self._expected("')'")
        return Arc(begin, begin + int(text), _ESCAPE.sub(r"\1", quoted[1:-1]), score)

    def _scan(self) -> Iterator[tuple[str, str, int]]:
        end = len(self._line.rstrip(" \t"))
        while self._end < end:
            found = _TOKEN.match(self._line, self._end, end)
            if found is None:
                rest = self._line[self._end :].strip()
                raise ValueError(f"'{rest[:20]}' at column {self._end + 1} is not allowed in a lattice")
            self._end = found.end()
            kind = str(found.lastgroup)
            yield kind, found[kind], found.start(kind) + 1

    def _take(self, kind: str, what: str, text: str | None = None) -> str:
        if self._next is None or self._next[0] != kind or (text is not None and self._next[1] != text):
            raise self._expected(what)
        taken = self._next[1]
        self._next = next(self._tokens, None)
        return taken

    def _open(self) -> None:
        self._take("mark", "'('", "(")

    def _closed(self) -> bool:
        """Whether the list ends here; consumes its bracket."""
        if self._next is not None and self._next[:2] == ("mark", ")"):
            self._next = next(self._tokens, None)
            return True
        return False

    def _separator(self) -> None:
        """Consume a comma, which is optional before a closing bracket."""
        if self._next is not None and self._next[:2] != ("mark", ")"):
            self._take("mark", "',' or ')'", ",")

    def _expected(self, what: str) -> ValueError:
        if self._next is None:
            return ValueError(f"{what} expected, the line ends")
        return ValueError(f"{what} expected at column {self._next[2]}, found {self._next[1][:20]!r}")
