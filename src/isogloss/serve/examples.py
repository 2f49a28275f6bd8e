"""The examples nearest to a sentence: training text and corrections, with what differs."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from isogloss.adapt.options import RetrievalOptions
from isogloss.adapt.segment import Example, Segment, segment_columns
from isogloss.decoder import Correction, System
from isogloss.decoder.corrections import tokens_of
from isogloss.decoder.example_index import Frequencies, QueryTerms
from isogloss.serve.spans import token_spans

__all__ = ["FoundExample", "NearestExamples"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundExample:
    """An example, how similar it is to a sentence, and its words with what differs from the sentence."""

    source: str
    target: str
    similarity: float
    origin: str
    """``training`` or ``correction``."""
    number: int | None
    """Number of the correction."""
    differences: tuple[tuple[str, str], ...]
    """Parts of the texts: ``same``, ``more`` (only in the example) or ``less`` (only in the sentence).

    ``same`` and ``more`` together are the example, white space included.
    """


@dataclass(frozen=True, slots=True)
class _Index:
    frequencies: Frequencies
    segment: Segment


class NearestExamples:
    """Finds examples by the words they share with a sentence. The index is made when it is first needed."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._making = threading.Lock()
        self._training: _Index | None = None
        self._pairs: Sequence[tuple[str, str]] = ()
        self._corrected: tuple[tuple[int, ...], _Index | None] = ((), None)

    def search(self, text: str, size: int = 5, *, at_least: float = 0.2) -> list[FoundExample]:
        """The most similar examples, corrections included; the best first."""
        tokens = tokens_of(text, self._system.text)
        corrections = self._system.corrections()
        found: list[FoundExample] = []
        for index, rows in (
            (self._of_corrections(corrections), corrections),
            (self._of_training(), None),
        ):
            if index is None:
                continue
            query = QueryTerms.of(tokens, index.frequencies)
            if not len(query.tokens):
                continue
            options = RetrievalOptions(size=size)
            positions, similarities = index.segment.search(query, options, at_least)
            for position, similarity in zip(positions.tolist(), similarities.tolist(), strict=True):
                source, target = self._pairs[position] if rows is None else _sides(rows[position])
                found.append(
                    FoundExample(
                        source=source,
                        target=target,
                        similarity=round(similarity, 4),
                        origin="training" if rows is None else "correction",
                        number=None if rows is None else rows[position].number,
                        differences=self._differences(text, source),
                    )
                )
        known = {one.source for one in found if one.origin == "correction"}
        kept = [one for one in found if one.origin == "correction" or one.source not in known]
        return sorted(kept, key=lambda one: -one.similarity)[:size]

    def _differences(self, sentence: str, example: str) -> tuple[tuple[str, str], ...]:
        text = self._system.text
        ours, theirs = (tokens_of(one, text).split() for one in (sentence, example))
        before, after = (
            _Pieces(one, token_spans(one, tokens, text, one))
            for one, tokens in ((sentence, ours), (example, theirs))
        )
        found: list[tuple[str, str]] = []
        for kind, begin, end, first, last in SequenceMatcher(a=ours, b=theirs, autojunk=False).get_opcodes():
            if kind != "equal":
                found.append(("less", before.between(begin, end)))
            found.append(("same" if kind == "equal" else "more", after.between(first, last)))
        return tuple((kind, part) for kind, part in found if part)

    def _of_training(self) -> _Index | None:
        with self._making:
            if self._training is None:
                self._pairs = list(self._system.training_pairs())
                self._training = self._index([source for source, _ in self._pairs])
            return self._training if self._pairs else None

    def _of_corrections(self, rows: Sequence[Correction]) -> _Index | None:
        numbers = tuple(row.number for row in rows)
        if self._corrected[0] != numbers:
            self._corrected = numbers, self._index([row.source for row in rows])
        return self._corrected[1] if rows else None

    def _index(self, sources: Sequence[str]) -> _Index:
        text = self._system.text
        tokens = [tokens_of(source, text) for source in sources]
        frequencies = Frequencies.count([line.split() for line in tokens])
        examples = [Example(source=line, references=()) for line in tokens]
        columns = segment_columns(examples, range(len(examples)), frequencies)
        return _Index(frequencies, Segment(columns, "examples"))


def _sides(row: Correction) -> tuple[str, str]:
    return row.source, row.target


class _Pieces:
    """A text cut before each of its tokens; a token that is not found belongs to the one before."""

    def __init__(self, text: str, spans: Sequence[tuple[int, int] | None]) -> None:
        self._text, self._cuts = text, [0]
        for span in spans[1:]:
            self._cuts.append(self._cuts[-1] if span is None else span[0])
        self._cuts += [len(text)] * (len(spans) + 1 - len(self._cuts))

    def between(self, begin: int, end: int) -> str:
        """The text of some tokens and what follows each."""
        return self._text[self._cuts[begin] : self._cuts[end]]
