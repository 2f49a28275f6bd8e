"""Tokenizers: split text into tokens and join them again."""

from __future__ import annotations

import logging
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from isogloss import _engine
from isogloss.corpus.languages import base_language
from isogloss.corpus.moses_rules import moses_tokenizer
from isogloss.corpus.placeholders import MARK
from isogloss.corpus.plain_words import join_plain
from isogloss.corpus.profile import UNSPACED, script_of
from isogloss.corpus.spacing import usual_spacing
from isogloss.corpus.words import word_tokenizer, word_tokens
from isogloss.io.errors import ConfigError, MissingExtraError

__all__ = [
    "TOKENIZERS",
    "Tokenizer",
    "chinese_segmenter",
    "missing_segmenter",
    "tokenize_lines",
    "tokenizer",
    "usual_tokenizer",
]

_LATIN = re.compile(r"([!-\u024f]+)")
"""Latin letters, digits and marks inside a script without spaces."""
_MARK = re.compile(f"({MARK.pattern.replace('(', '').replace(')', '')})")


class Tokenizer(Protocol):
    """Splits a sentence into tokens and joins them again. Placeholder marks stay whole."""

    def tokenize(self, text: str) -> list[str]:
        """Split a sentence into tokens that are not empty and contain no white space."""

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Join tokens to ordinary text."""


def tokenize_lines(tool: Tokenizer, lines: list[str], *, threads: int = 1) -> list[str]:
    """Tokenize many lines; return each with a space between its tokens. Tokenizers in the engine use threads.

    >>> tokenize_lines(tokenizer("words", "en"), ["Isn't it?", ""])
    ["Isn 't it ?", '']
    """
    if isinstance(tool, _InEngine):
        return tool.tokenize_lines(lines, threads=threads)
    return [" ".join(tool.tokenize(line)) for line in lines]


TOKENIZERS: dict[str, Callable[[str], Tokenizer]] = {}
"""Factories of tokenizers for a language, by name. You can add your own."""


def tokenizer(name: str = "moses", language: str = "en") -> Tokenizer:
    """Make a tokenizer.

    >>> tokenizer("moses", "en").tokenize("Isn't it?")
    ['Isn', "'t", 'it', '?']
    """
    try:
        make = TOKENIZERS[name]
    except KeyError:
        raise ConfigError(f"unknown tokenizer '{name}'; known are {', '.join(TOKENIZERS)}") from None
    return make(language)


_SEGMENTERS = {"ja": "fugashi", "zh": "jieba", "cmn": "jieba"}
_WITHOUT_SPACES = frozenset({*_SEGMENTERS, "th", "lo", "km", "my", "bo", "dz", "yue"})
"""Languages without spaces between words."""
_SYLLABLES = frozenset({"th", "lo", "km", "my"})
"""Languages whose scripts write vowels and tones around a consonant."""


def usual_tokenizer(language: str) -> str:
    """Return the default tokenizer for a language: its word segmenter, if it needs one and it is installed.

    >>> usual_tokenizer("de-AT"), usual_tokenizer("th")
    ('words', 'syllables')
    """
    language = base_language(language)
    if language not in _WITHOUT_SPACES:
        return "words"
    if language in _SYLLABLES:
        return "syllables"
    segmenter = _SEGMENTERS.get(language, "")
    return segmenter if segmenter and _works(segmenter, language) else "characters"


def missing_segmenter(language: str) -> str:
    """Return what to install for a language that is split into characters; empty if nothing is missing."""
    language = base_language(language)
    segmenter = _SEGMENTERS.get(language)
    if segmenter is None or _works(segmenter, language):
        return ""
    extra = "ja" if segmenter == "fugashi" else "zh"
    return f"pip install 'isogloss[{extra}]' brings {segmenter}, which finds words and translates better"


@cache
def _works(segmenter: str, language: str) -> bool:
    """Whether a segmenter and its dictionary are installed."""
    try:
        TOKENIZERS[segmenter](language)
    except (MissingExtraError, RuntimeError):
        return False
    return True


class _InEngine:
    """Tokenizers that the engine has."""

    def __init__(self, engine: _engine.Tokenizer, language: str) -> None:
        self._engine, self._language = engine, language

    def tokenize(self, text: str) -> list[str]:
        return self._engine.tokenize(text)

    def tokenize_lines(self, lines: list[str], *, threads: int = 1) -> list[str]:
        """Tokenize many lines at once; return each with a space between its tokens."""
        return self._engine.tokenize_lines(lines, threads=threads)


class _Moses(_InEngine):
    """The Moses scripts as in sacremoses, without escapes such as ``&apos;``."""

    def __init__(self, language: str, *, hyphens: bool = False) -> None:
        super().__init__(moses_tokenizer(language, hyphens=hyphens), language)

    @cached_property
    def _detokenizer(self) -> Any:
        from sacremoses import MosesDetokenizer

        return MosesDetokenizer(lang=base_language(self._language))

    def detokenize(self, tokens: Sequence[str]) -> str:
        plain = join_plain(tokens, base_language(self._language))
        return str(self._detokenizer.detokenize(list(tokens), unescape=False)) if plain is None else plain


class _MosesHyphens(_Moses):
    """Moses, with words split at hyphens: ``TCP @-@ Port``. Parts of compounds can be recombined."""

    def __init__(self, language: str) -> None:
        super().__init__(language, hyphens=True)


class _Words(_InEngine):
    """Words and punctuation of any language (``isogloss.corpus.words``). Use it with learned spacing."""

    def __init__(self, language: str) -> None:
        super().__init__(word_tokenizer(language), language)

    def detokenize(self, tokens: Sequence[str]) -> str:
        return usual_spacing().join(tokens)


class _Spaces:
    """Text that is already tokenized."""

    def __init__(self, language: str) -> None:
        del language

    def tokenize(self, text: str) -> list[str]:
        return text.split()

    def detokenize(self, tokens: Sequence[str]) -> str:
        return " ".join(tokens)


class _Unspaced(ABC):
    """Languages without spaces between words; spaces between words of other scripts are restored."""

    def tokenize(self, text: str) -> list[str]:
        tokens: list[str] = []
        for at, piece in enumerate(_MARK.split(text)):
            tokens += [piece] if at % 2 else self._words(piece)
        return [part for token in tokens for part in token.split()]

    def _words(self, text: str) -> Iterator[str]:
        """Split a text without placeholder marks; Latin names, addresses and numbers stay whole."""
        for at, piece in enumerate(_LATIN.split(text)):
            yield from word_tokens(piece) if at % 2 else filter(str.strip, self._cut(piece))

    @abstractmethod
    def _cut(self, text: str) -> Iterator[str]:
        """Split a text without placeholder marks into words."""

    def detokenize(self, tokens: Sequence[str]) -> str:
        text = ""
        for token in tokens:
            if text and token and _spaced(text[-1]) and _spaced(token[0]):
                text += " "
            text += token
        return text


def _spaced(character: str) -> bool:
    return character.isalnum() and script_of(character) not in UNSPACED


class _Characters(_Unspaced):
    """Every character of a script without spaces is a token; text with spaces is split into words."""

    def __init__(self, language: str) -> None:
        del language

    def _cut(self, text: str) -> Iterator[str]:
        word, unspaced = "", True
        for character in text:
            if unicodedata.combining(character) and word:  # combining marks stay with their base
                word += character
            elif character.isspace() or not _spaced(character):
                yield word
                word, unspaced = character, True
            else:
                if unspaced:
                    yield word
                    word, unspaced = "", False
                word += character
        yield word


_BEFORE = frozenset("เแโใไເແໂໃໄ\u17d2\u1039")
"""Vowels written before their consonant (Thai, Lao), and signs that put the next consonant under this one."""
_AFTER = frozenset("ะาำๅະາຳຽ")
"""Vowels written after their consonant that are letters to Unicode (Thai, Lao)."""


class _Syllables(_Characters):
    """Every letter of a script without spaces is a token together with its vowels, tones and other signs."""

    def _cut(self, text: str) -> Iterator[str]:
        syllable = ""
        for piece in super()._cut(text):
            joins = piece and (piece in _AFTER or unicodedata.category(piece[0])[0] == "M")
            if syllable.isspace() or (syllable and not joins and syllable[-1] not in _BEFORE):
                yield syllable
                syllable = ""
            syllable += piece
        yield syllable


class _Japanese(_Unspaced):
    """MeCab, through fugashi."""

    def __init__(self, language: str) -> None:
        try:
            from fugashi import Tagger
        except ImportError:
            raise MissingExtraError("tokenizing Japanese with fugashi", "ja") from None
        self._tagger: Any = Tagger("-Owakati")

    def _cut(self, text: str) -> Iterator[str]:
        yield from str(self._tagger.parse(text)).split()


class _Chinese(_Unspaced):
    """The segmenter jieba."""

    def __init__(self, language: str) -> None:
        self._segmenter = chinese_segmenter("tokenizing Chinese with jieba")

    def _cut(self, text: str) -> Iterator[str]:
        yield from self._segmenter.lcut(text)


def chinese_segmenter(purpose: str) -> Any:
    """Return jieba's segmenter; ``purpose`` is for the error message if jieba is not installed."""
    try:
        import jieba
    except ImportError:
        raise MissingExtraError(purpose, "zh") from None
    jieba.setLogLevel(logging.WARNING)
    segmenter = jieba.Tokenizer()
    # By default, jieba would load a cache from the shared temporary folder, where anybody can put one.
    with TemporaryDirectory() as folder:
        segmenter.tmp_dir = folder
        segmenter.initialize()
    return segmenter


TOKENIZERS |= {
    "words": _Words,
    "moses": _Moses,
    "moses-hyphens": _MosesHyphens,
    "none": _Spaces,
    "characters": _Characters,
    "syllables": _Syllables,
    "fugashi": _Japanese,
    "jieba": _Chinese,
}
