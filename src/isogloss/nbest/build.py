"""Make an n-best store from Python objects: strings, numbers, arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from isogloss._engine import LineError, NbestBuilder
from isogloss.io.errors import ConfigError
from isogloss.nbest.check import is_feature_name
from isogloss.nbest.store import DenseGroup, Float64, NbestStore

__all__ = ["Alignment", "Numbers", "build_store", "candidate_links", "candidate_strings", "flat_numbers"]

Numbers = Iterable[float | None] | Iterable[Iterable[float | None]]
"""One number per candidate: a list for each sentence, or one flat list."""

Alignment = str | Iterable[Sequence[int]]
"""Aligned words of a candidate: ``0-0 1-2``, or pairs of source and target positions."""

_LAST_POSITION = 65535


def build_store(
    sentences: Sequence[int],
    texts: Sequence[str],
    *,
    scores: Sequence[float | None] | None = None,
    features: Mapping[str, Float64] | None = None,
    alignments: Sequence[Alignment | None] | None = None,
    tokenize: Callable[[str], Sequence[str]] | None = None,
) -> NbestStore:
    """A store of these candidates; ``sentences`` has the sentence number of each, in order."""
    builder = NbestBuilder()
    for row, (sentence, text) in enumerate(zip(sentences, texts, strict=True)):
        if not isinstance(text, str):
            raise ConfigError(f"{_place(sentences, row)} is {text!r}, a string is expected")
        score = None if scores is None else scores[row]
        links = None if alignments is None else alignments[row]
        try:
            builder.add(
                sentence,
                text if tokenize is None else " ".join(tokenize(text)),
                score=None if score is None or math.isnan(score) else float(score),
                alignment=[] if links is None else _pairs(links),
                line=row,
            )
        except LineError as error:
            problem, line, hint = error.args
            where = _place(sentences, line)
            raise ConfigError(f"{where}: {problem}" + (f"; {hint}" if hint else "")) from None
        except (TypeError, ValueError) as error:
            raise ConfigError(f"{_place(sentences, row)}: {error}") from None
    return _with_dense(NbestStore.from_columns(builder.finish()), sentences, features or {})


def _place(sentences: Sequence[int], row: int) -> str:
    """Sentences and candidates are counted from 0, as in Python."""
    return f"candidate {row - list(sentences).index(sentences[row])} of sentence {sentences[row]}"


def _pairs(links: Alignment) -> list[tuple[int, int]]:
    pairs = []
    for link in [part.split("-") for part in links.split()] if isinstance(links, str) else links:
        try:
            source, target = (int(position) for position in link)
        except (TypeError, ValueError):
            raise ValueError(
                f"{link!r} is not an alignment link; give a source and a target position"
            ) from None
        if not (0 <= source <= _LAST_POSITION and 0 <= target <= _LAST_POSITION):
            raise ValueError(
                f"alignment positions must be between 0 and {_LAST_POSITION}, got {source}-{target}"
            )
        pairs.append((source, target))
    return pairs


def _with_dense(store: NbestStore, sentences: Sequence[int], features: Mapping[str, Float64]) -> NbestStore:
    for name, column in features.items():
        if not is_feature_name(name):
            raise ConfigError(f"'{name}' is not a valid feature name; use a name without spaces and '|||'")
        bad = np.flatnonzero(~np.isfinite(column))
        if len(bad):
            raise ConfigError(
                f"feature '{name}' of {_place(sentences, int(bad[0]))} is {column[bad[0]]}; "
                "a finite number is expected"
            )
    if not features:
        return store
    return replace(
        store,
        dense_groups=tuple(DenseGroup(name, 1) for name in features),
        dense=np.column_stack(list(features.values())).astype(np.float64),
    )


def candidate_strings(texts: Iterable[str], sentence: int) -> list[str]:
    """The candidates of a sentence; rejects a string, which would be split into characters."""
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise ConfigError(
            f"candidates: sentence {sentence} has {texts!r}; a list of strings is expected for each sentence"
        )
    return list(texts)


def candidate_links(
    alignments: Iterable[Iterable[Alignment | None]], sizes: Sequence[int]
) -> list[Alignment | None]:
    """The alignment of every candidate, from a list for each sentence."""
    lists = [list(own) for own in alignments]
    if [len(own) for own in lists] != list(sizes):
        raise ConfigError("alignments must be a list for each sentence, with one entry per candidate")
    return [links for own in lists for links in own]


def _flat_values(values: Iterable[Any], sizes: Sequence[int], what: str) -> list[Any]:
    """One value per candidate, from a list for each sentence or from one flat list."""
    given = list(values)
    if any(_is_nested(item) for item in given):
        if len(given) != len(sizes):
            raise ConfigError(f"{what}: {len(given):,} lists for {len(sizes):,} sentences")
        flat = []
        for sentence, (item, size) in enumerate(zip(given, sizes, strict=True)):
            own = list(item) if _is_nested(item) else [item]
            if len(own) != size:
                raise ConfigError(
                    f"{what}: {len(own):,} values for the {size:,} candidates of sentence {sentence}"
                )
            flat += own
        return flat
    if len(given) != sum(sizes):
        raise ConfigError(f"{what}: {len(given):,} values for {sum(sizes):,} candidates")
    return given


def _is_nested(item: object) -> bool:
    return isinstance(item, Iterable) and not isinstance(item, str | bytes) and getattr(item, "ndim", 1) != 0


def flat_numbers(values: Numbers, sizes: Sequence[int], what: str) -> Float64:
    """The same for numbers; NaN where there is None."""
    flat = _flat_values(values, sizes, what)
    try:
        return np.array([math.nan if value is None else float(value) for value in flat], dtype=np.float64)
    except (TypeError, ValueError):
        wrong = next(value for value in flat if not _is_number(value))
        raise ConfigError(f"{what}: {wrong!r} is not a number") from None


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return value is None
    return True
