"""Change the content of a folder in one step: a copy is changed, then takes its place.

    DIR/.next/NAME/        the copy, while it is being changed; NAME is the name of DIR
    DIR/.next/basis        what DIR was when it was copied
    DIR/.next/ready.json   what to replace; the copy counts from the moment that this file appears

Files are not copied: both folders share them until one is replaced, and none is changed in place. After
``ready.json`` has appeared, everything in DIR is replaced by what the copy has under the same name. If that
is interrupted, the next one to open DIR finishes it (``finish_replacement``).
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Collection
from pathlib import Path
from typing import Any

from isogloss.io.durable import move_into_place, one_writer, sync_tree
from isogloss.io.errors import ModelFormatError, OutputError
from isogloss.io.streams import atomic_output

__all__ = ["changed_copy", "copy_folder", "finish_replacement", "replace_content"]

_NEXT, _BASIS, _READY, _OLD = ".next", "basis", "ready.json", "old"


def changed_copy(folder: Path, basis: str, *, appended: Collection[str], left_out: Collection[str]) -> Path:
    """The copy to change. One that was left by an interrupted run is used again if it has the same ``basis``.

    Files named in ``appended`` are changed in place, so they are copied. What is in ``left_out`` or hidden is
    not in the copy.
    """
    place = folder / _NEXT
    copy = place / folder.resolve().name
    try:
        if (place / _BASIS).exists() and (place / _BASIS).read_text(encoding="utf-8") == basis:
            return copy
        _remove(place)

        def unwanted(where: str, names: list[str]) -> set[str]:
            top = Path(where) == folder
            return {name for name in names if top and (name in left_out or name.startswith("."))}

        def shared(source: str, target: str) -> None:
            if Path(source).name in appended or not _linked(source, target):
                shutil.copy2(source, target)

        copy_folder(folder, copy, ignore=unwanted, copy_function=shared)
        with atomic_output(place / _BASIS) as stream:
            stream.write(basis)
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(error.strerror or str(error), place) from None
    return copy


def copy_folder(folder: Path, copy: Path, **how: Any) -> None:
    """Copy a folder as ``shutil.copytree`` does, which takes ``how``; links stay links."""
    try:
        shutil.copytree(folder, copy, symlinks=True, **how)
    except shutil.Error as error:  # one reason for each file
        raise OutputError(str(error.args[0][0][2]), copy) from None
    except OSError as error:
        raise OutputError(error.strerror or str(error), copy) from None


def _linked(source: str, target: str) -> bool:
    """Give a file a second name, where the file system can."""
    try:
        os.link(source, target)
    except OSError:
        return False
    return True


def replace_content(folder: Path, copy: Path, *, left_out: Collection[str]) -> None:
    """Let everything in the copy take the place of what the folder has under the same name."""
    try:
        sync_tree(copy)
        items = {
            item.name: item.stat().st_ino
            for item in copy.iterdir()
            if item.name not in left_out and not item.name.startswith(".")
        }
        with atomic_output(folder / _NEXT / _READY) as stream:
            json.dump({"copy": copy.name, "items": items}, stream)
        with one_writer(folder):
            _finish(folder)
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(error.strerror or str(error), folder) from None


def finish_replacement(folder: Path) -> None:
    """Finish a replacement that was interrupted; do nothing if the folder cannot be written."""
    if (folder / _NEXT / _READY).exists():
        try:
            with one_writer(folder):
                _finish(folder)
        except OSError:
            return  # read-only: what is there can be used


def _finish(folder: Path) -> None:
    place = folder / _NEXT
    old = place / _OLD
    try:
        copy, items = _checked(place)
    except FileNotFoundError:
        return  # somebody else has finished it
    old.mkdir(exist_ok=True)
    for name, number in items.items():
        new, final = copy / name, folder / name
        if not new.exists():
            continue
        if not final.exists() or final.stat().st_ino != number:  # it has not taken its place yet
            move_into_place(new, final, old / name)
        if new.exists():  # names were swapped
            new.rename(old / name)
    _remove(place)


def _remove(place: Path) -> None:
    """Remove a copy: first what says that it is there, in case that this is interrupted."""
    for name in (_BASIS, _READY):
        (place / name).unlink(missing_ok=True)
    shutil.rmtree(place, ignore_errors=True)


def _checked(place: Path) -> tuple[Path, dict[str, int]]:
    """What is to be replaced. A stranger's folder must not name anything outside of itself."""
    ready = place / _READY
    try:
        if any(path.is_symlink() for path in (place, ready, place / _OLD)) or not ready.is_file():
            raise ValueError("not ours")
        found = json.loads(ready.read_bytes())
        copy, items = found["copy"], dict(found["items"])
        if (place / copy).is_symlink() or not all(map(_is_plain, (copy, *items))):
            raise ValueError("not ours")
    except (ValueError, LookupError, TypeError, AttributeError):
        if not ready.exists():
            raise FileNotFoundError(ready) from None
        raise ModelFormatError("is damaged", ready, "restore the folder from a copy") from None
    return place / copy, items


def _is_plain(name: str) -> bool:
    return bool(name) and Path(name).name == name and not name.startswith(".")
