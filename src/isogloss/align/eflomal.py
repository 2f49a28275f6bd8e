"""Eflomal (Östling & Tiedemann 2016) as an alternative aligner; an optional extra, because its license is the
GPL."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isogloss.align.bitext import EncodedPairs
from isogloss.align.links import Alignments, symmetrize
from isogloss.align.options import LinkOptions
from isogloss.align.train import usable_pairs
from isogloss.io.errors import InternalError, MissingExtraError

__all__ = ["align_with_eflomal", "require_eflomal"]


def require_eflomal() -> None:
    """Raise an error that says how to install eflomal if it is missing."""
    try:
        import eflomal  # noqa: F401
    except ImportError:
        raise MissingExtraError("aligning with eflomal", "eflomal") from None


def align_with_eflomal(pairs: EncodedPairs, options: LinkOptions) -> Alignments:
    """Align with eflomal's defaults and symmetrize; it draws random numbers that cannot be seeded.

    It gets word ids instead of words, so that both agree on word boundaries.
    """
    require_eflomal()
    import eflomal

    usable = usable_pairs(pairs, options.max_length)
    with tempfile.TemporaryDirectory(prefix="isogloss-") as folder:
        forward, backward = Path(folder) / "forward", Path(folder) / "backward"
        try:
            eflomal.Aligner().align(
                _numbered(pairs.source, pairs.source_offsets, usable),
                _numbered(pairs.target, pairs.target_offsets, usable),
                links_filename_fwd=str(forward),
                links_filename_rev=str(backward),
            )
            both = Alignments.read(forward), Alignments.read(backward)
        except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
            raise InternalError(f"eflomal failed: {error}") from error
    found = symmetrize(*both, options.method)
    if len(found) != int(usable.sum()):
        raise InternalError(f"eflomal aligned {len(found)} of {int(usable.sum())} sentence pairs")
    sizes = np.zeros(len(pairs), np.int64)
    sizes[usable] = np.diff(found.offsets)
    return Alignments(found.links, np.concatenate([[0], np.cumsum(sizes)]))


def _numbered(
    words: npt.NDArray[np.uint32], offsets: npt.NDArray[np.int64], usable: npt.NDArray[np.bool_]
) -> Iterator[str]:
    for pair in np.flatnonzero(usable).tolist():
        yield " ".join(map(str, words[offsets[pair] : offsets[pair + 1]].tolist())) + "\n"
