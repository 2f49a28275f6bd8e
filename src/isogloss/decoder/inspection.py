"""Inspection of any stored folder, including systems."""

from __future__ import annotations

from isogloss.decoder.system import inspect_system, is_system
from isogloss.io.streams import StrPath
from isogloss.storage.inspection import Inspection, inspect_folder

__all__ = ["inspect_stored"]


def inspect_stored(path: StrPath, *, verify: bool = False) -> Inspection:
    """Inspect any stored folder or system; with ``verify``, read all of it and raise an error if it is
    damaged."""
    return (inspect_system if is_system(path) else inspect_folder)(path, verify=verify)
