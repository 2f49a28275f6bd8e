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
"""Of a learner of lists, unless told otherwise."""
_STORED_NAMES = {"online-mira": "mira", "batch-mira": "kbmira"}
"""What fingerprints of runs call them, so that a run of an older version can go on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneOptions(Options):
    """How to tune.

    >>> TuneOptions(method="kbmira").method
    'batch-mira'
    """

    method: str = "online-mira"
    """A learner of ``isogloss.learn.registry``: ``online-mira`` (dense and sparse features), ``relevant-set``
    (sparse features, from the training text), or one that learns dense features from n-best lists, such as
    ``mert``. Options may follow: ``batch-mira:iterations=30``."""
    iterations: Annotated[int, AtLeast(0), DefaultText("8 for online-mira, 30 for relevant-set, else 10")] = 0
    """Passes over the development set; 0 for what is usual with the method: 8 for ``online-mira``, 30 for
    ``relevant-set``, 10 for the others."""
    nbest: Annotated[int, AtLeast(1)] = 100
    """Candidates per sentence and turn that learners of n-best lists get."""
    restarts: Annotated[int, AtLeast(0)] = 20
    """Random restarts of ``mert``."""
    dense_first: Annotated[int, AtLeast(0)] = 3
    """Turns of ``batch-mira`` that find where ``online-mira`` begins; 0 begins with the weights as given."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed of restarts and of the order of sentences."""
    online: OnlineOptions = field(default_factory=OnlineOptions)
    """Of ``online-mira``; ``iterations`` and ``seed`` above take the place of its own."""
    relevant: RelevantSetOptions = field(default_factory=RelevantSetOptions)
    """Of ``relevant-set``; likewise."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        object.__setattr__(self, "method", canonical_method(self.method, decoder=True))

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], warn: Callable[[str], None] = lambda message: None
    ) -> TuneOptions:
        """Options from settings; ``warn`` is told about names of earlier versions."""
        settings = dict(settings)
        if isinstance(settings.get("method"), str):
            settings["method"] = canonical_method(settings["method"], decoder=True, warn=warn)
        return from_settings(cls, settings)

    @property
    def entry(self) -> LearnerEntry:
        """What the registry says of the method."""
        return find_learner(self.method.partition(":")[0], decoder=True)

    def learner(self, threads: int = 1) -> Any:
        """The method with its options: a ``Learner``, or a ``DecoderLearner`` if it needs a decoder."""
        usual: dict[str, object] = {"seed": self.seed, "threads": threads, "restarts": self.restarts}
        if self.entry.needs_decoder and self.iterations:
            usual["iterations"] = self.iterations
        return configured(self.method, decoder=True, usual=usual, bases=(self.online, self.relevant))

    @property
    def passes(self) -> int:
        """Iterations, with the usual number filled in."""
        if self.entry.needs_decoder:
            return int(self.learner().iterations)
        return self.iterations or TURNS

    def as_stored(self) -> dict[str, Any]:
        """As plain values, in the form that fingerprints and stored runs have."""
        name, colon, rest = self.method.partition(":")
        return {**asdict(self), "method": f"{_STORED_NAMES.get(name, name)}{colon}{rest}"}
