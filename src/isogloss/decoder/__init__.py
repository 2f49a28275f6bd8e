"""Decoding: the search, its options and weights, word lattices, stored systems.

load, System, create_system      a stored system
Translator, Translation          the interface of translators, and their results
ExternalDecoder                  any command as a translator
Decoder, SearchOptions           the search itself
"""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.decoder.confidence import ConfidenceModel, translation_confidences
    from isogloss.decoder.corrections import Correction, Corrections
    from isogloss.decoder.decoder import DEFAULT_MAX_WORDS, Decoder
    from isogloss.decoder.derivation import Derivation, DerivationStep
    from isogloss.decoder.edited import edited_pairs
    from isogloss.decoder.explanation import Contribution, ExplainOptions, Explanation, explain
    from isogloss.decoder.external import CommandOptions, ExternalDecoder, NbestDecoder
    from isogloss.decoder.factors import factor_names, parse_factors
    from isogloss.decoder.inspection import inspect_stored
    from isogloss.decoder.markup import escape_markup, parse_markup
    from isogloss.decoder.matches import Match
    from isogloss.decoder.options import SearchOptions
    from isogloss.decoder.oracle_search import OracleOptions, OracleSearch
    from isogloss.decoder.plf import Arc, Lattice, format_plf, parse_plf
    from isogloss.decoder.search_result import Posteriors, Searched
    from isogloss.decoder.sentence import Fixed, Sentence, Source
    from isogloss.decoder.stored_system import create_system, inspect_system, is_system, load
    from isogloss.decoder.stream import InputOptions, OutputOptions, arriving_batches, line_reader, written
    from isogloss.decoder.system import System
    from isogloss.decoder.terms import Terms
    from isogloss.decoder.translation import Translation
    from isogloss.decoder.translator import TextTranslator, Translator, best_lines, source_text
    from isogloss.decoder.unknown_list import ListedWord, list_unknown_words
    from isogloss.decoder.weights import (
        HIERARCHICAL_WEIGHTS,
        PHRASE_WEIGHTS,
        default_weights,
        read_weights,
        write_weights,
    )

__all__ = [
    "DEFAULT_MAX_WORDS",
    "HIERARCHICAL_WEIGHTS",
    "PHRASE_WEIGHTS",
    "Arc",
    "CommandOptions",
    "ConfidenceModel",
    "Contribution",
    "Correction",
    "Corrections",
    "Decoder",
    "Derivation",
    "DerivationStep",
    "ExplainOptions",
    "Explanation",
    "ExternalDecoder",
    "Fixed",
    "InputOptions",
    "Lattice",
    "ListedWord",
    "Match",
    "NbestDecoder",
    "OracleOptions",
    "OracleSearch",
    "OutputOptions",
    "Posteriors",
    "SearchOptions",
    "Searched",
    "Sentence",
    "Source",
    "System",
    "Terms",
    "TextTranslator",
    "Translation",
    "Translator",
    "arriving_batches",
    "best_lines",
    "create_system",
    "default_weights",
    "edited_pairs",
    "escape_markup",
    "explain",
    "factor_names",
    "format_plf",
    "inspect_stored",
    "inspect_system",
    "is_system",
    "line_reader",
    "list_unknown_words",
    "load",
    "parse_factors",
    "parse_markup",
    "parse_plf",
    "read_weights",
    "source_text",
    "translation_confidences",
    "write_weights",
    "written",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "confidence": (
            "ConfidenceModel",
            "translation_confidences",
        ),
        "corrections": (
            "Correction",
            "Corrections",
        ),
        "decoder": (
            "DEFAULT_MAX_WORDS",
            "Decoder",
        ),
        "derivation": (
            "Derivation",
            "DerivationStep",
        ),
        "edited": ("edited_pairs",),
        "explanation": (
            "Contribution",
            "ExplainOptions",
            "Explanation",
            "explain",
        ),
        "external": (
            "CommandOptions",
            "ExternalDecoder",
            "NbestDecoder",
        ),
        "factors": (
            "factor_names",
            "parse_factors",
        ),
        "inspection": ("inspect_stored",),
        "markup": (
            "escape_markup",
            "parse_markup",
        ),
        "matches": ("Match",),
        "options": ("SearchOptions",),
        "oracle_search": (
            "OracleOptions",
            "OracleSearch",
        ),
        "plf": (
            "Arc",
            "Lattice",
            "format_plf",
            "parse_plf",
        ),
        "search_result": (
            "Posteriors",
            "Searched",
        ),
        "sentence": (
            "Fixed",
            "Sentence",
            "Source",
        ),
        "stream": (
            "InputOptions",
            "OutputOptions",
            "arriving_batches",
            "line_reader",
            "written",
        ),
        "stored_system": (
            "create_system",
            "inspect_system",
            "is_system",
            "load",
        ),
        "system": ("System",),
        "terms": ("Terms",),
        "translation": ("Translation",),
        "translator": (
            "TextTranslator",
            "Translator",
            "best_lines",
            "source_text",
        ),
        "unknown_list": (
            "ListedWord",
            "list_unknown_words",
        ),
        "weights": (
            "HIERARCHICAL_WEIGHTS",
            "PHRASE_WEIGHTS",
            "default_weights",
            "read_weights",
            "write_weights",
        ),
    },
)
