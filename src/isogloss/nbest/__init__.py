"""N-best lists of any system: in memory, in files, and operations on whole lists.

NbestList, Candidate            the public class: sentences with candidates, as strings
NbestStore                      the columns, shared by search, learners and file formats
read_nbest, write_nbest         files of Moses, Marian, fairseq, sockeye, OpenAI, vLLM, CTranslate2, …
merge, distinct, add_column     operations on lists
nbest_oracle, summarize         oracle scores and statistics of a list
make_nbest, synthetic_nbest     a synthetic list made from references
"""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.nbest.columns import read_column
    from isogloss.nbest.edit import add_column, best_rows, distinct, merge
    from isogloss.nbest.formats import (
        FORMATS,
        FormatName,
        ReadFormatName,
        losses,
        read_nbest,
        write_nbest,
    )
    from isogloss.nbest.nbest_list import Candidate, Columns, NbestLike, NbestList, as_nbest
    from isogloss.nbest.oracle import ListOracle, NbestOracle, find_oracle, nbest_oracle
    from isogloss.nbest.statistics import bleu_statistics
    from isogloss.nbest.store import DenseGroup, NbestStore, Ragged, SparseFeatures
    from isogloss.nbest.summary import NbestSummary, summarize
    from isogloss.nbest.synthetic import SyntheticListOptions, make_nbest, synthetic_nbest
    from isogloss.nbest.tokenizing import TokenizeListOptions

__all__ = [
    "FORMATS",
    "Candidate",
    "Columns",
    "DenseGroup",
    "FormatName",
    "ListOracle",
    "NbestLike",
    "NbestList",
    "NbestOracle",
    "NbestStore",
    "NbestSummary",
    "Ragged",
    "ReadFormatName",
    "SparseFeatures",
    "SyntheticListOptions",
    "TokenizeListOptions",
    "add_column",
    "as_nbest",
    "best_rows",
    "bleu_statistics",
    "distinct",
    "find_oracle",
    "losses",
    "make_nbest",
    "merge",
    "nbest_oracle",
    "read_column",
    "read_nbest",
    "summarize",
    "synthetic_nbest",
    "write_nbest",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "columns": ("read_column",),
        "edit": (
            "add_column",
            "best_rows",
            "distinct",
            "merge",
        ),
        "formats": (
            "FORMATS",
            "FormatName",
            "ReadFormatName",
            "losses",
            "read_nbest",
            "write_nbest",
        ),
        "nbest_list": (
            "Candidate",
            "Columns",
            "NbestLike",
            "NbestList",
            "as_nbest",
        ),
        "oracle": (
            "ListOracle",
            "NbestOracle",
            "find_oracle",
            "nbest_oracle",
        ),
        "statistics": ("bleu_statistics",),
        "store": (
            "DenseGroup",
            "NbestStore",
            "Ragged",
            "SparseFeatures",
        ),
        "summary": (
            "NbestSummary",
            "summarize",
        ),
        "synthetic": (
            "SyntheticListOptions",
            "make_nbest",
            "synthetic_nbest",
        ),
        "tokenizing": ("TokenizeListOptions",),
    },
)
