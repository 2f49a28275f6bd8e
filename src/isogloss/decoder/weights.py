"""Weights of features by name, and their file format.

A weights file has one line per feature: name, tab, weight::

    lm	0.5
    target_given_source	0.2
    pair:house|haus	0.03

A name with a colon is a sparse feature.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import StrPath, atomic_output, read_lines

__all__ = [
    "HIERARCHICAL_WEIGHTS",
    "PHRASE_WEIGHTS",
    "check_weights",
    "default_weights",
    "read_weights",
    "split_sparse",
    "write_weights",
]

_SHARED = {
    "lm": 0.5,
    "target_given_source": 0.2,
    "source_given_target": 0.2,
    "target_given_source_lexical": 0.2,
    "source_given_target_lexical": 0.2,
    "words": 0.6,
    "rules": 0.1,
    "unknown": -10.0,
    "insertions": -0.1,
    "deletions": -0.1,
    "distance_rule": 0.0,
    "distance_glue": 0.0,
    "reordering": 0.0,
    "glue_phrase_gap": 0.0,
    "glue_gap_phrase": 0.0,
    "glue_gaps": 0.0,
    "glue_gaps_swapped": 0.0,
    "arcs": 0.5,
    "previous_monotone": 0.1,
    "previous_swap": 0.1,
    "previous_discontinuous": 0.1,
    "next_monotone": 0.1,
    "next_swap": 0.1,
    "next_discontinuous": 0.1,
    "split": 0.5,
    "related": 0.5,
    "dictionary": 0.5,
    "rewritten": 0.5,
    "joint": 0.2,
}

HIERARCHICAL_WEIGHTS: Mapping[str, float] = {**_SHARED, "backtrack": -0.1}
"""Untuned weights for hierarchical search with an extracted rule table."""

PHRASE_WEIGHTS: Mapping[str, float] = {**_SHARED, "backtrack": -0.2}
"""Untuned weights for phrase-based search with an extracted rule table."""


def default_weights(names: Sequence[str], *, hierarchical: bool) -> dict[str, float]:
    """Untuned weights for the features of a system; a feature without a default is an error."""
    known = HIERARCHICAL_WEIGHTS if hierarchical else PHRASE_WEIGHTS
    foreign = [name for name in names if name not in known]
    if foreign:
        raise ConfigError(
            f"the features {', '.join(foreign)} have no default weights; give weights for all of: "
            f"{', '.join(names)}"
        )
    return {name: known[name] for name in names}


def split_sparse(weights: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float]]:
    """Split weights into dense and sparse ones by name."""
    dense = {name: value for name, value in weights.items() if ":" not in name}
    return dense, {name: value for name, value in weights.items() if ":" in name}


def check_weights(weights: Mapping[str, float], names: Sequence[str]) -> dict[str, float]:
    """The weights in the order of ``names``; missing, unknown or infinite weights are errors."""
    problem = _mismatch(weights, names)
    if problem:
        raise ConfigError(problem)
    for name in names:
        if not math.isfinite(weights[name]):
            raise ConfigError(f"the weight of '{name}' is {weights[name]}, a finite number is expected")
    return {name: float(weights[name]) for name in names}


def _mismatch(weights: Mapping[str, float], names: Sequence[str]) -> str:
    missing = [name for name in names if name not in weights]
    unknown = sorted(weights.keys() - set(names))
    faults = [
        *([f"no weight for {', '.join(missing)}"] if missing else []),
        *([f"no feature is called {', '.join(unknown)}"] if unknown else []),
    ]
    return f"{' and '.join(faults)}; expected are {', '.join(names)}" if faults else ""


def read_weights(path: StrPath, names: Sequence[str] | None = None) -> dict[str, float]:
    """Read a weights file (plain, gzip or zstd); with ``names``, it must have exactly these, in any order."""
    weights: dict[str, float] = {}
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        name, tab, text = line.partition("\t")
        if not tab or not name:
            raise DataFormatError(
                f"'{line[:60]}' is not a name and a weight", path, number, "write a name, a tab and a weight"
            )
        if name in weights:
            raise DataFormatError(f"the feature '{name}' occurs twice", path, number)
        weights[name] = _number(text, path, number)
    if names is None:
        return weights
    problem = _mismatch(weights, names)
    if problem:
        raise DataFormatError(problem, path)
    return {name: weights[name] for name in names}


def _number(text: str, path: StrPath, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or abs(value) > 1e30:
        raise DataFormatError(f"'{text[:60]}' found, a finite number is expected", path, line)
    return value


def write_weights(path: StrPath, weights: Mapping[str, float]) -> None:
    """Write a weights file that ``read_weights`` reads back exactly."""
    with atomic_output(path) as stream:
        for name, value in weights.items():
            stream.write(f"{name}\t{value!r}\n")
