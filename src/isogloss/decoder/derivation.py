"""Derivations: the rules of a translation, in the order of their target words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

__all__ = ["Derivation", "DerivationStep", "read_step", "shifted"]

Span = tuple[int, int]

_GAPS = ("[X,1]", "[X,2]")


class DerivationStep(NamedTuple):
    """One rule of a derivation. Spans are word positions (node positions in a lattice), with exclusive
    ends."""

    kind: str
    """``rule``, or one of the kinds of glue: ``glue_phrase_gap``, ``glue_gap_phrase``, ``glue_gaps``,
    ``glue_gaps_swapped``."""
    origin: str
    """Where its words come from: ``table``, ``unknown`` (a word that no rule translates), ``fixed`` (a
    translation given with the input), or what was offered for an unknown word: ``split`` (its parts),
    ``related`` (another form), ``dictionary`` or ``rewritten`` (a number)."""
    source: str
    """Source side; non-terminals are ``[X,1]`` and ``[X,2]``, numbered from left to right."""
    target: str
    """Target side: words, then non-terminals in the order in which they are translated."""
    source_span: Span
    """All source words that it covers, including its non-terminals."""
    gaps: tuple[Span, ...]
    """Source spans of its non-terminals, in the order in which they are translated."""
    target_span: Span
    """Positions of its own words in the translation."""


Derivation = tuple[DerivationStep, ...]


def read_step(row: Any, source: Sequence[str] | None, words: Sequence[str]) -> DerivationStep:
    """Make a step from the engine's data; ``words`` is the translation, ``source`` the source words.

    In a lattice (None), words have no positions; unknown words are taken from the translation.
    """
    origin, kind, symbols, span, own_span, gaps, target_span = row
    gaps = tuple(gaps)
    own = list(words[target_span[0] : target_span[1]])
    if symbols:
        phrase: list[str | None] = list(symbols)
    elif source is not None:
        phrase = list(source[own_span[0] : own_span[1]])
    else:
        phrase = list(own)
    around = {
        "glue_phrase_gap": [*phrase, None],
        "glue_gap_phrase": [None, *phrase],
        "glue_gaps": [None, *phrase, None],
        "glue_gaps_swapped": [None, *phrase, None],
    }
    names = iter(_GAPS)
    side = [next(names) if symbol is None else symbol for symbol in around.get(kind, phrase)]
    in_order = sorted(gaps)
    target = [*own, *(_GAPS[in_order.index(gap)] for gap in gaps)]
    return DerivationStep(
        kind,
        origin,
        " ".join(side),
        " ".join(target),
        span,
        gaps,
        target_span,
    )


def shifted(derivation: Derivation, source: int, target: int) -> Derivation:
    """The same steps, shifted to later positions."""

    def moved(span: Span, by: int) -> Span:
        return span[0] + by, span[1] + by

    return tuple(
        step._replace(
            source_span=moved(step.source_span, source),
            gaps=tuple(moved(gap, source) for gap in step.gaps),
            target_span=moved(step.target_span, target),
        )
        for step in derivation
    )
