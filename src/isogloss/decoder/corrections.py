"""Corrections: translations that users have supplied. They apply from the next sentence on.

    ENGINE/corrections/                 all corrections, oldest first
    ENGINE/corrections/overlay-…/       phrase rules learned from them, searched along with the system's own

A correction and its rules take effect atomically, when the manifest is replaced. If a writer is killed, the
previous state remains. Writers wait for each other; readers never wait.
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.align.links import parse_links
from isogloss.corpus.processing import TextProcessing
from isogloss.decoder.beside import ALIGNER, CORRECTIONS, beside
from isogloss.decoder.matches import Match, refilled
from isogloss.decoder.near_examples import AlignedPair, NearExamples
from isogloss.decoder.sentence import split_words
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError, DataFormatError, InputFileError, ModelFormatError
from isogloss.storage.folder import ArrayFolder, content_hash, open_folder, update_folder

__all__ = ["Correction", "Corrections"]

KIND, VERSION = "corrections", 1
_OVERLAY = re.compile(r"overlay-[0-9a-f]{8}")
_ROWS = "rows"
_READ_ATTEMPTS = 5
_LINE_END = re.compile(r"[\n\r]+")
Draft = Callable[[list[str]], Sequence[str]]
"""Translates tokenized sentences as if there were no corrections."""
_Change = Callable[[list["Correction"], int], list["Correction"]]
"""Maps the current corrections and the next free number to the new list of corrections."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A source sentence and the translation that it must get."""

    number: int
    source: str
    target: str
    date: int = 0
    """Seconds since 1970."""
    drafts: tuple[str, ...] = field(default=(), repr=False)
    """The system's own tokenized translation of each source line; empty if not computed."""
    links: tuple[str, ...] = field(default=(), repr=False)
    """Word alignment of each line, as ``0-0 1-2``; empty if not computed."""


@dataclass(frozen=True)
class _State:
    """A snapshot of the corrections."""

    rows: tuple[Correction, ...] = ()
    overlay: RuleTable | None = None
    text: TextProcessing | None = None

    @cached_property
    def by_source(self) -> dict[str, Correction]:
        return {row.source: row for row in self.rows}

    @cached_property
    def by_tokens(self) -> dict[str, Correction]:
        return {tokens_of(row.source, self.text): row for row in self.rows}

    def current(self) -> list[Correction]:
        """Return corrections that no later correction of the same source replaces."""
        return [row for row in self.rows if self.by_source[row.source] is row]

    @cached_property
    def examples(self) -> NearExamples:
        """The lines of active corrections for near matches, the latest first."""
        aligned = [
            AlignedPair(tuple(source.split(" ")), tuple(target.split(" ")), parse_links(links))
            for row in reversed(self.current())
            for (source, target), links in zip(_lines(row, self.text), row.links, strict=False)
        ]
        return NearExamples.of(aligned, "correction")


def tokens_of(source: str, text: TextProcessing | None) -> str:
    """Return the source as the decoder sees it: tokens joined by spaces."""
    return " ".join(split_words(source if text is None else text.tokenize(source)))


class Corrections:
    """The corrections of a stored system. Safe to share between threads and processes."""

    def __init__(self, system: Path, rules: RuleTable, text: TextProcessing | None, draft: Draft) -> None:
        self._system, self._rules, self._text, self._draft = system, rules, text, draft
        self.path = beside(system, CORRECTIONS)
        self._aligner = beside(system, ALIGNER)
        self._seen: tuple[int, int] | None = None
        self._state = _State(text=text)
        self.refresh()

    def refresh(self) -> None:
        """Load changes made by other processes; cheap if there are none."""
        stamp = self._stamp()
        if stamp != self._seen:
            self._state = _State(text=self._text) if stamp is None else self._read()
            self._seen = stamp

    @property
    def overlay(self) -> RuleTable | None:
        """Rules learned from corrected phrases; the same object until they change."""
        return self._state.overlay

    @property
    def examples(self) -> NearExamples | None:
        """Aligned corrections for near matches; None if there are no corrections."""
        return self._state.examples if self._state.rows else None

    def current(self) -> list[Correction]:
        """Return the active corrections, oldest first."""
        self.refresh()
        return self._state.current()

    def find(self, source: str) -> Match | None:
        """Return the corrected translation of a source, exactly as the user typed it.

        A source also matches if it differs only in placeholders or in details that tokenization removes.
        """
        state = self._state
        if not state.rows:
            return None
        found = state.by_source.get(source)
        if found is not None:
            return Match(found.target, "correction")
        found = state.by_tokens.get(tokens_of(source, self._text))
        if found is None:
            return None
        placeholders = () if self._text is None else self._text.placeholders
        text = refilled(found.target, found.source, source, placeholders)
        return None if text is None else Match(text, "correction")

    def find_tokens(self, tokens: str, *, as_text: bool = False) -> Match | None:
        """Look up a tokenized source; the translation is returned as tokens or as text."""
        found = self._state.by_tokens.get(" ".join(split_words(tokens))) if self._state.rows else None
        if found is None:
            return None
        if as_text or self._text is None:
            return Match(found.target, "correction")
        return Match(self._text.tokenize_target(found.target, found.source), "correction")

    @property
    def why_no_phrases(self) -> str:
        """Why corrections do not affect other sentences that share a phrase; empty if they do."""
        if not self._aligner.exists():
            return (
                "the engine has no aligner, so corrections hold for the same source only, not for others "
                "that share a phrase with it; train it anew to give it one"
            )
        if self._rules.attributes.get("extraction") is None:
            return (
                "the rules of the engine were not made by 'isogloss extract', so corrections hold for the "
                "same source only, not for others that share a phrase with it"
            )
        return ""

    def add(self, pairs: Iterable[tuple[str, str]]) -> list[Correction]:
        """Add corrections in one atomic step. A pair that is already active is not added again."""
        given = list(pairs)
        for number, (source, target) in enumerate(given, start=1):
            _check(source, target, number)
        made: list[Correction] = []

        def change(rows: list[Correction], following: int) -> list[Correction]:
            now = int(time.time())
            state = _State(tuple(rows), None, self._text)
            made.clear()
            for source, target in given:
                known = state.by_source.get(source)
                if known is not None and known.target == target and known in state.current():
                    made.append(known)
                else:
                    number = following + sum(one.number >= following for one in made)
                    made.append(Correction(number=number, source=source, target=target, date=now))
            return [*rows, *dict.fromkeys(one for one in made if one.number >= following)]

        if given:
            self._change(change)
        return made

    def undo(self, which: int | str | None = None) -> Correction:
        """Undo the last correction, or the one with this number or source.

        An earlier correction of the same source becomes active again.
        """
        gone: list[Correction] = []

        def change(rows: list[Correction], following: int) -> list[Correction]:
            last = self._which(rows, which)
            gone[:] = [last]
            return [row for row in rows if row.number != last.number]

        if self._stamp() is None:
            raise ConfigError(f"{self._system}: there are no corrections to undo")
        self._change(change)
        return gone[0]

    def rebuild(self) -> None:
        """Rebuild the rules of corrected phrases if the system has changed."""
        if self._stamp() is None:
            return
        made_for = open_folder(self.path, kind=KIND, version=VERSION).attributes.get("rules")
        if made_for != content_hash(self._rules.path):
            self._change(lambda rows, following: [replace(row, drafts=(), links=()) for row in rows])

    def _which(self, rows: Sequence[Correction], which: int | str | None) -> Correction:
        if not rows:
            raise ConfigError(f"{self.path}: there are no corrections to undo")
        if which is None:
            return rows[-1]
        if isinstance(which, int):
            found = [row for row in rows if row.number == which]
        else:
            found = [row for row in rows if row.source == which]
            if not found:
                tokens = tokens_of(which, self._text)
                found = [row for row in rows if tokens_of(row.source, self._text) == tokens]
        if not found:
            what = f"the number {which}" if isinstance(which, int) else f"the source '{which}'"
            raise ConfigError(f"{self.path}: no correction has {what}")
        return found[-1]

    def _change(self, change: _Change) -> None:
        before: list[str] = []

        def work(folder: ArrayFolder) -> tuple[dict[str, Any], list[str], dict[str, Any]]:
            used = str(folder.attributes.get("overlay", ""))
            self._remove_overlays(kept=used)  # left behind by killed writers
            before[:] = [used]
            rows, following = _rows(folder), int(folder.attributes.get("next", 1))
            after = self._aligned(self._with_drafts(change(rows, following)))
            data = "".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in after)
            attributes = {
                "next": max([following, *(row.number + 1 for row in after)]),
                "overlay": self._make_overlay(after),
                "rules": content_hash(self._rules.path),
            }
            return {_ROWS: np.frombuffer(data.encode(), np.uint8)}, [], attributes

        update_folder(self.path, kind=KIND, version=VERSION, change=work, create=True)
        if before[0]:  # no new reader will open it; readers that have it mapped keep it
            shutil.rmtree(self.path / before[0], ignore_errors=True)
        self.refresh()

    def _remove_overlays(self, kept: str) -> None:
        for item in self.path.iterdir():
            if _OVERLAY.fullmatch(item.name) and item.name != kept:
                shutil.rmtree(item, ignore_errors=True)

    def _with_drafts(self, rows: Sequence[Correction]) -> list[Correction]:
        """Return the corrections, with the system's own translation added where it is missing."""
        waiting = [] if self.why_no_phrases else [row for row in rows if not row.drafts]
        pairs = [_lines(row, self._text) for row in waiting]
        made = iter(self._draft([source for some in pairs for source, _ in some]) if any(pairs) else ())
        done = {row.number: tuple(next(made) for _ in some) for row, some in zip(waiting, pairs, strict=True)}
        return [replace(row, drafts=done[row.number]) if row.number in done else row for row in rows]

    def _aligned(self, rows: Sequence[Correction]) -> list[Correction]:
        """Return the corrections, with word alignments added where they are missing."""
        waiting = [] if self.why_no_phrases else [row for row in rows if not row.links]
        pairs = [_lines(row, self._text) for row in waiting]
        flat = [pair for some in pairs for pair in some]
        if not flat:
            return list(rows)
        from isogloss.align import AlignmentModel, LinkOptions
        from isogloss.align.placeholder_links import mark_links

        found = iter(AlignmentModel.load(self._aligner).align_pairs(flat, LinkOptions()))
        done: dict[int, tuple[str, ...]] = {}
        for row, some in zip(waiting, pairs, strict=True):
            links = [mark_links(next(found), *pair) for pair in some]
            done[row.number] = tuple(" ".join(f"{i}-{j}" for i, j in one) for one in links)
        return [replace(row, links=done[row.number]) if row.number in done else row for row in rows]

    def _make_overlay(self, rows: Sequence[Correction]) -> str:
        """Write the rules of corrected phrases to a new folder; return its name, empty if there are none."""
        if self.why_no_phrases:
            return ""
        current = _State(tuple(rows), None, self._text).current()
        pairs = [pair for row in current for pair in _lines(row, self._text)]
        drafts = [draft for row in current for draft in row.drafts]
        links = [parse_links(line) for row in current for line in row.links]
        if not pairs:
            return ""
        name = f"overlay-{secrets.token_hex(4)}"
        # Only corrections with phrases need it, and translating starts sooner without.
        from isogloss.decoder.added_rules import add_rules

        add_rules(self.path / name, pairs, links, self._rules, drafts)
        return name

    def _stamp(self) -> tuple[int, int] | None:
        try:
            facts = (self.path / "manifest.json").stat()
        except OSError:
            return None
        return facts.st_mtime_ns, facts.st_ino

    def _read(self) -> _State:
        for attempt in range(_READ_ATTEMPTS):
            folder = open_folder(self.path, kind=KIND, version=VERSION)
            rows, name = _rows(folder), folder.attributes.get("overlay")
            if not name or folder.attributes.get("rules") != content_hash(self._rules.path):
                return _State(tuple(rows), None, self._text)
            if not isinstance(name, str) or not _OVERLAY.fullmatch(name):
                raise ModelFormatError("the manifest makes no sense", self.path)
            try:
                return _State(tuple(rows), RuleTable.open(self.path / name), self._text)
            except (ModelFormatError, InputFileError):
                if attempt + 1 == _READ_ATTEMPTS:  # otherwise a writer has just replaced the rules: retry
                    raise
        raise AssertionError


def _rows(folder: ArrayFolder) -> list[Correction]:
    try:
        if not folder.arrays:
            return []
        lines = folder.arrays[_ROWS].tobytes().decode().split("\n")
        rows = [json.loads(line) for line in lines if line]
        tuples = ("drafts", "links")  # earlier versions stored no links
        return [Correction(**{**row, **{name: tuple(row.get(name, ())) for name in tuples}}) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFormatError(
            f"not sound corrections ({error})", folder.path, "restore it from a copy"
        ) from None


def _lines(row: Correction, text: TextProcessing | None) -> list[tuple[str, str]]:
    """Tokenize a pair line by line; return no pairs if the two sides have different numbers of lines."""
    sources, targets = (_LINE_END.split(side.strip()) for side in (row.source, row.target))
    if len(sources) != len(targets):
        return []
    pairs = [
        (
            " ".join(split_words(source if text is None else text.tokenize(source))),
            " ".join(split_words(target if text is None else text.tokenize_target(target, source))),
        )
        for source, target in zip(sources, targets, strict=True)
    ]
    return [pair for pair in pairs if all(pair)]


def _check(source: str, target: str, number: int) -> None:
    for name, side in (("source", source), ("translation", target)):
        if not side.strip():
            raise DataFormatError(f"the {name} is empty", "corrections", number, "leave such pairs out")
        if "\0" in side or any("\ud800" <= c <= "\udfff" for c in side):
            raise DataFormatError(
                f"the {name} has a zero byte or half a surrogate pair, which are no text",
                "corrections",
                number,
                "remove it",
            )
