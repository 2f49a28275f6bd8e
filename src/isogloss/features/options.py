"""The sparse features of a search: templates and their token types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from isogloss import _engine
from isogloss.io.errors import ConfigError
from isogloss.io.options import Options

__all__ = ["ALL_TEMPLATES", "SPELLING_TYPES", "PythonTemplate", "SparseOptions"]

ALL_TEMPLATES: tuple[str, ...] = tuple(_engine.template_names())
"""The built-in templates."""

SPELLING_TYPES: tuple[str, ...] = ("surface", "prefix", "suffix", "digits")
"""Token types made from spelling; all others are columns."""

_NAME = re.compile(r"[A-Za-z0-9_-]+")


class RuleTemplate(Protocol):
    """A template written in Python for single rules."""

    def rule(
        self, source: Sequence[str], target: Sequence[str], links: Sequence[tuple[int, int]]
    ) -> Iterable[str]:
        """Features of a rule: its source symbols, its target words, aligned positions of the two."""
        ...


class BorderTemplate(Protocol):
    """A template written in Python for a rule and its left context."""

    def border(
        self,
        last_word: str,
        last_pair: tuple[str, str],
        source: Sequence[str],
        target: Sequence[str],
        links: Sequence[tuple[int, int]],
    ) -> Iterable[str]:
        """Features of a rule after the last target word and the last aligned pair (source word, target word).

        Both are ``<s>`` at the start. The end of a sentence is a rule from ``</s>`` to ``</s>``.
        """
        ...


PythonTemplate = RuleTemplate | BorderTemplate
"""A template written in Python, for experiments. The search calls it for every rule, one thread at a time, so
it is many times slower than a built-in template.

A template has ``rule``, ``border`` or both. Each returns the names of the features that fire, repeated if
they fire several times; the search prints them as ``name:#feature``. Links are sorted by target position,
then source position. A non-terminal is the word ``~``. The result must depend only on the arguments, because
the search caches it.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseOptions(Options):
    """Templates and their token types on each side.

    >>> SparseOptions(templates=("pair",), source_types=("surface",)).types_of("pair")
    (('surface',), ('surface', 'prefix', 'suffix', 'digits'))
    """

    templates: tuple[str, ...] = ("pair", "target_bigram")
    """Sparse feature templates, in any order."""
    source_types: tuple[str, ...] = SPELLING_TYPES
    """How templates represent source words: surface, prefix, suffix, digits, or names of columns."""
    target_types: tuple[str, ...] = SPELLING_TYPES
    """How templates represent target words."""
    template_types: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=dict)
    """Source and target token types of single templates, if they should use fewer than the others."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        for name in self.templates:
            if name not in ALL_TEMPLATES:
                raise ConfigError(
                    f"no feature template is called '{name}'; choose from {', '.join(ALL_TEMPLATES)}"
                )
        for what, names in (
            ("templates", self.templates),
            ("source_types", self.source_types),
            ("target_types", self.target_types),
        ):
            if len(set(names)) < len(names):
                raise ConfigError(f"{what} must not have a name twice: {', '.join(names)}")
        for name in (*self.source_types, *self.target_types):
            if not _NAME.fullmatch(name):
                raise ConfigError(f"{name!r} cannot be the name of a token type")
        for template, (source, target) in self.template_types.items():
            if template not in self.templates:
                raise ConfigError(
                    f"token types are given for '{template}', which is not one of the templates"
                )
            strange = sorted((set(source) - set(self.source_types)) | (set(target) - set(self.target_types)))
            if strange:
                raise ConfigError(
                    f"the template '{template}' uses the token type '{strange[0]}', which does not exist"
                )

    def types_of(self, template: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The source and target token types of a template."""
        return self.template_types.get(template, (self.source_types, self.target_types))

    def to_json(self) -> dict[str, Any]:
        """The stored form."""
        return {
            "templates": list(self.templates),
            "source_types": list(self.source_types),
            "target_types": list(self.target_types),
            "template_types": {name: [list(s), list(t)] for name, (s, t) in self.template_types.items()},
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> SparseOptions:
        """Inverse of ``to_json``; raises KeyError, TypeError or ValueError for invalid input."""
        return cls(
            templates=_names(values["templates"]),
            source_types=_names(values["source_types"]),
            target_types=_names(values["target_types"]),
            template_types={
                name: (_names(source), _names(target))
                for name, (source, target) in dict(values["template_types"]).items()
            },
        )


def _names(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise TypeError("names are expected")
    return tuple(values)
