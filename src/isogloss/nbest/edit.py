"""Operations on whole n-best lists: merging, removing repeated candidates, adding a column."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss._engine import Vocabulary, first_of_each
from isogloss.io.errors import ConfigError
from isogloss.nbest.check import is_feature_name
from isogloss.nbest.store import DenseGroup, Float64, Int64, NbestStore, Ragged, SparseFeatures

__all__ = ["add_column", "best_rows", "concatenate", "distinct", "highest_rows", "merge"]


def add_column(store: NbestStore, name: str, values: Sequence[float] | Float64) -> NbestStore:
    """A copy of the list with an additional dense column; ``values`` has one number per candidate."""
    column = np.asarray(values, dtype=np.float64)
    if column.shape != (store.num_candidates,):
        raise ConfigError(f"{column.size:,} values for {store.num_candidates:,} candidates")
    if not np.all(np.isfinite(column)):
        row = int(np.flatnonzero(~np.isfinite(column))[0])
        raise ConfigError(f"value {row + 1} of the new column is {column[row]}, a finite number is expected")
    if not is_feature_name(name):
        raise ConfigError(f"'{name}' is not a valid feature name; use a name without spaces and '|||'")
    if name in [group.name for group in store.dense_groups] or name in store.dense_names:
        raise ConfigError(f"the list already has a feature '{name}'; choose another name")
    return replace(
        store,
        dense_groups=(*store.dense_groups, DenseGroup(name, 1)),
        dense=np.column_stack([store.dense, column]),
        path=None,
    )


def best_rows(store: NbestStore) -> Int64:
    """The candidate with the highest score of every sentence; without scores, the first."""
    return highest_rows(store, np.nan_to_num(store.scores, nan=-np.inf))


def highest_rows(store: NbestStore, values: Float64) -> Int64:
    """The candidate with the highest value of every sentence; the first in case of ties."""
    offsets = store.sentence_offsets.tolist()
    return np.array(
        [begin + np.argmax(values[begin:end]) for begin, end in itertools.pairwise(offsets)], dtype=np.int64
    )


def distinct(store: NbestStore) -> NbestStore:
    """Among candidates with the same words, keep the one with the highest score.

    A missing score is lower than any other; in case of ties, the first candidate is kept.
    """
    scores = np.where(np.isnan(store.scores), -np.inf, store.scores)
    kept: list[int] = []
    for sentence in range(store.num_sentences):
        best: dict[bytes, int] = {}
        for row in store.rows_of(sentence):
            words = store.tokens.row(row).tobytes()
            other = best.get(words)
            if other is None or scores[row] > scores[other]:
                best[words] = row
        kept.extend(sorted(best.values()))
    return store.select(kept)


def merge(
    stores: Sequence[NbestStore],
    names: Sequence[str] = (),
    warn: Callable[[str], None] = lambda message: None,
) -> NbestStore:
    """All candidates of all lists, sentence by sentence, in the order of the lists.

    A candidate with the same words and features as an earlier one of its sentence is dropped. A dense feature
    that is missing in a list is 0 there, and ``warn`` reports it by the list's name in ``names``.
    """
    merged = _without_repetitions(concatenate(stores))
    for number, store in enumerate(stores):
        missing = [group.name for group in merged.dense_groups if group not in store.dense_groups]
        if missing:
            name = names[number] if names else f"list {number + 1}"
            warn(f"{name}: dense features that are missing here count as 0: {', '.join(missing)}")
    return merged


def concatenate(stores: Sequence[NbestStore]) -> NbestStore:
    """All candidates of all lists, sentence by sentence, in the order of the lists; nothing is left out."""
    if not stores:
        raise ConfigError("there are no lists to merge")
    groups = _all_groups(stores)
    merged = NbestStore(
        sentence_ids=np.concatenate([store.sentence_ids[store.sentence_of_row()] for store in stores]),
        sentence_offsets=np.zeros(1, np.int64),
        scores=np.concatenate([store.scores for store in stores]),
        dense_groups=groups,
        dense=np.concatenate([_widened(store, groups) for store in stores]),
        words=(words := Vocabulary()),
        tokens=_joined_words(words, [(store.words, store.tokens) for store in stores]),
        sparse=_joined_sparse(stores),
        alignment=_joined_links([store.alignment for store in stores], stores, 2),
        segmentation=_joined_links([store.segmentation for store in stores], stores, 4),
    )
    return _grouped(merged)


def _all_groups(stores: Iterable[NbestStore]) -> tuple[DenseGroup, ...]:
    groups: dict[str, DenseGroup] = {}
    for store in stores:
        for group in store.dense_groups:
            known = groups.setdefault(group.name, group)
            if known.size != group.size:
                raise ConfigError(
                    f"the lists cannot be merged: '{group.name}' has {known.size} values in one "
                    f"and {group.size} in another"
                )
    return tuple(groups.values())


def _widened(store: NbestStore, groups: tuple[DenseGroup, ...]) -> Float64:
    """The dense columns of a list in the order of the groups, which may be more."""
    if store.dense_groups == groups:
        return store.dense
    wide = np.zeros((store.num_candidates, sum(group.size for group in groups)))
    first = 0
    for group in groups:
        columns = store.columns_of(group.name)
        wide[:, first : first + len(columns)] = store.dense[:, columns]
        first += group.size
    return wide


def _joined_words(words: Vocabulary, parts: Iterable[tuple[Vocabulary, Ragged]]) -> Ragged:
    """Merge rows of word ids of several vocabularies into one."""
    values, lengths = [], []
    for vocabulary, rows in parts:
        numbers = np.array([words.add(word) for word in vocabulary.words()], np.uint32)
        values.append(numbers[rows.values])
        lengths.append(np.diff(rows.offsets))
    return Ragged(_offsets(lengths), np.concatenate(values))


def _joined_sparse(stores: Sequence[NbestStore]) -> SparseFeatures | None:
    if all(store.sparse is None for store in stores):
        return None
    names = Vocabulary()
    empty = SparseFeatures(
        names, Ragged(np.zeros(1, np.int64), np.zeros(0, np.uint32)), np.zeros(0, np.float32)
    )
    parts = []
    for store in stores:
        none = replace(
            empty, events=Ragged(np.zeros(store.num_candidates + 1, np.int64), empty.events.values)
        )
        parts.append(none if store.sparse is None else store.sparse.flat())
    events = _joined_words(names, [(part.names, part.events) for part in parts])
    return SparseFeatures(names, events, np.concatenate([part.event_counts for part in parts]))


def _joined_links(links: Sequence[Ragged | None], stores: Sequence[NbestStore], width: int) -> Ragged | None:
    if all(part is None for part in links):
        return None
    values: list[npt.NDArray[Any]] = []
    lengths: list[Int64] = []
    for part, store in zip(links, stores, strict=True):
        if part is None:
            values.append(np.zeros((0, width), np.uint16))
            lengths.append(np.zeros(store.num_candidates, np.int64))
        else:
            values.append(part.values)
            lengths.append(np.diff(part.offsets))
    return Ragged(_offsets(lengths), np.concatenate(values))


def _offsets(lengths: Sequence[Int64]) -> Int64:
    return np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)


def _grouped(merged: NbestStore) -> NbestStore:
    """Group the rows of a list whose ``sentence_ids`` has the sentence of every row."""
    order = np.argsort(merged.sentence_ids, kind="stable")
    ids, first = np.unique(merged.sentence_ids[order], return_index=True)
    every = np.zeros(1, np.int64)
    rows = replace(merged, sentence_ids=every, sentence_offsets=np.array([0, len(order)])).select(order)
    return replace(rows, sentence_ids=ids, sentence_offsets=np.append(first, len(order)))


def _without_repetitions(store: NbestStore) -> NbestStore:
    sparse = None if store.sparse is None else store.sparse.rows(np.arange(store.num_candidates))
    return store.select(
        first_of_each(
            sentence_offsets=store.sentence_offsets,
            token_offsets=store.tokens.offsets,
            tokens=store.tokens.values,
            dense=store.dense,
            sparse_offsets=None if sparse is None else sparse.offsets,
            columns=None if sparse is None else sparse.columns,
            values=None if sparse is None else sparse.values,
        )
    )
