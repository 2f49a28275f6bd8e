"""Completion: how a translation goes on that somebody has begun to type.

The search is constrained by what was typed: it finds the best translation that begins so, the last word
perhaps half typed. Where the engine cannot say what was typed, some words may differ; they stay as typed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.corpus.placeholders import Protector
from isogloss.corpus.processing import TextProcessing
from isogloss.decoder.decoder import DEFAULT_MAX_WORDS, Decoder
from isogloss.decoder.matches import MatchKind
from isogloss.decoder.plf import Lattice
from isogloss.decoder.sentence import Sentence, Source, split_words
from isogloss.decoder.translator import source_text
from isogloss.io.errors import ConfigError

if TYPE_CHECKING:
    from isogloss.decoder.system import System

__all__ = ["Completion", "complete", "first_word"]

_EDITS = (0, 2, 8, 20)  # tried in turn; the time of a search grows with the square of the edits it may make
_EDIT_COST = 10.0  # times the sum of the weights: one word more as typed is worth any other difference


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """How a translation goes on."""

    text: str
    """The typed text and what follows it."""
    completion: str
    """What follows the typed text, with a space in front where one is needed."""
    edits: int = 0
    """Typed words that the search did not say itself."""
    score: float = 0.0
    match: MatchKind = ""
    """Where the whole translation comes from, if it is known already."""


def complete(
    system: System, source: Source, typed: str, *, count: int = 1, tokenized: bool = False
) -> list[Completion]:
    """The best ways to go on, at most ``count``, which differ in their next word; the best first.

    ``typed`` is the beginning of a translation of ``source``. Unless it ends in white space, its last word
    may be half typed.
    """
    if count < 1:
        raise ConfigError(f"count must be at least 1, got {count}")
    if isinstance(source, Lattice):
        raise ConfigError("a word lattice has no text to complete a translation of")
    text = None if tokenized else system.text
    plain = source_text(source) or (source if isinstance(source, str) else " ".join(source.words))
    found: list[Completion] = []
    match = system.match(source, tokenized=tokenized)
    if match is not None and match.text.startswith(typed):
        rest = match.text[len(typed) :]
        found.append(Completion(text=match.text, completion=rest, match=match.kind))
        if count == 1:
            return found
    given = text.tokenize(source) if text is not None and isinstance(source, str) else source
    for one in _searched(system.decoder_in_use(), given, typed, plain, text, count):
        written = one.line if text is None else text.detokenize(one.line, plain)
        rest = _rest(written, typed, one.rest, text, plain)
        found.append(Completion(text=typed + rest, completion=rest, edits=one.edits, score=one.score))
    return _distinct(found, count)


@dataclass(frozen=True, slots=True)
class _Found:
    line: str
    """The typed tokens and what follows them."""
    rest: str
    """The tokens that follow."""
    score: float
    edits: int


def _searched(
    decoder: Decoder, source: Source, typed: str, plain: str, text: TextProcessing | None, count: int
) -> Iterator[_Found]:
    """The best translation that begins as typed; then those whose next word none of the others has."""
    typed, mark = _without_half_placeholder(typed, plain, text)
    words = split_words(typed if text is None else text.tokenize_target(typed, plain))
    half = bool(mark) or (bool(words) and not typed[-1].isspace())
    if mark:
        words.append(mark)
    whole, forms = (words[:-1], [mark] if mark else _forms(words, text)) if half else (words, [])
    length = len(source.words) if isinstance(source, Sentence) else len(split_words(str(source)))
    cost = _EDIT_COST * max(1e-3, sum(map(abs, decoder.weights.values())))
    budgets = sorted({min(most, len(words)) for most in _EDITS})
    if length > DEFAULT_MAX_WORDS:  # such a sentence is translated in parts, which cannot be constrained
        budgets = []
    known: list[str] = []
    for _ in range(count):
        store = None
        for most in budgets:
            store = decoder.begun(source, whole, forms, but=known, most_edits=most, edit_cost=cost)
            if store.num_candidates:
                budgets = [most]
                break
        if (store is None or not store.num_candidates) and not known:
            store = decoder.nbest([source])  # what was typed is far away: go on after the nearest words
        if store is None or not store.num_candidates:
            return
        tokens = store.text(0).split()
        done, edits = _consumed(tokens, words, forms)
        last = words[-1:]
        completed = half and done > 0 and any(tokens[done - 1].startswith(form) for form in forms)
        if completed:
            last = [tokens[done - 1]]
        rest = tokens[done:]
        yield _Found(" ".join([*words[:-1], *last, *rest]), " ".join(rest), float(store.scores[0]), edits)
        following = last if completed else rest[:1]
        if not following or following[0] in known:
            return
        known += following


def _without_half_placeholder(typed: str, source: str, text: TextProcessing | None) -> tuple[str, str]:
    """The typed text without the beginning of a placeholder of the source at its end, and its mark."""
    if text is None or not text.placeholders:
        return typed, ""
    for number, found in enumerate(Protector(text.placeholders).found(source)):
        for length in range(len(found) - 1, 0, -1):
            if typed.endswith(found[:length]) and not found[0].isalnum():
                return typed[:-length], f"ǁ{number}ǁ"
    return typed, ""


def _forms(words: Sequence[str], text: TextProcessing | None) -> list[str]:
    """The forms of a half-typed word; at the beginning of a sentence its case is not its own."""
    half = words[-1]
    if text is None or len(words) > 1:
        return [half]
    return list(dict.fromkeys([half, half[:1].lower() + half[1:], half[:1].upper() + half[1:]]))


def _consumed(tokens: Sequence[str], words: Sequence[str], forms: Sequence[str]) -> tuple[int, int]:
    """How many tokens stand for the typed words, and how many edits that takes."""
    if not words:
        return 0, 0
    row = list(range(len(words) + 1))
    best = row[-1], len(words), 0
    for number, token in enumerate(tokens, start=1):
        above, row[0] = row[0], number
        for place, word in enumerate(words, start=1):
            last = place == len(words)
            same = token == word or (last and any(token.startswith(form) for form in forms))
            above, row[place] = (
                row[place],
                min(above + (not same), row[place] + 1, row[place - 1] + 1),
            )
        best = min(best, (row[-1], abs(number - len(words)), number))
    return best[2], best[0]


def _rest(written: str, typed: str, rest: str, text: TextProcessing | None, source: str) -> str:
    """What follows the typed text in a written translation that begins with it, white space aside."""
    at = _after(written, typed)
    if at is None:  # the tokens of what was typed read differently from what was typed
        following = rest if text is None else text.detokenize(rest, source)
        spaced = typed and not typed[-1].isspace() and following[:1].isalnum() and not _is_cjk(following[0])
        return f" {following}" if spaced else following
    follows = written[at:]
    return follows.lstrip() if not typed or typed[-1].isspace() else follows


def _after(written: str, typed: str) -> int | None:
    at = 0
    for character in typed:
        if character.isspace():
            continue
        while at < len(written) and written[at].isspace():
            at += 1
        if at == len(written) or written[at].casefold() != character.casefold():
            return None
        at += 1
    return at


def _is_cjk(character: str) -> bool:
    name = unicodedata.name(character, "")
    return name.startswith(("CJK", "HIRAGANA", "KATAKANA", "THAI"))


def first_word(completion: str) -> str:
    """A completion up to the end of its first word.

    >>> first_word(" the house."), first_word("se."), first_word("家屋")
    (' the', 'se.', '家屋')
    """
    lead = len(completion) - len(completion.lstrip())
    end = next(
        (at for at in range(lead, len(completion)) if completion[at].isspace()),
        len(completion),
    )
    return completion[:end]


def _distinct(found: Sequence[Completion], count: int) -> list[Completion]:
    kept: dict[str, Completion] = {}
    for one in found:
        kept.setdefault(first_word(one.completion), one)
    return list(kept.values())[:count]
