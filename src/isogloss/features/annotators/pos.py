"""Parts of speech: HanTa for German, English and Dutch, fugashi for Japanese, jieba for Chinese."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from isogloss.corpus.tokenizer import chinese_segmenter
from isogloss.features.annotators.annotator import Annotator
from isogloss.io.errors import ConfigError, MissingExtraError
from isogloss.io.streams import StrPath

__all__ = ["make"]

_HANTA = {"de": "morphmodel_ger.pgz", "en": "morphmodel_en.pgz", "nl": "morphmodel_dutch.pgz"}


class _Hanta:
    """A tagger of whole sentences."""

    def __init__(self, language: str) -> None:
        try:
            from HanTa import HanoverTagger
        except ImportError:
            raise MissingExtraError("tagging parts of speech with HanTa", "pos") from None
        # Use the full path: a bare name would be looked up in the working folder first, and the file is a
        # pickle.
        model = Path(HanoverTagger.__file__).parent / _HANTA[language]
        self._tagger: Any = HanoverTagger.HanoverTagger(str(model))

    def annotate(self, tokens: Sequence[str]) -> Sequence[Sequence[str]]:
        return [(str(tag),) for _, _, tag in self._tagger.tag_sent(list(tokens))]


class _Cutting(ABC):
    """Taggers that segment the text themselves: a token gets the tags of its segments. If a segment crosses a
    token boundary, the token is tagged by itself."""

    def annotate(self, tokens: Sequence[str]) -> Sequence[Sequence[str]]:
        pieces = list(self._tagged("".join(tokens)))
        if sum(len(text) for text, _ in pieces) != sum(map(len, tokens)):
            pieces = []  # the tagger dropped a character
        borders, at = [0], 0
        for text, _ in pieces:
            at += len(text)
            borders.append(at)
        place = {border: number for number, border in enumerate(borders)}
        found, begin = [], 0
        for token in tokens:
            end = begin + len(token)
            tags = [tag for _, tag in pieces[place.get(begin, 0) : place.get(end, 0)]]
            if begin not in place or end not in place or not tags:
                tags = [tag for _, tag in self._tagged(token)]
            found.append(("+".join(tags),) if tags else ())
            begin = end
        return found

    @abstractmethod
    def _tagged(self, text: str) -> Iterator[tuple[str, str]]:
        """Segments of a text and their tags."""


class _Japanese(_Cutting):
    def __init__(self) -> None:
        try:
            from fugashi import Tagger
        except ImportError:
            raise MissingExtraError("tagging Japanese with fugashi", "ja") from None
        self._tagger: Any = Tagger()

    def _tagged(self, text: str) -> Iterator[tuple[str, str]]:
        for node in self._tagger(text):
            yield node.surface, node.feature.pos1


class _Chinese(_Cutting):
    def __init__(self) -> None:
        segmenter = chinese_segmenter("tagging Chinese with jieba")
        from jieba.posseg import POSTokenizer

        self._tagger: Any = POSTokenizer(segmenter)

    def _tagged(self, text: str) -> Iterator[tuple[str, str]]:
        for piece in self._tagger.cut(text):
            yield piece.word, piece.flag


def make(language: str, dictionary: StrPath | None) -> Annotator:
    """The annotator for a language of one of the taggers."""
    if dictionary is not None:
        raise ConfigError("parts of speech do not use a dictionary; remove it")
    if language in _HANTA:
        return _Hanta(language)
    if language == "ja":
        return _Japanese()
    if language == "zh":
        return _Chinese()
    raise ConfigError(
        f"there is no tagger for the language '{language}', only for {', '.join(_HANTA)}, ja and zh; "
        "give your own tags as a column"
    )
