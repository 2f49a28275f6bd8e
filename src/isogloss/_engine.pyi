"""
The compiled engine of isogloss. Private: use the package's own modules.
"""

from collections.abc import Iterable, Sequence
import enum
from typing import Annotated, Any, overload

import numpy
import numpy.typing
from numpy.typing import NDArray


def build_info() -> dict[str, str]:
    """Compiler and build type of this engine."""

class LineError(ValueError):
    """A line does not have the expected format: problem, line, hint."""

GAP: int = 4294967294

class RuleFormat(enum.Enum):
    """The text format of rules."""

    moses = 0

    moses_orientation = 1

    hiero = 2

def encode_text(vocabulary: Vocabulary, text: bytes) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int64]]:
    """
    Word numbers of lines of text, NO_WORD for new words, and the offset of each line.
    """

def build_slots(nodes: numpy.typing.NDArray[numpy.uint32]) -> tuple[numpy.typing.NDArray[numpy.uint32], int]:
    """The hash table from (node, symbol) to child, and its longest probe."""

class RuleTable:
    """A stored rule table, read in place from its arrays."""

    def __init__(self, arrays: dict[str, numpy.typing.NDArray[Any]], *, columns: int, source_words: int, target_words: int, longest_probe: int) -> None: ...

    @property
    def node_count(self) -> int: ...

    @property
    def rule_count(self) -> int: ...

    @property
    def phrase_count(self) -> int: ...

    def find(self, symbols: Sequence[int]) -> int:
        """The node of a source side or of a prefix of one; 0 if there is none."""

    def rules(self, node: int) -> tuple[int, int]:
        """First rule of a source side, and the end of its rules."""

    def symbols(self, node: int) -> list[int]:
        """Words and gaps on the way to a node."""

    def rule(self, number: int, node: int) -> tuple[list[int], int, list[tuple[int, int]], list[float], list[float], list[float]]:
        """
        Target words, shape, links (source symbol, target word), scores, orientation, counts.
        """

    def match(self, sentence: numpy.typing.NDArray[numpy.uint32], *, max_span: int) -> list[tuple[int, int, int, tuple[tuple[int, int], ...]]]:
        """All matches: node, begin, end, spans of the non-terminals."""

    def find_rules(self, other: RuleTable, source_map: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_map: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int64]:
        """
        For every rule of another table, whose words the maps translate: its number here, the first rule of its source side here and the one behind the last; -1 where there is none.
        """

    def count_matches(self, words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, max_span: int) -> tuple[int, int, int]:
        """Numbers of source sides, matches and rules found over all sentences."""

    def mark_matching(self, words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, max_span: int, marks: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Mark the rules whose source side matches one of the sentences."""

    def print(self, source_words: Vocabulary, target_words: Vocabulary, *, format: RuleFormat, columns: Sequence[tuple[int, str]], begin: int, end: int) -> bytes:
        """The rules of the nodes in [begin, end) as lines of text."""

class TableSelection:
    """Copies the marked rules into a new table."""

    def __init__(self, table: RuleTable, keep: numpy.typing.NDArray[numpy.uint8]) -> None: ...

    def write(self, limit: int) -> bool:
        """Visit more nodes; True while there are more."""

    def take_rows(self) -> dict[str, numpy.typing.NDArray[Any]]:
        """Rows of the table's arrays written since the last call."""

    def phrases(self) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32]]:
        """Words of the target phrases still in use, and where each ends."""

    @property
    def rules(self) -> int: ...

    @property
    def sides(self) -> int: ...

def fisher_significance(both: int, a: int, b: int, n: int) -> float:
    """-log p of Fisher's exact test, one-sided."""

class CoOccurrence:
    """In how many sentence pairs both sides of a rule occur."""

    def __init__(self, table: RuleTable, *, max_span: int, max_sentence_length: int, threads: int) -> None: ...

    def add(self, source: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Count sentence pairs."""

    def significance(self) -> numpy.typing.NDArray[numpy.float64]:
        """-log p for every rule."""

    @property
    def pairs(self) -> int: ...

class LexiconView:
    """A stored lexicon, read in place from its arrays."""

    def __init__(self, offsets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], probabilities: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def find(self, source: int, target: int) -> tuple[float, float]:
        """Probabilities of the target given the source word, and the other way."""

class OrientationModel(enum.Enum):
    """What counts as a neighbor of a block."""

    none = 0

    word = 1

    phrase = 2

    hier = 3

class Smoothing(enum.Enum):
    """The smoothing of rule counts."""

    none = 0

    kneser_ney = 1

    good_turing = 2

class RuleExtraction:
    """
    From aligned sentence pairs to the rows of a rule table: ``add`` all pairs, then ``merge``, ``resolve`` and ``write`` until each returns False.
    """

    def __init__(self, scratch: str, *, memory: int, threads: int, max_length: int, max_gaps: int, max_symbols: int, max_target_words: int, min_gap: int, tight: bool, adjacent_gaps: bool, fractional: bool, max_sentence_length: int, orientation: OrientationModel, orientation_smoothing: float, smoothing: Smoothing, max_plain: int = 0) -> None: ...

    def add(self, sources: bytes, targets: bytes, links: bytes, *, line: int) -> None:
        """
        Add the same number of lines of each file, joined by line feeds; ``line`` is the number of the first.
        """

    def write_run(self, path: str) -> None:
        """
        Write all rules as one sorted run, for ``add_run`` of another extraction with the same words. Nothing may be added afterward.
        """

    def add_run(self, path: str, *, pairs: int, skipped: int, occurrences: int) -> None:
        """Add a run that another extraction wrote, and its statistics."""

    def link_counts(self) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint64]]:
        """Source words, target words and how often they are linked."""

    def add_link_counts(self, sources: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add the ``link_counts`` of another extraction."""

    def merge(self, limit: int) -> bool:
        """Merge equal rules; True while there are more."""

    def resolve(self, limit: int) -> bool:
        """Group rules by target side; True while there are more."""

    def write(self, limit: int) -> bool:
        """Compute the columns; True while there are more."""

    def take_phrases(self) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32]]:
        """
        Words of the target phrases found since the last call, and where each ends.
        """

    def take_rows(self) -> dict[str, numpy.typing.NDArray[Any]]:
        """Rows of the table's arrays written since the last call."""

    def lexicon(self) -> tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]:
        """Offsets by source word, target words, probabilities both ways."""

    @property
    def source_words(self) -> Vocabulary: ...

    @property
    def target_words(self) -> Vocabulary: ...

    @property
    def pairs(self) -> int: ...

    @property
    def skipped(self) -> int: ...

    @property
    def occurrences(self) -> int: ...

    @property
    def rules(self) -> int: ...

    @property
    def sides(self) -> int: ...

    @property
    def phrases(self) -> int: ...

    @property
    def discounts(self) -> list[float]: ...

class RuleImport:
    """
    From rules as text to the rows of a rule table: ``add`` all lines, then ``merge``, ``resolve`` and ``write`` until each returns False.
    """

    def __init__(self, scratch: str, *, memory: int) -> None: ...

    def add(self, lines: bytes, *, line: int, format: RuleFormat) -> None:
        """Add lines joined by line feeds; ``line`` is the number of the first."""

    def merge(self, limit: int) -> bool:
        """Sort the rules; True while there are more."""

    def resolve(self, limit: int) -> bool:
        """Group rules by target side; True while there are more."""

    def write(self, limit: int, best_column: int) -> bool:
        """Write the rules; True while there are more."""

    def take_phrases(self) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32]]:
        """
        Words of the target phrases found since the last call, and where each ends.
        """

    def take_rows(self) -> dict[str, numpy.typing.NDArray[Any]]:
        """Rows of the table's arrays written since the last call."""

    @property
    def source_words(self) -> Vocabulary: ...

    @property
    def target_words(self) -> Vocabulary: ...

    @property
    def columns(self) -> list[str]: ...

    @property
    def rules(self) -> int: ...

    @property
    def sides(self) -> int: ...

    @property
    def left_out(self) -> int: ...

    @property
    def without_orientation(self) -> int: ...

    @property
    def has_orientation(self) -> bool: ...

    @property
    def has_counts(self) -> bool: ...

    @property
    def in_orientation(self) -> bool: ...

class AlignmentModelType(enum.Enum):
    """The position model."""

    model1 = 0

    fast = 1

    hmm = 2

class Symmetrization(enum.Enum):
    """Symmetrization method."""

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
    """Sentence pairs as word ids; the arrays are not copied."""

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
        """Count entries by level for some more cells; True when done."""

    def limit_level(self, level: int) -> None:
        """Drop entries above this level."""

    def keep_cells(self, keep: bool) -> None:
        """Whether to keep the entry of every cell."""

    def build(self, work: int, threads: int) -> bool:
        """Make the table for some more cells; True when complete."""

    def arrays(self) -> tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32]]:
        """Row offsets, columns, and the entry of every cell."""

    def restore(self, row_offsets: numpy.typing.NDArray[numpy.uint64], columns: numpy.typing.NDArray[numpy.uint32], cells: numpy.typing.NDArray[numpy.uint32]) -> None:
        """Take what another table of the same pairs has built."""

class AlignmentTrainer:
    """Expectation-maximization of both directions."""

    def __init__(self, table: Cooccurrence, parameters: AlignmentParameters, *, symmetric: bool) -> None: ...

    def expect_twins(self, twins: numpy.typing.NDArray[numpy.uint32], count: float) -> None:
        """
        Add ``count`` links of each source word and the target word that is the same string.
        """

    def set_type(self, type: AlignmentModelType) -> None:
        """Continue with another model."""

    def expect(self, begin: int, end: int, threads: int) -> None:
        """E-step over some pairs."""

    def maximize(self, *, lexical_prior: float, jump_prior: float, threads: int) -> tuple[float, float]:
        """M-step; the log likelihood of both directions before."""

    def resume(self, probabilities: numpy.typing.NDArray[numpy.float32], source_null: numpy.typing.NDArray[numpy.float32], target_null: numpy.typing.NDArray[numpy.float32], *, most: float) -> None:
        """Go on as part of a larger corpus, whose counts do not exceed ``most``."""

    def counts(self, direction: int) -> numpy.typing.NDArray[numpy.int64]:
        """
        What was counted for every entry since the last M-step, in fixed point.
        """

    def column_sums(self, threads: int) -> numpy.typing.NDArray[numpy.int64]:
        """Backward counts by target word."""

    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Position counts since the last M-step: a row of both directions for some pairs each.
        """

    def add_positions(self, positions: numpy.typing.NDArray[numpy.float64]) -> None:
        """Add the position counts of a shard; shards must come in order."""

    def masses(self) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float64]]:
        """Fast model: lengths of both sides, and the masses of their positions."""

    def add_masses(self, source_lengths: numpy.typing.NDArray[numpy.uint32], target_lengths: numpy.typing.NDArray[numpy.uint32], masses: numpy.typing.NDArray[numpy.float64]) -> None:
        """Add the masses of a shard; shards must come in order."""

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

def fixed_count(count: float, *, most: float) -> int:
    """A count in fixed point, where no sum exceeds ``most``."""

def column_factors(sums: numpy.typing.NDArray[numpy.int64], sizes: numpy.typing.NDArray[numpy.uint32], *, most: float, prior: float) -> numpy.typing.NDArray[numpy.float64]:
    """What the weight of a count is multiplied by, for each target word."""

def maximize_rows(row_offsets: numpy.typing.NDArray[numpy.uint64], columns: numpy.typing.NDArray[numpy.uint32], forward: numpy.typing.NDArray[numpy.int64], backward: numpy.typing.NDArray[numpy.int64], factors: numpy.typing.NDArray[numpy.float64], *, most: float, prior: float) -> numpy.typing.NDArray[numpy.float32]:
    """
    M-step of some rows: the probabilities of both directions of each entry.
    """

def symmetrize(forward: numpy.typing.NDArray[numpy.uint32], forward_offsets: numpy.typing.NDArray[numpy.int64], backward: numpy.typing.NDArray[numpy.uint32], backward_offsets: numpy.typing.NDArray[numpy.int64], method: Symmetrization) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int64]]:
    """Symmetrized links, sentence by sentence."""

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
    """A trained alignment model."""

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
    Log likelihood, posteriors, null posteriors, jumps taken, jumps possible / normalizer.
    """

def position_normalizer(j: int, given: int, generated: int, tension: float) -> float:
    """Sum of the fast model's position weights for word j, counted from 1."""

def expected_distance(j: int, given: int, generated: int, tension: float) -> float:
    """Expected distance from the diagonal of word j's partner."""

def position_prior(j: int, given: int, generated: int, tension: float) -> numpy.typing.NDArray[numpy.float64]:
    """The fast model's distribution of word j's partner."""

class MosesReader:
    """Reads an n-best list in Moses format, in chunks."""

    def __init__(self, *, named_values_are_dense: bool = False, fields_before_features: bool = False) -> None: ...

    def feed(self, chunk: bytes) -> None:
        """Read the next bytes of the file."""

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

def materialize_sparse(*, rows: numpy.typing.NDArray[numpy.int64], candidate_offsets: numpy.typing.NDArray[numpy.int64], events: numpy.typing.NDArray[numpy.uint32], event_counts: numpy.typing.NDArray[numpy.float32], event_offsets: numpy.typing.NDArray[numpy.int64], features: numpy.typing.NDArray[numpy.uint32], feature_values: numpy.typing.NDArray[numpy.float32]) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float32]]:
    """
    Offsets, columns and values of the given candidates' features, summed over their events.
    """

def first_of_each(*, sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], token_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tokens: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sparse_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> NDArray[numpy.int64]:
    """
    The candidates that do not repeat the words and features of an earlier one of their sentence.
    """

MOST_CLASSES: int = 4096

class BigramCounter:
    """Counts words and adjacent pairs, batch by batch."""

    def __init__(self) -> None: ...

    def add(self, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add the sentences between consecutive offsets."""

    def add_pairs(self, left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add the pairs of another counter, with the ids that words have here."""

    def counted_pairs(self) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32]]:
        """
        Left words, right words (``NO_WORD`` is the sentence boundary) and counts, by first appearance.
        """

    def counts(self) -> numpy.typing.NDArray[numpy.uint64]:
        """Occurrences of every word."""

    def units(self, unit_of: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], units: int) -> UnitBigrams:
        """The counts with word w taken as unit ``unit_of[w]``, below ``units``."""

    @property
    def sentences(self) -> int:
        """Number of sentences that are not empty."""

    @property
    def pairs(self) -> int:
        """Different pairs of neighbors, sentence ends included."""

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
        Move each unit in [begin, end) to its best class; returns how many moved.
        """

    @property
    def likelihood(self) -> float:
        """Log-likelihood of the corpus in bits."""

    @property
    def likelihood_steps(self) -> int:
        """The same in exact fixed point."""

    def recomputed_likelihood_steps(self) -> int:
        """The same, recomputed from the counts."""

    def gain_steps(self, unit: int, target: int) -> int:
        """
        What moving the unit to the class would add to the likelihood, in exact fixed point.
        """

    def class_of(self) -> numpy.typing.NDArray[numpy.uint32]:
        """The class of each unit."""

class JointModel:
    """
    Predicts the next target word from the last ones and a window of the source.
    """

    def __init__(self, *, window: int, history_words: int, embedding: int, hidden: int, source_words: Sequence[str], target_words: Sequence[str], source_embedding: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_hidden: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], hidden_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], history: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], output: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], output_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        ``history`` has for each place before the predicted word and each target word what it adds to the hidden layer.
        """

    def score(self, source: Sequence[str], target: Sequence[str], positions: Sequence[int]) -> list[float]:
        """
        Log probabilities of the target words and of their end; ``positions`` are the source words they belong to.
        """

class JointTrainer:
    """
    Learns to predict the next target word from the last ones and a window of the source.
    """

    def __init__(self, *, source_words: int, target_words: int, window: int, history: int, embedding: int, hidden: int, source: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], position: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], noise: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], batch: int, noise_words: int, penalty: float, hidden_dropout: float, history_dropout: float, seed: int) -> None:
        """
        The text is given by numbers of words; a sample is a target word or the end of a sentence.
        """

    def train(self, samples: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, step: float, last_step: float, threads: int = 1) -> None:
        """
        Learn from samples in this order; steps change evenly from ``step`` to ``last_step``.
        """

    def predict(self, samples: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int = 1) -> tuple[NDArray[numpy.float32], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        For each sample the hidden layer, the score of the true word, and the logarithm of what all probabilities sum to.
        """

    def parameters(self) -> dict[str, Any]:
        """What was learned."""

    def state(self) -> tuple[int, dict[str, Any], dict[str, Any]]:
        """
        All that learning goes on from: steps taken, what was learned, sums of squared gradients.
        """

    def restore(self, steps: int, parameters: dict[str, Any], squares: dict[str, Any]) -> None:
        """Go on from a state."""

class SpacingModel:
    """
    Chooses the white space between tokens, by weights of combinations of their properties.
    """

    def __init__(self, *, properties: int, history: Sequence[int], templates: Sequence[tuple[int, Sequence[int], bool]], kinds: Sequence[int], no_decision: int, words_apart: bool, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        ``templates`` are (name, fields, whether it is used between words); ``keys`` ascend, and ``weights`` has a row for each.
        """

    def decide(self, tokens: numpy.typing.NDArray[numpy.uint32], offsets: numpy.typing.NDArray[numpy.int64], properties: numpy.typing.NDArray[numpy.uint64], flags: numpy.typing.NDArray[numpy.uint8], styles: numpy.typing.NDArray[numpy.uint64], touches: numpy.typing.NDArray[numpy.uint64]) -> numpy.typing.NDArray[numpy.uint8]:
        """The kind of white space after each token."""

    def features(self, tokens: numpy.typing.NDArray[numpy.uint32], offsets: numpy.typing.NDArray[numpy.int64], properties: numpy.typing.NDArray[numpy.uint64], flags: numpy.typing.NDArray[numpy.uint8], styles: numpy.typing.NDArray[numpy.uint64], touches: numpy.typing.NDArray[numpy.uint64], decisions: numpy.typing.NDArray[numpy.uint8]) -> tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]:
        """
        The features of all gaps that are decided, where those of each begin, and the token before each gap; ``decisions`` are the known ones.
        """

NO_WORD: int = 4294967295

def hash64(text: str) -> int:
    """The 64-bit hash that the file formats use."""

class Vocabulary:
    """Words numbered from 0 in the order of first appearance."""

    def __init__(self) -> None: ...

    @staticmethod
    def from_arrays(bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Vocabulary:
        """Restore from ``arrays()``."""

    def __len__(self) -> int: ...

    def add(self, word: str) -> int:
        """The id of the word, which is added if it is new."""

    def find(self, word: str) -> int:
        """The id of the word, or ``NO_WORD``."""

    def word(self, id: int) -> str:
        """The word with this id."""

    def words(self) -> list[str]:
        """All words, in the order of their ids."""

    def encode(self, lines: Iterable[Iterable[str]], *, grow: bool = True) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.int64]]:
        """
        Word numbers of all lines one after another, and the offset of each line (one more than lines).
        """

    def hashes(self) -> numpy.typing.NDArray[numpy.uint64]:
        """``hash64`` of every word."""

    def arrays(self) -> tuple[numpy.typing.NDArray[numpy.uint8], numpy.typing.NDArray[numpy.uint64]]:
        """The words as one block of bytes and their offsets in it."""

def unicode_version() -> str:
    """
    The version of Unicode whose properties of characters the engine knows.
    """

def character_properties() -> numpy.typing.NDArray[numpy.uint8]:
    """What the engine knows of every code point, as bits."""

def lowered(text: str, dotted: bool = False) -> str:
    """The text in lower case."""

class Tokenizer:
    """Splits text into tokens."""

    @staticmethod
    def words(cut: str) -> Tokenizer:
        """
        Words and punctuation of any language. Words are split ``before``, ``after`` or ``never`` at an apostrophe.
        """

    @staticmethod
    def moses(*, alphanumeric: str, alphabetic: str, numeric: str, lowercase: str, prefixes: list[str], numeric_prefixes: list[str], apostrophe: str, hyphens: bool = False) -> Tokenizer:
        """
        The rules of the Moses scripts, with their sets of characters and their abbreviations.
        """

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text."""

    def tokenize_lines(self, lines: list[str], *, threads: int = 1) -> list[str]:
        """The tokens of every line, with a space between them."""

class CaseCounter:
    """Counts the forms of words in tokenized text."""

    def __init__(self) -> None: ...

    def add_lines(self, lines: list[str]) -> None:
        """Count the words of lines that have a space between words."""

    def add(self, form: str, count: int) -> None:
        """Count a form this often."""

    def arrays(self, dotted: bool) -> dict[str, numpy.typing.NDArray[numpy.generic]]:
        """The table as arrays, which ``CaseTable`` takes by name."""

class CaseTable:
    """The forms of words, the most frequent first."""

    def __init__(self, *, slots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], word_ends: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], word_forms: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], form_bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], form_ends: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], dotted: bool) -> None: ...

    def usual_form(self, word: str) -> str | None:
        """
        The usual form of a word inside sentences; None if it never occurred there.
        """

    def usual_lines(self, lines: list[str], *, threads: int = 1) -> list[str]:
        """Every word of every line in its usual form."""

    def truecase_lines(self, lines: list[str], *, threads: int = 1) -> list[str]:
        """
        First words of sentences, and words in an unknown form, in their usual form.
        """

    def rows(self) -> list[tuple[str, str, int]]:
        """
        The words in lower case, their forms, and how often each form occurred.
        """

class KnownForms:
    """Finds known words that an unseen one may be made of."""

    def __init__(self, words: Vocabulary, table: RuleTable, *, endings: Sequence[tuple[str, str, float]], beginnings: Sequence[tuple[str, str, float]], insertions: Sequence[tuple[str, float]], joints: Sequence[tuple[str, str, float]], lengths: Sequence[float], parts: numpy.typing.NDArray[numpy.uint16]) -> None:
        """
        Changes are (what is replaced, what it becomes, score); joints (joining letters, what the first part loses, how often that was right).
        """

    def ways(self, form: str, *, capitals: str, plain: str, plain_score: float, further: bool) -> list[tuple[tuple[str, ...], bool, float]]:
        """
        Other forms, then parts of a word in lower case: words, whether they are parts, and a score.
        """

class RerankLists:
    """
    Candidates and features to learn from. Scores are relative to the first candidate of each sentence.
    """

    def __init__(self, sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sparse_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, sparse_columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, sparse_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, *, sparse_size: int = 0) -> None: ...

    def scores(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
        """The score of every candidate: dense weights, then sparse ones."""

    def combine(self, multipliers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
        """
        The sum of all candidates' features, each times its multiplier; dense ones relative to the first
        candidate of the sentence.
        """

class RerankWeights:
    """Weights that a sweep changes, and their average."""

    def __init__(self, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: int, rates: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        ``rates``: step size of each dense column, and one more for all sparse columns.
        """

    def current(self) -> NDArray[numpy.float64]:
        """A copy of the current weights."""

    def average(self) -> NDArray[numpy.float64]:
        """Mean of the weights after every step."""

    @property
    def steps(self) -> int:
        """Sentences seen so far."""

class SplittingSweeper:
    """Splitting (Shen et al. 2004, Algorithm 1)."""

    def __init__(self, lists: RerankLists, quality: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, good_share: float, good_count: int, bad_share: float, bad_count: int, margin: float) -> None: ...

    def sweep(self, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: RerankWeights, *, private_lambda: float = 0.0, private_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> tuple[float, float, float]:
        """
        One pass over the given sentences: violating pairs, sum of their multipliers, loss before the updates.

        ``private_weights``, one per sentence, switches the λ trick on and is updated.
        """

    def totals(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, float, float]:
        """
        Violating pairs, sum of their multipliers and loss under fixed weights.
        """

    def multipliers(self, sentence: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, shift: float = 0.0) -> tuple[NDArray[numpy.float64], tuple[float, float, float]]:
        """The multipliers of one sentence's candidates, and the totals."""

class OrdinalSweeper:
    """Ordinal regression (Shen et al. 2004, Algorithm 2)."""

    def __init__(self, lists: RerankLists, quality: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, ratio: float, gap: float, margin: float) -> None: ...

    def sweep(self, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: RerankWeights, *, private_lambda: float = 0.0, private_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> tuple[float, float, float]:
        """
        One pass over the given sentences: violating pairs, sum of their multipliers, loss before the updates.

        ``private_weights``, one per sentence, switches the λ trick on and is updated.
        """

    def totals(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, float, float]:
        """
        Violating pairs, sum of their multipliers and loss under fixed weights.
        """

    def multipliers(self, sentence: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, shift: float = 0.0) -> tuple[NDArray[numpy.float64], tuple[float, float, float]]:
        """The multipliers of one sentence's candidates, and the totals."""

class VotedSweeper:
    """The voted perceptron's update over all misordered pairs."""

    def __init__(self, lists: RerankLists, quality: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def sweep(self, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: RerankWeights, *, private_lambda: float = 0.0, private_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> tuple[float, float, float]:
        """
        One pass over the given sentences: violating pairs, sum of their multipliers, loss before the updates.

        ``private_weights``, one per sentence, switches the λ trick on and is updated.
        """

    def totals(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, float, float]:
        """
        Violating pairs, sum of their multipliers and loss under fixed weights.
        """

    def multipliers(self, sentence: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, shift: float = 0.0) -> tuple[NDArray[numpy.float64], tuple[float, float, float]]:
        """The multipliers of one sentence's candidates, and the totals."""

class PerceptronSweeper:
    """The perceptron's update: oracle against choice."""

    def __init__(self, lists: RerankLists, quality: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def sweep(self, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: RerankWeights, *, private_lambda: float = 0.0, private_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> tuple[float, float, float]:
        """
        One pass over the given sentences: violating pairs, sum of their multipliers, loss before the updates.

        ``private_weights``, one per sentence, switches the λ trick on and is updated.
        """

    def totals(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, float, float]:
        """
        Violating pairs, sum of their multipliers and loss under fixed weights.
        """

    def multipliers(self, sentence: int, scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, shift: float = 0.0) -> tuple[NDArray[numpy.float64], tuple[float, float, float]]:
        """The multipliers of one sentence's candidates, and the totals."""

def ngram_posteriors(ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, order: int = 4, threads: int = 1) -> NDArray[numpy.float64]:
    """
    Candidates × order: the mean probability that a candidate of the list has one of this one's n-grams.
    """

def expected_utilities(ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, utility: str, order: int, references: int = 0, threads: int = 1) -> NDArray[numpy.float64]:
    """
    Expected ``bleu``, ``chrf`` (0..1) or ``ter`` (1 - TER) of each candidate against the candidates of
    its list, each with its probability; only the ``references`` most probable ones take part (0: all).
    """

def aggregate_utilities(ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, utility: str, order: int, threads: int = 1) -> NDArray[numpy.float64]:
    """
    ``bleu`` or ``chrf`` of each candidate against the mean of all, n-grams with expected counts.
    """

def template_names() -> list[str]:
    """Names of the templates of the engine."""

def feature_number(name: str) -> int:
    """
    The id of the sparse feature with this name; ValueError if the name is invalid.
    """

def feature_numbers(names: Sequence[str]) -> NDArray[numpy.uint64]:
    """The ids of the sparse features with these names."""

def token_forms(word: str, types: Sequence[tuple[str, tuple[Sequence[str], Sequence[Sequence[str]]] | None]]) -> list[str]:
    """The forms of a word, as printed in feature names."""

def fill_weight_table(features: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], slots: int) -> NDArray[numpy.uint32]:
    """
    Lays weights out in at least so many slots so that they can be stored and found: a row is a feature's number in two halves, its weight's bits and its position; ValueError if a feature occurs twice.
    """

class SparseModel:
    """The sparse features that a search scores."""

    def __init__(self, *, source_words: Vocabulary, target_words: Vocabulary, source_types: Sequence[tuple[str, tuple[Sequence[str], Sequence[Sequence[str]]] | None]], target_types: Sequence[tuple[str, tuple[Sequence[str], Sequence[Sequence[str]]] | None]], templates: Sequence[tuple[str, Sequence[str], Sequence[str]]], python_templates: Sequence[tuple[str, object]] = []) -> None: ...

    def given_features(self, source: Sequence[str], words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], links: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], link_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], phrases: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, phrase_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint64], NDArray[numpy.float32]]:
        """
        Sparse features of translations of a sentence that some decoder made: where each begins, features by rising number, counts. Words are numbers of the target vocabulary, links pairs of source and target position, phrases the first and last source and target word of each; without phrases a translation is one.
        """

    def given_names(self, wanted: NDArray[numpy.uint64], source: Sequence[str], words: NDArray[numpy.uint32], word_offsets: NDArray[numpy.int64], links: NDArray[numpy.uint32], link_offsets: NDArray[numpy.int64], phrases: NDArray[numpy.uint32] | None = None, phrase_offsets: NDArray[numpy.int64] | None = None) -> dict[int, str]:
        """Names of those features of `given_features` that are wanted."""

class SparseWeights:
    """Weights of sparse features by number."""

    def weights(self, features: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float32]:
        """The weights of some features, 0 for those that have none."""

class StoredWeights(SparseWeights):
    """Weights in a table that `fill_weight_table` made."""

    def __init__(self, table: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

class ChangedWeights(SparseWeights):
    """Weights with some of them changed."""

    def __init__(self, base: SparseWeights | None, features: NDArray[numpy.uint64], changes: NDArray[numpy.float32]) -> None: ...

class LearnedWeights(SparseWeights):
    """Weights that are being learned, with their average over all steps."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    @property
    def active(self) -> int:
        """Features whose weight is not 0."""

    @property
    def bytes(self) -> int:
        """Memory in use."""

    @property
    def steps(self) -> int:
        """Steps so far."""

    def next_step(self) -> None:
        """Add the current weights to the average."""

    def add(self, features: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], changes: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint64]:
        """Change some weights; returns the new features."""

    def columns(self) -> tuple[NDArray[numpy.uint64], NDArray[numpy.float32], NDArray[numpy.float64], NDArray[numpy.uint32]]:
        """
        All features, their weights, the sums of their weights over all steps, and their checks.
        """

    @property
    def collisions(self) -> list[tuple[int, str]]:
        """
        Features whose hash collides with another one, with the name of the second one.
        """

    def restore(self, features: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], checks: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], steps: int) -> None:
        """Restore from `columns`."""

class EventPool:
    """
    The events of the translations of one sentence, each with its features.
    """

    @overload
    def __init__(self) -> None: ...

    @overload
    def __init__(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    def arrays(self) -> tuple[NDArray[numpy.uint64], NDArray[numpy.int64], NDArray[numpy.uint64]]:
        """
        What a pool with the same events can be made of: their keys, where the features of each begin, features.
        """

    def features_since(self, first: int) -> NDArray[numpy.uint64]:
        """The features of an event and of all later ones."""

    def keep(self, events: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint32]:
        """
        Drop all other events; returns the new id of every event, 2**32 - 1 for dropped ones.
        """

    def different_features(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], events: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: SparseWeights) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float32], NDArray[numpy.uint64], NDArray[numpy.float64]]:
        """
        In what rows of events differ: where the features of each row begin, their columns, their counts, the features by column, and the sum of weight times count of each row.
        """

class Constraint:
    """What translations are wanted: references, and what for."""

    @staticmethod
    def force(references: Sequence[Sequence[Sequence[str]]]) -> Constraint:
        """Derivations of one of the references of each sentence."""

    @staticmethod
    def prefix(typed: Sequence[Sequence[Sequence[str]]], *, most_edits: int, edit_cost: float) -> Constraint:
        """
        Translations that begin with typed words: for each sentence the whole words, the forms of the half-typed word that follows them, if any, and words that must not come next.
        """

    @staticmethod
    def oracle(references: Sequence[Sequence[Sequence[str]]], *, order: int, length: str, smoothing: str, smoothing_value: float | None, effective_order: bool) -> Constraint:
        """Translations with the highest sentence BLEU."""

class SearchResult:
    """Searches kept for later queries; they keep the decoder alive."""

    def __init__(self) -> None: ...

    def sparse(self, sentence: int, rows: Sequence[int]) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint64], NDArray[numpy.float32]]:
        """
        Sparse features of some candidates: where each begins, features by rising number, counts.
        """

    def events(self, sentence: int, rows: Sequence[int], pool: EventPool, learned: LearnedWeights) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint64], NDArray[numpy.float32]]:
        """
        The same by events, which have numbers in `pool`, where new ones are added. Features of new events that `learned` has under another name are among its `collisions` afterward.
        """

    def sparse_of(self, sentences: Sequence[int], rows: Sequence[int]) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint64], NDArray[numpy.float32]]:
        """The same for candidates of any sentences."""

    def names_of(self, sentences: Sequence[int], rows: Sequence[int], wanted: NDArray[numpy.uint64]) -> tuple[NDArray[numpy.uint64], NDArray[numpy.uint8], NDArray[numpy.uint64]]:
        """`name_arrays` for candidates of any sentences."""

    def bags(self, templates: Sequence[int]) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint64], NDArray[numpy.float32]]:
        """
        For every sentence, features of some templates (by position) of the most frequent rule of each of its
        source phrases.
        """

    def bag_names(self, templates: Sequence[int], wanted: NDArray[numpy.uint64]) -> tuple[NDArray[numpy.uint64], NDArray[numpy.uint8], NDArray[numpy.uint64]]:
        """`name_arrays` for what `bags` gives."""

    def names(self, sentence: int, rows: Sequence[int], wanted: NDArray[numpy.uint64]) -> dict[int, str]:
        """Names of those features of some candidates that are wanted."""

    def name_arrays(self, sentence: int, rows: Sequence[int], wanted: NDArray[numpy.uint64], learned: LearnedWeights | None = None) -> tuple[NDArray[numpy.uint64], NDArray[numpy.uint8], NDArray[numpy.uint64]]:
        """
        Those features of some candidates that are wanted, their names one after another, and where each ends; in `learned` they stand for these names from now on.
        """

    def rule_posteriors(self, sentence: int, scale: float) -> list[tuple[tuple[object, ...], list[str], float]]:
        """
        Steps of derivations with their words and the probability that a derivation takes them, highest first.
        """

    def ngram_posteriors(self, sentence: int, scale: float, order: int) -> dict[tuple[str, ...], float]:
        """
        Expected count of each n-gram of up to ``order`` words in the translation.
        """

    def log_total(self, sentence: int, scale: float) -> float:
        """
        Logarithm of the sum of exp(scale * score) over all derivations; -inf without any.
        """

class NgramSampler:
    """
    Selects sentences of a corpus by n-gram precision and coverage of a text.
    """

    def __init__(self, *, order: int, coverage: int) -> None: ...

    def add_text(self, text: bytes) -> None:
        """The text to select for, one sentence per line; before the corpus."""

    def feed(self, text: bytes, *, threads: int = 1) -> None:
        """
        Add the next sentences of the corpus, one per line; every line must end with a line feed.
        """

    def chosen(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.uint32], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        Numbers of the chosen sentences; of each the least coverage that brings it in, its best precision, and how rare the n-grams are that it was chosen for.
        """

    def ngrams(self) -> list[int]:
        """Different n-grams of the text, for each length."""

    def found(self) -> list[int]:
        """Those of them that the corpus has."""

    @property
    def texts(self) -> int:
        """Different sentences of the text."""

    @property
    def sentences(self) -> int:
        """Sentences of the corpus so far."""

    @property
    def words(self) -> int:
        """Their words."""

class Decoder:
    """Translates with a rule table and a language model."""

    def __init__(self, *, table: RuleTable, source_words: Vocabulary, target_words: Vocabulary, language_model: LmModel, column_names: Sequence[str], options: dict[str, Any], sparse: SparseModel | None = None, overlay: RuleTable | None = None, lexicon: LexiconView | None = None, joint: JointModel | None = None) -> None: ...

    def feature_names(self) -> list[str]:
        """Names of the dense features, in order."""

    def set_weights(self, weights: Sequence[float], sparse: SparseWeights | None = None) -> None:
        """
        Use these weights from now on, one per dense feature, and those of sparse features. Calls that have begun keep theirs.
        """

    def forget(self) -> None:
        """
        Forget what is remembered of rules, after their scores were changed in place.
        """

    def translate(self, sources: list[list[str | tuple[list[str], list[str]] | tuple[str, list[tuple[list[str], list[str], int, float]]]] | tuple[int, list[tuple[int, int, str, float]]]], *, nbest: int = 1, distinct: bool = True, threads: int = 1, keep: SearchResult | None = None, derivations: bool = False, time_limits: list[float] = [], constraint: Constraint | None = None, fallback: bool = False) -> dict[str, object]:
        """
        The columns of an n-best list for sentences (lists of words, or of words and their given translation) or lattices (places, arcs). Where the limits leave no translation, `fallback` gives one from left to right.
        """

def bleu_statistics(hypothesis_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], hypothesis_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, order: int = 4, length: str = 'closest', threads: int = 1) -> NDArray[numpy.int32]:
    """
    One row per candidate: length, reference length, matched n-grams by order, all n-grams by order.

    Candidate c holds ``hypothesis_ids[hypothesis_offsets[c]:hypothesis_offsets[c + 1]]``; sentence i
    has the candidates ``sentence_offsets[i]:sentence_offsets[i + 1]``; references likewise.
    ``NO_WORD`` matches nothing. ``length`` is ``closest`` (ties to the shorter), ``shortest`` or
    ``average`` (whole tokens, halves upward). Rows of candidates that no sentence owns are zero.
    """

def nist_statistics(hypothesis_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], hypothesis_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, order: int = 5, threads: int = 1) -> NDArray[numpy.float64]:
    """
    One row per candidate: length, mean reference length, information of the matched n-grams by order,
    all n-grams by order.

    Arguments as of ``bleu_statistics``; all references given weigh the n-grams.
    """

def chrf_statistics(hypothesis_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], hypothesis_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, order: int = 6, threads: int = 1) -> NDArray[numpy.int32]:
    """
    One row per candidate: n-grams of the candidate, of the reference, and in both, for each order; ids are
    characters. With several references, those of the best one.
    """

def ter_statistics(hypothesis_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], hypothesis_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int = 1) -> NDArray[numpy.float64]:
    """
    One row per candidate: the fewest edits to a reference, the mean length of the references.
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

class LineSearch:
    """
    An n-best list prepared for searches along lines of weights; threads may share it.
    """

    def __init__(self, sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], statistics: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def along_column(self, intercepts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        Where the chosen candidates change along the weight of one dense column, and the statistics of
        the chosen ones in each interval between: thresholds, and one row more of summed statistics.
        """

    def along(self, intercepts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slopes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """The same along any direction, given by its slope for each candidate."""

    def products(self, direction: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
        """The product of a direction with the dense features of each candidate."""

class BatchMira:
    """k-best batch MIRA: a list, weights, and their running average."""

    def __init__(self, sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sparse_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], sparse_columns: int, statistics: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], dense_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sparse_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], background: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def visit(self, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, aggressiveness: float, decay: float, loss_scale: float, lower: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], upper: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], strength: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: object | None = None, smoothing: str = 'none', smoothing_value: float | None = None, effective_order: bool = False) -> None:
        """
        Update on these sentences in this order. ``scores`` maps rows of statistics to scores, the higher
        the better; without it they are statistics of BLEU, scored as ``bleu_scores`` does.
        """

    def weights(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """The current dense and sparse weights."""

    def average(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """The mean of the weights after every step so far."""

def best_candidates(sentence_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int64]:
    """
    The row of the best candidate of every sentence, the first of equals: one line per row of ``weights``.
    """

def large_margin_update(dense: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sparse_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], oracles: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], others: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, aggressiveness: float, slack_per_pair: bool, keep: bool, tolerance: float, max_steps: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], float, float, int]:
    """
    Alphas of the pairs, coefficients of the rows, dual and primal objective, steps taken.

    Row i has the score ``scores[i]`` and must outscore, where it is an oracle, others by the loss.
    """

class RelevantSet:
    """
    Sequences of every sentence that matter for the weights, and the weights. One thread.
    """

    def __init__(self, *, sentences: int, truths: int, real_columns: int, min_count: int) -> None: ...

    def add(self, sentences: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], real: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], qualities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, as_truth: bool) -> NDArray[numpy.uint8]:
        """
        Add sequences; tells for each what it became: 0 nothing (it was there), 1 alternative, 2 truth.
        """

    def most_costly(self, sentences: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], real: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], qualities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int64]:
        """
        Those of some sequences, by sentence, that cost a truth of their sentence the most.
        """

    def sweep(self, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, learning_rate: float, decay: float, regularization: float) -> tuple[int, int, float]:
        """
        A pass of stochastic gradient descent: steps, steps that changed anything, summed costs.
        """

    def losses(self, threads: int = 1) -> NDArray[numpy.float64]:
        """The loss of every sentence with the current weights."""

    def take_activated(self) -> NDArray[numpy.uint64]:
        """Features that have been seen often enough since the last call."""

    def weights(self, by_column: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[NDArray[numpy.float64], NDArray[numpy.uint64], NDArray[numpy.float32]]:
        """
        Weights of real-valued features; sparse features with a weight by rising number; their weights.
        """

    def now(self) -> NDArray[numpy.float64]:
        """Weights by column."""

    def mean(self) -> NDArray[numpy.float64]:
        """
        Their mean over the steps since the restart; before the first step those of now.
        """

    def restart(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Continue from these weights, with the initial learning rate and an empty mean.
        """

    def sizes(self, sentence: int) -> tuple[int, int]:
        """Number of truths and alternatives of a sentence."""

    def best_quality(self) -> float:
        """Mean quality of the best truth of a sentence."""

    def squared_norm(self) -> float:
        """Of the weights."""

    @property
    def rows(self) -> int:
        """Sequences."""

    @property
    def columns(self) -> int:
        """Features seen so far, real-valued ones included."""

    @property
    def entries(self) -> int:
        """Features of all sequences."""

    @property
    def bytes(self) -> int:
        """Memory in use."""

LM_MAX_ORDER: int = 7

class LmTrieBuilder:
    """Turns sorted n-grams into all orders with adjusted counts."""

    def __init__(self, order: int, thresholds: Sequence[int], special: tuple[int, int, int]) -> None: ...

    def finish(self, vocabulary_size: int) -> None:
        """After the last n-gram."""

    @property
    def bytes(self) -> int:
        """Memory in use for columns."""

    def statistics(self, order: int) -> tuple[int, list[int]]:
        """n-grams kept, and how many have adjusted count 0 to 4."""

    def take(self, order: int) -> tuple[numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32]]:
        """
        Complete first words, counts and offsets of children; moved out of the builder.
        """

class LmCounter:
    """Reads text and sorts its n-grams, a block at a time."""

    def __init__(self, vocabulary: Vocabulary, order: int, special: tuple[int, int, int], *, special_as_unknown: bool = False) -> None: ...

    def feed(self, bytes: bytes) -> None:
        """
        Add the next bytes of a file, split anywhere; every line is a sentence.
        """

    def end_file(self) -> None:
        """Ends the last line; line numbers restart at 1."""

    @property
    def sentences(self) -> int:
        """Sentences of all text so far."""

    @property
    def words(self) -> int:
        """Words of all text so far."""

    @property
    def tokens(self) -> int:
        """Tokens of the block: words and both ends of sentences."""

    def begin_sort(self) -> None:
        """Starts sorting the block."""

    def sort_some(self, budget: int, threads: int) -> bool:
        """Sorts about ``budget`` more tokens; true when all are sorted."""

    def emit(self, builder: LmTrieBuilder, budget: int) -> bool:
        """Passes on about ``budget`` more n-grams; True at the end."""

    def emit_records(self, budget: int) -> tuple[bool, numpy.typing.NDArray[numpy.uint32]]:
        """The same as records for ``LmRunMerger``."""

    def clear(self) -> None:
        """Forgets the block; an unfinished sentence stays."""

class LmRunMerger:
    """Merges sorted runs of n-gram records."""

    def __init__(self, order: int, runs: int, begin: int) -> None: ...

    def feed(self, run: int, records: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """More records of a run; none at all ends it."""

    def advance(self, builder: LmTrieBuilder) -> int | None:
        """
        Passes on n-grams until a run needs more records and returns the run; None at the end.
        """

class LmTrie:
    """All n-grams of a corpus, as columns per order."""

    def __init__(self, columns: Sequence[tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]]]) -> None: ...

    def link_contexts(self, order: int, shorter: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, end: int, threads: int, contexts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """
        Entry numbers of contexts, for the children of entries begin to end of the order below.
        """

    def add_to_contexts(self, order: int, contexts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, end: int, sums: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """Add entries begin to end to the sums of their contexts."""

    def unigram_probabilities(self, sums: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu')], discounts: Sequence[float], begin_word: int, probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Probabilities of unigrams."""

    def interpolate(self, order: int, contexts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], sums: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu')], discounts: Sequence[float], shorter: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, end: int, threads: int, probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """
        Probabilities of the children of entries begin to end of the order below.
        """

    def arpa_lines(self, order: int, vocabulary: Vocabulary, log_probs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], backoffs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, end: int, threads: int) -> bytes:
        """Lines of an ARPA file for the kept ones of entries begin to end."""

    def compile_unigrams(self, log_probs: numpy.typing.NDArray[numpy.float32], backoffs: numpy.typing.NDArray[numpy.float32]) -> numpy.typing.NDArray[numpy.float32]:
        """Weights of all words, as a model stores them."""

class LmTableCompiler:
    """Fills the table of one order."""

    def __init__(self, trie: LmTrie, order: int, entries: int) -> None: ...

    def add(self, log_probs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], backoffs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, end: int) -> None:
        """Add the kept entries from begin to end to the table."""

    def finish(self) -> numpy.typing.NDArray[numpy.uint64]:
        """The table, a bucket per row."""

def lm_log_backoffs(sums: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu')], discounts: Sequence[float], begin: int, end: int, threads: int, backoffs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """log10 of the back-off weights of contexts begin to end."""

def lm_log_probabilities(probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, end: int, threads: int, logs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """log10 of probabilities begin to end."""

def lm_index_words(vocabulary: Vocabulary) -> numpy.typing.NDArray[numpy.uint64]:
    """The table from words to their numbers, as a model stores it."""

class LmArpaReader:
    """Reads an ARPA file into the tables of a model."""

    def __init__(self, vocabulary: Vocabulary) -> None: ...

    def feed(self, bytes: bytes) -> None:
        """Add the next bytes of the file, split anywhere."""

    def finish(self) -> None:
        """After the last bytes."""

    @property
    def order(self) -> int:
        """The order in the header."""

    @property
    def counts(self) -> list[int]:
        """n-grams per order."""

    @property
    def links(self) -> int:
        """n-grams put in because longer ones need them."""

    @property
    def has_unknown(self) -> bool:
        """Whether the file has an <unk>."""

    @property
    def special(self) -> tuple[int, int, int]:
        """Word ids of <s>, </s> and <unk>."""

    def take_tables(self) -> tuple[numpy.typing.NDArray[numpy.float32], list[numpy.typing.NDArray[numpy.uint64]]]:
        """
        Unigram weights and the tables of higher orders; moved out of the reader, once, after ``finish``.
        """

def lm_copy_table(table: numpy.typing.NDArray[numpy.uint64]) -> numpy.typing.NDArray[numpy.uint64]:
    """A copy in private memory, in large pages if available."""

class LmState:
    """What was seen to the left, as far as the model can use it."""

    def __init__(self) -> None:
        """Nothing is known about the context."""

    @property
    def words(self) -> tuple[int, ...]:
        """Word numbers, the last word first."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

class LmModel:
    """A language model over stored arrays."""

    def __init__(self, order: int, special: tuple[int, int, int], unigrams: numpy.typing.NDArray[numpy.float32], tables: list[numpy.typing.NDArray[numpy.uint64]], word_index: numpy.typing.NDArray[numpy.uint64]) -> None: ...

    @property
    def order(self) -> int:
        """Words in the longest n-grams."""

    @property
    def unknown(self) -> int:
        """The id of the unknown word."""

    @property
    def end_of_sentence(self) -> int:
        """The number of </s>."""

    def find(self, word: str) -> int:
        """The id of the word, or of the unknown word."""

    def known(self, word: int) -> bool:
        """Whether the model holds the word with that number."""

    def begin_sentence(self) -> LmState:
        """The state before the first word of a sentence."""

    def score(self, state: LmState, word: int) -> tuple[float, int, bool, LmState]:
        """
        log10 P(word | state), words matched, whether it is open, and the state after it.
        """

    def score_words(self, sentence: str, *, bos: bool, eos: bool) -> tuple[tuple[int, float, int, bool], ...]:
        """
        For every word: number, log10 probability, words matched, whether the model holds it.
        """

    def score_sentences(self, sentences: list[str], *, bos: bool, eos: bool, threads: int) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.uint32], numpy.typing.NDArray[numpy.float64]]:
        """
        For every sentence: log10 probability, words, unknown words, and what those contribute.
        """

    def map_words(self, vocabulary: Vocabulary) -> numpy.typing.NDArray[numpy.uint32]:
        """The model's id for every word of a vocabulary."""

def index_examples(*, offsets: numpy.typing.NDArray[numpy.int64], words: numpy.typing.NDArray[numpy.uint32], idf: numpy.typing.NDArray[numpy.float64]) -> dict[str, numpy.typing.NDArray[Any]]:
    """The arrays of an index of sentences, by the idf of each word."""

def edit_distance(a: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], *, terms: int) -> int:
    """Levenshtein distance of two sequences of numbers below ``terms``."""

def document_gains(*, statistics: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], decay: float) -> NDArray[numpy.float64]:
    """
    BLEU of a decaying pseudo-document with each candidate added, times its length (Chiang et al. 2008).
    """

class ExampleIndex:
    """Finds the sentences that are most similar to another."""

    def __init__(self, *, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], norms: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], posting_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], postings: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], posting_weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], largest_weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def search(self, *, tokens: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], idf: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], most: int, edit_share: float, at_least: float = 0.0, skip_identical: bool = False, skip: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, documents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, skip_document: int = 0, dates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, before: int = 9223372036854775807) -> tuple[NDArray[numpy.uint32], NDArray[numpy.float64]]:
        """The most similar examples and their similarities, best first."""

    def similarities(self, *, tokens: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], idf: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], edit_share: float) -> NDArray[numpy.float64]:
        """The similarity of every example by brute force, for tests."""

class CandidateLists:
    """Features of the candidates of some examples, to train weights on."""

    def __init__(self, *, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sparse_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, sparse_columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, sparse_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, sparse_size: int = 0, constants: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def best(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int64]:
        """
        The row of the best candidate of each example; the first in case of ties.
        """

    def margin_update(self, *, gains: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], strengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], baseline: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float = 1e-08, max_passes: int = 500) -> tuple[NDArray[numpy.float64], float, float, int]:
        """MBUU: change of the weights, objective, duality gap, passes."""

    def margin_objective(self, *, gains: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], strengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], baseline: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], change: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """The objective of MBUU."""

    def error_update(self, *, errors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], strengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], baseline: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, sharpness: float, tolerance: float = 1e-07, least_gain: float = 1e-14, iterations: int = 50) -> tuple[NDArray[numpy.float64], float, float, int]:
        """
        EBUU: change of the weights, objective, objective at the baseline, iterations.
        """

    def error_objective(self, *, errors: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], strengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], baseline: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], change: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sharpness: float) -> tuple[float, NDArray[numpy.float64]]:
        """The objective of EBUU and its gradient."""

    def bleu_update(self, *, statistics: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], strengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], baseline: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, sharpness: float, tolerance: float = 1e-07, least_gain: float = 1e-14, iterations: int = 50) -> tuple[NDArray[numpy.float64], float, float, int]:
        """The same with the BLEU of all examples together in place of errors."""

    def bleu_objective(self, *, statistics: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], strengths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], baseline: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], change: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sharpness: float) -> tuple[float, NDArray[numpy.float64]]:
        """Its objective and gradient."""
