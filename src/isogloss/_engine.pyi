"""
The compiled engine of isogloss. Private: use the package's own modules.
"""

from collections.abc import Iterable
from typing import Annotated, overload

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

def bleu_statistics(hypothesis_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], hypothesis_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, order: int = 4, length: str = 'closest', threads: int = 1) -> NDArray[numpy.int32]:
    """
    One row per candidate: length, reference length, matched n-grams by order, all n-grams by order.

    Candidate c holds ``hypothesis_ids[hypothesis_offsets[c]:hypothesis_offsets[c + 1]]``; sentence i
    has the candidates ``sentence_offsets[i]:sentence_offsets[i + 1]``; references likewise.
    ``NO_WORD`` matches nothing. ``length`` is ``closest`` (ties to the shorter), ``shortest`` or
    ``average`` (whole tokens, halves upwards). Rows of candidates that no sentence owns are zero.
    """

def nist_statistics(hypothesis_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], hypothesis_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, order: int = 5, threads: int = 1) -> NDArray[numpy.float64]:
    """
    One row per candidate: length, mean reference length, information of the matched n-grams by order,
    all n-grams by order.

    Arguments as of ``bleu_statistics``; all references given weigh the n-grams.
    """

@overload
def bleu_scores(statistics: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, background: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, smoothing: str = 'none', smoothing_value: float | None = None, effective_order: bool = False, threads: int = 1) -> NDArray[numpy.float64]: ...

@overload
def bleu_scores(statistics: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], *, background: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, smoothing: str = 'none', smoothing_value: float | None = None, effective_order: bool = False, threads: int = 1) -> NDArray[numpy.float64]:
    """
    BLEU in 0..1 of each row of statistics, ``background`` added to it first.

    ``smoothing`` is ``none``, ``exp``, ``floor`` or ``add-k`` with sacreBLEU's formulas and default
    values; ``effective_order`` leaves out orders that are longer than the candidate.
    """
