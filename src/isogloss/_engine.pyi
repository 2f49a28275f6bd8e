"""
The compiled engine of isogloss. Private: use the package's own modules.
"""

from collections.abc import Iterable, Sequence
import enum
from typing import Annotated, overload

import numpy
import numpy.typing
from numpy.typing import NDArray


def build_info() -> dict[str, str]:
    """Compiler and build type of this engine."""

class LineError(ValueError):
    """A line is not what its format asks for: problem, line, hint."""

class AlignmentModelType(enum.Enum):
    """How partners' positions are modelled."""

    model1 = 0

    fast = 1

    hmm = 2

class Symmetrization(enum.Enum):
    """How two directions' links are made into one set."""

    intersection = 0

    union = 1

    grow_diag = 2

    grow_diag_final = 3

    grow_diag_final_and = 4

    forward = 5

    backward = 6

class AlignmentParameters:
    """What an alignment model knows besides its lexical table."""

    def __init__(self) -> None: ...

    @property
    def type(self) -> AlignmentModelType: ...

    @type.setter
    def type(self, arg: AlignmentModelType, /) -> None: ...

    @property
    def null_probability(self) -> float: ...

    @null_probability.setter
    def null_probability(self, arg: float, /) -> None: ...

    @property
    def uniform_jump(self) -> float: ...

    @uniform_jump.setter
    def uniform_jump(self, arg: float, /) -> None: ...

    @property
    def lexical_floor(self) -> float: ...

    @lexical_floor.setter
    def lexical_floor(self, arg: float, /) -> None: ...

    @property
    def tensions(self) -> tuple[float, float]:
        """Diagonal tension: forward, backward."""

    @tensions.setter
    def tensions(self, arg: tuple[float, float], /) -> None: ...

    @property
    def jumps(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Jump weights, forward and backward: a row of widths from far back to far ahead each.
        """

    @jumps.setter
    def jumps(self, jumps: numpy.typing.NDArray[numpy.float64], /) -> None: ...

class Bitext:
    """Sentence pairs as word numbers; the arrays are not copied."""

    def __init__(self, source: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

class Cooccurrence:
    """Which words stand in the same sentence pair."""

    def __init__(self, bitext: Bitext, *, source_words: int, target_words: int, max_length: int) -> None: ...

    @property
    def cells(self) -> int:
        """Words times words, summed over all usable pairs."""

    @property
    def entries(self) -> int:
        """Pairs of words found so far."""

    @property
    def levels(self) -> numpy.typing.NDArray[numpy.uint64]:
        """
        Entries by level; each level but the first holds those seen once, of words ever less rare.
        """

    def survey(self, work: int, threads: int) -> bool:
        """Count entries by level, some cells further; true when through."""

    def limit_level(self, level: int) -> None:
        """Leave out entries above this level."""

    def keep_cells(self, keep: bool) -> None:
        """Whether to keep the entry of every cell."""

    def build(self, work: int, threads: int) -> bool:
        """Make the table, some cells further; true when complete."""

class AlignmentTrainer:
    """Expectation-maximisation of both directions."""

    def __init__(self, table: Cooccurrence, parameters: AlignmentParameters, *, symmetric: bool) -> None: ...

    def expect_twins(self, twins: numpy.typing.NDArray[numpy.uint32], count: float) -> None:
        """
        Add ``count`` links of each source word and the target word that is the same string.
        """

    def set_type(self, type: AlignmentModelType) -> None:
        """Go on with another model."""

    def expect(self, begin: int, end: int, threads: int) -> None:
        """E-step over some pairs."""

    def maximize(self, *, lexical_prior: float, jump_prior: float, threads: int) -> tuple[float, float]:
        """M-step; the log likelihood of both directions before."""

    @property
    def parameters(self) -> AlignmentParameters:
        """As they are now."""

    @property
    def source_null(self) -> numpy.typing.NDArray[numpy.float32]:
        """Probability of each source word under the empty word."""

    @property
    def target_null(self) -> numpy.typing.NDArray[numpy.float32]:
        """Probability of each target word under the empty word."""

    def lexicon(self, threshold: float) -> tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]:
        """Row offsets, columns and probabilities of the entries worth keeping."""

def symmetrize(forward: numpy.typing.NDArray[numpy.uint32], forward_offsets: numpy.typing.NDArray[numpy.int64], backward: numpy.typing.NDArray[numpy.uint32], backward_offsets: numpy.typing.NDArray[numpy.int64], method: Symmetrization) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int64]]:
    """Links of both directions made into one set, sentence by sentence."""

def parse_pharaoh(text: bytes, *, first_line: int = 1, source_lengths: numpy.typing.NDArray[numpy.int64] | None = None, target_lengths: numpy.typing.NDArray[numpy.int64] | None = None) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int64]]:
    """Links of whole lines of ``i-j`` points, and their offsets."""

def format_pharaoh(links: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> str:
    """One line of ``i-j`` points for each sentence."""

UNKNOWN_WORDS: int = 2147483648

class LexicalTable:
    """Lexical translation probabilities of both directions."""

    def __init__(self, row_offsets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], probabilities: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    def forward(self, source: int, target: int) -> float:
        """p(target | source), 0 for a pair not in the table."""

    def backward(self, source: int, target: int) -> float:
        """p(source | target), 0 for a pair not in the table."""

class Aligner:
    """A trained alignment model at work."""

    def __init__(self, table: LexicalTable, source_null: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_null: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], parameters: AlignmentParameters) -> None: ...

    def align(self, bitext: Bitext, begin: int, end: int, *, method: Symmetrization, threshold: float, max_length: int, threads: int) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int64]]:
        """Links of some pairs, and their offsets."""

JUMP_REACH: int = 10

def encode_lines(vocabulary: Vocabulary, text: bytes, *, grow: bool) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int64]]:
    """
    Word numbers of all lines one after another, and the offset of each line (one more).
    """

def hmm_posteriors(emission: numpy.typing.NDArray[numpy.float64], null_emission: numpy.typing.NDArray[numpy.float64], jumps: numpy.typing.NDArray[numpy.float64], uniform_jump: float) -> tuple[float, numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
    """
    Log likelihood, posteriors, null posteriors, jumps taken, jumps possible / normaliser.
    """

def position_normalizer(j: int, given: int, generated: int, tension: float) -> float:
    """Sum of the fast model's position weights for word j, counted from 1."""

def expected_distance(j: int, given: int, generated: int, tension: float) -> float:
    """Expected distance from the diagonal of word j's partner."""

def position_prior(j: int, given: int, generated: int, tension: float) -> numpy.typing.NDArray[numpy.float64]:
    """The fast model's distribution of word j's partner."""

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
