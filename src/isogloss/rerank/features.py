"""Feature functions and their input.

A function is a frozen dataclass with a ``name``, a ``label`` (the name or prefix of its columns), and
``compute``.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from isogloss.io.errors import ConfigError, InputFileError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import read_chunks
from isogloss.metric.interface import FloatArray
from isogloss.nbest.store import DenseGroup, NbestStore, SparseFeatures

__all__ = [
    "FeatureContext",
    "FeatureFunction",
    "computed",
    "own_fields",
]

Computed = FloatArray | SparseFeatures
"""Candidates × columns, or sparse features of every candidate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureContext:
    """The input of feature functions."""

    store: NbestStore
    source: Sequence[Sequence[str]] | None = None
    """The source words of each sentence of the list, in order."""
    texts: Sequence[str] | None = None
    """The plain text of the candidates, if a tokenizer was used."""
    source_lines: Sequence[str] | None = None
    """The same for the source."""
    training: bool = True
    """Whether this is for training: then functions may drop rare features."""
    threads: int = 1
    name: str = "n-best list"
    """Name of the list in messages."""
    track: Track = no_track
    """Shows progress by function."""

    def __post_init__(self) -> None:
        # A string is a sequence of strings too, but its characters are not words.
        if self.source is not None and any(isinstance(words, str) for words in self.source):
            words = [one.split() if isinstance(one, str) else one for one in self.source]
            object.__setattr__(self, "source", words)
        if self.source is not None and len(self.source) != self.store.num_sentences:
            raise ConfigError(
                f"source: {len(self.source):,} sentences for the {self.store.num_sentences:,} sentences of "
                "the list that have candidates"
            )

    @property
    def offsets(self) -> Any:
        """Candidates of sentence i: rows ``offsets[i]`` up to ``offsets[i + 1]``."""
        return self.store.sentence_offsets

    def candidate_texts(self) -> Sequence[str]:
        """The text of every candidate."""
        return list(self.store.texts()) if self.texts is None else self.texts

    def source_texts(self) -> Sequence[str] | None:
        """The source text of every sentence of the list; None without a source."""
        if self.source is None or self.source_lines is not None:
            return self.source_lines
        return [" ".join(words) for words in self.source]

    def lengths(self) -> FloatArray:
        """Number of words of each candidate."""
        return np.diff(self.store.tokens.offsets).astype(np.float64)

    def word_table(self, values: Iterable[float]) -> FloatArray:
        """The value of every token of the list; ``values`` are indexed by word id."""
        table = np.fromiter(values, np.float64, len(self.store.words))
        return np.asarray(table[self.store.tokens.values])

    def sums(self, per_token: FloatArray) -> FloatArray:
        """The sum over the tokens of each candidate."""
        summed = np.concatenate([[0.0], np.cumsum(per_token)])
        return np.asarray(summed[self.store.tokens.offsets[1:]] - summed[self.store.tokens.offsets[:-1]])


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureFunction(ABC):
    """A feature that can be computed for every candidate of a list."""

    name: ClassVar[str]
    """The name of the function in feature specifications."""
    needs_source: ClassVar[bool] = False
    belongs_to_list: ClassVar[bool] = False
    """Whether its file belongs to one list, so that another list needs another file."""
    runs_code: ClassVar[bool] = False
    """Whether it runs a user's file: then only the user may name it, never a stored model."""

    label: str
    """The name of its column, or the prefix of its columns."""

    def columns(self) -> tuple[str, ...]:
        """The names of the dense columns it makes."""
        return (self.label,)

    @abstractmethod
    def compute(self, context: FeatureContext) -> Computed:
        """The values for all candidates."""

    def check(self) -> None:
        """Raise an error if it cannot be computed in this process."""
        return

    def resources(self) -> dict[str, str]:
        """Files of the function, by field: different files make a different feature."""
        return {}

    def written(self) -> str:
        """The specification of the function, as on the command line."""
        parts = []
        for place, field in enumerate(own_fields(type(self))):
            value = getattr(self, field.name)
            if value != field.default:
                parts.append(str(value) if place == 0 else f"{field.name}={value}")
            elif place == 0 and value is not None and field.default is MISSING:
                parts.append(str(value))
        return f"{self.name}:{','.join(parts)}" if parts else self.name

    def as_dict(self) -> dict[str, Any]:
        """Name and options, as plain values."""
        return {"name": self.name, "options": asdict(self)}

    def fingerprints(self) -> dict[str, str]:
        """Hashes of the files that ``resources`` names."""
        return {key: _fingerprint(path) for key, path in self.resources().items()}


def _fingerprint(path: str) -> str:
    """A hash of a file, or of the manifest of a stored folder, which contains hashes of the rest."""
    digest = hashlib.sha256()
    file = Path(path) / "manifest.json" if Path(path).is_dir() else Path(path)
    if file.exists() and not file.is_file():  # a stored model could name a pipe or a device that never ends
        raise InputFileError("is not a regular file", file, "give a file")
    for chunk in read_chunks(file, longest_line=0):
        digest.update(chunk)
    return digest.hexdigest()


def own_fields(function: type[FeatureFunction]) -> list[Any]:
    """The fields in the order of the specification, the label last; code is left out."""
    written = [field for field in fields(function) if field.compare]
    return sorted(written, key=lambda field: field.name == "label")


def computed(
    store: NbestStore, functions: Sequence[FeatureFunction], context: FeatureContext
) -> tuple[tuple[DenseGroup, ...], FloatArray, list[SparseFeatures]]:
    """The columns of all functions, and their sparse features."""
    groups: list[DenseGroup] = []
    parts: list[FloatArray] = []
    sparse: list[SparseFeatures] = []
    for function in context.track(functions, "computing features", len(functions)):
        if function.needs_source and context.source is None:
            raise ConfigError(
                f"the feature '{function.written()}' needs the source text: give source= (--source)"
            )
        found = function.compute(context)
        if isinstance(found, SparseFeatures):
            sparse.append(found)
            continue
        values = np.asarray(found, dtype=np.float64).reshape(store.num_candidates, -1)
        names = function.columns()
        if values.shape[1] != len(names):
            raise ConfigError(
                f"the feature '{function.written()}' returned {values.shape[1]} columns instead of "
                f"{len(names)}"
            )
        bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
        if len(bad):
            sentence = int(store.sentence_ids[store.sentence_of_row()[bad[0]]])
            raise ConfigError(
                f"the feature '{function.written()}' is not a finite number for candidate {bad[0] + 1} "
                f"(sentence {sentence})"
            )
        groups += [DenseGroup(name, 1) for name in names]
        parts.append(values)
    labels = [group.name for group in groups]
    for name in labels:
        if labels.count(name) > 1:
            raise ConfigError(
                f"two features are called '{name}'; give one of them another label with ,label=NAME"
            )
    joined = np.hstack(parts) if parts else np.zeros((store.num_candidates, 0))
    return tuple(groups), joined, sparse
