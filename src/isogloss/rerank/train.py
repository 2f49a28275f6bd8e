"""Train a reranker on an n-best list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, no_track
from isogloss.learn.learner import Learned, Learner, LearningStep
from isogloss.learn.mbr import Mbr
from isogloss.learn.online_reranker import PairStep
from isogloss.learn.problem import Problem, WeightVector
from isogloss.learn.voted import VotedLearned
from isogloss.metric.interface import FloatArray
from isogloss.nbest.store import Int64, NbestStore
from isogloss.report import Rows
from isogloss.report.rows import Row
from isogloss.rerank.assembly import assemble
from isogloss.rerank.curves import CurvePoint, curve_of, decoder_score
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.lengths import at_decoder_length
from isogloss.rerank.model import RerankModel
from isogloss.rerank.options import RerankOptions
from isogloss.rerank.scaling import Scaling

__all__ = ["RerankTraining", "decoder_weights", "part_of", "prepare", "prepare_context", "train_model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankTraining(Rows):
    """A trained reranker and its results. Scores are on the metric's own scale; the rows are the weights."""

    model: RerankModel
    learned: Learned
    metric: str
    decoder_score: float
    """Score of the decoder's choice."""
    score: float
    """Score of the model's choice on the training data."""
    held_out_score: float | None
    """Score of the model's choice on held-out sentences, if there are any."""
    curve: tuple[CurvePoint, ...]
    """Scores after each iteration, if the method reports them."""
    list_score: float | None = None
    """Score of the first candidates, or of those with the highest score if these are better."""
    validated_score: float | None = None
    """Cross-validated score: every sentence is chosen by a model that has not seen it."""
    list_length: float | None = None
    """Words of these candidates per word of the references; None if the metric does not count words."""
    validated_length: float | None = None
    """The same for the cross-validated choice."""
    constant: tuple[str, ...]
    """Features that are constant within every sentence; nothing could be learned about them."""
    warnings: tuple[str, ...] = ()
    """Warnings about the data."""
    worse: bool = False
    """Whether it is worse than the order of the list in cross-validation."""

    @property
    def refusal(self) -> str | None:
        """Why the reranker should not be used: it is worse than the order of the list."""
        if self.validated_score is None or self.list_score is None:
            return None
        if not self.worse:
            return None
        return (
            f"the reranker is worse than the order of the list: {self.validated_score:.2f} {self.metric} in "
            f"cross-validation, {self.list_score:.2f} without it; try other features or another method, or "
            "more sentences"
        )

    def rows(self) -> list[Row]:
        """Feature and weight, of scaled dense features."""
        weights = self.model.weights()
        return [{"feature": name, "weight": weights[name]} for name in self.model.feature_names]

    def to_dict(self) -> dict[str, Any]:
        """Scores, weights and the curve."""
        weights = self.model.weights()
        return {
            "metric": self.metric,
            "decoder": self.decoder_score,
            "score": self.score,
            "held_out_score": self.held_out_score,
            "list": self.list_score,
            "validated": self.validated_score,
            "list_length": self.list_length,
            "validated_length": self.validated_length,
            "decision": self.model.decision,
            "sparse_features": len(self.model.sparse_names),
            "constant": list(self.constant),
            "warnings": list(self.warnings),
            "weights": {name: weights[name] for name in self.model.feature_names},
            "curve": [
                {**_step_dict(step), "score": point.development, "held_out_score": point.test}
                for step, point in zip(self.learned.history, self.curve, strict=True)
            ],
        }


def _step_dict(step: LearningStep) -> dict[str, Any]:
    return {**asdict(step), **({"log_loss": step.log_loss} if isinstance(step, PairStep) else {})}


def prepare(
    store: NbestStore,
    functions: Sequence[FeatureFunction],
    *,
    columns: Sequence[str] | None = None,
    source: Sequence[Sequence[str]] | None = None,
    threads: int = 1,
) -> NbestStore:
    """The list with all features for training."""
    return prepare_context(
        FeatureContext(store=store, source=source, threads=threads), functions, columns=columns
    )


def prepare_context(
    context: FeatureContext, functions: Sequence[FeatureFunction], *, columns: Sequence[str] | None = None
) -> NbestStore:
    """The same for a list with its context."""
    assembled = assemble(context, columns, functions)
    if not assembled.dense_names and assembled.sparse is None:
        raise ConfigError(
            "there are no features to learn from; the list has none, so name some with features (--features)"
        )
    return assembled


def train_model(
    problem: Problem,
    learner: Learner,
    functions: Sequence[FeatureFunction] = (),
    options: RerankOptions | None = None,
    *,
    list_has_sparse: bool | None = None,
    made_with: Mapping[str, Any] | None = None,
    watched: Problem | None = None,
    track: Track = no_track,
) -> RerankTraining:
    """Train on a problem whose list was made by ``prepare`` with these functions.

    ``watched`` is held-out data for early stopping; without it, a share of the problem can be held out.
    ``list_has_sparse`` says whether the list itself has sparse features: then lists without them are an error
    later. By default, sparse features are the list's own unless a function makes some.
    """
    options = options or RerankOptions()
    given = problem
    if list_has_sparse is None:
        adds = any(not function.columns() for function in functions)
        list_has_sparse = problem.store.sparse is not None and not adds
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
        # Weights that rank well are not calibrated, so the scale is tuned on the same data.
        learned = replace(learned, weights=mbr.learn(scaled, learned.weights, track=track).weights)
    return RerankTraining(
        model=_model(scaled, scaling, learned, functions, options, decision, mbr).with_notes(
            list_has_sparse=list_has_sparse, **(made_with or {})
        ),
        learned=learned,
        metric=given.metric.name,
        decoder_score=decoder_score(given),
        score=given.reported(learned.score),
        held_out_score=None if learned.held_out_score is None else given.reported(learned.held_out_score),
        curve=tuple(curve_of(given, learned)),
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
    vectors: Sequence[WeightVector] = (
        learned.voters
        if decision == "vote" and isinstance(learned, VotedLearned)
        else [scaled.vector(learned.weights)]
    )
    sparse = np.array([vector.sparse for vector in vectors])
    used = np.flatnonzero(np.any(sparse != 0, axis=0))
    computed = sum(len(function.columns()) for function in functions)
    return RerankModel(
        columns=tuple(scaled.dense_names[: len(scaled.dense_names) - computed]),
        only_these=options.columns is None,
        functions=tuple(functions),
        # The user has named the code in this process; other files must not change.
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
    """The dense weights that best explain the decoder's scores: least squares within sentences."""
    scores = problem.store.scores
    if np.any(np.isnan(scores)):
        raise ConfigError(
            "the list has candidates without a score, so the weights of the decoder cannot be estimated; "
            "use start 'zero'"
        )
    offsets, sizes = problem.sentences(), np.diff(problem.sentences())

    def centered(values: FloatArray) -> FloatArray:
        means = np.add.reduceat(values, offsets[:-1], axis=0) / sizes.reshape(
            (-1,) + (1,) * (values.ndim - 1)
        )
        return np.asarray(values - np.repeat(means, sizes, axis=0))

    dense = centered(problem.dense())
    solution = np.linalg.lstsq(dense, centered(scores), rcond=1e-9)[0]
    return dict(zip(problem.dense_names, solution.tolist(), strict=True))


def part_of(problem: Problem, sentences: Int64) -> Problem:
    """Some sentences of a problem, given by index in ascending order."""
    offsets = problem.sentences()
    rows = np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in sentences.tolist()])
    return Problem(problem.store.select(rows), problem.metric, problem.statistics[rows])


def _held_out(problem: Problem, options: RerankOptions) -> tuple[Problem, Problem]:
    order = np.random.default_rng(options.seed).permutation(problem.num_sentences)
    count = max(1, round(options.held_out_share * problem.num_sentences))
    if count >= problem.num_sentences:
        raise ConfigError("no sentences are left to learn from; hold out a smaller share")
    return part_of(problem, np.sort(order[count:])), part_of(problem, np.sort(order[:count]))
