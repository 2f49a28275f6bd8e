"""N-best lists of any system: in memory, in files, and operations on whole lists.

NbestList, Candidate            the public class: sentences with candidates, as strings
NbestStore                      the columns, shared by search, learners and file formats
read_nbest, write_nbest         files: Moses, Marian, fairseq, sockeye, JSON lines, stored folders
merge, distinct, add_column     operations on lists
find_oracle, summarise          oracle scores and statistics of a list
make_nbest                      a synthetic list made from references
"""

from isogloss.nbest.columns import read_column
from isogloss.nbest.edit import add_column, best_rows, distinct, merge
from isogloss.nbest.formats import FORMATS, FormatName, losses, read_nbest, write_nbest
from isogloss.nbest.nbest_list import Candidate, Columns, NbestLike, NbestList, as_nbest
from isogloss.nbest.oracle import ListOracle, find_oracle
from isogloss.nbest.statistics import bleu_statistics
from isogloss.nbest.store import DenseGroup, NbestStore, Ragged, SparseFeatures
from isogloss.nbest.summary import NbestSummary, summarise
from isogloss.nbest.synthetic import make_nbest

__all__ = [
    "FORMATS",
    "Candidate",
    "Columns",
    "DenseGroup",
    "FormatName",
    "ListOracle",
    "NbestLike",
    "NbestList",
    "NbestStore",
    "NbestSummary",
    "Ragged",
    "SparseFeatures",
    "add_column",
    "as_nbest",
    "best_rows",
    "bleu_statistics",
    "distinct",
    "find_oracle",
    "losses",
    "make_nbest",
    "merge",
    "read_column",
    "read_nbest",
    "summarise",
    "write_nbest",
]
