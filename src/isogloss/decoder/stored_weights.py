"""The weights in the folder of a system. Dense and sparse weights change together.

    DIR/weights.tsv       dense weights; may be edited
    DIR/weights.sparse/   sparse weights, if there are any
    DIR/weights.new/      both, while they are being changed

Several files cannot be replaced in one step. So a change is first written to a folder beside them, complete,
and takes effect when that folder is renamed to ``weights.new``: from then on readers take the weights from
there. Afterwards the files themselves are replaced and ``weights.new`` is removed. If the writer is killed
meanwhile, the next one to open the system finishes the work.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from isogloss.decoder.weights import read_weights, write_weights
from isogloss.features.weights import SparseWeights
from isogloss.io.durable import move_into_place, one_writer, sync_path
from isogloss.io.errors import ModelFormatError, OutputError, UserError
from isogloss.storage.folder import check_regular

__all__ = ["SPARSE_WEIGHTS", "WEIGHTS", "change_weights", "finish_change", "is_changing", "read_stored"]

WEIGHTS, SPARSE_WEIGHTS = "weights.tsv", "weights.sparse"
_NEW = "weights.new"
_ATTEMPTS = 5
Settle = Callable[[bool], None]
"""Brings the rest of the folder up to date; gets whether there are sparse weights. May be called twice."""


def is_changing(folder: Path) -> bool:
    """Whether a change of the weights has taken effect but is not finished."""
    return (folder / _NEW).is_dir()


def read_stored(folder: Path, names: Sequence[str] | None) -> tuple[dict[str, float], SparseWeights | None]:
    """Read the weights of a system, all of them before a change or all after it."""
    for _ in range(_ATTEMPTS):
        place = folder / _NEW if is_changing(folder) else folder
        before = _stamp(folder)
        try:
            check_regular(place / WEIGHTS)
            dense = read_weights(place / WEIGHTS, names)
            sparse = place / SPARSE_WEIGHTS
            found = SparseWeights.open(sparse) if sparse.exists() else None
        except UserError:
            if _stamp(folder) == before:
                raise
            continue
        if _stamp(folder) == before:
            return dense, found
    raise ModelFormatError(
        "keeps changing while it is read", folder, "wait until no other process is writing to it"
    )


def _stamp(folder: Path) -> list[tuple[int, int] | None]:
    """What changes whenever the weights do."""
    found: list[tuple[int, int] | None] = []
    for name in (_NEW, WEIGHTS, f"{SPARSE_WEIGHTS}/manifest.json"):
        try:
            facts = (folder / name).stat()
        except OSError:
            found.append(None)
        else:
            found.append((facts.st_ino, facts.st_mtime_ns))
    return found


def change_weights(
    folder: Path, weights: Mapping[str, float], sparse: SparseWeights | None, settle: Settle
) -> None:
    """Replace the weights of a system in one step; sparse weights that are not given are removed."""
    try:
        with one_writer(folder):
            _finish(folder, settle)
            for left in folder.glob(".weights.*"):  # by killed writers
                shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)
            partial = folder / f".weights.{secrets.token_hex(4)}"
            try:
                partial.mkdir()
                write_weights(partial / WEIGHTS, weights)
                if sparse is not None:
                    sparse.save(partial / SPARSE_WEIGHTS)
                move_into_place(partial, folder / _NEW, partial)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
            _finish(folder, settle)
    except OSError as error:
        if isinstance(error, UserError):
            raise
        raise OutputError(error.strerror or str(error), folder) from None


def finish_change(folder: Path, settle: Settle) -> None:
    """Finish the change of a writer that was killed; do nothing if the folder cannot be written."""
    if is_changing(folder):
        try:
            with one_writer(folder):
                _finish(folder, settle)
        except OSError:
            return  # read-only: readers look into it


def _finish(folder: Path, settle: Settle) -> None:
    new = folder / _NEW
    if not new.is_dir():
        return
    sparse = new / SPARSE_WEIGHTS
    if sparse.exists():
        SparseWeights.open(sparse).save(folder / SPARSE_WEIGHTS)
    settle(sparse.exists())
    if not sparse.exists():
        shutil.rmtree(folder / SPARSE_WEIGHTS, ignore_errors=True)
    write_weights(folder / WEIGHTS, read_weights(new / WEIGHTS))
    done = folder / f".weights.{secrets.token_hex(4)}"
    new.rename(done)
    sync_path(folder)
    shutil.rmtree(done, ignore_errors=True)
