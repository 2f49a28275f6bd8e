"""Whether a candidate has the words that the whole source sentence calls for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.metric.interface import FloatArray
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.word_lexicon import WordLexicon

__all__ = ["LexiconOdds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LexiconOdds(FeatureFunction):
    """Log probability of the set of words of a candidate under a discriminative word lexicon.

    The first column is the log odds of its words, which is the log probability of having these words and no
    others, up to a number that all candidates share. The second is the log probability of its words alone.
    """

    name: ClassVar[str] = "lexicon"
    needs_source: ClassVar[bool] = True

    path: str
    """A stored word lexicon."""
    label: str = "Lexicon"

    def columns(self) -> tuple[str, ...]:
        """Odds, words."""
        return f"{self.label}Odds", f"{self.label}Words"

    def resources(self) -> dict[str, str]:
        """The lexicon."""
        return {"path": self.path}

    def compute(self, context: FeatureContext) -> FloatArray:
        """Each word counts once; words that the lexicon does not predict count 0."""
        assert context.source is not None
        lexicon, store = WordLexicon.load(self.path), context.store
        columns = {word: number for number, word in enumerate(lexicon.target)}
        numbers = np.array([columns.get(word, -1) for word in store.words.words()], dtype=np.int64)
        sources, found = lexicon.source_numbers(), np.zeros((store.num_candidates, 2))
        for sentence, words in enumerate(context.source):
            odds = lexicon.odds(words, sources)
            logs = -np.logaddexp(0, -odds)
            for row in store.rows_of(sentence):
                own = np.unique(numbers[store.tokens.row(row)])
                own = own[own >= 0]
                found[row] = odds[own].sum(), logs[own].sum()
        return found
