"""Make examples from files or Python lists."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike

from isogloss.adapt.segment import Example
from isogloss.corpus.processing import TextProcessing
from isogloss.decoder.sentence import split_words
from isogloss.io.errors import ConfigError
from isogloss.io.streams import read_lines
from isogloss.io.text_lines import TextLines, text_lines
from isogloss.metric.references import References, ReferencesLike

__all__ = ["make_examples"]


def make_examples(
    source: TextLines,
    references: ReferencesLike,
    text: TextProcessing | None = None,
    document: str | None = None,
) -> list[Example]:
    """Examples as tokens, without pairs that have an empty side; ``text`` tokenizes plain text.

    >>> make_examples(["ein Haus", ""], [["a house", "one house"], "nothing"])[0].references
    ('a house', 'one house')
    """
    lines, known = text_lines(source, "source"), _translations(references)
    if len(lines) != len(known):
        raise ConfigError(f"{len(lines):,} source sentences, but {len(known):,} translations")
    examples = []
    for line, given in zip(lines, known, strict=True):
        tokens = line if text is None else text.tokenize(line)
        made = [one if text is None else text.tokenize_target(one, line) for one in given]
        kept = tuple(one for one in made if split_words(one))
        if kept and split_words(tokens):
            examples.append(Example(source=tokens, references=kept, document=document))
    return examples


def _translations(references: ReferencesLike) -> list[list[str]]:
    """The translations of every sentence, possibly none."""
    if isinstance(references, References):
        return [references.of(number) for number in range(len(references))]
    if isinstance(references, str | PathLike):
        return [[line] for line in read_lines(references)]
    given = list(references)
    files = [item for item in given if isinstance(item, PathLike)]
    if files and len(files) == len(given):
        return [list(lines) for lines in zip(*map(read_lines, files), strict=True)]
    return [_group(item) for item in given]


def _group(item: object) -> list[str]:
    several = item if isinstance(item, Iterable) and not isinstance(item, str) else (item,)
    return [line for line in several if isinstance(line, str)]
