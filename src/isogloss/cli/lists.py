"""What verbs that learn from n-best lists have in common."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.cli.nbest import FormatName, read_list

if TYPE_CHECKING:
    from isogloss.nbest import NbestList

__all__ = ["file_names", "open_list", "split_columns"]


def open_list(
    path: str, format: FormatName | None = None, source: str | None = None, references: Sequence[str] = ()
) -> NbestList:
    """A list with its source and its references."""
    from isogloss.nbest import NbestList

    return NbestList.from_store(
        read_list(path, format), source=source, references=file_names(references), name=path
    )


def file_names(names: Sequence[str]) -> list[Path] | None:
    """Files of references, which strings would not be; None without any."""
    return [Path(name) for name in names] or None


def split_columns(columns: str | None) -> tuple[str, ...] | None:
    """Names between commas."""
    return None if columns is None else tuple(name for name in columns.split(",") if name)
