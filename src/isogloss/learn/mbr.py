"""Minimum Bayes risk: the candidate that agrees best with the others, no learning of weights needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from isogloss import _engine
from isogloss._engine import Vocabulary
from isogloss.io.errors import ConfigError
from isogloss.io.options import Above, AtLeast, ByCaller, Options
from isogloss.io.progress import Track, no_track
from isogloss.metric.interface import FloatArray
from isogloss.nbest.edit import highest_rows
from isogloss.nbest.samples import COUNT
from isogloss.nbest.store import Int64, NbestStore

if TYPE_CHECKING:
    from isogloss.learn.learner import Learned
    from isogloss.learn.problem import Problem

__all__ = [
    "AGGREGATED",
    "UTILITIES",
    "Mbr",
    "MbrOptions",
    "Utility",
    "consensus_rows",
    "expected_utility",
    "posterior",
    "sample_shares",
]

UTILITIES = ("bleu", "chrf", "ter")
AGGREGATED = ("bleu", "chrf")
"""Utilities for which the mean of all references can stand for them."""
_ORDERS = {"bleu": 4, "chrf": 6, "ter": 1}

Utility = str | Callable[[str, str], float]
"""``bleu``, ``chrf``, ``ter``, or a function of a candidate and another one taken for the reference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MbrOptions(Options):
    """How the translation that agrees best with the others is chosen, with a scale that is given."""

    utility: Literal["bleu", "chrf"] = "bleu"
    """Choose, of the best translations, the one that agrees best with the others by this metric."""
    size: Annotated[int, AtLeast(1)] = 100
    """How many translations are compared; time grows with the square of this."""
    scale: Annotated[float, AtLeast(0)] = 1.0
    """P(translation) ∝ exp(scale · score); 0 takes all as equally probable."""

    def chooser(self, threads: int = 1) -> Callable[[NbestStore], Int64]:
        """What finds the row of the choice in each sentence of a list."""
        return partial(consensus_rows, utility=self.utility, scale=self.scale, threads=threads)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mbr(Options):
    """Chooses by expected utility under P(candidate) ∝ exp(scale · score); only ``scale`` is learned.

    The weights it gives are those it started from, times the best scale.

    >>> Mbr(utility="chrf").references
    0
    """

    utility: Utility = "bleu"
    """What counts as agreement: bleu, chrf or ter."""
    scales: Annotated[tuple[float, ...], Above(0)] = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
    """Scales of the scores to choose from: P(candidate) ∝ exp(scale · score)."""
    references: Annotated[int, AtLeast(0)] = 0
    """Compare with this many of the most probable candidates only; 0 is all."""
    threads: Annotated[int, AtLeast(1), ByCaller()] = 1
    """Threads to use; the result does not depend on it."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if isinstance(self.utility, str) and self.utility not in UTILITIES:
            raise ConfigError(f"unknown utility '{self.utility}'; choose one of: {', '.join(UTILITIES)}")
        if not self.scales:
            raise ConfigError("scales must be at least one number above 0, got none")

    def learn(
        self,
        problem: Problem,
        start: Mapping[str, float],
        *,
        held_out: Problem | None = None,
        track: Track = no_track,
    ) -> Learned:
        """Try every scale; the best on held-out data counts, if there is such data."""
        from isogloss.learn.learner import Learned, LearningStep

        steps = []
        for iteration, scale in enumerate(track(self.scales, "minimum risk", len(self.scales)), start=1):
            scores = [
                self._score(of, {name: scale * weight for name, weight in start.items()})
                for of in ([problem] if held_out is None else [problem, held_out])
            ]
            held_out_score = scores[1] if len(scores) > 1 else None
            steps.append(LearningStep(iteration=iteration, score=scores[0], held_out_score=held_out_score))
        counted = [step.score if step.held_out_score is None else step.held_out_score for step in steps]
        best = int(np.argmax(counted))
        return Learned(
            weights={name: self.scales[best] * weight for name, weight in start.items()},
            score=steps[best].score,
            history=tuple(steps),
            held_out_score=steps[best].held_out_score,
        )

    def _score(self, problem: Problem, weights: Mapping[str, float]) -> float:
        return problem.score_of_rows(problem.choose(self.utilities(problem, weights)))

    def utilities(self, problem: Problem, weights: Mapping[str, float]) -> FloatArray:
        """The expected utility of every candidate under these weights."""
        scores = problem.model_scores(problem.vector(weights))
        probabilities = posterior(scores, problem.sentences())
        return expected_utility(
            problem.store,
            probabilities,
            utility=self.utility,
            references=self.references,
            threads=self.threads,
        )


def posterior(scores: FloatArray, offsets: Int64) -> FloatArray:
    """P(candidate) ∝ exp(score) within each sentence.

    >>> posterior(np.array([0.0, 0.0, 5.0]), np.array([0, 2, 3])).tolist()
    [0.5, 0.5, 1.0]
    """
    sizes = np.diff(offsets)
    powers = np.exp(scores - np.repeat(np.maximum.reduceat(scores, offsets[:-1]), sizes))
    return np.asarray(powers / np.repeat(np.add.reduceat(powers, offsets[:-1]), sizes), dtype=np.float64)


def sample_shares(store: NbestStore, scale: float, values: FloatArray) -> FloatArray:
    """P(candidate) ∝ exp(scale · value) within each sentence; with scale 0, as often as it was drawn."""
    if scale:
        return posterior(scale * values, store.sentence_offsets)
    counts = store.columns_of(COUNT)
    drawn = store.dense[:, counts[0]] if counts else np.ones(store.num_candidates)
    return posterior(np.log(np.maximum(drawn, 1e-300)), store.sentence_offsets)


def expected_utility(
    store: NbestStore,
    probabilities: FloatArray,
    *,
    utility: Utility = "bleu",
    references: int = 0,
    aggregate: bool = False,
    threads: int = 1,
) -> FloatArray:
    """Expected utility of each candidate, in 0..1 for BLEU and chrF; costs n² per sentence.

    With ``references`` above 0 only so many of the most probable candidates of a sentence take the
    reference's part, which makes it n · references. With ``aggregate`` the mean of all candidates is the one
    reference, which makes it n.
    """
    if not isinstance(utility, str):
        return _of_function(store, probabilities, utility, references)
    ids, offsets = (store.tokens.values, store.tokens.offsets)
    if utility == "chrf":
        ids, offsets = _characters(store)
    elif utility == "ter":
        lowered = Vocabulary()
        ids = np.array([lowered.add(word.lower()) for word in store.words.words()], dtype=np.uint32)[ids]
    if aggregate:
        return _engine.aggregate_utilities(
            np.ascontiguousarray(ids),
            np.ascontiguousarray(offsets),
            store.sentence_offsets,
            probabilities,
            utility=utility,
            order=_ORDERS[utility],
            threads=threads,
        )
    return _engine.expected_utilities(
        np.ascontiguousarray(ids),
        np.ascontiguousarray(offsets),
        store.sentence_offsets,
        probabilities,
        utility=utility,
        order=_ORDERS[utility],
        references=references,
        threads=threads,
    )


def consensus_rows(
    store: NbestStore,
    *,
    utility: Utility = "bleu",
    scale: float = 1.0,
    references: int = 0,
    threads: int = 1,
) -> Int64:
    """Of every sentence the candidate with the highest expected utility under P ∝ exp(scale · score)."""
    probabilities = posterior(scale * store.scores, store.sentence_offsets)
    values = expected_utility(store, probabilities, utility=utility, references=references, threads=threads)
    return highest_rows(store, values)


def _characters(store: NbestStore) -> tuple[np.ndarray[tuple[int], np.dtype[np.uint32]], Int64]:
    words = ["".join(word.split()) for word in store.words.words()]
    characters = np.frombuffer("".join(words).encode("utf-32-le"), np.uint32)
    begins = np.concatenate([[0], np.cumsum([len(word) for word in words])]).astype(np.int64)
    lengths = np.diff(begins)[store.tokens.values]
    within = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    places = np.arange(within[-1]) - np.repeat(within[:-1] - begins[:-1][store.tokens.values], lengths)
    return characters[places], within[store.tokens.offsets]


def _of_function(
    store: NbestStore, probabilities: FloatArray, utility: Callable[[str, str], float], references: int
) -> FloatArray:
    expected = np.zeros(store.num_candidates)
    for sentence in range(store.num_sentences):
        rows = np.array(store.rows_of(sentence))
        texts = list(store.texts(rows.tolist()))
        order = np.argsort(-probabilities[rows], kind="stable")[: references or len(rows)]
        shares = probabilities[rows][order]
        for row, text in zip(rows.tolist(), texts, strict=True):
            values = [utility(text, texts[other]) for other in order.tolist()]
            expected[row] = float(np.dot(values, shares) / shares.sum())
    return expected
