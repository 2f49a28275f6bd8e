"""
The compiled engine of isogloss. Private: use the package's own modules.
"""

from collections.abc import Iterable
from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray


def build_info() -> dict[str, str]:
    """Compiler and build type of this engine."""

class LineError(ValueError):
    """A line is not what its format asks for: problem, line, hint."""

MOST_CLASSES: int = 4096

class BigramCounter:
    """Counts words and adjacent pairs, batch by batch."""

    def __init__(self) -> None: ...

    def add(self, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add the sentences between consecutive offsets."""

    def counts(self) -> numpy.typing.NDArray[numpy.uint64]:
        """Occurrences of every word."""

    def units(self, unit_of: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], units: int) -> UnitBigrams:
        """The counts with word w taken as unit ``unit_of[w]``, below ``units``."""

    @property
    def sentences(self) -> int:
        """Sentences that have words."""

    @property
    def pairs(self) -> int:
        """Different pairs of neighbours, sentence ends included."""

class UnitBigrams:
    """Counts of units (words, or rare words together)."""

    @property
    def total(self) -> int:
        """Words and sentence ends of the corpus."""

    @property
    def units(self) -> int:
        """Units, the sentence boundary not counted."""

class ExchangeClustering:
    """
    Moves units (words) between classes to raise the class-bigram likelihood.
    """

    def __init__(self, bigrams: UnitBigrams, initial: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, classes: int) -> None: ...

    def exchange(self, begin: int, end: int) -> int:
        """
        Move each unit in [begin, end) to its best class; return how many changed theirs.
        """

    @property
    def likelihood(self) -> float:
        """Log-likelihood of the corpus in bits."""

    @property
    def likelihood_steps(self) -> int:
        """The same in exact fixed point."""

    def recomputed_likelihood_steps(self) -> int:
        """The same, computed afresh from the counts."""

    def gain_steps(self, unit: int, target: int) -> int:
        """
        What moving the unit to the class would add to the likelihood, in exact fixed point.
        """

    def class_of(self) -> numpy.typing.NDArray[numpy.uint32]:
        """The class of each unit."""

NO_WORD: int = 4294967295

def hash64(text: str) -> int:
    """The 64-bit hash that the file formats use."""

class Vocabulary:
    """Words numbered from 0 in the order of first appearance."""

    def __init__(self) -> None: ...

    @staticmethod
    def from_arrays(bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Vocabulary:
        """Rebuild from what ``arrays()`` gave."""

    def __len__(self) -> int: ...

    def add(self, word: str) -> int:
        """The word's number, given to it now if it is new."""

    def find(self, word: str) -> int:
        """The word's number, or ``NO_WORD``."""

    def word(self, id: int) -> str:
        """The word with that number."""

    def words(self) -> list[str]:
        """All words, in order of their numbers."""

    def encode(self, lines: Iterable[Iterable[str]], *, grow: bool = True) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int64]]:
        """
        Word numbers of all lines one after another, and the offset of each line (one more than lines).
        """

    def arrays(self) -> tuple[numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.uint64]]:
        """The words as one block of bytes and their offsets in it."""
