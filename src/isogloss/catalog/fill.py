"""From a catalog with gaps to one without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol

from isogloss.catalog.messages import Draft, MessageTranslator
from isogloss.catalog.po import PoCatalog
from isogloss.catalog.xml import TmxCatalog, XliffCatalog
from isogloss.corpus.formats import detect_format
from isogloss.io.errors import ConfigError
from isogloss.io.options import DefaultText, Options
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, atomic_output

__all__ = ["FillOptions", "Filled", "fill_catalog"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FillOptions(Options):
    """How a catalog is filled."""

    source_language: Annotated[str, DefaultText("what the file says")] = ""
    """Source language of a TMX file, such as ``en``."""
    target_language: Annotated[str, DefaultText("the language that the engine writes")] = ""
    """Target language of a TMX file, such as ``de``."""
    terms: StrPath | None = None
    """Terminology file: term TAB translation, one per line."""
    confidence: StrPath | None = None
    """Write a TSV file here with line, confidence, message and translation of each draft, the least sure
    first."""


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

    def write_confidence(self, path: StrPath) -> None:
        """Write the drafts as a table, the least sure first."""
        rows = zip(self.lines, self.messages, self.drafts, strict=True)
        with atomic_output(path) as stream:
            stream.write("line\tconfidence\tmessage\ttranslation\n")
            for line, message, draft in sorted(rows, key=lambda row: (row[2].confidence, row[0])):
                texts = (" ".join(text.split()) for text in (message, draft.text))
                stream.write("\t".join([str(line), f"{draft.confidence:.3f}", *texts]) + "\n")


def fill_catalog(
    path: StrPath,
    output: StrPath,
    translator: MessageTranslator,
    options: FillOptions | None = None,
    *,
    track: Track = no_track,
) -> Filled:
    """Translate what has no translation in a PO, XLIFF or TMX file, and write the file elsewhere.

    Everything else in it stays as it is, translated entries above all. What is filled is marked: as fuzzy in
    a PO file, as in need of a review in XLIFF, by a property in TMX.
    """
    options = options or FillOptions()
    format = detect_format(path, look_inside=True).name
    catalog: Catalog
    if format == "po":
        catalog = PoCatalog(path)
    elif format in ("xliff", "xliff2"):
        catalog = XliffCatalog(path)
    elif format == "tmx":
        catalog = TmxCatalog(
            path, options.source_language, options.target_language or translator.target_language
        )
    else:
        raise ConfigError(f"{path}: neither a PO, nor an XLIFF, nor a TMX file")
    messages = catalog.messages()
    drafts = translator.translate(messages, track=track)
    with atomic_output(output) as stream:
        stream.write(catalog.filled(drafts))
    filled = Filled(translated=catalog.translated, lines=catalog.places(), messages=messages, drafts=drafts)
    if options.confidence is not None:
        filled.write_confidence(options.confidence)
    return filled
