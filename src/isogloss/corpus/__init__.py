"""Read, write, check and prepare bilingual text. Names are imported when they are first used."""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.corpus.check import RULES, CheckOptions, CheckReport, check_files
    from isogloss.corpus.clean import CleanReport, clean_corpus
    from isogloss.corpus.filters import (
        apply_truecaser,
        detokenize_file,
        detokenize_with,
        learn_truecaser,
        tokenize_file,
        tokenize_with,
        undo_truecaser,
    )
    from isogloss.corpus.formats import Conversion, FormatName, PairFiles, plan_conversion
    from isogloss.corpus.pairs import ReadOptions
    from isogloss.corpus.plain import read_tokens
    from isogloss.corpus.processing import SideOptions, TextProcessing
    from isogloss.corpus.synthetic.text import write_corpus

__all__ = [
    "RULES",
    "CheckOptions",
    "CheckReport",
    "CleanReport",
    "Conversion",
    "FormatName",
    "PairFiles",
    "ReadOptions",
    "SideOptions",
    "TextProcessing",
    "apply_truecaser",
    "check_files",
    "clean_corpus",
    "detokenize_file",
    "detokenize_with",
    "learn_truecaser",
    "plan_conversion",
    "read_tokens",
    "tokenize_file",
    "tokenize_with",
    "undo_truecaser",
    "write_corpus",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "check": ("RULES", "CheckOptions", "CheckReport", "check_files"),
        "clean": ("CleanReport", "clean_corpus"),
        "filters": (
            "apply_truecaser",
            "detokenize_file",
            "detokenize_with",
            "learn_truecaser",
            "tokenize_file",
            "tokenize_with",
            "undo_truecaser",
        ),
        "formats": ("Conversion", "FormatName", "PairFiles", "plan_conversion"),
        "pairs": ("ReadOptions",),
        "plain": ("read_tokens",),
        "processing": ("SideOptions", "TextProcessing"),
        "synthetic.text": ("write_corpus",),
    },
)
