"""
The compiled engine of isogloss. Private: use the package's own modules.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, overload

import numpy
import numpy.typing
from numpy.typing import NDArray


def build_info() -> dict[str, str]:
    """Compiler and build type of this engine."""

class LineError(ValueError):
    """A line is not what its format asks for: problem, line, hint."""

class MosesReader:
    """Reads an n-best list in the notation of Moses, piece by piece."""

    def __init__(self, *, named_values_are_dense: bool = False, fields_before_features: bool = False) -> None: ...

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes of the file."""

    def lines(self) -> int:
        """Lines read so far."""

    def finish(self) -> dict[str, object]:
        """The columns of the whole list."""

class NbestBuilder:
    """Collects the candidates of an n-best list."""

    def __init__(self) -> None: ...

    def add(self, sentence: int, text: str, *, score: float | None = None, dense: Sequence[tuple[str, Sequence[float]]] = [], sparse: Sequence[tuple[str, float]] = [], alignment: Sequence[tuple[int, int]] = [], line: int = 0) -> None:
        """
        Add one candidate. LineError names `line` if something about it is wrong.
        """

    def finish(self) -> dict[str, object]:
        """The columns of the whole list."""

class MosesWriter:
    """Writes a list in the notation that MosesReader reads."""

    def __init__(self, *, sentence_ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], dense_groups: Sequence[tuple[str, int]], dense: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], words: Vocabulary, token_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tokens: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], sparse_names: Vocabulary | None = None, sparse_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, sparse_columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, sparse_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, alignment_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, alignment: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, segmentation_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, segmentation: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, alignment_before_features: bool = False) -> None: ...

    def write(self, first_sentence: int, last_sentence: int) -> str:
        """
        The lines of the sentences from the first up to, but not including, the last.
        """

def materialise_sparse(*, rows: numpy.typing.NDArray[numpy.int64], candidate_offsets: numpy.typing.NDArray[numpy.int64], events: numpy.typing.NDArray[numpy.uint32], event_counts: numpy.typing.NDArray[numpy.float32], event_offsets: numpy.typing.NDArray[numpy.int64], features: numpy.typing.NDArray[numpy.uint32], feature_values: numpy.typing.NDArray[numpy.float32]) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]:
    """
    Offsets, columns and values of the given candidates' features, summed over their events.
    """

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

    def hashes(self) -> numpy.typing.NDArray[numpy.uint64]:
        """``hash64`` of every word."""

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
