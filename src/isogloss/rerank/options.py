"""How rerankers are trained and compared, how weights are tuned on lists, how candidates vote."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

from isogloss.io.config import from_settings
from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, DefaultText, NamesFiles, Options, Range, Verbatim
from isogloss.learn.batch_mira import BatchMira
from isogloss.learn.constraints import Constraints
from isogloss.learn.learner import Learner
from isogloss.learn.mbr import Mbr
from isogloss.learn.mert import Mert
from isogloss.learn.pro import Pro
from isogloss.learn.registry import canonical_method, configured
from isogloss.metric import MetricOptions

__all__ = [
    "DECISIONS",
    "Decision",
    "ListMbrOptions",
    "NbestTuneOptions",
    "RerankOptions",
    "RerankTask",
    "RightLength",
    "StartWeights",
    "SweepOptions",
    "SweepTask",
]

StartWeights = Literal["zero", "decoder"]
RightLength = Literal["references", "decoder"]
Decision = Literal["score", "vote", "mbr"]
DECISIONS: tuple[str, ...] = get_args(Decision)
"""By the score, by the votes of several weight vectors, by expected utility."""
Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankTask(MetricOptions):
    """What a reranker learns: from which features, by which method, to make which metric better."""

    features: Annotated[tuple[str, ...], Verbatim(), NamesFiles()] = ()
    """Features to compute beside those of the list, such as consensus or lm:english.arpa."""
    method: str = "expected-bleu"
    """Learner: expected-bleu, splitting, ordinal, voted-perceptron, perceptron, mbr, mert, batch-mira or pro.
    Options may follow the name, as in ``splitting:margin=0.5``."""

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], warn: Warn = lambda message: None) -> RerankTask:
        """Options from settings; ``warn`` is told about names of earlier versions."""
        return from_settings(cls, _current(settings, warn))


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankOptions(Options):
    """How a reranker is trained; the method has options of its own.

    >>> RerankOptions(held_out_share=0.2).start
    'zero'
    """

    columns: Annotated[tuple[str, ...] | None, DefaultText("all")] = None
    """Dense features of the list to use. With all, lists that have other features are refused later."""
    score: bool = True
    """Use the decoder's own score as a feature, unless a column equals it or columns are chosen."""
    scale: bool = True
    """Divide dense features by their standard deviation within sentences."""
    start: StartWeights = "zero"
    """First weights: ``zero``, or ``decoder`` for those that explain the decoder's scores best."""
    length: RightLength = "references"
    """How long translations should be: as the ``references``, or as what the ``decoder`` chose. With the
    latter nothing is learned about length. For BLEU only."""
    decision: Annotated[Decision | None, DefaultText("what fits the method")] = None
    """How a candidate is chosen: by its ``score``, by the ``vote`` of several weight vectors, or by ``mbr``,
    the candidate that agrees best with the others."""
    held_out_share: Annotated[float, Range(low=0, high=1, below=True)] = 0.0
    """Share of the sentences that are not learned from but decide when to stop."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed of the choice of held-out sentences."""
    check_folds: Annotated[int, AtLeast(0), DefaultText("5")] = 5
    """Parts of the cross-validation that shows whether the reranker is better than the order of the list; 0
    leaves it out. A reranker that is worse is not stored without ``--force``."""
    mbr: Mbr = field(default_factory=Mbr)
    """Options of the decision ``mbr`` after another method."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepTask(MetricOptions):
    """Which methods and which sets of features are compared, by which metric."""

    features: Annotated[tuple[str, ...], Verbatim(), NamesFiles()] = ()
    """Sets of features to compare, each in quotes with spaces between its features."""
    methods: Annotated[tuple[str, ...], Verbatim()] = ("expected-bleu",)
    """Learners to compare; options may follow a name, as in ``splitting:margin=0.5``."""

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], warn: Warn = lambda message: None) -> SweepTask:
        """Options from settings; ``warn`` is told about names of earlier versions."""
        return from_settings(cls, _current(settings, warn))


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepOptions(Options):
    """How methods and features are compared."""

    folds: Annotated[int, AtLeast(2)] = 5
    """Parts of the cross-validation. A model that learned from the others chooses in each."""
    samples: Annotated[int, AtLeast(1)] = 1000
    """Resampled test sets of the significance test."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed of the parts and of the significance test."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NbestTuneOptions(MetricOptions):
    """How weights are tuned on a list.

    >>> NbestTuneOptions(method="mert", mert=Mert(restarts=5)).learner(threads=2).restarts
    5
    """

    method: str = "mert"
    """Learner: mert (dense features only), batch-mira, pro or another one for lists. Options may follow the
    name, as in ``mert:restarts=5``."""
    runs: Annotated[int, AtLeast(1)] = 1
    """Runs with seeds one apart; the best is kept and all are reported."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed of the first run."""
    constraints: Constraints = field(default_factory=Constraints)
    """What the weights may be; for mert, batch-mira and pro."""
    mert: Mert = field(default_factory=Mert)
    """Options of the method mert; ``seed`` above takes the place of its own."""
    batch_mira: BatchMira = field(default_factory=BatchMira)
    """Options of the method batch-mira; likewise."""
    pro: Pro = field(default_factory=Pro)
    """Options of the method pro; likewise."""

    def __post_init__(self) -> None:
        MetricOptions.__post_init__(self)
        method = canonical_method(self.method, decoder=False)
        object.__setattr__(self, "method", method)
        name = method.partition(":")[0]
        for of, given in (("mert", self.mert), ("batch-mira", self.batch_mira), ("pro", self.pro)):
            if given != type(given)() and of != name:
                raise ConfigError(f"the method '{name}' does not use the options of {of}: leave them out")

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], warn: Warn = lambda message: None
    ) -> NbestTuneOptions:
        """Options from settings; ``warn`` is told about names of earlier versions."""
        return from_settings(cls, _current(settings, warn))

    def learner(self, threads: int = 1) -> Learner:
        """The method with its options."""
        learner: Learner = configured(
            self.method,
            decoder=False,
            usual={"seed": self.seed, "threads": threads},
            bases=(self.mert, self.batch_mira, self.pro),
        )
        return learner


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMbrOptions(Options):
    """How the candidate of a list that agrees best with the others is found."""

    utility: str = "bleu"
    """Metric of agreement: bleu, chrf, ter, or python:FILE for the function ``utility(candidate, reference)``
    or ``utility(source, candidate, reference)`` of a Python file."""
    scale: Annotated[float, AtLeast(0)] = 1.0
    """Scale of the scores: P(candidate) ∝ exp(scale · score); 0 takes all as equally probable."""
    references: Annotated[int, AtLeast(0), DefaultText("all")] = 0
    """Compare with this many of the most probable candidates only; 0 is all. Time grows with it."""
    aggregate: bool = False
    """Compare with the mean of all candidates: the time grows with their number, not with its square. For
    bleu and chrf."""
    prune: Annotated[int, AtLeast(0), DefaultText("keep all")] = 0
    """Keep this many candidates by a cheap metric first, and let the utility choose among them."""
    prune_by: Literal["bleu", "chrf", "ter"] = "chrf"
    """The cheap metric."""
    batch_size: Annotated[int, AtLeast(0), DefaultText("one at a time")] = 0
    """Give the function of a Python file lists of this many strings, as neural metrics want it."""


def _current(settings: Mapping[str, Any], warn: Warn) -> dict[str, Any]:
    """Settings with the names that methods have today; values that are not text are refused later."""
    found = dict(settings)
    if isinstance(found.get("method"), str):
        found["method"] = canonical_method(found["method"], decoder=False, warn=warn)
    if isinstance(found.get("methods"), list | tuple):
        found["methods"] = [
            canonical_method(one, decoder=False, warn=warn) if isinstance(one, str) else one
            for one in found["methods"]
        ]
    return found
