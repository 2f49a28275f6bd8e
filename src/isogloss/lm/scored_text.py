"""The scores of a whole text, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Literal

from isogloss.lm.model import LanguageModel, Perplexity

__all__ = ["ScoreLevel", "ScoredText"]

ScoreLevel = Literal["words", "sentences", "text"]

_BATCH = 10_000  # sentences scored at once


class ScoredText:
    """Yields a row of scores for each sentence and keeps the perplexity so far.

    A row has ``log10``. At the level ``sentences``, it also has the number of ``words`` (including the end of
    the sentence) and of ``unknown`` words, and the ``text``; at the level ``words``, a dictionary for each
    word. At the level ``text``, there are no rows. ``fragments`` are parts of sentences, without beginning
    and end.
    """

    def __init__(
        self,
        model: LanguageModel,
        lines: Iterable[str],
        *,
        level: ScoreLevel = "sentences",
        fragments: bool = False,
        threads: int = 1,
    ) -> None:
        self._model, self._lines, self._level = model, lines, level
        self._whole, self._threads = not fragments, threads
        self.total = Perplexity(sentences=0, words=0, unknown=0, log10=0.0, unknown_log10=0.0)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        lines = iter(self._lines)
        while batch := list(islice(lines, _BATCH)):
            scores = self._model.all_scores(batch, bos=self._whole, eos=self._whole, threads=self._threads)
            self.total = self.total + scores.total()
            if self._level == "words":
                yield from map(self._words, batch)
            elif self._level == "sentences":
                columns = (scores.log10.tolist(), scores.words.tolist(), scores.unknown.tolist())
                for sentence, log10, words, unknown in zip(batch, *columns, strict=True):
                    yield {"log10": log10, "words": words, "unknown": unknown, "text": sentence}

    def _words(self, sentence: str) -> dict[str, Any]:
        scores = self._model.score_words(sentence, bos=self._whole, eos=self._whole)
        return {
            "log10": sum(score.log10 for score in scores),
            "words": [
                {"word": s.word, "log10": s.log10, "matched": s.matched, "known": s.known} for s in scores
            ],
        }
