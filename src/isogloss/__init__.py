"""Discriminative training, tuning, reranking and adaptation for machine translation."""

from isogloss._version import __version__

__all__ = ["__version__"]
