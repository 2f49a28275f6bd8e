"""Oracle scores of a list: the best candidates, compared with the decoder's choice."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isogloss.io.errors import ConfigError
from isogloss.metric import (
    SENTENCE_BLEU,
    BleuOptions,
    DocumentBleu,
    ReferencesLike,
    ScoringOptions,
    bleu_scores,
)
from isogloss.nbest.edit import best_rows, highest_rows
from isogloss.nbest.nbest_list import NbestLike, as_nbest
from isogloss.nbest.statistics import bleu_statistics
from isogloss.nbest.store import Int64, NbestStore

__all__ = ["Choice", "ListOracle", "NbestOracle", "find_oracle", "nbest_oracle"]

_MOST_PASSES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One candidate per sentence, and their score."""

    name: str
    rows: Int64
    bleu: float
    """Corpus BLEU of the chosen candidates, 0..100."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOracle:
    """The scores within reach of a list."""

    first: Choice
    """The first candidate of every sentence."""
    decoder: Choice | None
    """The candidate with the highest score; None if the list has no scores."""
    best: Choice
    """The best candidates by the references."""
    worst: Choice

    def choices(self) -> list[Choice]:
        """All choices, in the order of display."""
        return [choice for choice in (self.first, self.decoder, self.best, self.worst) if choice is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class NbestOracle(ListOracle):
    """The same of a list as users hold it."""

    translations: list[str]
    """The best choice as text, a line for every reference; empty where there are no candidates."""
    warnings: list[str]

    def to_dict(self) -> dict[str, float]:
        """BLEU by the name of the choice."""
        return {choice.name: choice.bleu for choice in self.choices()}


def nbest_oracle(
    nbest: NbestLike, references: ReferencesLike | None = None, options: ScoringOptions | None = None
) -> NbestOracle:
    """The BLEU that a perfect reranker could reach with a list, and what other choices reach.

    >>> found = nbest_oracle([["a house", "the house is old"]], ["the house is old"])
    >>> found.translations, found.to_dict()
    (['the house is old'], {'first': 0.0, 'oracle': 100.0, 'worst': 0.0})
    """
    options, listed = options or ScoringOptions(), as_nbest(nbest, references=references)
    known = listed.reference_words()
    if known is None:
        raise ConfigError("the list has no references: give `reference`")
    statistics = bleu_statistics(listed.store, known, tokenize=options.tokenize, lowercase=options.lowercase)
    found = find_oracle(listed.store, statistics)
    lines = [""] * len(known)
    texts = listed.texts()
    for number, row in zip(listed.store.sentence_ids.tolist(), found.best.rows.tolist(), strict=True):
        lines[number] = texts[row]
    missing = len(known) - listed.store.num_sentences
    left_out = f"{listed.name}: {missing:,} of {len(known):,} sentences have no candidates and are left out"
    return NbestOracle(
        first=found.first,
        decoder=found.decoder,
        best=found.best,
        worst=found.worst,
        translations=lines,
        warnings=[*listed.warnings, *([left_out] if missing else [])],
    )


def find_oracle(store: NbestStore, statistics: npt.NDArray[np.int32]) -> ListOracle:
    """Choose candidates by their BLEU statistics (``bleu_statistics``).

    Corpus BLEU is not a sum over sentences, so this is a local search: from each of the other choices, every
    sentence in turn takes the candidate that maximizes the document score, until none changes.
    """
    first = store.sentence_offsets[:-1].copy()
    decoder = None
    if not np.all(np.isnan(store.scores)):
        decoder = best_rows(store)
    by_sentence = bleu_scores(statistics, SENTENCE_BLEU)
    starts = [highest_rows(store, by_sentence), first, *([] if decoder is None else [decoder])]
    climbed = [_choice("oracle", _climb(store, statistics, rows), statistics) for rows in starts]
    return ListOracle(
        first=_choice("first", first, statistics),
        decoder=None if decoder is None else _choice("decoder", decoder, statistics),
        best=max(climbed, key=lambda choice: choice.bleu),
        worst=_choice("worst", highest_rows(store, -by_sentence), statistics),
    )


def _choice(name: str, rows: Int64, statistics: npt.NDArray[np.int32]) -> Choice:
    total = statistics[rows].sum(axis=0, dtype=np.int64)[np.newaxis]
    return Choice(name=name, rows=rows, bleu=100 * float(bleu_scores(total)[0]))


def _bounds(store: NbestStore) -> list[tuple[int, int]]:
    offsets = store.sentence_offsets.tolist()
    return list(itertools.pairwise(offsets))


def _climb(store: NbestStore, statistics: npt.NDArray[np.int32], rows: Int64) -> Int64:
    chosen = rows.copy()
    order = (statistics.shape[1] - 2) // 2
    document = DocumentBleu(statistics[chosen], BleuOptions(order=order))
    for _ in range(_MOST_PASSES):
        changed = False
        for sentence, (begin, end) in enumerate(_bounds(store)):
            scores = document.scores(sentence, statistics[begin:end])
            best = int(np.argmax(scores))
            if scores[best] > scores[chosen[sentence] - begin]:
                chosen[sentence] = begin + best
                document.replace(sentence, statistics[begin + best])
                changed = True
        if not changed:
            break
    return chosen
