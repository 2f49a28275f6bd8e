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
