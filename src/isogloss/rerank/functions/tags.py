"""Tags of the words of every candidate, from a file."""

from __future__ import annotations

from isogloss.io.errors import DataFormatError
from isogloss.io.streams import read_lines
from isogloss.rerank.features import FeatureContext

__all__ = ["read_tags"]


def read_tags(path: str, context: FeatureContext) -> list[list[str]]:
    """One tag for each word of each candidate; line i of the file belongs to candidate i of the list."""
    store = context.store
    rows = [line.split() for line in read_lines(path)]
    if len(rows) != store.num_candidates:
        raise DataFormatError(
            f"{len(rows):,} lines for the {store.num_candidates:,} candidates of the list",
            path,
            hint="give one line of tags per candidate, in the order of the list",
        )
    lengths = context.lengths().astype(int).tolist()
    for number, (tags, length) in enumerate(zip(rows, lengths, strict=True), start=1):
        if len(tags) != length:
            raise DataFormatError(f"{len(tags)} tags for the {length} words of the candidate", path, number)
    return rows
