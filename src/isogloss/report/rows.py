"""Results as tables: every row is a dictionary with the same keys and plain values."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, overload

__all__ = ["Row", "Rows"]

Row = dict[str, str | float | int | bool | None]


class Rows(Sequence[Row]):
    """A result that behaves like a list of rows, so that ``pandas.DataFrame(result)`` works.

    >>> class Squares(Rows):
    ...     def rows(self):
    ...         return [{"number": n, "square": n * n} for n in range(3)]
    ...
    ...     def to_dict(self):
    ...         return {"squares": [n * n for n in range(3)]}
    >>> len(Squares()), Squares()[-1]
    (3, {'number': 2, 'square': 4})
    """

    __slots__ = ()

    @abstractmethod
    def rows(self) -> list[Row]:
        """The rows of the table."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The whole result as plain values, ready for JSON."""

    def __len__(self) -> int:
        return len(self.rows())

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        return self.rows()[index]

    def __bool__(self) -> bool:
        return True
