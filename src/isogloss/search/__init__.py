"""Translating: the search, its options and weights, word lattices, stored systems."""

from isogloss.search.decoder import DEFAULT_MAX_WORDS, Decoder
from isogloss.search.derivation import Derivation, Step
from isogloss.search.external import CommandOptions, ExternalDecoder, NbestDecoder
from isogloss.search.factors import factor_names, parse_factors
from isogloss.search.markup import escape_markup, parse_markup
from isogloss.search.options import SearchOptions
from isogloss.search.plf import Arc, Lattice, format_plf, parse_plf
from isogloss.search.searched import Posteriors, Searched
from isogloss.search.sentence import Fixed, Sentence, Source
from isogloss.search.system import System, best_lines, create_system, inspect_system, is_system, load
from isogloss.search.terms import Terms
from isogloss.search.weights import (
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
    "inspect_system",
    "is_system",
    "load",
    "parse_factors",
    "parse_markup",
    "parse_plf",
    "read_weights",
    "write_weights",
]
