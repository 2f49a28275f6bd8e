"""How to tune."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

from isogloss.io.config import from_settings
from isogloss.io.options import AtLeast, DefaultText, Options
from isogloss.learn.registry import LearnerEntry, canonical_method, configured, find_learner
from isogloss.tuning.online import BEFORE, PAPER, OnlineOptions
from isogloss.tuning.relevant_set import BEFORE as RELEVANT_BEFORE
from isogloss.tuning.relevant_set import PAPER as RELEVANT_PAPER
from isogloss.tuning.relevant_set import RelevantSetOptions

__all__ = ["AUTO", "PRESETS", "TURNS", "Effort", "Preset", "TuneOptions"]

Effort = Literal["quick", "normal", "thorough"]
Preset = Literal["paper", "best"]
PRESETS: dict[Preset, tuple[OnlineOptions, RelevantSetOptions]] = {
    "paper": (PAPER, RELEVANT_PAPER),
    "best": (OnlineOptions(), RelevantSetOptions()),
}
"""Settings of the learners that need a decoder: of their papers, and those that win on held-out text."""

AUTO = "auto"
"""The method that chooses by held-out text."""
RELEVANT_SET = "relevant-set"
TURNS = 10
"""Default for n-best learners."""
_TABLES = ("online", "relevant")
_DENSE_FIRST = 6
_OLD_DENSE_FIRST = 3
"""In fingerprints of runs by methods that make no use of it."""
_STORED_NAMES = {"online-mira": "mira", "batch-mira": "kbmira"}
"""Names in fingerprints of runs, so that a run of an older version can resume."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneOptions(Options):
    """How to tune.

    >>> TuneOptions(method="kbmira").method
    'batch-mira'
    """

    method: str = "auto"
    """How to tune the weights: ``auto`` (chosen on held-out text), ``online-mira`` (dense and sparse
    features), ``relevant-set`` (sparse features, on the training text), or an n-best learner for dense
    features, such as ``mert``. Options may follow the name: ``batch-mira:iterations=30``.
    ``isogloss.learn.registry`` lists all methods."""
    effort: Effort = "normal"
    """How much ``auto`` tries: ``quick`` tunes dense features, ``normal`` adds sparse ones where they gain,
    ``thorough`` compares on more text and repeats it."""
    preset: Preset = "best"
    """Settings of ``online-mira`` and ``relevant-set``: those that win on held-out text (``best``) or those
    of their papers (``paper``), which start from the given weights. Options that are set override it."""
    iterations: Annotated[
        int, AtLeast(0), DefaultText("4 for auto, 8 for online-mira, 30 for relevant-set, else 10")
    ] = 0
    """Passes over the development set; 0 uses the default of the method. N-best learners stop after
    two passes that did not raise the score by 0.1."""
    nbest: Annotated[int, AtLeast(1)] = 100
    """Candidates per sentence and iteration, for n-best learners."""
    restarts: Annotated[int, AtLeast(0)] = 20
    """Random restarts, for ``mert``."""
    dense_first: Annotated[int | None, AtLeast(0), DefaultText("6; 0 for the preset paper")] = None
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
        if self.dense_first is None:
            object.__setattr__(self, "dense_first", 0 if self.preset == "paper" else _DENSE_FIRST)
        for name, usual, own in zip(_TABLES, PRESETS["best"], PRESETS[self.preset], strict=True):
            if getattr(self, name) == usual:
                object.__setattr__(self, name, own)

    @classmethod
    def base_for(cls, settings: Mapping[str, Any], base: TuneOptions | None) -> TuneOptions | None:
        """What settings with a preset are changes of."""
        return cls(preset=settings["preset"]) if settings.get("preset") in PRESETS else base

    @classmethod
    def from_settings(
        cls, settings: Mapping[str, Any], warn: Callable[[str], None] = lambda message: None
    ) -> TuneOptions:
        """Options from settings; ``warn`` is called for names of earlier versions."""
        settings = dict(settings)
        if isinstance(settings.get("method"), str):
            settings["method"] = canonical_method(settings["method"], decoder=True, warn=warn)
        return from_settings(cls, settings)

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> TuneOptions:
        """Options from what ``as_stored`` gave; what is missing was as in versions without it."""
        online = {**(BEFORE if cls(method=stored["method"]).uses_online else {}), **stored["online"]}
        relevant = dict(stored["relevant"])
        if cls(method=stored["method"]).entry.name == RELEVANT_SET:
            relevant = {**RELEVANT_BEFORE, **relevant}
        return from_settings(cls, {**stored, "online": online, "relevant": relevant})

    @property
    def entry(self) -> LearnerEntry:
        """The registry entry of the method."""
        return find_learner(self.method.partition(":")[0], decoder=True)

    @property
    def uses_online(self) -> bool:
        """Whether the options of ``online-mira`` matter."""
        return self.entry.name in (AUTO, "online-mira")

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
        stored = {**asdict(self), "method": f"{_STORED_NAMES.get(name, name)}{colon}{rest}"}
        del stored["preset"]  # its settings are there
        for option, old in RELEVANT_BEFORE.items():
            if name != RELEVANT_SET or getattr(self.relevant, option) == old:
                del stored["relevant"][option]
        if self.online.shuffle:  # older versions always shuffled
            del stored["online"]["shuffle"]
        if self.entry.name != AUTO:
            del stored["effort"]
        if not self.uses_online:
            stored["dense_first"] = 0 if self.preset == "paper" else _OLD_DENSE_FIRST
        for name, before in BEFORE.items():
            if not self.uses_online or stored["online"][name] == before:
                del stored["online"][name]
        return stored
