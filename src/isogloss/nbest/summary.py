"""Statistics of an n-best list."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from isogloss.nbest.store import Float64, NbestStore

__all__ = ["ColumnSummary", "NbestSummary", "summarize"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSummary:
    """The range of one dense column."""

    name: str
    least: float
    mean: float
    greatest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NbestSummary:
    """Counts and ranges of one list."""

    sentences: int
    missing_sentences: int
    """Sentence numbers between 0 and the last that have no candidate."""
    candidates: int
    distinct: int
    """Distinct candidates, counted within each sentence."""
    fewest: int
    most: int
    """Fewest and most candidates of a sentence."""
    words: int
    vocabulary: int
    empty_candidates: int
    unscored: int
    """Candidates without a score."""
    sparse_features: int
    aligned: bool
    segmented: bool
    bytes: int
    columns: list[ColumnSummary]
    filled: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain values."""
        return asdict(self)

    def facts(self) -> list[tuple[str, str]]:
        """Rows of a table for display."""
        gaps = f" ({self.missing_sentences:,} numbers without candidates)" if self.missing_sentences else ""
        extras = [
            name for name, there in (("alignments", self.aligned), ("segmentations", self.segmented)) if there
        ]
        return [
            ("sentences", f"{self.sentences:,}{gaps}"),
            ("candidates", f"{self.candidates:,}, {self.fewest:,} to {self.most:,} per sentence"),
            ("distinct", f"{self.distinct:,}"),
            (
                "words",
                f"{self.words:,} of {self.vocabulary:,} types; {self.empty_candidates:,} empty candidates",
            ),
            ("scores", "all" if self.unscored == 0 else f"missing on {self.unscored:,} candidates"),
            ("dense columns", f"{len(self.columns):,}"),
            ("sparse features", f"{self.sparse_features:,}"),
            ("also", ", ".join(extras) or "-"),
            ("size", f"{self.bytes / 1e6:,.1f} MB in memory"),
        ]


def _mean(values: Float64) -> float:
    """The mean, even if the sum would overflow."""
    scale = float(np.abs(values).max())
    return scale * float((values / scale).mean()) if scale > 1e200 else float(values.mean())


def summarize(store: NbestStore) -> NbestSummary:
    """Summarize a list."""
    per_sentence = np.diff(store.sentence_offsets)
    last = int(store.sentence_ids[-1]) if store.num_sentences else -1
    rows = range(store.num_candidates)
    sentence = store.sentence_of_row()
    return NbestSummary(
        sentences=store.num_sentences,
        missing_sentences=last + 1 - store.num_sentences,
        candidates=store.num_candidates,
        distinct=len({(sentence[row], store.tokens.row(row).tobytes()) for row in rows}),
        fewest=int(per_sentence.min(initial=np.iinfo(np.int64).max)) if len(per_sentence) else 0,
        most=int(per_sentence.max(initial=0)),
        words=len(store.tokens.values),
        vocabulary=len(store.words),
        empty_candidates=int(np.count_nonzero(np.diff(store.tokens.offsets) == 0)),
        unscored=int(np.count_nonzero(np.isnan(store.scores))),
        sparse_features=len(store.sparse.names) if store.sparse is not None else 0,
        aligned=store.alignment is not None,
        segmented=store.segmentation is not None,
        bytes=store.nbytes,
        columns=[
            ColumnSummary(
                name=name, least=float(values.min()), mean=_mean(values), greatest=float(values.max())
            )
            for name, values in zip(store.dense_names, store.dense.T, strict=True)
        ],
        filled=dict(store.filled),
    )
