"""A segment of a memory: immutable examples with their index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.adapt.options import RetrievalOptions
from isogloss.decoder.example_index import INDEX_ARRAYS, Frequencies, QueryTerms
from isogloss.decoder.sentence import split_words
from isogloss.io.errors import ModelFormatError
from isogloss.io.streams import StrPath

__all__ = ["Example", "Segment", "segment_columns"]

Array = npt.NDArray[Any]

NO_DOCUMENT = _engine.NO_WORD


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A source sentence with its translations."""

    source: str
    references: tuple[str, ...]
    document: str | None = None
    date: int = 0
    """Seconds since 1970; by default, when the example was added."""


def segment_columns(
    examples: Sequence[Example], numbers: Sequence[int], frequencies: Frequencies
) -> dict[str, Array]:
    """The columns of a segment with these examples and numbers."""
    vocabulary, documents = _engine.Vocabulary(), _engine.Vocabulary()
    words, offsets = vocabulary.encode([split_words(example.source) for example in examples])
    word_bytes, word_offsets = vocabulary.arrays()
    of_document = [
        NO_DOCUMENT if example.document is None else documents.add(example.document) for example in examples
    ]
    document_bytes, document_offsets = documents.arrays()
    texts = [text.encode() for example in examples for text in example.references]
    return {
        "offsets": offsets,
        "words": words,
        "word_bytes": word_bytes,
        "word_offsets": word_offsets,
        "numbers": np.array(numbers, dtype=np.int64),
        "dates": np.array([example.date for example in examples], dtype=np.int64),
        "documents": np.array(of_document, dtype=np.uint32),
        "document_bytes": document_bytes,
        "document_offsets": document_offsets,
        "reference_offsets": np.cumsum([0, *(len(e.references) for e in examples)], dtype=np.int64),
        "text_offsets": np.cumsum([0, *map(len, texts)], dtype=np.int64),
        "texts": np.frombuffer(b"".join(texts), np.uint8),
        **_engine.index_examples(offsets=offsets, words=words, idf=frequencies.idf(vocabulary.words())),
    }


class Segment:
    """Examples of a memory with their index."""

    def __init__(self, columns: Mapping[str, Array], path: StrPath) -> None:
        self.columns, self.path = columns, path
        self.removed: npt.NDArray[np.uint8] | None = None
        """Nonzero for each removed example."""
        with self.report_corruption():
            self._words = _engine.Vocabulary.from_arrays(columns["word_bytes"], columns["word_offsets"])
            if len(columns["largest_weights"]) != len(self._words):
                raise ValueError("the index does not match its words")
            per_example = ("norms", "dates", "documents", "numbers")
            if len({len(columns[name]) for name in per_example}) != 1:
                raise ValueError("columns have different lengths")
            self._index = _engine.ExampleIndex(
                **{name: columns[name] for name in ("offsets", "words", *INDEX_ARRAYS)}
            )

    def __len__(self) -> int:
        return len(self.columns["norms"])

    @property
    def numbers(self) -> npt.NDArray[np.int64]:
        """The number of each example in the memory, in ascending order."""
        numbers: npt.NDArray[np.int64] = self.columns["numbers"]
        return numbers

    @cached_property
    def _documents(self) -> _engine.Vocabulary:
        with self.report_corruption():
            return _engine.Vocabulary.from_arrays(
                self.columns["document_bytes"], self.columns["document_offsets"]
            )

    def search(
        self, query: QueryTerms, options: RetrievalOptions, at_least: float
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64]]:
        """Positions and similarities of the most similar examples, best first."""
        filters: dict[str, Any] = {}
        if options.skip_document is not None:
            skipped = self._documents.find(options.skip_document)
            if skipped != NO_DOCUMENT:
                filters |= {"documents": self.columns["documents"], "skip_document": skipped}
        if options.before is not None:
            filters |= {"dates": self.columns["dates"], "before": options.before}
        with self.report_corruption():
            return self._index.search(
                tokens=query.tokens,
                words=self._numbers_of(query),
                idf=query.idf,
                most=options.size,
                edit_share=options.edit_share,
                at_least=at_least,
                skip_identical=options.skip_identical,
                skip=self.removed,
                **filters,
            )

    def similarities(self, query: QueryTerms, edit_share: float) -> npt.NDArray[np.float64]:
        """The similarity of every example, by brute force; slow."""
        with self.report_corruption():
            return self._index.similarities(
                tokens=query.tokens, words=self._numbers_of(query), idf=query.idf, edit_share=edit_share
            )

    def _numbers_of(self, query: QueryTerms) -> npt.NDArray[np.uint32]:
        return np.array([self._words.find(word) for word in query.words], dtype=np.uint32)

    def example(self, position: int) -> Example:
        """The example at a position."""
        columns = self.columns
        with self.report_corruption():
            begin, end = columns["offsets"][position : position + 2].tolist()
            source = " ".join(self._words.word(word) for word in columns["words"][begin:end].tolist())
            first, last = columns["reference_offsets"][position : position + 2].tolist()
            if not 0 <= first <= last < len(columns["text_offsets"]):
                raise ValueError("some references do not exist")
            ends = columns["text_offsets"][first : last + 1].tolist()
            texts = [columns["texts"][a:b].tobytes().decode() for a, b in pairwise(ends)]
            number = int(columns["documents"][position])
            document = None if number == NO_DOCUMENT else self._documents.word(number)
        return Example(
            source=source,
            references=tuple(texts),
            document=document,
            date=int(columns["dates"][position]),
        )

    def report_corruption(self) -> _CorruptionReport:
        """Report errors of the engine or NumPy as damage of the file."""
        return _CorruptionReport(self.path)


class _CorruptionReport:
    def __init__(self, path: StrPath) -> None:
        self.path = path

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (KeyError, IndexError, ValueError, TypeError)) and not isinstance(
            error, ModelFormatError
        ):
            raise ModelFormatError(
                f"the index of the examples is damaged ({error})", self.path, "rebuild the memory"
            ) from None
