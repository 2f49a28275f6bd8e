"""The files of a model's features, copied into its folder, so that it works wherever it goes.

    MODEL/resources/3f2a91c07b5d6e48-lm      a copy, named after the hash of its content

A file is copied before the manifest names it, under its final name only when it is complete. Nothing is ever
changed in place.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from isogloss.io.errors import OutputError
from isogloss.io.streams import StrPath
from isogloss.rerank.features import FeatureFunction

__all__ = ["bundle_files", "found_again", "relative_names", "remove_unused"]

_FOLDER = "resources"
_NAME = re.compile(r"[0-9a-f]{16}-[^/\\\0]+")


def bundle_files(folder: StrPath, function: FeatureFunction) -> dict[str, str]:
    """Copy the files of a function into a model's folder; returns the name of each copy by field.

    A file that belongs to one list, and code, stay where they are: the user names them again.
    """
    if function.belongs_to_list or function.runs_code:
        return {}
    fingerprints, copies = function.fingerprints(), {}
    for key, path in _own_files(function).items():
        name = f"{fingerprints[key][:16]}-{Path(path).name}"
        target = Path(folder) / _FOLDER / name
        if not target.exists():
            _copy(Path(path), target)
        copies[key] = f"{_FOLDER}/{name}"
    return copies


def _own_files(function: FeatureFunction) -> dict[str, str]:
    """Files whose field holds their name and nothing else."""
    return {key: path for key, path in function.resources().items() if getattr(function, key, None) == path}


def _copy(source: Path, target: Path) -> None:
    partial = target.with_name(f".{secrets.token_hex(4)}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, partial)
        else:
            shutil.copyfile(source, partial)
        partial.replace(target)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        partial.unlink(missing_ok=True)
        raise OutputError(
            str(error.strerror or error),
            target,
            "to store the model without copies, use bundle=False (--no-bundle)",
        ) from None


def relative_names(folder: StrPath, function: FeatureFunction) -> dict[str, dict[str, str]]:
    """Where the files are as seen from the model's folder, in case both are moved together."""
    files = {} if function.runs_code else _own_files(function)
    names = {key: os.path.relpath(path, folder) for key, path in files.items()}
    return {"relative": names} if names else {}


def found_again(folder: Path, stored: Mapping[str, Any]) -> dict[str, Any]:
    """A stored function with the copies of its files, or with files that moved together with the model."""
    options = dict(stored["options"])
    copies = stored.get("bundled") or {}
    relative = stored.get("relative") or {}
    for key in options:
        name = str(copies.get(key, ""))
        inside = folder / name
        if (
            name.startswith(f"{_FOLDER}/")
            and _NAME.fullmatch(name.removeprefix(f"{_FOLDER}/"))
            and inside.exists()
            and not inside.is_symlink()
        ):
            options[key] = str(inside)
        elif key in relative and isinstance(options[key], str) and not Path(options[key]).exists():
            beside = folder / str(relative[key])
            options[key] = str(beside) if beside.exists() else options[key]
    return {**stored, "options": options}


def remove_unused(folder: StrPath, bundled: Sequence[Mapping[str, str]]) -> None:
    """Remove copies that an earlier version of the model used."""
    own = Path(folder) / _FOLDER
    used = {name.removeprefix(f"{_FOLDER}/") for copies in bundled for name in copies.values()}
    for item in list(own.iterdir()) if own.is_dir() else []:
        if item.name not in used and (_NAME.fullmatch(item.name) or item.name.endswith(".part")):
            shutil.rmtree(item, ignore_errors=True) if item.is_dir() else item.unlink(missing_ok=True)
    if own.is_dir() and not used and not any(own.iterdir()):
        own.rmdir()
