"""The sparse features of the search, for candidates of any decoder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from isogloss._engine import SparseModel as EngineModel
from isogloss._engine import Vocabulary
from isogloss.decoder.search_result import FeatureRows
from isogloss.features import SparseModel, SparseOptions, TokenColumn
from isogloss.features.options import ALL_TEMPLATES, SPELLING_TYPES
from isogloss.io.errors import ConfigError
from isogloss.nbest.store import Ragged, SparseFeatures
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.functions.alignments import aligned_pairs
from isogloss.rerank.functions.segmentation import phrases_of

__all__ = ["TEMPLATES", "SparseTemplates"]

_OF_PHRASES = ("rule", "source_phrase", "target_phrase", "shape", "orientation", "distortion")
TEMPLATES = tuple(name for name in ALL_TEMPLATES if name != "hierarchical")
"""The templates of the search, except the one for non-terminals, which candidates of other decoders do not
have."""
_UNALIGNED = frozenset({"target_bigram", *_OF_PHRASES})

UInt64 = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseTemplates(FeatureFunction):
    """Templates of the search over the alignments of the candidates."""

    name: ClassVar[str] = "sparse"
    needs_source: ClassVar[bool] = True

    templates: str = "pair"
    """Names of templates, separated by +."""
    path: str | None = None
    """A stored alignment model, for lists without alignments."""
    types: str = "surface"
    """Token types: surface, prefix, suffix, digits, separated by +."""
    source_column: str | None = None
    """Additional token type of source words, NAME=FILE: lines of a word, a tab and its values."""
    target_column: str | None = None
    """The same for target words."""
    min_sentences: int = 2
    """Minimum number of sentences in which a feature must differ between candidates to be learned."""
    label: str = "sparse"

    def columns(self) -> tuple[str, ...]:
        """No dense columns."""
        return ()

    def resources(self) -> dict[str, str]:
        """The alignment model and the columns, if there are any."""
        found = {} if self.path is None else {"path": self.path}
        for key in ("source_column", "target_column"):
            if getattr(self, key) is not None:
                found[key] = _named_file(getattr(self, key))[1]
        return found

    def compute(self, context: FeatureContext) -> SparseFeatures:
        """Names are kept, so that the weights of a model are readable."""
        names = self.templates.split("+")
        for name in names:
            if name not in TEMPLATES:
                raise ConfigError(f"unknown template '{name}'; choose from: {', '.join(TEMPLATES)}")
        needs_links = not _UNALIGNED.issuperset(names)
        links = aligned_pairs(context, self.path, self.name) if needs_links else None
        phrases = phrases_of(context, self.name) if set(_OF_PHRASES) & set(names) else None
        candidates = _Candidates(context, links, phrases)
        model = self._model(names).engine_of(Vocabulary(), context.store.words)
        rows = [FeatureRows(*model.given_features(*facts)) for facts in candidates]
        least = self.min_sentences if context.training else 1
        features = _telling_apart(rows, least)
        return _numbered(features, rows, _names(features, rows, model, candidates))

    def _model(self, templates: list[str]) -> SparseModel:
        spelling = self.types.split("+")
        for name in spelling:
            if name not in SPELLING_TYPES:
                raise ConfigError(f"unknown token type '{name}'; choose from: {', '.join(SPELLING_TYPES)}")
        columns = [
            {} if given is None else {_named_file(given)[0]: TokenColumn.load(_named_file(given)[1])}
            for given in (self.source_column, self.target_column)
        ]
        options = SparseOptions(
            templates=tuple(templates),
            source_types=(*spelling, *columns[0]),
            target_types=(*spelling, *columns[1]),
        )
        return SparseModel(options, source_columns=columns[0], target_columns=columns[1])


def _named_file(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not equals or not name or not path:
        raise ConfigError(f"'{text}': write NAME=FILE")
    return name, path


@dataclass(frozen=True, slots=True)
class _Candidates:
    """The candidates of each sentence in the engine's form."""

    context: FeatureContext
    links: Ragged | None
    phrases: Ragged | None

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for sentence in range(self.context.store.num_sentences):
            yield self[sentence]

    def __getitem__(self, sentence: int) -> tuple[Any, ...]:
        store, source = self.context.store, self.context.source
        assert source is not None
        begin, end = store.sentence_offsets[sentence : sentence + 2].tolist()
        words, offsets = _part(store.tokens, begin, end)
        facts: list[Any] = [list(source[sentence]), words, offsets]
        if self.links is None:
            facts += [np.zeros((0, 2), np.uint32), np.zeros(end - begin + 1, np.int64)]
        else:
            facts += _inside(*_part(self.links, begin, end), len(source[sentence]), np.diff(offsets))
        if self.phrases is not None:
            facts += _part(self.phrases, begin, end)
        return tuple(facts)


def _part(rows: Ragged, begin: int, end: int) -> tuple[Any, npt.NDArray[np.int64]]:
    first, last = int(rows.offsets[begin]), int(rows.offsets[end])
    values = np.ascontiguousarray(rows.values[first:last], dtype=np.uint32)
    return values, np.asarray(rows.offsets[begin : end + 1] - first, np.int64)


def _inside(
    links: Any, offsets: npt.NDArray[np.int64], source: int, lengths: npt.NDArray[np.int64]
) -> tuple[Any, npt.NDArray[np.int64]]:
    """Drop links to words that do not exist, which some decoders write for the end of the sentence."""
    owner = np.repeat(np.arange(len(lengths)), np.diff(offsets))
    kept = (links[:, 0] < source) & (links[:, 1] < lengths[owner])
    counts = np.bincount(owner[kept], minlength=len(lengths))
    return np.ascontiguousarray(links[kept]), np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _telling_apart(rows: list[FeatureRows], least: int) -> UInt64:
    """Features that differ between candidates in at least this many sentences."""
    found = [of_sentence.varying() for of_sentence in rows]
    features, sentences = np.unique(np.concatenate([np.zeros(0, np.uint64), *found]), return_counts=True)
    return features[sentences >= least]


def _columns(features: UInt64, found: UInt64) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """The position of each among the features, and whether it exists."""
    if not len(features):
        return np.zeros(len(found), np.int64), np.zeros(len(found), np.bool_)
    place = np.minimum(np.searchsorted(features, found), len(features) - 1)
    return place, features[place] == found


def _names(
    features: UInt64, rows: list[FeatureRows], model: EngineModel, candidates: _Candidates
) -> list[str]:
    names = [""] * len(features)
    unnamed = np.ones(len(features), np.bool_)
    for of_sentence, facts in zip(rows, candidates, strict=True):
        place, known = _columns(features, of_sentence.features)
        fresh = np.unique(place[known])
        fresh = fresh[unnamed[fresh]]
        if len(fresh):
            given = model.given_names(features[fresh], *facts)
            for column in fresh.tolist():
                names[column] = given[int(features[column])]
            unnamed[fresh] = False
    return names


def _numbered(features: UInt64, rows: list[FeatureRows], names: list[str]) -> SparseFeatures:
    offsets, columns, values = [np.zeros(1, np.int64)], [], []
    end = 0
    for of_sentence in rows:
        place, kept = _columns(features, of_sentence.features)
        before = np.concatenate([[0], np.cumsum(kept)])
        offsets.append(end + before[of_sentence.offsets[1:]])
        columns.append(place[kept].astype(np.uint32))
        values.append(of_sentence.counts[kept])
        end += int(before[-1])
    vocabulary = Vocabulary()
    for name in names:
        vocabulary.add(name)
    events = Ragged(np.concatenate(offsets), np.concatenate([np.zeros(0, np.uint32), *columns]))
    return SparseFeatures(vocabulary, events, np.concatenate([np.zeros(0, np.float32), *values]))
