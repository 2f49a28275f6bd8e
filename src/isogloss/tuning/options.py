"""How to tune."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

from isogloss.io.config import from_settings
from isogloss.io.options import AtLeast, DefaultText, Options
from isogloss.learn.registry import LearnerEntry, canonical_method, configured, find_learner
from isogloss.tuning.online import OnlineOptions
from isogloss.tuning.relevant_set import RelevantSetOptions

__all__ = ["TURNS", "TuneOptions"]

TURNS = 10
"""Default for n-best learners."""
_STORED_NAMES = {"online-mira": "mira", "batch-mira": "kbmira"}
"""Names in fingerprints of runs, so that a run of an older version can resume."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneOptions(Options):
    """How to tune.

    >>> TuneOptions(method="kbmira").method
    'batch-mira'
    """

    method: str = "online-mira"
    """How to tune the weights: ``online-mira`` (dense and sparse features), ``relevant-set`` (sparse
    features, on the training text), or an n-best learner for dense features, such as ``mert``. Options may
    follow the name: ``batch-mira:iterations=30``. ``isogloss.learn.registry`` lists all methods."""
    iterations: Annotated[int, AtLeast(0), DefaultText("8 for online-mira, 30 for relevant-set, else 10")] = 0
    """Passes over the development set; 0 uses the default of the method."""
    nbest: Annotated[int, AtLeast(1)] = 100
    """Candidates per sentence and iteration, for n-best learners."""
    restarts: Annotated[int, AtLeast(0)] = 20
    """Random restarts, for ``mert``."""
    dense_first: Annotated[int, AtLeast(0)] = 3
    """Iterations of ``batch-mira`` on the dense features before ``online-mira`` starts; 0 starts from the
    given weights."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed for restarts and for the order of sentences."""
    online: OnlineOptions = field(default_factory=OnlineOptions)
    """Options of ``online-mira``; ``iterations`` and ``seed`` above override its own."""
    relevant: RelevantSetOptions = field(default_factory=RelevantSetOptions)
    """Options of ``relevant-set``; ``iterations`` and ``seed`` above override its own."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        object.__setattr__(self, "method", canonical_method(self.method, decoder=True))

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], warn: Callable[[str], None] = lambda message: None
    ) -> TuneOptions:
        """Options from settings; ``warn`` is called for names of earlier versions."""
        settings = dict(settings)
        if isinstance(settings.get("method"), str):
            settings["method"] = canonical_method(settings["method"], decoder=True, warn=warn)
        return from_settings(cls, settings)

    @property
    def entry(self) -> LearnerEntry:
        """The registry entry of the method."""
        return find_learner(self.method.partition(":")[0], decoder=True)

    def learner(self, threads: int = 1) -> Any:
        """The method with its options: a ``Learner``, or a ``DecoderLearner`` if it needs a decoder."""
        usual: dict[str, object] = {"seed": self.seed, "threads": threads, "restarts": self.restarts}
        if self.entry.needs_decoder and self.iterations:
            usual["iterations"] = self.iterations
        return configured(self.method, decoder=True, usual=usual, bases=(self.online, self.relevant))

    @property
    def passes(self) -> int:
        """Iterations; the default of the method if not set."""
        if self.entry.needs_decoder:
            return int(self.learner().iterations)
        return self.iterations or TURNS

    def as_stored(self) -> dict[str, Any]:
        """As plain values, in the form used in fingerprints and stored runs."""
        name, colon, rest = self.method.partition(":")
        return {**asdict(self), "method": f"{_STORED_NAMES.get(name, name)}{colon}{rest}"}
