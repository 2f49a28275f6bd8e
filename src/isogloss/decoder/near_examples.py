"""Translated sentences with word alignments, found by similarity: the examples of near matches.

    ENGINE/examples/   the sources of the training text, each with its most frequent translation

All placeholder marks count as the same word. Similarity is 1 minus the share of words to edit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.align.links import Link
from isogloss.decoder.edits import unmarked
from isogloss.decoder.example_index import INDEX_ARRAYS, Frequencies, QueryTerms
from isogloss.decoder.sentence import split_words
from isogloss.io.errors import ModelFormatError
from isogloss.io.streams import StrPath

__all__ = ["AlignedPair", "NearExample", "NearExamples", "example_columns"]

Array = npt.NDArray[Any]
Origin = Literal["training", "correction"]

_TEXTS = ("source", "target")
_LONGEST = 100  # words in a sentence; there is no near match of a longer one


class AlignedPair(NamedTuple):
    """A tokenized sentence with its translation and the links between their words."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class NearExample:
    """A pair that was found for a sentence."""

    pair: AlignedPair
    similarity: float
    """1 minus the share of words to edit."""
    origin: Origin

    @property
    def source(self) -> str:
        """The tokenized source of the example."""
        return " ".join(self.pair.source)

    @property
    def target(self) -> str:
        """Its tokenized translation."""
        return " ".join(self.pair.target)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "source": self.source,
            "target": self.target,
            "similarity": self.similarity,
            "origin": self.origin,
        }


def example_columns(pairs: Iterable[AlignedPair]) -> dict[str, Array]:
    """The arrays of ``NearExamples``; of several translations of a source, the most frequent one is kept."""
    translations: dict[tuple[str, ...], Counter[tuple[str, ...]]] = {}
    first: dict[tuple[tuple[str, ...], tuple[str, ...]], AlignedPair] = {}
    for pair in pairs:
        if pair.source and pair.target and len(pair.source) <= _LONGEST:
            translations.setdefault(pair.source, Counter())[pair.target] += 1
            first.setdefault(pair[:2], pair)
    kept = [first[source, counts.most_common(1)[0][0]] for source, counts in translations.items()]
    sentences = [unmarked(pair.source) for pair in kept]
    frequencies = Frequencies.count(sentences)
    words, offsets = frequencies.words.encode(sentences)
    columns: dict[str, Array] = {
        "offsets": offsets,
        "words": words,
        **frequencies.arrays(),
        **_engine.index_examples(
            offsets=offsets, words=words, idf=frequencies.idf(frequencies.words.words())
        ),
    }
    for name in _TEXTS:
        texts = [" ".join(getattr(pair, name)).encode(errors="replace") for pair in kept]
        columns[f"{name}_text"] = np.frombuffer(b"".join(texts), np.uint8)
        columns[f"{name}_ends"] = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    columns["links"] = np.array([link for pair in kept for link in pair.links], np.uint16).reshape(-1)
    columns["link_ends"] = np.cumsum([0, *(len(pair.links) for pair in kept)], dtype=np.int64)
    return columns


class NearExamples:
    """An index of aligned pairs, from stored or new arrays. Several threads may share one."""

    def __init__(
        self,
        columns: Mapping[str, Array],
        path: StrPath,
        origin: Origin = "training",
        hidden: npt.NDArray[np.uint8] | None = None,
    ) -> None:
        """``hidden`` is nonzero for each example that must not be found."""
        self._columns, self._path, self._origin, self._hidden = columns, path, origin, hidden

    @classmethod
    def of(cls, pairs: Iterable[AlignedPair], origin: Origin = "training") -> NearExamples:
        """Index pairs in memory."""
        return cls(example_columns(pairs), "examples in memory", origin)

    def without(self, sources: Set[str]) -> NearExamples:
        """The same examples but for those with these tokenized sources."""
        hidden = [self._line("source", at) in sources for at in range(len(self))]
        return NearExamples(self._columns, self._path, self._origin, np.array(hidden, np.uint8))

    def __len__(self) -> int:
        return len(self._columns["norms"])

    @cached_property
    def _frequencies(self) -> Frequencies:
        return Frequencies.from_arrays(self._columns, self._path)

    @cached_property
    def _index(self) -> _engine.ExampleIndex:
        columns = self._columns
        if len(columns["largest_weights"]) != len(self._frequencies.words):
            raise ValueError("the index does not match its words")
        return _engine.ExampleIndex(**{name: columns[name] for name in ("offsets", "words", *INDEX_ARRAYS)})

    def find(
        self, words: Sequence[str], *, most: int, at_least: float, skip_identical: bool = False
    ) -> list[NearExample]:
        """The most similar examples, best first."""
        if not 0 < len(words) <= _LONGEST or not len(self):
            return []
        try:
            query = QueryTerms.of(" ".join(unmarked(words)), self._frequencies)
            numbers = np.array([self._frequencies.words.find(word) for word in query.words], np.uint32)
            found, similarities = self._index.search(
                tokens=query.tokens,
                words=numbers,
                idf=query.idf,
                most=most,
                edit_share=1.0,
                at_least=at_least,
                skip_identical=skip_identical,
                skip=self._hidden,
            )
            return [
                NearExample(self._pair(position), similarity, self._origin)
                for position, similarity in zip(found.tolist(), similarities.tolist(), strict=True)
            ]
        except (KeyError, IndexError, ValueError, TypeError) as error:
            if isinstance(error, ModelFormatError):
                raise
            raise ModelFormatError(
                f"the index of the examples is damaged ({error})", self._path, "train the engine again"
            ) from None

    def _pair(self, position: int) -> AlignedPair:
        source, target = (tuple(split_words(self._line(name, position))) for name in _TEXTS)
        begin, end = self._columns["link_ends"][position : position + 2].tolist()
        flat = self._columns["links"][2 * begin : 2 * end].tolist()
        links = tuple(zip(flat[::2], flat[1::2], strict=True))
        if any(i >= len(source) or j >= len(target) for i, j in links):
            raise ValueError("a link leads outside its sentence")
        return AlignedPair(source, target, links)

    def _line(self, side: str, position: int) -> str:
        begin, end = self._columns[f"{side}_ends"][position : position + 2].tolist()
        return self._columns[f"{side}_text"][begin:end].tobytes().decode(errors="replace")
