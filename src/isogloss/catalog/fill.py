"""From a catalog with gaps to one without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from isogloss.catalog.checks import fault
from isogloss.catalog.messages import Draft, MessageTranslator
from isogloss.catalog.options import FillOptions
from isogloss.catalog.po import PoCatalog
from isogloss.catalog.xml import TmxCatalog, XliffCatalog
from isogloss.corpus.formats import detect_format
from isogloss.corpus.placeholders import ALL_KINDS, Protector
from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, atomic_bytes, atomic_output

__all__ = ["Filled", "Unfilled", "fill_catalog"]


class Catalog(Protocol):
    """A file with messages, some of them without a translation."""

    @property
    def translated(self) -> int:
        """Entries that are left as they are."""

    def messages(self) -> list[str]:
        """What is to be translated."""

    def places(self) -> list[int]:
        """The line of the file that each of them begins at."""

    def formats(self) -> list[frozenset[str]]:
        """Flags of each of them that say how a program uses it: ``c-format``, …"""

    def refuses(self, text: str) -> str:
        """Why a translation cannot be written into the file; empty if it can."""

    def filled(self, drafts: Sequence[Draft | None]) -> bytes:
        """The file with translations in their places; what has none stays as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfilled:
    """A message that stays as it is, and why."""

    line: int
    message: str
    draft: Draft
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What was done to a catalog."""

    translated: int
    """Entries that had a translation and were left as they were."""
    lines: Sequence[int]
    messages: Sequence[str]
    drafts: Sequence[Draft]
    unfilled: Sequence[Unfilled] = ()
    """Messages whose drafts were not written."""

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

    Everything else in it stays as it is, byte for byte, translated entries above all. What is filled is
    marked: as fuzzy in a PO file, as in need of a review in XLIFF, by a property in TMX. A draft that a
    program would stumble over (a placeholder is lost, a tag is not closed) is not written.
    """
    options = options or FillOptions()
    format = detect_format(path, look_inside=True).name
    catalog: Catalog
    if format == "po":
        catalog = PoCatalog(path, options)
    elif format in ("xliff", "xliff2"):
        catalog = XliffCatalog(path, options)
    elif format == "tmx":
        target = options.target_language or translator.target_language
        catalog = TmxCatalog(path, options.source_language, target, options)
    else:
        raise ConfigError(f"{path}: neither a PO, nor an XLIFF, nor a TMX file")
    messages, lines = catalog.messages(), catalog.places()
    drafts = translator.translate(messages, track=track)
    reasons = _reasons(catalog, messages, drafts, options)
    written = [None if line in reasons else draft for line, draft in zip(lines, drafts, strict=True)]
    atomic_bytes(output, catalog.filled(written))
    rows = list(zip(lines, messages, drafts, strict=True))
    good = [row for row in rows if row[0] not in reasons]
    filled = Filled(
        translated=catalog.translated,
        lines=[line for line, _, _ in good],
        messages=[message for _, message, _ in good],
        drafts=[draft for _, _, draft in good],
        unfilled=[
            Unfilled(line=line, message=message, draft=draft, reason=reasons[line])
            for line, message, draft in rows
            if line in reasons
        ],
    )
    if options.confidence is not None:
        filled.write_confidence(options.confidence)
    return filled


def _reasons(
    catalog: Catalog, messages: Sequence[str], drafts: Sequence[Draft], options: FillOptions
) -> dict[int, str]:
    """Why entries stay as they are, by their lines; one form that cannot be written holds back the others."""
    found: dict[int, str] = {}
    protector = Protector(ALL_KINDS)
    rows = zip(catalog.places(), messages, drafts, catalog.formats(), strict=True)
    for line, message, draft, formats in rows:
        reason = fault(message, draft.text, protector, formats) or catalog.refuses(draft.text)
        if not draft.whole:
            reason = "a part of it could not be translated with its placeholders intact"
        if not reason and draft.confidence < options.min_confidence:
            reason = f"confidence {draft.confidence:.2f} is below {options.min_confidence:g}"
        if reason:
            found.setdefault(line, reason)
    return found
