"""Training a reranker on an n-best list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.learn.learner import Learned, Learner, Track, no_track
from isogloss.learn.mbr import Mbr
from isogloss.learn.problem import Problem
from isogloss.learn.voted import VotedLearned
from isogloss.metric.interface import FloatArray
from isogloss.nbest.store import Int64, NbestStore
from isogloss.rerank.assembly import assemble
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.lengths import at_decoder_length
from isogloss.rerank.model import DECISIONS, RerankModel
from isogloss.rerank.scaling import Scaling

__all__ = [
    "LENGTHS",
    "STARTS",
    "RerankOptions",
    "RerankTraining",
    "decoder_weights",
    "part_of",
    "prepare",
    "train_model",
]

STARTS = ("zero", "decoder")
LENGTHS = ("references", "decoder")


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankOptions:
    """How a reranker is trained; the method has options of its own."""

    columns: tuple[str, ...] | None = None
    """Dense columns of the list to use; None is all, and then lists with other columns are refused."""
    scale: bool = True
    """Divide dense features by their deviation within sentences."""
    start: str = "zero"
    """First weights: zero, or decoder: what explains the decoder's scores best by the features."""
    length: str = "references"
    """Whose length is right: that of the references, or decoder: references are taken to be as long as what
    the decoder chose, so that nothing is learned about length. Of BLEU only."""
    decision: str | None = None
    """score, vote or mbr; None is what fits the method."""
    mbr: Mbr = field(default_factory=Mbr)
    """Of the decision ``mbr`` after another method."""
    held_out_share: float = 0.0
    """Share of the sentences that are not learned from but decide when to stop."""
    seed: int = 1
    """Of the choice of held-out sentences."""

    def __post_init__(self) -> None:
        if self.start not in STARTS:
            raise ConfigError(f"unknown start '{self.start}'; choose one of: {', '.join(STARTS)}")
        if self.length not in LENGTHS:
            raise ConfigError(f"unknown length '{self.length}'; choose one of: {', '.join(LENGTHS)}")
        if self.decision is not None and self.decision not in DECISIONS:
            raise ConfigError(f"unknown decision '{self.decision}'; choose one of: {', '.join(DECISIONS)}")
        if not 0 <= self.held_out_share < 1:
            raise ConfigError(f"held_out_share must be at least 0 and below 1, got {self.held_out_share}")
        if self.seed < 0:
            raise ConfigError(f"seed must be at least 0, got {self.seed}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankTraining:
    """A reranker and how it came about."""

    model: RerankModel
    learned: Learned
    constant: tuple[str, ...]
    """Features that never tell candidates of a sentence apart: nothing could be learned about them."""


def prepare(
    store: NbestStore,
    functions: Sequence[FeatureFunction],
    *,
    columns: Sequence[str] | None = None,
    source: Sequence[Sequence[str]] | None = None,
    threads: int = 1,
) -> NbestStore:
    """The list with all features that a reranker is to learn from."""
    context = FeatureContext(store=store, source=source, threads=threads)
    assembled = assemble(context, columns, functions)
    if not assembled.dense_names and assembled.sparse is None:
        raise ConfigError("there are no features to learn from: the list has none, and none were asked for")
    return assembled


def train_model(
    problem: Problem,
    learner: Learner,
    functions: Sequence[FeatureFunction] = (),
    options: RerankOptions | None = None,
    *,
    list_has_sparse: bool = False,
    made_with: Mapping[str, Any] | None = None,
    watched: Problem | None = None,
    track: Track = no_track,
) -> RerankTraining:
    """Learn from a problem whose list is what ``prepare`` gave for these functions.

    ``watched`` is held-out data that decides when to stop; without it a share of the problem can be.
    """
    options = options or RerankOptions()
    if options.length == "decoder":
        problem = at_decoder_length(problem)
        watched = None if watched is None else at_decoder_length(watched)
    learned_from, held_out = problem, watched
    if watched is None and options.held_out_share:
        learned_from, held_out = _held_out(problem, options)
    scaling = _scaling(learned_from, options)
    scaled = _scaled(learned_from, scaling)
    start = decoder_weights(scaled) if _starts_at_decoder(learner, options) else {}
    learned = learner.learn(
        scaled, start, held_out=None if held_out is None else _scaled(held_out, scaling), track=track
    )
    decision = options.decision or _natural_decision(learner, learned)
    mbr = learner if isinstance(learner, Mbr) else options.mbr
    if decision == "mbr" and not isinstance(learner, Mbr):
        # Weights that rank well say little about probabilities: the scale is chosen on the same data.
        learned = replace(learned, weights=mbr.learn(scaled, learned.weights, track=track).weights)
    return RerankTraining(
        model=_model(scaled, scaling, learned, functions, options, decision, mbr).with_notes(
            list_has_sparse=list_has_sparse, **(made_with or {})
        ),
        learned=learned,
        constant=tuple(problem.dense_names[i] for i in scaling.constant()) if options.scale else (),
    )


def _model(
    scaled: Problem,
    scaling: Scaling,
    learned: Learned,
    functions: Sequence[FeatureFunction],
    options: RerankOptions,
    decision: str,
    mbr: Mbr,
) -> RerankModel:
    if decision == "mbr" and not isinstance(mbr.utility, str):
        raise ConfigError("a model cannot be stored with a utility that is a Python function")
    voters: Sequence[Mapping[str, float]] = [learned.weights]
    if decision == "vote" and isinstance(learned, VotedLearned):
        voters = learned.voters
    vectors = [scaled.vector(voter) for voter in voters]
    sparse = np.array([vector.sparse for vector in vectors])
    used = np.flatnonzero(np.any(sparse != 0, axis=0))
    computed = sum(len(function.columns()) for function in functions)
    return RerankModel(
        columns=tuple(scaled.dense_names[: len(scaled.dense_names) - computed]),
        only_these=options.columns is None,
        functions=tuple(functions),
        # Whoever trains has named the code in this process; other files must stay what they are now.
        fingerprints=tuple(None if function.runs_code else function.fingerprints() for function in functions),
        scaling=scaling,
        dense=np.array([vector.dense for vector in vectors]),
        sparse_names=tuple(scaled.sparse_names[i] for i in used.tolist()),
        sparse=np.ascontiguousarray(sparse[:, used]),
        decision=decision,
        utility=str(mbr.utility),
        references=mbr.references,
    )


def _natural_decision(learner: Learner, learned: Learned) -> str:
    if isinstance(learned, VotedLearned):
        return "vote"
    return "mbr" if isinstance(learner, Mbr) else "score"


def _starts_at_decoder(learner: Learner, options: RerankOptions) -> bool:
    return options.start == "decoder" or isinstance(learner, Mbr)


def _scaling(problem: Problem, options: RerankOptions) -> Scaling:
    if not options.scale:
        return Scaling.none(len(problem.dense_names))
    return Scaling.fit(problem.dense(), problem.sentences())


def _scaled(problem: Problem, scaling: Scaling) -> Problem:
    return Problem(replace(problem.store, dense=scaling(problem.dense())), problem.metric, problem.statistics)


def decoder_weights(problem: Problem) -> dict[str, float]:
    """Weights of dense features that explain the decoder's scores best: least squares within sentences."""
    scores = problem.store.scores
    if np.any(np.isnan(scores)):
        raise ConfigError(
            "the list has candidates without a score, so there are no decoder weights to begin with"
        )
    offsets, sizes = problem.sentences(), np.diff(problem.sentences())

    def centred(values: FloatArray) -> FloatArray:
        means = np.add.reduceat(values, offsets[:-1], axis=0) / sizes.reshape(
            (-1,) + (1,) * (values.ndim - 1)
        )
        return np.asarray(values - np.repeat(means, sizes, axis=0))

    dense = centred(problem.dense())
    solution = np.linalg.lstsq(dense, centred(scores), rcond=1e-9)[0]
    return dict(zip(problem.dense_names, solution.tolist(), strict=True))


def part_of(problem: Problem, sentences: Int64) -> Problem:
    """Some sentences of a problem, given by rising index."""
    offsets = problem.sentences()
    rows = np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in sentences.tolist()])
    return Problem(problem.store.select(rows), problem.metric, problem.statistics[rows])


def _held_out(problem: Problem, options: RerankOptions) -> tuple[Problem, Problem]:
    order = np.random.default_rng(options.seed).permutation(problem.num_sentences)
    count = max(1, round(options.held_out_share * problem.num_sentences))
    if count >= problem.num_sentences:
        raise ConfigError("no sentences are left to learn from; hold out fewer")
    return part_of(problem, np.sort(order[count:])), part_of(problem, np.sort(order[:count]))
