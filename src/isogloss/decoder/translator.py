"""What translates: a system, a system with local weights, any command.

``Translator`` is all that code may ask for that only wants translations. ``TextTranslator`` makes one of
anything that gives n-best lists.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Protocol, overload

from isogloss.corpus.processing import TextProcessing
from isogloss.decoder.decoder import DEFAULT_MAX_WORDS
from isogloss.decoder.matches import Match
from isogloss.decoder.plf import Lattice
from isogloss.decoder.sentence import Source, split_words
from isogloss.decoder.translation import DecodedBatch, Translation, TranslationFacts
from isogloss.nbest.edit import best_rows
from isogloss.nbest.store import Int64, NbestStore

if TYPE_CHECKING:
    from isogloss.decoder.explanation import Explanation

__all__ = ["TextTranslator", "Translator", "best_lines", "source_text"]

_BATCH = 50  # inputs per thread handed to the engine at once: Ctrl-C works in between


class Translator(Protocol):
    """Anything that translates."""

    @property
    def text(self) -> TextProcessing | None:
        """How text becomes tokens and tokens become text; None if it takes and gives tokens."""

    @overload  # a string is an iterable of strings too, but is taken as a sentence
    def translate(  # type: ignore[overload-overlap]
        self, sentences: Source, *, threads: int = 1, tokenized: bool = False
    ) -> Translation: ...
    @overload
    def translate(
        self, sentences: Iterable[Source], *, threads: int = 1, tokenized: bool = False
    ) -> Iterator[Translation]: ...

    def nbest(self, sentences: Iterable[Source], *, nbest: int = 100, threads: int = 1) -> NbestStore:
        """The best ``nbest`` translations of every tokenized sentence, all different, with their features."""

    def match(self, sentence: Source, *, tokenized: bool = False) -> Match | None:
        """The translation of a sentence that is known already, and is returned as it is."""

    def explain(self, sentence: Source, *, tokenized: bool = False) -> Explanation:
        """The translation of a sentence taken apart: rules, and what every feature contributed."""


class TextTranslator(ABC):
    """A ``Translator`` of anything that decodes batches of tokenized sentences."""

    text: TextProcessing | None = None
    """How text becomes tokens and tokens become text; None if that is not the translator's business."""

    def match(self, sentence: Source, *, tokenized: bool = False) -> Match | None:
        """The translation of a sentence that is known already, and is returned as it is; here none is."""
        return None

    @abstractmethod
    def _decoded(
        self, batch: list[Source], *, threads: int, max_words: int, time_limit: float | None
    ) -> DecodedBatch:
        """Translate sentences, with what their translations may be asked later."""

    @overload  # a string is an iterable of strings too, but is taken as a sentence
    def translate(  # type: ignore[overload-overlap]
        self,
        sentences: Source,
        *,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        time_limit: float | None = None,
        tokenized: bool = False,
    ) -> Translation: ...
    @overload
    def translate(
        self,
        sentences: Iterable[Source],
        *,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        time_limit: float | None = None,
        tokenized: bool = False,
    ) -> Iterator[Translation]: ...
    def translate(
        self,
        sentences: Source | Iterable[Source],
        *,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        time_limit: float | None = None,
        tokenized: bool = False,
    ) -> Translation | Iterator[Translation]:
        """The best translation of a sentence (text or ``Sentence``) or a lattice, or of many.

        A translation is a string that also knows its score, its features and more; see ``Translation``. Many
        are translated as their translations are asked for, some at a time, and come in order. Results do not
        depend on ``threads``. A sentence of more than ``max_words`` words is translated in windows. An empty
        sentence has an empty translation. With a ``time_limit``, in seconds per sentence, results depend on
        the machine.

        A system that was trained with a tokenizer takes and gives text as people write it; with
        ``tokenized``, and without a tokenizer, both are tokens with spaces between them. A ``Sentence`` and a
        lattice hold tokens in any case.
        """
        limits = _Limits(threads, max_words, time_limit)
        if isinstance(sentences, Source):
            return next(self._translated([sentences], tokenized, limits))
        return self._translated(sentences, tokenized, limits)

    def _translated(
        self, sentences: Iterable[Source], tokenized: bool, limits: _Limits
    ) -> Iterator[Translation]:
        text = None if tokenized else self.text
        waiting = iter(sentences)
        while batch := list(islice(waiting, _BATCH * max(1, limits.threads))):
            matches = [self.match(item, tokenized=text is None) for item in batch]
            given = [item for item, match in zip(batch, matches, strict=True) if match is None]
            searched = self._searched(given, text, limits) if given else iter(())
            for item, match in zip(batch, matches, strict=True):
                yield next(searched) if match is None else self._matched(item, match, text)

    def _searched(
        self, given: list[Source], text: TextProcessing | None, limits: _Limits
    ) -> Iterator[Translation]:
        batch = given
        if text is not None:
            batch = [text.tokenize(item) if isinstance(item, str) else item for item in given]
        found = self._decoded(
            batch, threads=limits.threads, max_words=limits.max_words, time_limit=limits.time_limit
        )
        lines = best_lines(found.store, batch, found.chosen)
        for number, (line, item) in enumerate(zip(lines, given, strict=True)):
            source = source_text(item)
            written = line if text is None else text.detokenize(line, source)
            yield found.translation(number, written, source if source or text else _words(item))

    def _matched(self, item: Source, match: Match, text: TextProcessing | None) -> Translation:
        source = source_text(item) or _words(item)
        tokens = source, match.text
        if text is not None:
            tokens = text.tokenize(source), text.tokenize_target(match.text, source)
        facts = TranslationFacts(
            source=source,
            source_tokens=tuple(split_words(tokens[0])),
            tokens=tuple(split_words(tokens[1])),
            match=match.kind,
        )
        return Translation.known(match.text, facts)


class _Limits:
    __slots__ = ("max_words", "threads", "time_limit")

    def __init__(self, threads: int, max_words: int, time_limit: float | None) -> None:
        self.threads, self.max_words, self.time_limit = threads, max_words, time_limit


def source_text(item: Source) -> str:
    """The text of a source as people write it; empty if it never was such text."""
    return item if isinstance(item, str) else getattr(item, "text", "")


def _words(item: Source) -> str:
    return "" if isinstance(item, str | Lattice) else " ".join(item.words)


def best_lines(store: NbestStore, inputs: list[Source], rows: Int64 | None = None) -> Iterator[str]:
    """The best translation of every input as text, or the one that was chosen.

    A word of the input that an n-best list cannot carry is written as it was.
    """
    chosen = best_rows(store) if rows is None else rows
    for item, line in zip(inputs, store.lines(chosen, len(inputs)), strict=True):
        if "&#124;" in line:
            for word in _own_words(item):
                if "|||" in word:
                    line = line.replace(word.replace("|", "&#124;"), word)
        yield line


def _own_words(item: Source) -> list[str]:
    """Words that may come through as they are."""
    if isinstance(item, str):
        return split_words(item)
    if isinstance(item, Lattice):
        return [arc.word for arc in item.arcs]
    return [*item.words, *(word for part in item.fixed for word in part.translation)]
