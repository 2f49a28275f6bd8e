"""The sparse features of a new system, from template names and column files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from isogloss.features.columns import TokenColumn
from isogloss.features.model import SparseModel
from isogloss.features.options import ALL_TEMPLATES, SPELLING_TYPES, SparseOptions
from isogloss.io.errors import ConfigError
from isogloss.io.options import DefaultText, Options
from isogloss.io.streams import StrPath

__all__ = ["SystemFeatures"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemFeatures(Options):
    """The sparse features of a new system; 'isogloss tune' tunes their weights."""

    templates: Annotated[tuple[str, ...], DefaultText("no sparse features")] = ()
    """Sparse feature templates, such as pair,target_bigram, or all."""
    token_types: tuple[str, ...] = SPELLING_TYPES
    """How templates represent words of both languages, in addition to the columns."""
    source_columns: Mapping[str, StrPath] = field(default_factory=dict)
    """Token types of source words, in files written by 'isogloss classes' or 'isogloss column'."""
    target_columns: Mapping[str, StrPath] = field(default_factory=dict)
    """Token types of target words, in such files."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if not self.templates and (self.source_columns or self.target_columns):
            raise ConfigError("columns need sparse features; give `templates` too")

    def model(self) -> SparseModel | None:
        """The features, with their columns read; None if there are no templates."""
        if not self.templates:
            return None
        source, target = (
            {name: TokenColumn.load(path) for name, path in columns.items()}
            for columns in (self.source_columns, self.target_columns)
        )
        options = SparseOptions(
            templates=ALL_TEMPLATES if self.templates == ("all",) else self.templates,
            source_types=(*self.token_types, *source),
            target_types=(*self.token_types, *target),
        )
        return SparseModel(options, source_columns=source, target_columns=target)
