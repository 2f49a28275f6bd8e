"""Translating: the search, its options and weights, word lattices, stored systems."""

from isogloss.decoder.decoder import DEFAULT_MAX_WORDS, Decoder
from isogloss.decoder.derivation import Derivation, Step
from isogloss.decoder.external import CommandOptions, ExternalDecoder, NbestDecoder
from isogloss.decoder.factors import factor_names, parse_factors
from isogloss.decoder.inspection import inspect_stored
from isogloss.decoder.markup import escape_markup, parse_markup
from isogloss.decoder.options import SearchOptions
from isogloss.decoder.oracle_search import OracleOptions, OracleSearch
from isogloss.decoder.plf import Arc, Lattice, format_plf, parse_plf
from isogloss.decoder.search_result import Posteriors, Searched
from isogloss.decoder.sentence import Fixed, Sentence, Source
from isogloss.decoder.system import System, best_lines, create_system, inspect_system, is_system, load
from isogloss.decoder.terms import Terms
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
    "Decoder",
    "Derivation",
    "ExternalDecoder",
    "Fixed",
    "Lattice",
    "NbestDecoder",
    "OracleOptions",
    "OracleSearch",
    "Posteriors",
    "SearchOptions",
    "Searched",
    "Sentence",
    "Source",
    "Step",
    "System",
    "Terms",
    "best_lines",
    "create_system",
    "default_weights",
    "escape_markup",
    "factor_names",
    "format_plf",
    "inspect_stored",
    "inspect_system",
    "is_system",
    "load",
    "parse_factors",
    "parse_markup",
    "parse_plf",
    "read_weights",
    "write_weights",
]
