"""Detect changes of files and folders: by size and times first, then by content.

Content is read only if size or times have changed, or if the file was so new when last read that a later
change could have the same time.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.io.errors import InputFileError

__all__ = ["Fingerprint", "fingerprint"]

# Coarser than the timestamps of any file system.
_TICK_NS, _LONG_TICK_NS = 20_000_000, 2_000_000_000
_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The state of a file or folder when its content was read."""

    size: int
    """Total size of all files, in bytes."""
    stamp: str
    """Changes whenever the size or modification time of a file changes."""
    settled: bool
    """Whether an equal stamp proves equal content."""
    content: str
    """Hash of the content. Two copies of the same stored arrays have the same hash, whatever their files are
    called."""

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Fingerprint:
        """Inverse of ``to_json``; raises ``TypeError`` for invalid input."""
        result = cls(**row)
        if not (
            isinstance(result.size, int) and isinstance(result.stamp, str) and isinstance(result.content, str)
        ):
            raise TypeError("not a fingerprint")
        return result


def fingerprint(path: Path, known: Fingerprint | None = None) -> Fingerprint:
    """Fingerprint a file or folder; ``known`` is its last fingerprint."""
    try:
        files = _files(path)
        stamp, newest = _stamp(path, files)
        if known is not None and known.stamp == stamp and known.settled:
            return known
        age = time.time_ns() - newest
        if 0 <= age <= _TICK_NS:
            time.sleep(_TICK_NS / 1e9)
            age += _TICK_NS
        return Fingerprint(
            size=sum(file.stat().st_size for file in files),
            stamp=stamp,
            settled=age > (_TICK_NS if newest % 1_000_000_000 else _LONG_TICK_NS),
            content=_content(path, files),
        )
    except OSError as error:
        if isinstance(error, InputFileError):
            raise
        raise InputFileError(error.strerror or str(error), path) from None


def _files(path: Path) -> list[Path]:
    mode = path.stat().st_mode
    if stat.S_ISREG(mode):
        return [path]
    if stat.S_ISDIR(mode):
        found = (Path(folder) / name for folder, _, names in os.walk(path) for name in names)
        return sorted(file for file in found if file.is_file())
    raise InputFileError("is neither a file nor a folder", path)


def _stamp(path: Path, files: list[Path]) -> tuple[str, int]:
    rows, newest = [], 0
    for file in files:
        info = file.stat()
        rows.append([str(file.relative_to(path)), info.st_size, info.st_mtime_ns, info.st_ctime_ns])
        # Every change of a file sets its change time, which users cannot set.
        newest = max(newest, info.st_ctime_ns)
    return _digest(rows), newest


def _content(path: Path, files: list[Path]) -> str:
    if path.is_file():
        return _digest_file(path)
    names = _stored_names(path)
    rows = []
    for file in files:
        name = str(file.relative_to(path))
        if names and name == _MANIFEST:
            rows.append([name, _digest(_without_files(file))])
        else:
            rows.append([names.get(name, name), _digest_file(file)])
    return _digest(sorted(rows))


def _stored_names(folder: Path) -> dict[str, str]:
    """Array names by file name; file names of stored arrays have a random part."""
    try:
        arrays = json.loads((folder / _MANIFEST).read_bytes())["arrays"]
        return {row["file"]: name for name, row in arrays.items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def _without_files(manifest: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(manifest.read_bytes())
    content.pop("checksum", None)
    for row in content["arrays"].values():
        row.pop("file")
    return content


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _digest_file(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
