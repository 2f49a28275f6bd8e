"""The n-best store: the columns that search, learners, rerankers and file formats share.

All columns have one row per candidate, grouped by sentence. Numbers are NumPy arrays, in memory or mapped
from a stored folder; words are ids in one vocabulary and are converted to text on demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from isogloss._engine import Vocabulary, materialize_sparse
from isogloss.io.errors import ConfigError, ModelFormatError
from isogloss.io.streams import StrPath
from isogloss.nbest.check import check_content, check_shapes
from isogloss.storage.folder import add_arrays, open_folder, write_folder

__all__ = ["CsrRows", "DenseGroup", "NbestStore", "Ragged", "SparseFeatures"]

Int64 = npt.NDArray[np.int64]
UInt32 = npt.NDArray[np.uint32]
Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]

_MOST_EMPTY_LINES = 10_000_000

KIND = "nbest"
VERSION = 1


class DenseGroup(NamedTuple):
    """Dense columns that belong together, as in ``TranslationModel0= -1.2 -0.3``."""

    name: str
    size: int

    @classmethod
    def checked(cls, name: object, size: object) -> DenseGroup:
        """A group from the values in a file; raises ValueError if they are invalid."""
        if not isinstance(name, str) or not isinstance(size, int) or size < 1:
            raise ValueError(f"a dense feature group cannot be {name!r} of size {size!r}")
        return cls(name, size)

    def column_names(self) -> list[str]:
        """``LM0`` alone, ``TranslationModel0_0``, ``TranslationModel0_1`` … for several."""
        if self.size == 1:
            return [self.name]
        return [f"{self.name}_{index}" for index in range(self.size)]


class CsrRows(NamedTuple):
    """Sparse rows: row i is ``columns[offsets[i]:offsets[i + 1]]``, with parallel ``values``."""

    offsets: Int64
    columns: UInt32
    values: Float32


@dataclass(frozen=True, slots=True, eq=False)
class Ragged:
    """Rows of different lengths: row i is ``values[offsets[i]:offsets[i + 1]]``."""

    offsets: Int64
    values: npt.NDArray[Any]

    def row(self, index: int) -> npt.NDArray[Any]:
        """One row, as a view."""
        return self.values[self.offsets[index] : self.offsets[index + 1]]

    def select(self, rows: Int64) -> Ragged:
        """The given rows, in the given order."""
        offsets, positions = _gather(self.offsets, rows)
        return Ragged(offsets, self.values[positions])

    def select_or_none(self, rows: Int64) -> Ragged | None:
        """The given rows, or None if all of them are empty."""
        chosen = self.select(rows)
        return chosen if len(chosen.values) else None

    def equals(self, other: Ragged) -> bool:
        """Whether all rows are equal."""
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.values, other.values)


def _gather(offsets: Int64, rows: Int64) -> tuple[Int64, Int64]:
    """New offsets, and the positions of the values of ``rows``."""
    lengths = offsets[rows + 1] - offsets[rows]
    gathered = np.concatenate(([0], np.cumsum(lengths)))
    return gathered, np.arange(gathered[-1]) - np.repeat(gathered[:-1] - offsets[rows], lengths)


@dataclass(frozen=True, slots=True, eq=False)
class SparseFeatures:
    """Sparse features in two levels: candidates fire events, events fire features.

    The candidates of a sentence share most of their events, and one event can be hundreds of features
    (all combinations of token types), so a flat matrix would be many times larger. A list that was read
    from a file has ``event_features`` None: every event is one feature, with the same number.
    """

    names: Vocabulary
    """Feature names by column."""
    events: Ragged
    """Event ids of each candidate; if events are features, each occurs once."""
    event_counts: Float32
    """Counts, parallel to ``events.values``; for a list from a file, the feature value."""
    event_features: Ragged | None = None
    """Feature columns of each event."""
    feature_values: Float32 | None = None
    """Parallel to ``event_features.values``."""

    def rows(self, rows: Int64) -> CsrRows:
        """The features of some candidates, sorted by column, with summed values."""
        event_features = self.event_features
        if event_features is None:
            events = np.arange(len(self.names) + 1, dtype=np.int64)
            event_features = Ragged(events, events[:-1].astype(np.uint32))
        values = self.feature_values
        if values is None:
            values = np.ones(len(event_features.values), np.float32)
        return CsrRows(
            *materialize_sparse(
                rows=np.ascontiguousarray(rows, np.int64),
                candidate_offsets=self.events.offsets,
                events=self.events.values,
                event_counts=self.event_counts,
                event_offsets=event_features.offsets,
                features=event_features.values,
                feature_values=values,
            )
        )

    def flat(self) -> SparseFeatures:
        """The same features in one level, as file formats write them."""
        if self.event_features is None and self.feature_values is None:
            return self
        rows = self.rows(np.arange(len(self.events.offsets) - 1))
        if not np.all(np.isfinite(rows.values)):
            raise ModelFormatError("the values of a sparse feature add up to infinity", "n-best store")
        return SparseFeatures(self.names, Ragged(rows.offsets, rows.columns), rows.values)

    def flat_or_none(self) -> SparseFeatures | None:
        """The same features in one level, or None if no candidate has one."""
        flat = self.flat()
        return flat if len(flat.events.values) else None

    def select(self, rows: Int64) -> SparseFeatures | None:
        """The features of the given candidates, or None if they have none; events and names stay."""
        offsets, positions = _gather(self.events.offsets, rows)
        if len(positions) == 0:
            return None
        events = Ragged(offsets, self.events.values[positions])
        return replace(self, events=events, event_counts=self.event_counts[positions])

    def equals(self, other: SparseFeatures) -> bool:
        """Whether every candidate has the same named values in the same order; unused names are ignored."""
        mine, theirs = self.flat(), other.flat()
        return _same_words(mine.names, mine.events, theirs.names, theirs.events) and np.array_equal(
            mine.event_counts, theirs.event_counts
        )


def _same_words(names: Vocabulary, rows: Ragged, other_names: Vocabulary, other_rows: Ragged) -> bool:
    """Whether the rows have the same words, whatever their ids."""
    return np.array_equal(rows.offsets, other_rows.offsets) and np.array_equal(
        names.hashes()[rows.values], other_names.hashes()[other_rows.values]
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NbestStore:
    """An n-best list. Read-only; every operation returns a new store that shares unchanged columns."""

    sentence_ids: Int64
    """The number of each sentence in the source text, from 0, in ascending order; numbers may be missing."""
    sentence_offsets: Int64
    """Candidates of the i-th sentence: rows ``sentence_offsets[i]`` up to ``sentence_offsets[i + 1]``."""
    scores: Float64
    """The total score of each candidate; NaN if the list has none."""
    dense_groups: tuple[DenseGroup, ...]
    dense: Float64
    """Candidates × columns."""
    words: Vocabulary
    tokens: Ragged
    """Word ids of each candidate."""
    sparse: SparseFeatures | None = None
    alignment: Ragged | None = None
    """Aligned word pairs of each candidate: source and target position."""
    segmentation: Ragged | None = None
    """Phrases of each candidate: first and last source word, first and last target word."""
    path: Path | None = None
    """Path of the store on disk, if there is one."""
    reordered: bool = False
    """Whether the lines of the file were not sorted by sentence, so that rows differ from lines."""
    filled: Mapping[str, int] = field(default_factory=dict)
    """Dense groups missing on some lines of the file, and how many candidates got zeros."""
    notes: tuple[str, ...] = ()
    """What a reader has to say about the file, in words."""
    source: tuple[str, ...] | None = None
    """The source sentences, if the file itself has them. Not stored."""

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any]) -> NbestStore:
        """Make a store from the output of the engine's readers. Empty columns are left out."""
        sparse = None
        if len(columns["sparse_names"]) > 0:
            events = Ragged(columns["sparse_offsets"], columns["sparse_columns"])
            sparse = SparseFeatures(columns["sparse_names"], events, columns["sparse_values"])

        def links(name: str) -> Ragged | None:
            values = columns[name]
            return Ragged(columns[f"{name}_offsets"], values) if len(values) else None

        groups = tuple(DenseGroup(name, size) for name, size in columns["dense_groups"])
        missing = zip(groups, columns["missing"], strict=True)
        return cls(
            sentence_ids=columns["sentence_ids"],
            sentence_offsets=columns["sentence_offsets"],
            scores=columns["scores"],
            dense_groups=groups,
            dense=columns["dense"],
            words=columns["words"],
            tokens=Ragged(columns["token_offsets"], columns["tokens"]),
            sparse=sparse,
            alignment=links("alignment"),
            segmentation=links("segmentation"),
            reordered=columns["reordered"],
            filled={group.name: count for group, count in missing if count > 0},
        )

    @property
    def num_sentences(self) -> int:
        """Sentences that have candidates."""
        return len(self.sentence_ids)

    @property
    def num_candidates(self) -> int:
        """Candidates of all sentences."""
        return len(self.scores)

    @property
    def dense_names(self) -> list[str]:
        """A name for every dense column."""
        return [name for group in self.dense_groups for name in group.column_names()]

    @property
    def num_lines(self) -> int:
        """Number of lines of a file in which line n is sentence n; an error if nearly all would be empty."""
        lines = int(self.sentence_ids[-1]) + 1 if self.num_sentences else 0
        if lines - self.num_sentences > _MOST_EMPTY_LINES:
            raise ConfigError(
                f"the last sentence has the number {lines - 1}, and a file with a line for every sentence "
                "from 0 on would be almost empty; renumber the sentences or choose another format"
            )
        return lines

    def columns_of(self, group_name: str) -> list[int]:
        """The dense columns of a group; empty if the group does not exist."""
        first = 0
        for group in self.dense_groups:
            if group.name == group_name:
                return list(range(first, first + group.size))
            first += group.size
        return []

    @property
    def nbytes(self) -> int:
        """Size of all columns in bytes."""
        return sum(array.nbytes for array in self._arrays().values())

    def rows_of(self, sentence: int) -> range:
        """The rows of the i-th sentence's candidates."""
        return range(int(self.sentence_offsets[sentence]), int(self.sentence_offsets[sentence + 1]))

    def sentence_of_row(self) -> Int64:
        """For every candidate, the index of its sentence."""
        return np.repeat(np.arange(self.num_sentences), np.diff(self.sentence_offsets))

    def texts(self, rows: Iterable[int] | None = None) -> Iterator[str]:
        """The words of the given candidates (default: all), joined by spaces."""
        vocabulary = self.words.words()
        for row in range(self.num_candidates) if rows is None else rows:
            try:
                yield " ".join([vocabulary[word] for word in self.tokens.row(row).tolist()])
            except IndexError:
                raise ModelFormatError(
                    f"candidate {row} has an invalid word number", self.path or "n-best store"
                ) from None

    def lines(self, rows: Int64, count: int | None = None) -> Iterator[str]:
        """One chosen candidate per sentence as lines parallel to the source; missing sentences are empty.

        There are ``count`` lines, or ``num_lines``.
        """
        texts = self.texts(rows.tolist())
        known = iter(self.sentence_ids.tolist())
        following = next(known, None)
        for number in range(self.num_lines if count is None else count):
            if number == following:
                following = next(known, None)
                yield next(texts)
            else:
                yield ""

    def text(self, row: int) -> str:
        """The words of one candidate, joined by spaces."""
        return next(self.texts([row]))

    def select(self, rows: Sequence[int] | Int64) -> NbestStore:
        """A store of the given candidates only, which must be in the order of sentences.

        Sentences without a candidate and empty columns are dropped.
        """
        chosen = np.asarray(rows, dtype=np.int64)
        if len(chosen) and not 0 <= int(chosen.min()) <= int(chosen.max()) < self.num_candidates:
            raise IndexError(f"the list has rows 0 to {self.num_candidates - 1}")
        sentence = self.sentence_of_row()[chosen]
        if np.any(np.diff(sentence) < 0):
            raise ValueError("the rows must be grouped by sentence, in order")
        kept, first = np.unique(sentence, return_index=True)
        return replace(
            self,
            sentence_ids=self.sentence_ids[kept],
            sentence_offsets=np.append(first, len(chosen)).astype(np.int64),
            scores=self.scores[chosen],
            dense=self.dense[chosen],
            tokens=self.tokens.select(chosen),
            sparse=self.sparse and self.sparse.select(chosen),
            alignment=self.alignment and self.alignment.select_or_none(chosen),
            segmentation=self.segmentation and self.segmentation.select_or_none(chosen),
            path=None,
            filled={},
            notes=(),
        )

    def equals(self, other: NbestStore) -> bool:
        """Whether both are the same list: every candidate, number, word and name, in the same order.

        An empty column equals a missing one.
        """

        def same(mine: Ragged | None, theirs: Ragged | None) -> bool:
            mine, theirs = mine or nothing, theirs or nothing
            if len(mine.values) == 0 or len(theirs.values) == 0:
                return len(mine.values) == len(theirs.values)
            return mine.equals(theirs)

        def same_sparse(mine: SparseFeatures | None, theirs: SparseFeatures | None) -> bool:
            mine, theirs = mine and mine.flat_or_none(), theirs and theirs.flat_or_none()
            return mine is theirs if mine is None or theirs is None else mine.equals(theirs)

        nothing = Ragged(np.zeros(1, np.int64), np.zeros(0))

        return (
            np.array_equal(self.sentence_ids, other.sentence_ids)
            and np.array_equal(self.sentence_offsets, other.sentence_offsets)
            and np.array_equal(self.scores, other.scores, equal_nan=True)
            and self.dense_groups == other.dense_groups
            and np.array_equal(self.dense, other.dense)
            and _same_words(self.words, self.tokens, other.words, other.tokens)
            and same_sparse(self.sparse, other.sparse)
            and same(self.alignment, other.alignment)
            and same(self.segmentation, other.segmentation)
        )

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        word_bytes, word_offsets = self.words.arrays()
        arrays: dict[str, npt.NDArray[Any]] = {
            "sentence_ids": self.sentence_ids,
            "sentence_offsets": self.sentence_offsets,
            "scores": self.scores,
            "dense": self.dense,
            "word_bytes": word_bytes,
            "word_offsets": word_offsets,
            "token_offsets": self.tokens.offsets,
            "tokens": self.tokens.values,
        }
        if self.sparse is not None:
            name_bytes, name_offsets = self.sparse.names.arrays()
            arrays |= {
                "feature_name_bytes": name_bytes,
                "feature_name_offsets": name_offsets,
                "feature_ids": self.sparse.names.hashes(),
                "event_offsets": self.sparse.events.offsets,
                "events": self.sparse.events.values,
                "event_counts": self.sparse.event_counts,
            }
            if self.sparse.event_features is not None:
                arrays["event_feature_offsets"] = self.sparse.event_features.offsets
                arrays["event_features"] = self.sparse.event_features.values
            if self.sparse.feature_values is not None:
                arrays["feature_values"] = self.sparse.feature_values
        for name, links in (("alignment", self.alignment), ("segmentation", self.segmentation)):
            if links is not None:
                arrays |= {f"{name}_offsets": links.offsets, name: links.values}
        return arrays

    def save(self, path: StrPath) -> NbestStore:
        """Store the list in a folder, replacing a list that was stored there; return it as stored."""
        groups = [list(group) for group in self.dense_groups]
        write_folder(
            path, kind=KIND, version=VERSION, arrays=self._arrays(), attributes={"dense_groups": groups}
        )
        return NbestStore.open(path)

    @classmethod
    def open(cls, path: StrPath) -> NbestStore:
        """Open a stored list; its columns are read only when they are used.

        Damage shows later, as an error or as wrong values; ``check`` finds it immediately.
        """
        folder = open_folder(path, kind=KIND, version=VERSION)
        try:
            groups = tuple(DenseGroup.checked(name, size) for name, size in folder.attributes["dense_groups"])
            store = replace(_from_arrays(folder.arrays, groups), path=Path(path))
        except (KeyError, ValueError, TypeError) as error:
            raise ModelFormatError(f"the n-best store is damaged ({error})", path) from None
        check_shapes(store)
        return store

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle all columns, in memory or on disk."""
        arrays = {name: np.array(array) for name, array in self._arrays().items()}
        return _from_arrays, (arrays, self.dense_groups, self.reordered, dict(self.filled))

    def check(self) -> None:
        """Read everything once and raise an error if it is inconsistent; for lists from untrusted sources."""
        check_shapes(self)
        check_content(self)

    def cached(self, name: str) -> npt.NDArray[Any] | None:
        """An array stored with the list under this name."""
        if self.path is None:
            return None
        return open_folder(self.path, kind=KIND, version=VERSION).arrays.get(name)

    def keep(self, name: str, array: npt.NDArray[Any]) -> None:
        """Store an array with a list on disk; does nothing for a list in memory."""
        if self.path is not None:
            add_arrays(self.path, kind=KIND, version=VERSION, arrays={name: array})


def _from_arrays(
    arrays: Mapping[str, npt.NDArray[Any]],
    groups: tuple[DenseGroup, ...],
    reordered: bool = False,
    filled: Mapping[str, int] | None = None,
) -> NbestStore:
    """The store whose ``_arrays`` these are."""
    sparse = None
    if "events" in arrays:
        sparse = SparseFeatures(
            Vocabulary.from_arrays(arrays["feature_name_bytes"], arrays["feature_name_offsets"]),
            Ragged(arrays["event_offsets"], arrays["events"]),
            arrays["event_counts"],
            _links(arrays, "event_feature_offsets", "event_features"),
            arrays.get("feature_values"),
        )
    return NbestStore(
        sentence_ids=arrays["sentence_ids"],
        sentence_offsets=arrays["sentence_offsets"],
        scores=arrays["scores"],
        dense_groups=groups,
        dense=arrays["dense"],
        words=Vocabulary.from_arrays(arrays["word_bytes"], arrays["word_offsets"]),
        tokens=Ragged(arrays["token_offsets"], arrays["tokens"]),
        sparse=sparse,
        alignment=_links(arrays, "alignment_offsets", "alignment"),
        segmentation=_links(arrays, "segmentation_offsets", "segmentation"),
        reordered=reordered,
        filled=filled or {},
    )


def _links(arrays: Mapping[str, npt.NDArray[Any]], offsets: str, values: str) -> Ragged | None:
    if values not in arrays:
        return None
    return Ragged(cast(Int64, arrays[offsets]), arrays[values])
