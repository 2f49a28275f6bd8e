"""A folder of flat binary arrays with a manifest: the format of everything isogloss stores.

    DIR/manifest.json          kind, format version, a row per array, its own checksum
    DIR/dense-5f0c1b2a.bin     one array, little-endian, mapped into memory when opened

Nothing in such a folder is ever executed or unpickled, and nothing is changed in place: a new version goes
into new files, then the manifest, which is small and never mapped, is replaced atomically. A reader sees the
old or the new version; a killed writer leaves the old one. Files and names are flushed to disk before and
after that step, so the same holds when the machine stops.

Only regular files are read. A symbolic link would let a stranger's folder name files elsewhere, and a named
pipe would make a reader wait forever.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import os
import re
import secrets
import shutil
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from isogloss._version import __version__
from isogloss.io.durable import one_writer, sync_path
from isogloss.io.errors import InputFileError, ModelFormatError, OutputError, UserError
from isogloss.io.streams import StrPath

__all__ = [
    "ArrayFolder",
    "add_arrays",
    "check_regular",
    "content_hash",
    "open_folder",
    "read_regular",
    "store_copy",
    "update_folder",
    "verify_folder",
    "write_folder",
]

Array = npt.NDArray[Any]

_MANIFEST = "manifest.json"
_FILE_NAME = re.compile(r"[A-Za-z0-9_.]+-[0-9a-f]{8}\.bin")
_PARTIAL = re.compile(r"\.manifest\.json\.[0-9a-f]{8}\.part")
_RESOURCES = "resources"
"""Copies of files that the stored thing uses, in a folder beside the arrays."""
_READ_ATTEMPTS = 5
_MOST_DIMENSIONS = 8
_COPIED = 1 << 16  # bytes: smaller arrays are copied, so that a file that is cut off later does no harm
_MOST_MANIFEST = 1 << 28
_DTYPES = {
    np.dtype(name).str for name in ("?", "u1", "i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f4", "<f8")
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayFolder:
    """An opened folder: its arrays are read-only views of the mapped files."""

    path: Path
    kind: str
    version: int
    arrays: Mapping[str, Array]
    attributes: Mapping[str, Any]
    made_by: str


def write_folder(
    path: StrPath,
    *,
    kind: str,
    version: int,
    arrays: Mapping[str, Array],
    attributes: Mapping[str, Any],
) -> None:
    """Store arrays and JSON attributes, replacing the content of a folder of the same kind.

    A folder with other content is an error, so that a mistyped name never destroys files.
    """
    folder = Path(path)
    with _failures_as_output_errors(folder):
        _claim(folder, kind)
        _make_folder(folder)
    with _failures_as_output_errors(folder), _gone_if_empty(folder), one_writer(folder):
        table = _write_arrays(folder, arrays)
        _switch_manifest(
            folder,
            {**_empty_manifest(kind, version), "attributes": dict(attributes), "arrays": table},
        )
        _remove_unused(folder, table)


def store_copy(source: StrPath, path: StrPath, *, kind: str, version: int) -> None:
    """Store a copy of a stored folder, replacing the content of a folder of the same kind.

    Files are copied as they are, without mapping them: a large folder takes no memory, and what is damaged
    still differs from its checksum.
    """
    origin, folder = Path(source), Path(path)
    manifest, _ = _map_arrays(origin, kind, version)
    with _failures_as_output_errors(folder):
        _claim(folder, kind)
        _make_folder(folder)
    with _failures_as_output_errors(folder), _gone_if_empty(folder), one_writer(folder):
        made: list[Path] = []
        try:
            for name, row in manifest["arrays"].items():
                made.append(_new_file(folder, name))
                shutil.copyfile(origin / row["file"], made[-1])
                sync_path(made[-1])
                row["file"] = made[-1].name
        except OSError:
            for file in made:
                file.unlink(missing_ok=True)
            raise
        _switch_manifest(folder, manifest)
        _remove_unused(folder, manifest["arrays"])


def _make_folder(folder: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        sync_path(folder.parent)


def _empty_manifest(kind: str, version: int) -> dict[str, Any]:
    return {
        "format": "isogloss",
        "kind": kind,
        "version": version,
        "made_by": f"isogloss {__version__}",
        "attributes": {},
        "arrays": {},
    }


def add_arrays(path: StrPath, *, kind: str, version: int, arrays: Mapping[str, Array]) -> None:
    """Add arrays to a stored folder, or replace those of the same name; the others stay."""
    folder = Path(path)
    _read_manifest(folder, kind, version)
    with _failures_as_output_errors(folder), one_writer(folder):
        manifest = _read_manifest(folder, kind, version)
        manifest["arrays"].update(_write_arrays(folder, arrays))
        _switch_manifest(folder, manifest)
        _remove_unused(folder, manifest["arrays"])


def update_folder(
    path: StrPath,
    *,
    kind: str,
    version: int,
    change: Callable[[ArrayFolder], tuple[Mapping[str, Array], Collection[str], Mapping[str, Any]]],
    create: bool = False,
) -> None:
    """Change a stored folder in one step.

    ``change`` gets the current folder, while no other writer is active, and returns arrays to add or replace,
    names of arrays to drop, and the new attributes. If it raises an error, nothing changes. With ``create``,
    a folder in which nothing is stored yet counts as one without arrays and attributes.
    """
    folder = Path(path)
    if create:
        with _failures_as_output_errors(folder):
            _make_folder(folder)
    else:
        _read_manifest(folder, kind, version)
    with _failures_as_output_errors(folder), one_writer(folder):
        if create and not (folder / _MANIFEST).exists():
            manifest = _empty_manifest(kind, version)
            added, dropped, attributes = change(_opened(folder, manifest, {}))
        else:
            added, dropped, attributes = change(open_folder(folder, kind=kind, version=version))
            manifest = _read_manifest(folder, kind, version)
        for name in dropped:
            manifest["arrays"].pop(name, None)
        manifest["arrays"].update(_write_arrays(folder, added))
        manifest["attributes"] = dict(attributes)
        _switch_manifest(folder, manifest)
        _remove_unused(folder, manifest["arrays"])


def content_hash(path: StrPath) -> str:
    """A hash of the content of a stored folder, the same for every copy; reads only the manifest."""
    manifest = _read_manifest(Path(path), None, None)
    arrays = {
        name: [row.get("dtype"), row.get("shape"), row.get("sha256")]
        for name, row in manifest["arrays"].items()
    }
    what = {"kind": manifest["kind"], "attributes": manifest["attributes"], "arrays": arrays}
    return hashlib.sha256(_canonical(what)).hexdigest()


def open_folder(path: StrPath, *, kind: str | None = None, version: int | None = None) -> ArrayFolder:
    """Open a stored folder of the given kind, up to the given format version; any if not given.

    Checks the manifest against its own checksum and the size of every file. The content of the files is
    not read: ``verify_folder`` does that.
    """
    folder = Path(path)
    return _opened(folder, *_map_arrays(folder, kind, version))


def _opened(folder: Path, manifest: Mapping[str, Any], arrays: Mapping[str, Array]) -> ArrayFolder:
    return ArrayFolder(
        path=folder,
        kind=manifest["kind"],
        version=manifest["version"],
        arrays=arrays,
        attributes=manifest["attributes"],
        made_by=manifest["made_by"],
    )


def verify_folder(path: StrPath) -> int:
    """Check all content of a stored folder against its checksums; return the number of arrays."""
    folder = Path(path)
    manifest, arrays = _map_arrays(folder, None, None)
    for name, array in arrays.items():
        row = manifest["arrays"][name]
        if hashlib.sha256(_bytes_of(array)).hexdigest() != row["sha256"]:
            raise ModelFormatError(
                f"the array '{name}' is damaged (its checksum differs)",
                folder / row["file"],
                "rebuild it or restore it from a backup",
            )
    return len(arrays)


def _claim(folder: Path, kind: str) -> None:
    if folder.is_file():
        raise OutputError("is a file", folder, "a folder is needed here; choose another name")
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    try:
        held = _read_manifest(folder, None, None)["kind"]
    except (ModelFormatError, InputFileError):
        # A writer that was killed before its first manifest leaves only its own files.
        if all(_is_ours(item.name) for item in folder.iterdir()):
            return
        held = None
    if held != kind:
        what = f"a stored '{held}'" if held else "something that isogloss did not write"
        raise OutputError(f"the folder holds {what}", folder, "choose a new or empty folder")


def _is_ours(name: str) -> bool:
    return (
        name == _RESOURCES or _FILE_NAME.fullmatch(name) is not None or _PARTIAL.fullmatch(name) is not None
    )


def _bytes_of(array: Array) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _new_file(folder: Path, name: str) -> Path:
    return folder / f"{name}-{secrets.token_hex(4)}.bin"


def _write_arrays(folder: Path, arrays: Mapping[str, Array]) -> dict[str, dict[str, Any]]:
    for name, array in arrays.items():
        if array.dtype.newbyteorder("<").str not in _DTYPES:
            raise TypeError(f"array '{name}' has type {array.dtype}, which is not stored")
        if not _FILE_NAME.fullmatch(f"{name}-00000000.bin"):
            raise ValueError(f"array name {name!r}: only letters, digits, '_' and '.' are stored")
    table: dict[str, dict[str, Any]] = {}
    for name, array in arrays.items():
        dtype = array.dtype.newbyteorder("<")
        data = _bytes_of(array.astype(dtype, copy=False))
        file = _new_file(folder, name)
        try:
            with file.open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError:
            file.unlink(missing_ok=True)
            for row in table.values():
                (folder / row["file"]).unlink(missing_ok=True)
            raise
        table[name] = {
            "file": file.name,
            "dtype": dtype.str,
            "shape": list(array.shape),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
    return table


def _canonical(manifest: Mapping[str, Any]) -> bytes:
    return json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode()


def _switch_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    manifest = json.loads(json.dumps(manifest))  # as it will be read: keys are strings, tuples are lists
    manifest.pop("checksum", None)
    manifest["checksum"] = hashlib.sha256(_canonical(manifest)).hexdigest()
    partial = folder / f".{_MANIFEST}.{secrets.token_hex(4)}.part"
    try:
        with partial.open("x", encoding="utf-8") as stream:
            json.dump(manifest, stream, indent=1)
            stream.write("\n")
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(folder / _MANIFEST)
        sync_path(folder)  # before the files of the old version go
    finally:
        partial.unlink(missing_ok=True)


def _remove_unused(folder: Path, table: Mapping[str, Mapping[str, Any]]) -> None:
    used = {row["file"] for row in table.values()}
    for item in folder.iterdir():
        if _is_ours(item.name) and item.name not in used:
            # If a mapped file cannot be removed (Windows), the next writer removes it.
            with contextlib.suppress(OSError):
                item.unlink()


def _read_manifest(folder: Path, kind: str | None, version: int | None) -> dict[str, Any]:
    path = folder / _MANIFEST
    try:
        text = read_regular(path, at_most=_MOST_MANIFEST)
    except FileNotFoundError:
        if not folder.exists():
            raise InputFileError("No such file or directory", folder) from None
        raise ModelFormatError(f"no {_MANIFEST} here", folder, "give a folder written by isogloss") from None
    except NotADirectoryError:
        raise InputFileError("is a file", folder, "give a folder written by isogloss") from None
    except OSError as error:
        raise InputFileError(error.strerror or str(error), path) from None
    try:
        manifest = json.loads(text)
        checksum = manifest.pop("checksum")
        intact = checksum == hashlib.sha256(_canonical(manifest)).hexdigest()
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise ModelFormatError("is not a manifest of isogloss", path) from None
    if not intact or manifest.get("format") != "isogloss":
        raise ModelFormatError(
            "the manifest is damaged or was edited", path, "rebuild it or restore it from a backup"
        )
    if not _is_sound(manifest):
        raise ModelFormatError("the manifest is inconsistent", path)
    if kind is not None and manifest["kind"] != kind:
        raise ModelFormatError(f"holds a stored '{manifest['kind']}', not a '{kind}'", folder)
    if version is not None and manifest["version"] > version:
        raise ModelFormatError(
            f"format version {manifest['version']} is newer than this version of isogloss supports "
            f"({version})",
            folder,
            "upgrade isogloss",
        )
    return dict(manifest)


def read_regular(path: Path, *, at_most: int) -> bytes:
    """Read a file of a stored folder; a link, a pipe, a device or a file that is too large is an error."""
    with os.fdopen(_open_regular(path), "rb") as stream:
        if os.fstat(stream.fileno()).st_size > at_most:
            raise ModelFormatError(f"is larger than {at_most:,} bytes", path, "restore it from a backup")
        return stream.read()


def check_regular(path: Path) -> None:
    """Raise an error if a file of a stored folder is a link, a pipe or a device; a missing one is none."""
    try:
        os.close(_open_regular(path))
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputFileError(error.strerror or str(error), path) from None


def _open_regular(path: Path) -> int:
    """Open a regular file to read; raises OSError or ModelFormatError."""
    try:
        # A named pipe must not make us wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        found = "a symbolic link"
    else:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        found = "not a regular file"
    raise ModelFormatError(
        f"is {found}", path, "stored folders contain regular files only; copy the file here"
    )


def _is_sound(manifest: Mapping[str, Any]) -> bool:
    return (
        isinstance(manifest.get("kind"), str)
        and isinstance(manifest.get("made_by"), str)
        and isinstance(manifest.get("version"), int)
        and isinstance(manifest.get("attributes"), dict)
        and isinstance(manifest.get("arrays"), dict)
        and all(isinstance(row, dict) for row in manifest["arrays"].values())
    )


def _map_arrays(
    folder: Path, kind: str | None, version: int | None
) -> tuple[dict[str, Any], dict[str, Array]]:
    manifest = _read_manifest(folder, kind, version)
    for _ in range(_READ_ATTEMPTS):
        try:
            return manifest, {name: _map_array(folder, name, row) for name, row in manifest["arrays"].items()}
        except ModelFormatError:
            # A writer may have replaced the folder between reading the manifest and reading a file.
            old, manifest = manifest, _read_manifest(folder, kind, version)
            if old == manifest:
                raise
    raise ModelFormatError(
        "keeps changing while it is read", folder, "wait until no other process is writing to it"
    )


def _map_array(folder: Path, name: str, row: Mapping[str, Any]) -> Array:
    file, dtype, shape = row.get("file"), row.get("dtype"), row.get("shape")
    if not (
        isinstance(file, str)
        and _FILE_NAME.fullmatch(file) is not None
        and isinstance(dtype, str)
        and dtype in _DTYPES
        and isinstance(shape, list)
        and len(shape) <= _MOST_DIMENSIONS
        and all(type(n) is int and 0 <= n < 1 << 62 for n in shape)  # true is an instance of int
        and isinstance(row.get("sha256"), str)
    ):
        raise ModelFormatError(f"the manifest entry for '{name}' is invalid", folder / _MANIFEST)
    path = folder / file
    try:
        descriptor = _open_regular(path)
    except OSError as error:
        raise ModelFormatError(f"the array '{name}' is missing ({error.strerror})", path) from None
    with os.fdopen(descriptor, "rb") as stream:
        return _mapped(stream, name, path, np.dtype(dtype), shape)


def _mapped(stream: IO[bytes], name: str, path: Path, dtype: np.dtype[Any], shape: list[int]) -> Array:
    expected = math.prod(shape) * dtype.itemsize
    found = os.fstat(stream.fileno()).st_size
    content = b""
    if found == expected <= _COPIED:
        content = stream.read()
        found = len(content)
    if found != expected:
        raise ModelFormatError(
            f"the array '{name}' has {found} bytes, {expected} expected",
            path,
            "the file was truncated or replaced; rebuild it or restore it from a backup",
        )
    try:
        flat = np.memmap(stream, dtype=dtype, mode="r") if found > _COPIED else np.frombuffer(content, dtype)
        flat.flags.writeable = False
        return flat.reshape(shape).view(np.ndarray)
    except (OSError, ValueError) as error:
        raise ModelFormatError(f"the array '{name}' cannot be mapped ({error})", path) from None


@contextlib.contextmanager
def _gone_if_empty(folder: Path) -> Iterator[None]:
    """If nothing could be written, remove the empty folder, which would look like a result."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OSError):  # it holds something
            folder.rmdir()
        raise


@contextlib.contextmanager
def _failures_as_output_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if isinstance(error, UserError):
            raise
        raise OutputError(error.strerror or str(error), folder) from None
