"""Inspection of any stored folder, including systems."""

from __future__ import annotations

from pathlib import Path

from isogloss.decoder.stored_system import TRAINED, inspect_system, is_system
from isogloss.io.streams import StrPath
from isogloss.storage.inspection import Inspection, inspect_folder

__all__ = ["inspect_stored"]


def inspect_stored(path: StrPath, *, verify: bool = False) -> Inspection:
    """Inspect any stored folder or system; with ``verify``, read all of it and raise an error if it is
    damaged.

    In a folder that ``isogloss train`` wrote, the engine is inspected.
    """
    if not is_system(path) and is_system(Path(path) / TRAINED):
        path = Path(path) / TRAINED
    return (inspect_system if is_system(path) else inspect_folder)(path, verify=verify)
