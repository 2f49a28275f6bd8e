"""Files with one number per candidate, the simplest format for features of other tools."""

from __future__ import annotations

import math

import numpy as np

from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath, read_lines
from isogloss.nbest.store import Float64, NbestStore

__all__ = ["read_column"]


def read_column(path: StrPath, store: NbestStore, store_path: StrPath) -> Float64:
    """Read a file whose lines correspond to those of the list ``store_path``."""
    if store.reordered:
        raise DataFormatError(
            "the lines are not grouped by rising sentence number, so a column has no clear order",
            store_path,
            hint="sort the list with 'isogloss nbest convert' and compute the column for the result",
        )
    values = np.zeros(store.num_candidates)
    count = 0
    for count, line in enumerate(read_lines(path), start=1):
        try:
            value = float(line)
        except ValueError:
            raise DataFormatError(f"'{line[:60]}' is not a number", path, count) from None
        if not math.isfinite(value):
            raise DataFormatError(f"{value} found, a finite number is expected", path, count)
        if count <= len(values):
            values[count - 1] = value
    if count != len(values):
        raise DataFormatError(
            f"{count:,} lines for the {len(values):,} candidates of {store_path}",
            path,
            hint="one number per candidate is expected, in the order of the list",
        )
    return values
