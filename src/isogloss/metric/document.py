"""Approximated document BLEU: the score of a candidate inside its document."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from isogloss.io.errors import ConfigError
from isogloss.metric.bleu import BleuOptions, bleu_scores
from isogloss.metric.interface import FloatArray, Statistics

__all__ = ["DocumentBleu"]


class DocumentBleu:
    """A document in which every sentence is represented by one row of BLEU statistics.

    The score of a candidate is the BLEU of the document with the candidate in its sentence's place (Watanabe
    et al. 2007, section 4.2). Sums are integers and therefore exact, however often rows are replaced.

    >>> rows = np.array([[4, 4, 4, 3, 2, 1, 4, 3, 2, 1], [5, 5, 3, 1, 0, 0, 5, 4, 3, 2]])
    >>> document = DocumentBleu(rows)
    >>> better = np.array([[5, 5, 5, 4, 3, 2, 5, 4, 3, 2]])
    >>> document.scores(1, better).tolist()
    [1.0]
    >>> document.replace(1, better[0])
    >>> document.score()
    1.0
    """

    def __init__(self, rows: Statistics, options: BleuOptions | None = None, *, threads: int = 1) -> None:
        self.options = options or BleuOptions(smoothing="none")
        self._threads = threads
        self._rows = np.array(rows, dtype=np.int64)
        if self._rows.ndim != 2 or self._rows.shape[1] != 2 + 2 * self.options.order:
            raise ConfigError(
                f"statistics of order {self.options.order} have {2 + 2 * self.options.order} columns, "
                f"got an array of shape {self._rows.shape}"
            )
        self._sum = self._rows.sum(axis=0)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def statistics(self) -> NDArray[np.int64]:
        """The sum over all sentences."""
        return np.array(self._sum)

    def row(self, sentence: int) -> NDArray[np.int64]:
        """The current row of a sentence."""
        return np.array(self._rows[sentence])

    def rows(self) -> NDArray[np.int64]:
        """The rows of all sentences."""
        return np.array(self._rows)

    def score(self) -> float:
        """BLEU of the current document (0 to 1)."""
        return float(bleu_scores(self._sum[np.newaxis], self.options)[0])

    def scores(self, sentence: int, candidates: Statistics) -> FloatArray:
        """BLEU (0 to 1) of the document with each row of ``candidates`` in place of the sentence."""
        rest = self._sum - self._rows[sentence]
        return bleu_scores(candidates, self.options, background=rest, threads=self._threads)

    def replace(self, sentence: int, row: Statistics) -> None:
        """Replace the row of a sentence."""
        new = np.asarray(row, dtype=np.int64)
        self._sum += new - self._rows[sentence]
        self._rows[sentence] = new
