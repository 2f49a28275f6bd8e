"""From a catalog with gaps to one without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from isogloss.catalog.messages import Draft, MessageTranslator
from isogloss.catalog.po import PoCatalog
from isogloss.catalog.xml import TmxCatalog, XliffCatalog
from isogloss.corpus.formats import detect_format
from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, atomic_output

__all__ = ["Filled", "fill_catalog"]


class Catalog(Protocol):
    """A file with messages, some of them without a translation."""

    @property
    def translated(self) -> int:
        """Entries that are left as they are."""

    def messages(self) -> list[str]:
        """What is to be translated."""

    def places(self) -> list[int]:
        """The line of the file that each of them begins at."""

    def filled(self, drafts: Sequence[Draft]) -> str:
        """The file with translations in their places."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What was done to a catalog."""

    translated: int
    """Entries that had a translation and were left as they were."""
    lines: Sequence[int]
    messages: Sequence[str]
    drafts: Sequence[Draft]

    @property
    def confidence(self) -> float:
        """The mean over what was filled; 1 if that is nothing."""
        return sum(draft.confidence for draft in self.drafts) / len(self.drafts) if self.drafts else 1.0


def fill_catalog(
    path: StrPath,
    output: StrPath,
    translator: MessageTranslator,
    *,
    source_language: str = "",
    target_language: str = "",
    track: Track = no_track,
) -> Filled:
    """Translate what has no translation in a PO, XLIFF or TMX file, and write the file elsewhere.

    Everything else in it stays as it is, translated entries above all. What is filled is marked: as fuzzy in
    a PO file, as in need of a review in XLIFF, by a property in TMX. The languages are for TMX, and count
    more than what the file says.
    """
    format = detect_format(path, look_inside=True).name
    catalog: Catalog
    if format == "po":
        catalog = PoCatalog(path)
    elif format in ("xliff", "xliff2"):
        catalog = XliffCatalog(path)
    elif format == "tmx":
        catalog = TmxCatalog(path, source_language, target_language)
    else:
        raise ConfigError(f"{path}: neither a PO, nor an XLIFF, nor a TMX file")
    messages = catalog.messages()
    drafts = translator.translate(messages, track=track)
    with atomic_output(output) as stream:
        stream.write(catalog.filled(drafts))
    return Filled(translated=catalog.translated, lines=catalog.places(), messages=messages, drafts=drafts)
