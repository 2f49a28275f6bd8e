"""Binary phrase and word features of the block orientation model (Tillmann and Zhang 2006)."""

from __future__ import annotations

from typing import Literal, get_args

from isogloss.features.options import SparseOptions
from isogloss.io.errors import ConfigError

__all__ = ["IDENTITY_TEMPLATES", "BlockFeatures", "block_features"]

BlockFeatures = Literal["phrase", "word", "both"]

_PHRASE = ("rule", "source_phrase_bigram", "target_phrase_bigram")
_PHRASE_ORDER = ("block_orientation",)
_WORD = ("block_pair", "target_word", "target_bigram", "target_trigram")
_WORD_ORDER = ("distortion",)

IDENTITY_TEMPLATES = ("rule", "block_pair")
"""Features of a bag of blocks: its blocks and word pairs, without their order."""


def block_features(kind: BlockFeatures = "both", *, swap: bool = True) -> SparseOptions:
    """Phrase features of blocks, word features, or both; with or without features of their order.

    >>> block_features("word", swap=False).templates
    ('block_pair', 'target_word', 'target_bigram', 'target_trigram')
    """
    if kind not in get_args(BlockFeatures):
        raise ConfigError(f"features of blocks are {', '.join(get_args(BlockFeatures))}, got {kind!r}")
    templates: tuple[str, ...] = ()
    if kind != "word":
        templates += _PHRASE + (_PHRASE_ORDER if swap else ())
    if kind != "phrase":
        templates += _WORD + (_WORD_ORDER if swap else ())
    return SparseOptions(templates=templates, source_types=("surface",), target_types=("surface",))
