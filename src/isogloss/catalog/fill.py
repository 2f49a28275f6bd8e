"""Fill the untranslated entries of a catalog."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from isogloss.catalog.checks import fault
from isogloss.catalog.messages import Draft, EntryState, MessageTranslator
from isogloss.catalog.options import FillOptions
from isogloss.catalog.po import PoCatalog
from isogloss.catalog.xml import TmxCatalog, XliffCatalog
from isogloss.corpus.formats import detect_format
from isogloss.corpus.languages import base_language, declared_language, language_tag
from isogloss.corpus.placeholders import ALL_KINDS, Protector
from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, atomic_bytes, atomic_output, check_output

__all__ = ["Catalog", "Filled", "Unfilled", "fill_catalog", "open_catalog"]


class Catalog(Protocol):
    """A file with messages, some of them untranslated."""

    @property
    def translated(self) -> int:
        """Number of entries that are left unchanged."""

    @property
    def language(self) -> str:
        """Target language that the file declares; empty if it declares none."""

    def messages(self) -> list[str]:
        """Return the messages to translate."""

    def places(self) -> list[int]:
        """Return the line of the file on which each message begins."""

    def entries(self) -> list[int]:
        """Return a number for the entry of each message; the forms of a plural entry share it."""

    def contexts(self) -> list[str]:
        """Return the context of each message, in which the same source may have another translation."""

    def formats(self) -> list[frozenset[str]]:
        """Return the flags of each message that say how a program uses it: ``c-format``, …"""

    def targets(self) -> list[str]:
        """Return the translation that each message has already; empty if none."""

    def states(self) -> list[EntryState]:
        """Return how far each message is."""

    def refuses(self, text: str) -> str:
        """Return why a translation cannot be written to the file; empty if it can."""

    def filled(self, drafts: Sequence[Draft | None]) -> bytes:
        """Return the file with the drafts filled in; messages without a draft stay unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfilled:
    """A message that was not filled, and the reason."""

    line: int
    message: str
    draft: Draft
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """Result of filling a catalog."""

    translated: int
    """Number of entries that already had a translation and were left unchanged."""
    lines: Sequence[int]
    messages: Sequence[str]
    drafts: Sequence[Draft]
    unfilled: Sequence[Unfilled] = ()
    """Messages whose drafts were not written."""
    other_language: str = ""
    """Target language that the file declares, if the engine writes another one."""
    fuzzy: int = 0
    """Number of fuzzy entries (XLIFF: entries that need work) that were left unchanged."""

    @property
    def confidence(self) -> float:
        """Mean confidence of the drafts; 1 if there are none."""
        return sum(draft.confidence for draft in self.drafts) / len(self.drafts) if self.drafts else 1.0

    def write_confidence(self, path: StrPath) -> None:
        """Write the drafts as a table, least confident first."""
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
    """Translate the untranslated entries of a PO, XLIFF or TMX file, and write the result to ``output``.

    Everything else, including existing translations, is preserved byte for byte. Drafts are marked as fuzzy
    in PO files, as needing review in XLIFF, and with a property in TMX. A draft that could break a program
    (a placeholder is missing, a tag is not closed) is not written.
    """
    options = options or FillOptions()
    for written_to in (output, options.confidence):
        if written_to is not None:
            check_output(written_to)
    catalog = open_catalog(path, options, target_language=translator.target_language)
    everything = open_catalog(path, options, target_language=translator.target_language, everything=True)
    messages, lines = catalog.messages(), catalog.places()
    drafts = translator.translate(messages, contexts=catalog.contexts(), track=track)
    reasons = _reasons(catalog, messages, drafts, options)
    entries = catalog.entries()
    written = [None if entry in reasons else draft for entry, draft in zip(entries, drafts, strict=True)]
    atomic_bytes(output, catalog.filled(written))
    rows = list(zip(lines, messages, drafts, strict=True))
    good = [row for entry, row in zip(entries, rows, strict=True) if entry not in reasons]
    filled = Filled(
        translated=catalog.translated,
        other_language=_other(catalog.language, translator.target_language),
        fuzzy=0 if options.replace_fuzzy else _fuzzy(everything),
        lines=[line for line, _, _ in good],
        messages=[message for _, message, _ in good],
        drafts=[draft for _, _, draft in good],
        unfilled=[
            Unfilled(line=line, message=message, draft=draft, reason=reasons[entry])
            for entry, (line, message, draft) in zip(entries, rows, strict=True)
            if entry in reasons
        ],
    )
    if options.confidence is not None:
        filled.write_confidence(options.confidence)
    return filled


def _other(declared: str, written: str) -> str:
    """Return the declared language if it is another one than the engine writes, dialects aside."""
    tag = declared_language(declared)
    same = not tag or not written or base_language(tag) == base_language(language_tag(written) or written)
    return "" if same else declared


def _fuzzy(catalog: Catalog) -> int:
    """Return the number of entries that are translated but unfinished."""
    states = zip(catalog.entries(), catalog.states(), strict=True)
    return len({entry for entry, state in states if state == "fuzzy"})


def open_catalog(
    path: StrPath, options: FillOptions, *, target_language: str = "", everything: bool = False
) -> Catalog:
    """Open a PO, XLIFF or TMX file; its messages are those that the options fill, or with ``everything`` all.

    ``target_language`` is for a TMX file, if the options name none, and for an XLIFF file that declares none.
    """
    format = detect_format(path, look_inside=True).name
    if format == "po":
        return PoCatalog(path, options, everything=everything)
    if format in ("xliff", "xliff2"):
        return XliffCatalog(path, options, everything=everything, target_language=target_language)
    if format == "tmx":
        target = options.target_language or target_language
        return TmxCatalog(path, options.source_language, target, options, everything=everything)
    raise ConfigError(f"{path}: neither a PO, nor an XLIFF, nor a TMX file")


def _reasons(
    catalog: Catalog, messages: Sequence[str], drafts: Sequence[Draft], options: FillOptions
) -> dict[int, str]:
    """Return why entries are not filled, by entry. One plural form that fails blocks the whole entry."""
    found: dict[int, str] = {}
    protector = Protector(ALL_KINDS)
    rows = zip(catalog.entries(), messages, drafts, catalog.formats(), strict=True)
    for entry, message, draft, formats in rows:
        reason = fault(message, draft.text, protector, formats) or catalog.refuses(draft.text)
        if not draft.whole:
            reason = "a part of it could not be translated with its placeholders intact"
        if not reason and draft.confidence < options.min_confidence:
            reason = f"confidence {draft.confidence:.2f} is below {options.min_confidence:g}"
        if reason:
            found.setdefault(entry, reason)
    return found
