"""The content of a stored folder of any kind, and whether it is intact."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isogloss.io.errors import ModelFormatError
from isogloss.io.streams import StrPath
from isogloss.storage.folder import open_folder, verify_folder

__all__ = ["Inspection", "StoredArray", "inspect_folder", "is_stored_folder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredArray:
    """One array of a stored folder."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """The description of a stored folder."""

    path: Path
    kind: str
    version: int
    made_by: str
    attributes: Mapping[str, Any]
    """Everything stored except arrays, such as options; depends on the kind."""
    arrays: tuple[StoredArray, ...] = ()
    parts: Mapping[str, Inspection]
    """Folders inside it, by name; only systems have them."""
    verified: int | None = None
    """Number of arrays whose checksums were verified; None if not checked."""

    @property
    def bytes(self) -> int:
        """Size of all arrays, parts included."""
        own = sum(array.bytes for array in self.arrays)
        return own + sum(part.bytes for part in self.parts.values())

    def to_json(self) -> dict[str, Any]:
        """As plain values, without numbers that JSON does not have."""
        facts = {
            "path": str(self.path),
            "kind": self.kind,
            "version": self.version,
            "made_by": self.made_by,
            "bytes": self.bytes,
            "attributes": dict(self.attributes),
            "arrays": [
                {
                    "name": array.name,
                    "dtype": array.dtype,
                    "shape": list(array.shape),
                    "bytes": array.bytes,
                }
                for array in self.arrays
            ],
            "parts": {name: part.to_json() for name, part in self.parts.items()},
            "verified": self.verified,
        }
        finite: dict[str, Any] = json.loads(json.dumps(facts), parse_constant=lambda _: None)
        return finite


def is_stored_folder(path: StrPath) -> bool:
    """Whether a folder has a manifest."""
    return (Path(path) / "manifest.json").is_file()


def inspect_folder(path: StrPath, *, verify: bool = False) -> Inspection:
    """Inspect a stored folder; with ``verify``, read all of it and raise an error if it is damaged."""
    folder = open_folder(path)
    found = Inspection(
        path=folder.path,
        kind=folder.kind,
        version=folder.version,
        made_by=folder.made_by,
        attributes=folder.attributes,
        arrays=tuple(
            StoredArray(name=name, dtype=array.dtype.str, shape=array.shape, bytes=array.nbytes)
            for name, array in folder.arrays.items()
        ),
        parts={},
    )
    if not verify:
        return found
    count = verify_folder(path)
    if count != len(found.arrays):
        raise ModelFormatError("changed while it was being read", path, "try again")
    return replace(found, verified=count)
