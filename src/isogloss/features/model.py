"""The sparse features of a system: options and the columns behind their token types, stored together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from isogloss import _engine
from isogloss.features.columns import TokenColumn
from isogloss.features.options import SPELLING_TYPES, PythonTemplate, SparseOptions
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError, ModelFormatError
from isogloss.io.streams import StrPath
from isogloss.storage.folder import Array, open_folder, write_folder

__all__ = ["SparseModel"]

KIND, VERSION = "sparse-features", 1
_SIDES = ("source", "target")
_METHODS = ("rule", "border")


class SparseModel:
    """The sparse features of a system. Read-only."""

    def __init__(
        self,
        options: SparseOptions | None = None,
        *,
        source_columns: Mapping[str, TokenColumn] | None = None,
        target_columns: Mapping[str, TokenColumn] | None = None,
        python_templates: Mapping[str, PythonTemplate] | None = None,
    ) -> None:
        self.options = options or SparseOptions()
        self.columns = {"source": dict(source_columns or {}), "target": dict(target_columns or {})}
        self.python_templates = dict(python_templates or {})
        for side, types in (("source", self.options.source_types), ("target", self.options.target_types)):
            known = {*SPELLING_TYPES, *self.columns[side]}
            missing = [name for name in types if name not in known]
            if missing:
                raise ConfigError(f"the {side} token type '{missing[0]}' has no column")
        for name, events in self.python_templates.items():
            if name in self.options.templates or not name.isidentifier():
                raise ConfigError(f"'{name}' cannot be the name of a template written in Python")
            if not any(hasattr(events, method) for method in _METHODS):
                raise ConfigError(
                    f"the template '{name}' has neither of the methods {' and '.join(_METHODS)}"
                )

    def engine(self, rules: RuleTable) -> _engine.SparseModel:
        """The engine's model for the words of a rule table."""
        return self.engine_of(rules.source_words, rules.target_words)

    def engine_of(
        self, source_words: _engine.Vocabulary, target_words: _engine.Vocabulary
    ) -> _engine.SparseModel:
        """The engine's model for the words of two vocabularies; other words are slower."""
        options = self.options
        templates = [(name, *options.types_of(name)) for name in options.templates]
        return _engine.SparseModel(
            source_words=source_words,
            target_words=target_words,
            source_types=self._types("source", options.source_types),
            target_types=self._types("target", options.target_types),
            templates=templates,
            python_templates=[
                (name, _Guarded(name, events)) for name, events in self.python_templates.items()
            ],
        )

    def _types(self, side: str, names: tuple[str, ...]) -> list[Any]:
        found: list[Any] = []
        for name in names:
            if name in SPELLING_TYPES:
                found.append((name, None))
            else:
                column = self.columns[side][name].values
                found.append((name, (list(column), [list(values) for values in column.values()])))
        return found

    @property
    def signature(self) -> str:
        """Hash of options and columns: weights are interchangeable between models with the same hash."""
        digest = hashlib.sha256(json.dumps(self.options.to_json(), sort_keys=True).encode())
        digest.update(json.dumps(sorted(self.python_templates)).encode())
        for side in _SIDES:
            for name, column in sorted(self.columns[side].items()):
                digest.update(f"{side} {name}\n".encode())
                for word, values in sorted(column.values.items()):
                    digest.update(f"{word}\t{' '.join(values)}\n".encode())
        return digest.hexdigest()

    def describe(self) -> str:
        """One line for messages."""
        options = self.options
        return (
            f"templates {', '.join((*options.templates, *self.python_templates)) or 'none'}; "
            f"source types {', '.join(options.source_types)}; target types {', '.join(options.target_types)}"
        )

    def save(self, path: StrPath) -> None:
        """Store it as a folder. Templates written in Python are code and are not stored."""
        if self.python_templates:
            raise ConfigError("features with templates written in Python cannot be stored")
        arrays: dict[str, Array] = {}
        for side in _SIDES:
            for number, column in enumerate(self.columns[side].values()):
                lines = (f"{word}\t{' '.join(values)}\n" for word, values in column.values.items())
                arrays[f"{side}_{number}"] = np.frombuffer("".join(lines).encode(), np.uint8)
        attributes = {
            "options": self.options.to_json(),
            "columns": {side: list(self.columns[side]) for side in _SIDES},
        }
        write_folder(path, kind=KIND, version=VERSION, arrays=arrays, attributes=attributes)

    @classmethod
    def open(cls, path: StrPath) -> SparseModel:
        """Open a stored one."""
        folder = open_folder(path, kind=KIND, version=VERSION)
        try:
            columns: dict[str, dict[str, TokenColumn]] = {}
            for side in _SIDES:
                columns[side] = {}
                for number, name in enumerate(folder.attributes["columns"][side]):
                    text = folder.arrays[f"{side}_{number}"].tobytes().decode()
                    rows = (line.split("\t") for line in text.splitlines())
                    columns[side][name] = TokenColumn({word: tuple(rest.split()) for word, rest in rows})
            options = SparseOptions.from_json(folder.attributes["options"])
            return cls(options, source_columns=columns["source"], target_columns=columns["target"])
        except (ConfigError, KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelFormatError(f"not a description of sparse features ({error})", path) from None


class _Guarded:
    """A template written in Python, with errors that name the template."""

    def __init__(self, name: str, events: PythonTemplate) -> None:
        for method in _METHODS:
            if hasattr(events, method):
                setattr(self, method, _guarded(name, method, getattr(events, method)))


def _guarded(name: str, method: str, call: Callable[..., Iterable[str]]) -> Callable[..., list[str]]:
    def guarded(*facts: Any) -> list[str]:
        try:
            features = list(call(*facts))
        except Exception as error:
            problem = f"{method}() of the template '{name}' failed: {type(error).__name__}: {error}"
            raise ConfigError(problem) from error
        for feature in features:
            if not isinstance(feature, str):
                raise ConfigError(
                    f"{method}() of the template '{name}' returned {feature!r}, a string is expected"
                )
        return features

    return guarded
