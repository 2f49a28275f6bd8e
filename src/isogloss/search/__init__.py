"""Translating: the search, its options and weights, word lattices, stored systems."""

from isogloss.search.decoder import DEFAULT_MAX_WORDS, Decoder
from isogloss.search.options import SearchOptions
from isogloss.search.plf import Arc, Lattice, format_plf, parse_plf
from isogloss.search.system import System, best_lines, create_system, load
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
    "Decoder",
    "Lattice",
    "SearchOptions",
    "System",
    "best_lines",
    "create_system",
    "default_weights",
    "format_plf",
    "load",
    "parse_plf",
    "read_weights",
    "write_weights",
]
