"""Synthetic n-best lists from references, for tests and examples.

Every candidate is a reference with errors: words dropped, doubled, swapped with a neighbor or replaced with a
word of another sentence. The features count each kind of error, with noise, and the score weights them badly,
so that there is something to learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from isogloss._engine import NbestBuilder
from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, Options
from isogloss.io.streams import StrPath, naming_file, read_lines
from isogloss.nbest.store import NbestStore

__all__ = ["SyntheticListOptions", "make_nbest", "synthetic_nbest"]

_NAMES = ("Missing", "Doubled", "Order", "Choice")
_BAD_WEIGHTS = np.array([0.2, 1.0, 0.2, 0.5])


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticListOptions(Options):
    """How large a list is made."""

    candidates: Annotated[int, AtLeast(1)] = 50
    """Candidates of each sentence."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed; the same seed gives the same list."""


def synthetic_nbest(references: StrPath, options: SyntheticListOptions | None = None) -> NbestStore:
    """A list made from a file of tokenized references, one per line."""
    options = options or SyntheticListOptions()
    lines = [line.split() for line in read_lines(references)]
    with naming_file(references):
        return make_nbest(lines, candidates=options.candidates, seed=options.seed)


def make_nbest(references: Sequence[Sequence[str]], *, candidates: int, seed: int) -> NbestStore:
    """A list of ``candidates`` candidates for each tokenized reference, best score first.

    LineError names the reference, counted from 1, that a list cannot hold.
    """
    if candidates < 1:
        raise ConfigError(f"candidates must be at least 1, got {candidates}")
    random = np.random.default_rng(seed)
    references = [one.split() if isinstance(one, str) else one for one in references]
    words = [word for reference in references for word in reference] or [""]
    builder = NbestBuilder()
    for sentence, reference in enumerate(references):
        made = []
        for _ in range(candidates):
            tokens, mistakes = _spoil(list(reference), words, random)
            features = -mistakes + random.normal(0, (0.6, 0.3, 0.6, 0.9))
            made.append((float(features @ _BAD_WEIGHTS), tokens, np.round(features, 4)))
        for score, tokens, features in sorted(made, key=lambda entry: -entry[0]):
            dense = [(name, [float(value)]) for name, value in zip(_NAMES, features, strict=True)]
            dense.append(("Length", [float(len(tokens))]))
            builder.add(sentence, " ".join(tokens), score=round(score, 4), dense=dense, line=sentence + 1)
    return NbestStore.from_columns(builder.finish())


def _spoil(
    tokens: list[str], words: Sequence[str], random: np.random.Generator
) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.float64]]]:
    mistakes = np.zeros(len(_NAMES))
    for _ in range(random.poisson(len(tokens) / 4)):
        if len(tokens) < 2:
            break
        kind, at = random.integers(len(_NAMES)), int(random.integers(len(tokens) - 1))
        mistakes[kind] += 1
        match _NAMES[kind]:
            case "Missing":
                del tokens[at]
            case "Doubled":
                tokens.insert(at, tokens[at])
            case "Order":
                tokens[at], tokens[at + 1] = tokens[at + 1], tokens[at]
            case _:
                tokens[at] = words[int(random.integers(len(words)))]
    return tokens, mistakes
