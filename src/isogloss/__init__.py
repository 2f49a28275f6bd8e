"""Discriminative training, tuning, reranking and adaptation for machine translation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isogloss._version import __version__

if TYPE_CHECKING:
    from isogloss.search import System

__all__ = ["__version__", "load"]


def load(path: str, **changes: Any) -> System:
    """Open a stored translation system: ``isogloss.load("DIR").translate("ein haus")``.

    ``options`` and ``weights`` replace the stored ones: see ``isogloss.search.load``.
    """
    from isogloss.search import load as load_system

    return load_system(path, **changes)
