"""What somebody has changed in a catalog that an engine filled, or could have filled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.corpus.formats import split_files
from isogloss.corpus.pairs import Reading, ReadOptions
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath

if TYPE_CHECKING:
    from isogloss.decoder.system import System

__all__ = ["edited_pairs"]


def edited_pairs(
    system: System, path: StrPath, *, threads: int = 1, track: Track = no_track
) -> tuple[list[tuple[str, str]], int]:
    """The finished pairs of a PO, XLIFF, TMX or TSV file that the system would translate otherwise, and how
    many it would translate the same. Drafts (fuzzy, in need of review) are no corrections."""
    files, _ = split_files([path])
    read = files.read(ReadOptions(keep_markup=True), Reading())
    finished: dict[str, list[str]] = {}
    for pair in read:
        if pair.source.strip() and pair.target.strip():
            finished.setdefault(pair.source, []).append(pair.target)
    translations = track(system.translate(finished, threads=threads), "translating", len(finished))
    pairs = [
        (source, targets[-1])
        for (source, targets), translation in zip(finished.items(), translations, strict=True)
        if translation not in targets  # a catalog may have several, for other contexts
    ]
    return pairs, len(finished) - len(pairs)
