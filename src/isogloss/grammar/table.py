"""Stored rule tables."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss import _engine
from isogloss.grammar.storage import KIND, VERSION
from isogloss.io.errors import ModelFormatError, UserError
from isogloss.io.streams import StrPath
from isogloss.storage.folder import ArrayFolder, open_folder

__all__ = ["Rule", "RuleTable"]

_TABLE_ARRAYS = (
    "nodes",
    "slots",
    "rules",
    "links",
    "phrase_ends",
    "phrase_words",
    "scores",
    "orientation",
    "counts",
)
_TARGET_GAPS = ((), ("[X,1]",), ("[X,1]", "[X,2]"), ("[X,2]", "[X,1]"))
_GAPS = ("[X,1]", "[X,2]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule as words; non-terminals are ``[X,1]`` and ``[X,2]``, numbered in source order."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[tuple[int, int], ...]
    """Pairs of source symbol and target word, in the order of target words."""
    scores: Mapping[str, float]
    """Natural logarithms by column name."""
    orientation: tuple[float, ...]
    """log p of previous monotone, swap, discontinuous, then of next; empty if the table has none."""
    counts: tuple[float, ...]
    """Count of the rule, of its source side, of its target side, times seen; empty if the table has none."""


class RuleTable:
    """A rule table mapped into memory; opening takes milliseconds for any size."""

    def __init__(self, folder: ArrayFolder) -> None:
        self.path: Path = folder.path
        self.attributes: Mapping[str, Any] = folder.attributes
        self._folder = folder
        with self.report_corruption():
            columns = folder.attributes["columns"]
            if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
                raise ValueError("the names of the score columns are invalid")
            self.columns: tuple[str, ...] = tuple(columns)
            self.source_words = self._vocabulary("source")
            self.target_words = self._vocabulary("target")
            self.engine = _engine.RuleTable(
                {name: folder.arrays[name].reshape(-1) for name in _TABLE_ARRAYS if name in folder.arrays},
                columns=len(self.columns),
                source_words=len(self.source_words),
                target_words=len(self.target_words),
                longest_probe=int(folder.attributes["longest_probe"]),
            )

    @classmethod
    def open(cls, path: StrPath) -> RuleTable:
        """Open a stored table."""
        return cls(open_folder(path, kind=KIND, version=VERSION))

    def __len__(self) -> int:
        return self.engine.rule_count

    @property
    def has_orientation(self) -> bool:
        """Whether rules carry orientation probabilities."""
        return "orientation" in self._folder.arrays

    @property
    def orientation_model(self) -> str:
        """What orientations are measured against: ``hier``, ``phrase`` or ``word``; see ``RuleOptions``."""
        extraction = self.attributes.get("extraction") or {}
        return str(self.attributes.get("orientation", extraction.get("orientation", "hier")))

    @property
    def arrays(self) -> Mapping[str, Any]:
        """The stored arrays, mapped."""
        return self._folder.arrays

    def lexicon(self) -> _engine.LexiconView | None:
        """Word translation probabilities, if the table was extracted with them."""
        arrays = self._folder.arrays
        if "lexicon_offsets" not in arrays:
            return None
        with self.report_corruption():
            return _engine.LexiconView(
                arrays["lexicon_offsets"],
                arrays["lexicon_targets"],
                arrays["lexicon_probabilities"].reshape(-1),
            )

    def summary(self) -> dict[str, Any]:
        """The size of the table and how it was made."""
        return {
            **self.attributes,
            "rules": len(self),
            "source_words": len(self.source_words),
            "target_words": len(self.target_words),
        }

    def lookup(self, source: str | Sequence[str]) -> list[Rule]:
        """The rules of a source side, most probable translation first.

        Text is split at ASCII whitespace, like corpora. ``[X,1]`` and ``[X,2]`` are non-terminals.
        """
        if isinstance(source, str):
            source = [word.decode() for word in source.encode().split()]
        symbols = [_engine.GAP if word in _GAPS else self.source_words.find(word) for word in source]
        node = self.engine.find(symbols) if symbols else 0
        return list(self._rules_of(node)) if node else []

    def match(self, sentence: Sequence[str], *, max_span: int = 15) -> list[tuple[Rule, int, int]]:
        """All rules whose source side matches the sentence, with the spans they cover.

        For inspection only; the search matches rules in the engine.
        """
        words, _ = self.source_words.encode([sentence], grow=False)
        found = []
        with self.report_corruption():
            for node, begin, end, _gaps in self.engine.match(words, max_span=max_span):
                found += [(rule, begin, end) for rule in self._rules_of(node)]
        return found

    def rules(self) -> Iterator[Rule]:
        """Every rule, in stored order."""
        for node in range(self.engine.node_count):
            yield from self._rules_of(node)

    def _rules_of(self, node: int) -> Iterator[Rule]:
        with self.report_corruption():
            first, last = self.engine.rules(node)
            if first == last:
                return
            gaps = iter(_GAPS)
            source = tuple(
                next(gaps, "[X]") if symbol == _engine.GAP else self.source_words.word(symbol)
                for symbol in self.engine.symbols(node)
            )
            for number in range(first, last):
                words, shape, links, scores, orientation, counts = self.engine.rule(number, node)
                yield Rule(
                    source=source,
                    target=(*map(self.target_words.word, words), *_TARGET_GAPS[shape]),
                    links=tuple(links),
                    scores=dict(zip(self.columns, scores, strict=True)),
                    orientation=tuple(orientation),
                    counts=tuple(counts),
                )

    def _vocabulary(self, side: str) -> _engine.Vocabulary:
        arrays = self._folder.arrays
        return _engine.Vocabulary.from_arrays(arrays[f"{side}_word_bytes"], arrays[f"{side}_word_offsets"])

    @contextlib.contextmanager
    def report_corruption(self) -> Iterator[None]:
        """Add the path of the table to the engine's errors about its content."""
        try:
            yield
        except (LookupError, ValueError, TypeError, AttributeError, ArithmeticError, RuntimeError) as error:
            # RuntimeError: a word that is not UTF-8.
            if isinstance(error, UserError):
                raise
            raise ModelFormatError(
                f"the rule table is damaged ({error})", self.path, "rebuild it or restore it from a backup"
            ) from None
