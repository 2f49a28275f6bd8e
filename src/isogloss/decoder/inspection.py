"""What any stored folder holds, systems included."""

from __future__ import annotations

from pathlib import Path

from isogloss.decoder.system import TRAINED, inspect_system, is_system
from isogloss.io.streams import StrPath
from isogloss.storage.inspection import Inspection, inspect_folder

__all__ = ["inspect_stored"]


def inspect_stored(path: StrPath, *, verify: bool = False) -> Inspection:
    """Look into any stored folder, also a system; with ``verify``, read all of it and refuse damage.

    Of what ``isogloss train`` wrote, it is the engine.
    """
    if not is_system(path) and is_system(Path(path) / TRAINED):
        path = Path(path) / TRAINED
    return (inspect_system if is_system(path) else inspect_folder)(path, verify=verify)
