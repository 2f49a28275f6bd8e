"""Feature functions: what a feature is computed from, and how one is named on a command line.

    NAME                      consensus
    NAME:VALUE                lm:english.arpa
    NAME:VALUE,KEY=VALUE      lm:english.arpa,label=Big

A function is a frozen dataclass with a ``name``, a ``label`` that its columns begin with, and ``compute``;
its fields are what can be written after the colon, the first of them without its key.
"""

from __future__ import annotations

import hashlib
import types
import typing
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import StrPath, read_chunks, read_lines
from isogloss.metric.interface import FloatArray
from isogloss.nbest.store import DenseGroup, NbestStore, SparseFeatures

__all__ = ["FeatureContext", "FeatureFunction", "computed", "function_named", "parse_features", "read_source"]

Computed = FloatArray | SparseFeatures
"""Candidates × columns, or sparse features of every candidate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureContext:
    """What feature functions see."""

    store: NbestStore
    source: Sequence[Sequence[str]] | None = None
    """The words of the source of each sentence of the list, in the list's order."""
    training: bool = True
    """Whether a model is to be learned from this: then functions may leave out what is too rare."""
    threads: int = 1

    @property
    def offsets(self) -> Any:
        """Candidates of sentence i: rows ``offsets[i]`` up to ``offsets[i + 1]``."""
        return self.store.sentence_offsets

    def lengths(self) -> FloatArray:
        """Words of each candidate."""
        return np.diff(self.store.tokens.offsets).astype(np.float64)

    def word_table(self, values: Iterable[float]) -> FloatArray:
        """For every token of the list the value of its word; ``values`` go by the list's vocabulary."""
        table = np.fromiter(values, np.float64, len(self.store.words))
        return np.asarray(table[self.store.tokens.values])

    def sums(self, per_token: FloatArray) -> FloatArray:
        """The sum over the tokens of each candidate."""
        summed = np.concatenate([[0.0], np.cumsum(per_token)])
        return np.asarray(summed[self.store.tokens.offsets[1:]] - summed[self.store.tokens.offsets[:-1]])


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureFunction(ABC):
    """Something that can be computed for every candidate of a list."""

    name: ClassVar[str]
    """As it is called for."""
    needs_source: ClassVar[bool] = False
    belongs_to_list: ClassVar[bool] = False
    """Its file is of one list and would be taken for that of any other without anybody noticing."""
    runs_code: ClassVar[bool] = False
    """Whether it runs a file of the user's: then only the user may name it, never a stored model."""

    label: str
    """The name of its column, or what the names of its columns begin with."""

    def columns(self) -> tuple[str, ...]:
        """The names of the dense columns it makes."""
        return (self.label,)

    @abstractmethod
    def compute(self, context: FeatureContext) -> Computed:
        """The values for all candidates."""

    def resources(self) -> dict[str, str]:
        """Files that belong to the function itself, by field: other files would make another feature."""
        return {}

    def written(self) -> str:
        """The function as it would be written on a command line."""
        parts = []
        for place, field in enumerate(_own_fields(type(self))):
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
    """A hash of a file's content, or of the manifest of a stored folder, which holds hashes of the rest."""
    digest = hashlib.sha256()
    for chunk in read_chunks(Path(path) / "manifest.json" if Path(path).is_dir() else path):
        digest.update(chunk)
    return digest.hexdigest()


def _own_fields(function: type[FeatureFunction]) -> list[Any]:
    """The fields in the order in which they are written: the label last."""
    return sorted(fields(function), key=lambda field: field.name == "label")


def function_named(name: str, options: Mapping[str, Any]) -> FeatureFunction:
    """A function by its name and the values of its fields, as text or as what they are."""
    from isogloss.rerank.functions import FUNCTIONS

    if name not in FUNCTIONS:
        raise ConfigError(
            f"no feature function is called '{name}'; known are: {', '.join(sorted(FUNCTIONS))}"
        )
    function = FUNCTIONS[name]
    known = {field.name: field for field in _own_fields(function)}
    for key in options:
        if key not in known:
            raise ConfigError(f"the feature function '{name}' has no '{key}'; it has: {', '.join(known)}")
    for key, field in known.items():
        if key not in options and field.default is MISSING:
            raise ConfigError(f"the feature function '{name}' needs a '{key}': write {name}:{key.upper()}")
    hints = typing.get_type_hints(function)
    return function(**{key: _converted(name, key, value, hints[key]) for key, value in options.items()})


def _converted(name: str, key: str, value: Any, kind: Any) -> Any:
    kinds = typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,)
    for wanted in kinds:
        if value is None and wanted is types.NoneType:
            return None
        if wanted in (int, float, str) and value is not None:
            try:
                converted = wanted(value)
            except ValueError:
                continue
            if wanted is not float or np.isfinite(converted):
                return converted
    raise ConfigError(f"{key} of the feature function '{name}' cannot be {value!r}")


def parse_features(specs: Iterable[str]) -> list[FeatureFunction]:
    """Functions as they are written on a command line.

    >>> [function.written() for function in parse_features(["lengths", "lm:english.arpa,label=Big"])]
    ['lengths', 'lm:english.arpa,label=Big']
    """
    functions = []
    for spec in specs:
        name, _, rest = spec.partition(":")
        options: dict[str, str] = {}
        for place, part in enumerate(rest.split(",") if rest else []):
            key, equals, value = part.partition("=")
            if not equals and place == 0:
                from isogloss.rerank.functions import FUNCTIONS

                first = _own_fields(FUNCTIONS[name])[0].name if name in FUNCTIONS else ""
                key, value = first, part
            elif not equals or not key:
                raise ConfigError(f"'{spec}': after a comma KEY=VALUE is expected, found '{part}'")
            if key in options:
                raise ConfigError(f"'{spec}': '{key}' is given twice")
            options[key] = value
        functions.append(function_named(name, options))
    return functions


def read_source(path: StrPath, store: NbestStore) -> list[list[str]]:
    """The words of the source sentence of each sentence of a list; line n of the file is sentence n."""
    lines = list(read_lines(path))
    if store.num_sentences and int(store.sentence_ids[-1]) >= len(lines):
        raise DataFormatError(
            f"{len(lines):,} lines, but the list has candidates for sentence {store.sentence_ids[-1]} "
            f"(line {int(store.sentence_ids[-1]) + 1})",
            path,
            hint="is this the source text of this list?",
        )
    return [lines[number].split() for number in store.sentence_ids.tolist()]


def computed(
    store: NbestStore, functions: Sequence[FeatureFunction], context: FeatureContext
) -> tuple[tuple[DenseGroup, ...], FloatArray, list[SparseFeatures]]:
    """The columns of all functions side by side, and their sparse features."""
    groups: list[DenseGroup] = []
    parts: list[FloatArray] = []
    sparse: list[SparseFeatures] = []
    for function in functions:
        if function.needs_source and context.source is None:
            raise ConfigError(f"the feature '{function.written()}' needs the source text: give --source")
        found = function.compute(context)
        if isinstance(found, SparseFeatures):
            sparse.append(found)
            continue
        values = np.asarray(found, dtype=np.float64).reshape(store.num_candidates, -1)
        names = function.columns()
        if values.shape[1] != len(names):
            raise ConfigError(
                f"the feature '{function.written()}' gave {values.shape[1]} columns, not {len(names)}"
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
