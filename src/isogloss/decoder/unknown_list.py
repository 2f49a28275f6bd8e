"""List the unknown words of a text, with what became of them: a term list to fill in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from isogloss.decoder.sentence import Sentence, split_words
from isogloss.grammar.word_forms import WordForms, fold

if TYPE_CHECKING:
    from isogloss.decoder.derivation import Derivation
    from isogloss.decoder.system import System
    from isogloss.nbest.store import NbestStore

__all__ = ["ListedWord", "list_unknown_words"]

_BATCH = 200
_SIGN = 3  # letters at the beginning of a part that joining letters do not change


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedWord:
    """A word that no rule translates."""

    word: str
    count: int
    """How often it occurs."""
    origin: str
    """What was done most often: ``unknown`` (copied), ``split``, ``related``, ``dictionary``,
    ``rewritten``, or ``table`` if only longer rules have it."""
    used: str
    """The source words that were translated in its place."""
    translation: str
    """What became of it, as tokens."""
    example: str
    """The first sentence that has it."""

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def list_unknown_words(system: System, lines: Iterable[str], *, threads: int = 1) -> list[ListedWord]:
    """The unknown words of a text, the most frequent first. Tokens without a letter are left out."""
    from isogloss.decoder.unknown_words import UnknownWords

    decoder = system.decoder_in_use()
    known = decoder.unknown_words or UnknownWords(decoder.rules, WordForms(), decoder.overlay)
    listing = _Listing()
    waiting: list[tuple[str, tuple[str, ...]]] = []

    def flush() -> None:
        if waiting:
            store, derivations = system.explained([Sentence(words) for _, words in waiting], threads=threads)
            for number, (line, words) in enumerate(waiting):
                places = [i for i, word in enumerate(words) if is_unknown(word)]
                listing.add(line, words, places, store, derivations, number)
            waiting.clear()

    def is_unknown(word: str) -> bool:
        return any(map(str.isalpha, word)) and not known.translates(word)

    for line in lines:
        words = tuple(split_words(line if system.text is None else system.text.tokenize(line)))
        if any(map(is_unknown, words)):
            waiting.append((line, words))
        if len(waiting) == _BATCH:
            flush()
    flush()
    return listing.words()


class _Listing:
    def __init__(self) -> None:
        self._done: dict[str, Counter[tuple[str, str, str]]] = defaultdict(Counter)
        self._examples: dict[str, str] = {}

    def add(
        self,
        line: str,
        words: tuple[str, ...],
        places: list[int],
        store: NbestStore,
        derivations: list[Derivation],
        number: int,
    ) -> None:
        (row,) = store.rows_of(number)
        target = store.text(row).split()
        links = [] if store.alignment is None else store.alignment.row(row).tolist()
        for place in places:
            steps = [
                step
                for step in derivations[row]
                if step.source_span[0] <= place < step.source_span[1]
                and (
                    not any(begin <= place < end for begin, end in step.gaps)
                    # Another part of the word may be in a gap of the rule that has this one.
                    or (step.origin == "split" and _parts_of(words[place], step.source.split()))
                )
            ]
            origin = next((step.origin for step in steps if step.origin != "table"), "table")
            symbols = [
                symbol
                for step in steps
                if step.origin == origin
                for symbol in step.source.split()
                if symbol not in words and not symbol.startswith("[X,")
            ]
            used = " ".join(_parts_of(words[place], symbols) if origin == "split" else symbols)
            aligned = sorted({j for i, j in links if i == place and j < len(target)})
            self._done[words[place]][origin, used, " ".join(target[j] for j in aligned)] += 1
            self._examples.setdefault(words[place], line)

    def words(self) -> list[ListedWord]:
        found = []
        for word, done in self._done.items():
            (origin, used, translation), _ = max(done.items(), key=lambda item: (item[1], item[0]))
            found.append(
                ListedWord(
                    word=word,
                    count=done.total(),
                    origin=origin,
                    used=used,
                    translation=translation,
                    example=self._examples[word],
                )
            )
        return sorted(found, key=lambda one: (-one.count, one.word))


def _parts_of(word: str, symbols: list[str]) -> list[str]:
    """The parts of this word among those of all words of a sentence, in its order."""
    form = fold(word)
    found = sorted((form.find(fold(symbol)[:_SIGN]), symbol) for symbol in symbols)
    return [symbol for at, symbol in found if at >= 0 and not symbol.startswith("[X,")]
