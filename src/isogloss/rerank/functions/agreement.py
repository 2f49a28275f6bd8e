"""Agreement with the list of another system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss._engine import Vocabulary
from isogloss.io.errors import DataFormatError
from isogloss.metric.interface import FloatArray
from isogloss.nbest import NbestStore, read_nbest
from isogloss.nbest.store import Int64
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.functions.consensus import list_posterior

__all__ = ["Agreement"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement(FeatureFunction):
    """Expected BLEU and n-gram posteriors with the candidates of another list as references."""

    name: ClassVar[str] = "agreement"
    belongs_to_list: ClassVar[bool] = True

    path: str
    """The other list, in any format, for the same sentences."""
    by: str | None = None
    """Dense column of the other list, or its score, that gives the probabilities of its candidates."""
    scale: float = 1.0
    """Scale of this column."""
    label: str = "Agreement"

    def columns(self) -> tuple[str, ...]:
        """Expected BLEU, then one column for each n up to 4."""
        return f"{self.label}Bleu", *(f"{self.label}{n}" for n in range(1, 5))

    def resources(self) -> dict[str, str]:
        """The other list; with another list to rerank, a stored model asks for another one."""
        return {"path": self.path}

    def compute(self, context: FeatureContext) -> FloatArray:
        """Merge both lists; the list's own candidates have probability 0."""
        other = read_nbest(self.path)
        missing = np.setdiff1d(context.store.sentence_ids, other.sentence_ids)
        if len(missing):
            raise DataFormatError(
                f"there are no candidates for sentence {missing[0]}",
                self.path,
                hint="give a list of the same sentences",
            )
        rows = np.searchsorted(other.sentence_ids, context.store.sentence_ids)
        probabilities = list_posterior(FeatureContext(store=other), self.by, self.scale)
        ids, offsets, bounds, shares, own = _side_by_side(context.store, other, rows, probabilities)
        most = int(np.diff(other.sentence_offsets).max())
        bleu = _engine.expected_utilities(
            ids, offsets, bounds, shares, utility="bleu", order=4, references=most, threads=context.threads
        )
        ngrams = _engine.ngram_posteriors(ids, offsets, bounds, shares, order=4, threads=context.threads)
        return np.column_stack([bleu, ngrams])[own]


def _side_by_side(
    store: NbestStore, other: NbestStore, sentences: Int64, probabilities: FloatArray
) -> tuple[npt.NDArray[np.uint32], Int64, Int64, FloatArray, Int64]:
    """Words, candidates and sentences of both lists, probabilities, and which candidates are from the
    first."""
    words = Vocabulary()
    numbers = [
        np.array([words.add(word) for word in each.words.words()], dtype=np.uint32) for each in (store, other)
    ]
    tokens, lengths, shares, own, bounds = [], [], [], [], [0]
    for sentence, there in enumerate(sentences.tolist()):
        for each, place, renumbered in ((store, sentence, numbers[0]), (other, there, numbers[1])):
            rows = each.rows_of(place)
            begin, end = each.tokens.offsets[rows.start], each.tokens.offsets[rows.stop]
            tokens.append(renumbered[each.tokens.values[begin:end]])
            lengths.append(np.diff(each.tokens.offsets[rows.start : rows.stop + 1]))
            of_other = each is other
            shares.append(probabilities[rows.start : rows.stop] if of_other else np.zeros(len(rows)))
            own.append(np.full(len(rows), not of_other))
        bounds.append(bounds[-1] + len(own[-1]) + len(own[-2]))
    return (
        np.concatenate(tokens),
        np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64),
        np.array(bounds, dtype=np.int64),
        np.concatenate(shares),
        np.flatnonzero(np.concatenate(own)),
    )
