"""N-best lists of the public API: sentences with candidates, as strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Protocol, TypeGuard, cast, overload

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, as_track
from isogloss.io.streams import StrPath, atomic_output
from isogloss.io.text_lines import TextLines, text_lines
from isogloss.metric.references import References, ReferencesLike, as_references
from isogloss.nbest.build import (
    Alignment,
    Numbers,
    build_store,
    candidate_links,
    candidate_strings,
    flat_numbers,
)
from isogloss.nbest.columns import read_column
from isogloss.nbest.edit import best_rows
from isogloss.nbest.formats import losses, read_nbest, write_nbest
from isogloss.nbest.generated import BatchDecoder, is_generated, store_of_generated
from isogloss.nbest.list_text import counted_from_zero, last_line, line_count, some_references, source_lines
from isogloss.nbest.plain import split_evenly
from isogloss.nbest.responses import store_of_outputs
from isogloss.nbest.store import Float64, Int64, NbestStore
from isogloss.nbest.tokenizing import Tokenize, retokenized, tokenize_function

__all__ = ["Candidate", "Columns", "NbestLike", "NbestList", "as_nbest"]

_OWN = ("sentence", "text", "score")
_SHOWN_FEATURES = 5


class Columns(Protocol):
    """A table by columns: a dictionary of lists or arrays, a pandas or polars data frame."""

    def keys(self) -> Iterable[str]:
        """The names of the columns."""

    def __getitem__(self, name: str, /) -> Iterable[Any]:
        """One column."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One candidate translation; ``str()`` of it is its text."""

    text: str
    score: float | None = None
    """The total score; None if the system gave none."""
    features: Mapping[str, float] = field(default_factory=dict)
    alignment: tuple[tuple[int, int], ...] = ()
    """Pairs of source and target position."""

    def __str__(self) -> str:
        return self.text


class NbestList:
    """The candidate translations of some sentences, with their scores and features.

    ``candidates`` has a list of strings for each sentence. ``scores`` and each of the ``features`` have one
    number per candidate: a list for each sentence, or one flat list. ``source`` and ``references`` are files
    or lists of sentences; they are optional and can be given later. Words are separated by spaces, unless you
    give a ``tokenizer``; the texts stay unchanged. A list is immutable.

    >>> nbest = NbestList(
    ...     [["a house", "house"], ["the tree is green"]],
    ...     source=["ein Haus", "der Baum ist grün"],
    ...     scores=[[-1.5, -1.2], [-3.0]],
    ...     features={"LM": [-4.0, -3.5, -9.1]},
    ... )
    >>> nbest
    NbestList(2 sentences, 3 candidates; features: LM)
    >>> nbest.best()
    ['house', 'the tree is green']
    >>> nbest[0][1]
    Candidate(text='house', score=-1.2, features={'LM': -3.5}, alignment=())
    >>> [len(candidates) for candidates in nbest]
    [2, 1]
    >>> nbest.to_dict()["text"]
    ['a house', 'house', 'the tree is green']
    """

    __slots__ = (
        "_count",
        "_name",
        "_notes",
        "_references",
        "_source",
        "_store",
        "_texts",
        "_tokenizer",
        "_vocabulary",
    )

    def __init__(
        self,
        candidates: Iterable[Iterable[str]],
        *,
        source: TextLines | None = None,
        references: ReferencesLike | None = None,
        scores: Numbers | None = None,
        features: Mapping[str, Numbers] | None = None,
        alignments: Iterable[Iterable[Alignment | None]] | None = None,
        tokenizer: Tokenize | None = None,
    ) -> None:
        lists = [candidate_strings(texts, number) for number, texts in enumerate(candidates)]
        sizes = [len(texts) for texts in lists]
        texts = [text for own in lists for text in own]
        store = build_store(
            np.repeat(np.arange(len(lists)), sizes).tolist(),
            texts,
            scores=None if scores is None else flat_numbers(scores, sizes, "scores").tolist(),
            features={
                name: flat_numbers(values, sizes, f"feature '{name}'")
                for name, values in (features or {}).items()
            },
            alignments=None if alignments is None else candidate_links(alignments, sizes),
            tokenize=tokenize_function(tokenizer),
        )
        self._fill(store, source, references, tokenizer, texts if tokenizer is not None else None, len(lists))

    def _fill(
        self,
        store: NbestStore,
        source: TextLines | None,
        references: ReferencesLike | None,
        tokenizer: Tokenize | None = None,
        texts: list[str] | None = None,
        count: int | None = None,
        name: str = "",
    ) -> None:
        """``count`` sentences, or as many as the source has or the store has lines."""
        self._name = name or ("n-best list" if store.path is None else str(store.path))
        self._notes = [f"{self._name}: {note}" for note in store.notes]
        lines = None if source is None else text_lines(source, "source")
        if isinstance(references, Iterator):
            references = list(references)
        if count is None:
            renumbered = counted_from_zero(store, line_count(lines, references))
            if renumbered is not store:
                self._notes.append(f"{self._name}: the sentences are numbered from 1; they count from 0 here")
                store = renumbered
        self._store, self._texts, self._tokenizer = store, texts, tokenizer
        self._vocabulary: list[str] | None = None
        self._source = None if lines is None else source_lines(lines, source, store, count)
        if count is None and self._source is not None:
            count = len(self._source)
        self._count = count
        self._references = None
        if references is not None:
            try:
                self._references = as_references(references, at_least=last_line(store), exactly=count)
            except ConfigError as error:
                raise ConfigError(f"{self._name}: {error}") from None

    @classmethod
    def read(
        cls,
        path: StrPath,
        format: str | None = None,
        *,
        source: TextLines | None = None,
        references: ReferencesLike | None = None,
        tokenizer: Tokenize | None = None,
        progress: bool | Track = False,
        watch: Callable[[Iterable[bytes]], Iterable[bytes]] | None = None,
    ) -> NbestList:
        """Read a list written by a system: Moses, Marian, fairseq, sockeye, OpenAI, vLLM, CTranslate2, JSON
        lines, or a stored folder.

        The format is detected unless given; ``lines``, N lines of text per source sentence, must be given.
        Files may be gzip or zstd; ``-`` is standard input. Sentence n of the list is line n of ``source`` and
        ``references``, counted from 0. ``warnings`` says what the list lacks. ``watch`` passes the pieces of
        the file on, and can show progress in place of ``progress``.
        """
        track = as_track(progress)
        watch = watch or (lambda chunks: track(chunks, f"reading {path}"))
        store = read_nbest(path, format=format, watch=watch)
        if format == "lines":
            if source is not None:
                source = text_lines(source, "source")
            store = split_evenly(store, line_count(source, references) or 1, str(path))
        return cls.from_store(
            store, source=source, references=references, tokenizer=tokenizer, name=str(path)
        )

    @classmethod
    def from_store(
        cls,
        store: NbestStore,
        *,
        source: TextLines | None = None,
        references: ReferencesLike | None = None,
        tokenizer: Tokenize | None = None,
        name: str = "",
    ) -> NbestList:
        """Make a list from existing columns, as returned by the search and by file readers.

        ``name`` is the name of the list in messages.
        """
        made = cls.__new__(cls)
        tokenize, texts = tokenize_function(tokenizer), None
        if tokenize is not None:
            texts = list(store.texts())
            store = retokenized(store, texts, tokenize)
        if source is None and store.source is not None:
            source = store.source
        made._fill(store, source, references, tokenizer, texts, name=name)
        return made

    @classmethod
    def from_outputs(
        cls,
        outputs: Iterable[object] | object,
        *,
        source: TextLines | None = None,
        references: ReferencesLike | None = None,
        tokenizer: Tokenize | None = "words",
        decode: BatchDecoder | Callable[[Sequence[Any]], str] | None = None,
        prompt_tokens: int | None = None,
    ) -> NbestList:
        """Make a list from what a model returned, one output per sentence.

        Outputs are answers of OpenAI and compatible services (``choices``), results of vLLM and CTranslate2,
        lists of Hugging Face pipelines, lists of strings, or dictionaries with ``samples``. The output of
        Hugging Face ``generate`` is one object; give ``source`` to divide its sequences among the sentences,
        and ``decode=tokenizer`` to make text. For CTranslate2, ``decode`` may be a function that joins
        subwords; ``▁`` and ``@@`` are joined without one.

        The same text drawn twice is one candidate with a ``Count``. Log-probabilities become scores and the
        columns ``LogProb``, ``LogProbMean``; where one is missing, ``LogProbMissing`` is 1.

        >>> answers = [{"samples": [{"text": "Ein Haus.", "logprob": -1.5}, {"text": "Ein Haus."}]}]
        >>> NbestList.from_outputs(answers)
        NbestList(1 sentence, 1 candidate; features: Count, LogProb, LogProbMissing)
        """
        lines = None if source is None else text_lines(source, "source")
        if is_generated(outputs):
            count = line_count(lines, references) or 1
            store = store_of_generated(outputs, decode, count, prompt_tokens)
        elif isinstance(outputs, str) or not isinstance(outputs, Iterable):
            raise ConfigError(f"outputs: {outputs!r:.60} is not a list with an output for each sentence")
        else:
            given = list(outputs)
            count = len(given)
            store = store_of_outputs(given, join=cast("Callable[[Sequence[str]], str] | None", decode))
        made, texts = cls.__new__(cls), list(store.texts())
        if lines is None and store.source is not None:
            lines = list(store.source)
        tokenize = tokenize_function(tokenizer)
        if tokenize is not None:
            store = retokenized(store, texts, tokenize)
        made._fill(store, lines, references, tokenizer, texts if tokenize is not None else None, count)
        return made

    @classmethod
    def from_columns(
        cls,
        columns: Columns,
        *,
        source: TextLines | None = None,
        references: ReferencesLike | None = None,
        tokenizer: Tokenize | None = None,
    ) -> NbestList:
        """Make a list from a table with one row per candidate: a dictionary of columns, or a data frame.

        The columns ``sentence`` (numbers from 0) and ``text`` are required, ``score`` is optional; every
        other column is a feature. This is the inverse of ``to_dict``.

        >>> NbestList.from_columns({"sentence": [0, 0, 1], "text": ["a", "b", "c"], "LM": [1, 2, 3]})
        NbestList(2 sentences, 3 candidates; features: LM)
        """
        names = [str(name) for name in columns.keys()]  # noqa: SIM118  # a data frame iterates otherwise
        for name in _OWN[:2]:
            if name not in names:
                raise ConfigError(f"there is no column '{name}'; there are: {', '.join(names) or 'none'}")
        texts = list(columns["text"])
        sizes = [len(texts)]
        numbers = flat_numbers(columns["sentence"], sizes, "column 'sentence'")
        if not np.all(numbers >= 0) or np.any(numbers % 1):
            raise ConfigError("column 'sentence': whole numbers from 0 are expected")
        order = np.argsort(numbers, kind="stable")
        values = {
            name: flat_numbers(columns[name], sizes, f"column '{name}'")[order]
            for name in names
            if name not in _OWN[:2]
        }
        scores = values.pop("score", None)
        texts = [texts[row] for row in order.tolist()]
        store = build_store(
            numbers[order].astype(np.int64).tolist(),
            texts,
            scores=None if scores is None else scores.tolist(),
            features={_feature_of(name): column for name, column in values.items()},
            tokenize=tokenize_function(tokenizer),
        )
        made = cls.__new__(cls)
        made._fill(store, source, references, tokenizer, texts if tokenizer is not None else None)
        return made

    @property
    def store(self) -> NbestStore:
        """The columns of the list, as learners and file formats use them."""
        return self._store

    @property
    def name(self) -> str:
        """Where the list came from, for messages."""
        return self._name

    @property
    def tokenizer(self) -> Tokenize | None:
        """The tokenizer of the texts; None if words are separated by spaces."""
        return self._tokenizer

    @property
    def source(self) -> list[str] | None:
        """The source sentences, if the list has them."""
        return None if self._source is None else list(self._source)

    @property
    def references(self) -> References | None:
        """The references, if the list has them."""
        return self._references

    @property
    def missing(self) -> int:
        """How many sentences have no candidates."""
        return len(self) - self._store.num_sentences

    @property
    def warnings(self) -> list[str]:
        """What makes the list doubtful, in words: features that some of its candidates lack."""
        count = self._store.num_candidates
        return self._notes + [
            f"{self._name}: feature '{feature}' is missing on {lacking:,} of {count:,} candidates; "
            "it counts as 0 there"
            for feature, lacking in self._store.filled.items()
        ]

    @property
    def feature_names(self) -> list[str]:
        """The dense features, by name."""
        return self._store.dense_names

    @property
    def scores(self) -> Float64:
        """The score of every candidate, sentence by sentence; NaN if there is none."""
        return self._store.scores

    def __len__(self) -> int:
        return self._store.num_lines if self._count is None else self._count

    @overload
    def __getitem__(self, sentence: int) -> list[Candidate]: ...
    @overload
    def __getitem__(self, sentence: slice) -> NbestList: ...
    def __getitem__(self, sentence: int | slice) -> list[Candidate] | NbestList:
        """The candidates of a sentence, counted from 0; for a slice, a list of these sentences."""
        if isinstance(sentence, slice):
            return self._part(range(len(self))[sentence])
        number = range(len(self))[sentence]
        place = int(np.searchsorted(self._store.sentence_ids, number))
        if place == self._store.num_sentences or self._store.sentence_ids[place] != number:
            return []
        return self._candidates(self._store.rows_of(place))

    def __iter__(self) -> Iterator[list[Candidate]]:
        return (self[sentence] for sentence in range(len(self)))

    def __repr__(self) -> str:
        names = self.feature_names
        shown = ", ".join(names[:_SHOWN_FEATURES])
        if len(names) > _SHOWN_FEATURES:
            shown += f" and {len(names) - _SHOWN_FEATURES} more"
        sentences = self._store.num_sentences if self._count is None else self._count
        counts = f"{_counted(sentences, 'sentence')}, {_counted(self._store.num_candidates, 'candidate')}"
        return f"NbestList({counts}{f'; features: {shown}' if shown else ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        references = None if self._references is None else (self._references.streams, self._references.names)
        facts = (self._store, self._texts, self._tokenizer, self._source, references, self._count)
        return _unpickled, facts

    def best(self) -> list[str]:
        """The best candidate of every sentence by score, or the first one if there are no scores.

        A sentence without candidates has an empty string, so that lines match the source.
        """
        lines = [""] * len(self)
        for number, row in zip(
            self._store.sentence_ids.tolist(), best_rows(self._store).tolist(), strict=True
        ):
            lines[number] = self._text(row)
        return lines

    def texts(self) -> list[str]:
        """All candidates, sentence by sentence."""
        return [self._text(row) for row in range(self._store.num_candidates)]

    def to_dict(self) -> dict[str, list[str] | Float64 | Int64]:
        """Columns with one value per candidate, for ``pandas.DataFrame(nbest.to_dict())``.

        Sparse features are left out, because there may be millions.
        """
        store = self._store
        columns: dict[str, list[str] | Float64 | Int64] = {
            "sentence": store.sentence_ids[store.sentence_of_row()],
            "text": self.texts(),
            "score": np.array(store.scores),
        }
        for name, column in zip(store.dense_names, store.dense.T, strict=True):
            columns[f"feature.{name}" if name in _OWN else name] = np.array(column)
        return columns

    def write(self, path: StrPath, format: str = "moses") -> None:
        """Write the list: ``moses``, ``marian``, ``fairseq``, ``sockeye``, ``jsonl``, or ``store``, a folder.

        A file whose name ends in ``.gz`` or ``.zst`` is compressed. ``losses`` says what a format cannot
        hold; no format holds source and references.
        """
        write_nbest(self._store, path, format=format)

    def write_best(self, path: StrPath) -> None:
        """Write what ``best`` gives as plain text, one line per sentence."""
        lines = self.best()
        with atomic_output(path) as stream:
            stream.writelines(f"{line}\n" for line in lines)

    def losses(self, format: str) -> list[str]:
        """What a format cannot hold of this list, in words; empty if nothing is lost."""
        return losses(self._store, format)

    def with_features(self, features: Mapping[str, Numbers]) -> NbestList:
        """A copy of the list with additional or replaced features.

        >>> NbestList([["a", "b"]]).with_features({"Comet": [0.3, 0.8]}).feature_names
        ['Comet']
        """
        store = self._store
        columns = dict(zip(store.dense_names, store.dense.T, strict=True))
        for name, values in features.items():
            columns[name] = self.column(values, f"feature '{name}'")
        dense = build_store(
            store.sentence_ids[store.sentence_of_row()].tolist(),
            [""] * store.num_candidates,
            features=columns,
        )
        changed = replace(store, dense_groups=dense.dense_groups, dense=dense.dense, path=None, filled={})
        return self._like(changed, self._texts)

    def column(self, values: Numbers | StrPath, what: str) -> Float64:
        """One number per candidate from lists, an array, or a file with one number per line."""
        if isinstance(values, str | PathLike):
            return read_column(values, self._store, self._name)
        sizes = np.zeros(len(self), np.int64)
        sizes[self._store.sentence_ids] = np.diff(self._store.sentence_offsets)
        return flat_numbers(values, sizes.tolist(), what)

    def reordered(self, scores: Float64) -> NbestList:
        """A copy with other scores, one per candidate, sorted so that the best candidate of every sentence is
        first."""
        values = np.asarray(scores, dtype=np.float64)
        if values.shape != self._store.scores.shape:
            raise ConfigError(f"{values.size:,} scores for {self._store.num_candidates:,} candidates")
        order = np.lexsort((-values, self._store.sentence_of_row()))  # stable: equals keep their order
        store = replace(self._store, scores=values, path=None).select(order)
        return self._like(
            store, None if self._texts is None else [self._texts[row] for row in order.tolist()]
        )

    def with_note(self, note: str) -> NbestList:
        """A copy with one more warning."""
        made = self._like(self._store, self._texts)
        made._notes = [*self._notes, f"{self._name}: {note}"]
        return made

    def with_text(
        self, *, source: TextLines | None = None, references: ReferencesLike | None = None
    ) -> NbestList:
        """A copy with another source or other references; what is not given stays the same."""
        made = NbestList.__new__(NbestList)
        made._fill(
            self._store,
            self._source if source is None else source,
            self._references if references is None else references,
            self._tokenizer,
            self._texts,
            self._count,
            self._name,
        )
        return made

    def words(self, line: str) -> list[str]:
        """The words of a sentence, tokenized like the candidates."""
        tokenize = tokenize_function(self._tokenizer)
        return line.split() if tokenize is None else list(tokenize(line))

    def source_words(self) -> list[list[str]] | None:
        """The words of the source of every sentence that has candidates; None without a source."""
        if self._source is None:
            return None
        return [self.words(self._source[number]) for number in self._store.sentence_ids.tolist()]

    def reference_words(self) -> References | None:
        """The references, tokenized like the candidates."""
        known = self._references
        if known is None or self._tokenizer is None:
            return known
        streams = [
            [None if line is None else " ".join(self.words(line)) for line in stream]
            for stream in known.streams
        ]
        return References(streams, known.names)

    def _like(self, store: NbestStore, texts: list[str] | None) -> NbestList:
        made = NbestList.__new__(NbestList)
        made._fill(store, self._source, self._references, self._tokenizer, texts, self._count, self._name)
        return made

    def _part(self, sentences: range) -> NbestList:
        places = {number: place for place, number in enumerate(self._store.sentence_ids.tolist())}
        kept = [number for number in sentences if number in places]
        if sentences.step < 0:
            raise ConfigError("sentences must stay in order, so a slice of a list cannot go backward")
        rows = [row for number in kept for row in self._store.rows_of(places[number])]
        store = self._store.select(rows)
        ids = np.array([sentences.index(number) for number in kept], dtype=np.int64)
        made = NbestList.__new__(NbestList)
        made._fill(
            replace(store, sentence_ids=ids),
            None if self._source is None else [self._source[number] for number in sentences],
            some_references(self._references, sentences),
            self._tokenizer,
            None if self._texts is None else [self._texts[row] for row in rows],
            len(sentences),
            self._name,
        )
        return made

    def _words(self) -> list[str]:
        if self._vocabulary is None:
            self._vocabulary = self._store.words.words()
        return self._vocabulary

    def _text(self, row: int) -> str:
        if self._texts is not None:
            return self._texts[row]
        words = self._words()
        return " ".join([words[number] for number in self._store.tokens.row(row).tolist()])

    def _candidates(self, rows: range) -> list[Candidate]:
        store, names = self._store, self._store.dense_names
        features = [dict(zip(names, values, strict=True)) for values in store.dense[list(rows)].tolist()]
        if store.sparse is not None:
            offsets, columns, values = store.sparse.rows(np.array(rows))
            for own, begin, end in zip(features, offsets.tolist(), offsets[1:].tolist(), strict=False):
                for column, value in zip(
                    columns[begin:end].tolist(), values[begin:end].tolist(), strict=True
                ):
                    own[store.sparse.names.word(column)] = value
        links = store.alignment
        return [
            Candidate(
                text=self._text(row),
                score=None if np.isnan(store.scores[row]) else float(store.scores[row]),
                features=own,
                alignment=() if links is None else tuple((s, t) for s, t in links.row(row).tolist()),
            )
            for row, own in zip(rows, features, strict=True)
        ]


NbestLike = NbestList | NbestStore | StrPath | Columns | Iterable[Iterable[str]]
"""Anything that can be used as an n-best list: an ``NbestList``, a file, a table of columns, or lists of
strings."""


def as_nbest(
    nbest: NbestLike, *, source: TextLines | None = None, references: ReferencesLike | None = None
) -> NbestList:
    """Convert any form of n-best list to an ``NbestList``; a given source or references replace its own.

    >>> as_nbest([["a house", "house"]], source=["ein Haus"])
    NbestList(1 sentence, 2 candidates)
    """
    if isinstance(nbest, NbestList):
        if source is None and references is None:
            return nbest
        return nbest.with_text(source=source, references=references)
    if isinstance(nbest, NbestStore):
        return NbestList.from_store(nbest, source=source, references=references)
    if isinstance(nbest, str | PathLike):
        return NbestList.read(nbest, source=source, references=references)
    if _are_columns(nbest):
        return NbestList.from_columns(nbest, source=source, references=references)
    return NbestList(cast(Iterable[Iterable[str]], nbest), source=source, references=references)


def _are_columns(nbest: object) -> TypeGuard[Columns]:
    return hasattr(nbest, "keys") and hasattr(nbest, "__getitem__")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'s' * (count != 1)}"


def _feature_of(column: str) -> str:
    """The feature that ``to_dict`` writes as this column."""
    name = column.removeprefix("feature.")
    return name if name in _OWN else column


def _unpickled(
    store: NbestStore,
    texts: list[str] | None,
    tokenizer: Tokenize | None,
    source: list[str] | None,
    references: tuple[list[list[str | None]], tuple[str, ...]] | None,
    count: int | None,
) -> NbestList:
    made = NbestList.__new__(NbestList)
    known = None if references is None else References(*references)
    made._fill(store, source, known, tokenizer, texts, count)
    return made
