"""A tuning run: its data, its progress, and its state on disk, from which it can resume."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from isogloss.decoder.decoder import Decoder
from isogloss.decoder.external import NbestDecoder
from isogloss.decoder.sentence import Source
from isogloss.decoder.system import System
from isogloss.features.weights import SparseWeights
from isogloss.io.errors import ConfigError, ModelFormatError
from isogloss.io.progress import Track
from isogloss.io.streams import atomic_output
from isogloss.metric import Bleu, References
from isogloss.nbest.store import NbestStore

if TYPE_CHECKING:
    from isogloss.tuning.choice import HeldOutChoice
    from isogloss.tuning.options import TuneOptions

__all__ = [
    "DecoderLearner",
    "Sentences",
    "TuneIteration",
    "TuneResult",
    "TuningJob",
    "UnseenDecoders",
    "first_best",
]

UnseenDecoders = Callable[[Sequence[Sequence[str]]], Sequence[Decoder]]
"""Makes a decoder for each of several groups of sentences, from training text without them."""

_STATE = "state.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneIteration:
    """A point of the learning curve; scores are in 0 to 100."""

    iteration: int
    dev_score: float
    """Score of the development set with the weights at the start of the iteration; for ``relevant-set``, the
    mean sentence BLEU of the training sentences with the iteration's weights."""
    held_out_score: float | None = None
    """Score of the held-out set with the average so far (``online-mira``), the iteration's weights
    (``relevant-set``), or the weights at the start of the iteration."""
    upper_bound: float | None = None
    """The same score as ``dev_score``, but of the best sequences known, if the method keeps them."""
    active_features: int = 0
    """Sparse features that have a weight."""
    collisions: list[str] = field(default_factory=list)
    """A message for every sparse feature whose hash collides with another one; nearly always none."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Time by part of the work."""

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneResult:
    """The weights of the best iteration, by the held-out set if there is one."""

    dense: dict[str, float]
    sparse: SparseWeights | None
    history: list[TuneIteration]
    best: TuneIteration
    notes: tuple[str, ...] = ()
    """What to tell the user about these weights."""
    choice: HeldOutChoice | None = None
    """What ``auto`` compared, and what it chose."""

    def to_dict(self) -> dict[str, Any]:
        """As plain values, with only the number of sparse weights."""
        return {
            "best": self.best.to_dict(),
            "history": [step.to_dict() for step in self.history],
            "weights": dict(self.dense),
            "sparse_features": 0 if self.sparse is None else len(self.sparse),
            "notes": list(self.notes),
            "choice": None if self.choice is None else self.choice.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sources with their references."""

    sources: Sequence[Source]
    references: References

    def __post_init__(self) -> None:
        if len(self.sources) != len(self.references):
            raise ConfigError(
                f"{len(self.sources):,} source sentences but references for {len(self.references):,}"
            )
        if not self.sources:
            raise ConfigError("there are no sentences to tune on")

    def part(self, rows: Sequence[int]) -> Sentences:
        """Some of the sentences."""
        streams = self.references.streams
        return Sentences(
            [self.sources[row] for row in rows],
            References([[stream[row] for row in rows] for stream in streams]),
        )


class DecoderLearner(Protocol):
    """A learner that drives a decoder: its options and its method."""

    def tune(self, job: TuningJob, system: System, weights: Mapping[str, float], folder: Path) -> TuneResult:
        """Find weights for a system, starting from ``weights``, with the state in ``folder``.

        The weights of the system are restored at the end.
        """


class TuningJob:
    """The data, the progress so far, and the callbacks.

    ``elsewhere`` decodes as the system does, but on other machines, for learners that use n-best lists.
    """

    def __init__(
        self,
        dev: Sentences,
        held_out: Sentences | None,
        options: TuneOptions,
        *,
        threads: int,
        track: Track,
        report: Callable[[TuneIteration], None],
        unseen: UnseenDecoders | None = None,
        elsewhere: NbestDecoder | None = None,
    ) -> None:
        self.unseen = unseen
        self.elsewhere = elsewhere
        self.dev, self.held_out, self.options = dev, held_out, options
        self.threads, self.track, self.report = threads, track, report
        self.history: list[TuneIteration] = []

    @property
    def part_options(self) -> TuneOptions:
        """The options of ``online-mira``, with as many passes as here."""
        return replace(self.options, method="online-mira", iterations=self.options.passes)

    def part(self, rows: Sequence[int]) -> TuningJob:
        """A silent job on some of the sentences, by ``online-mira``."""
        return TuningJob(
            self.dev.part(rows),
            None,
            self.part_options,
            threads=self.threads,
            track=self.track,
            report=lambda step: None,
            elsewhere=self.elsewhere,
        )

    def with_options(self, options: TuneOptions) -> TuningJob:
        """A silent job on the same data that runs before this one."""
        return TuningJob(
            self.dev,
            None,
            options,
            threads=self.threads,
            track=self.track,
            report=lambda step: None,
            elsewhere=self.elsewhere,
        )

    def worth(self, step: TuneIteration, *, by_dev: bool = False) -> float:
        """The score that selects the best iteration: of the held-out set if given, otherwise the latest
        iteration or the development set."""
        if step.held_out_score is not None:
            return step.held_out_score
        return step.dev_score if by_dev else float(step.iteration)

    def score_dev(self, decoder: Decoder) -> float:
        """BLEU of the development set with the decoder's current weights."""
        return first_best(decoder.nbest(self.dev.sources, threads=self.threads), self.dev)

    def score_held_out(self, decoder: Decoder) -> float | None:
        """BLEU of the held-out set, if there is one, with the decoder's current weights."""
        if self.held_out is None:
            return None
        return first_best(decoder.nbest(self.held_out.sources, threads=self.threads), self.held_out)

    def write_state(self, folder: Path, best: TuneIteration) -> None:
        """Record the progress and remove files that only earlier iterations needed."""
        state = {
            "run": self._digest(),
            "history": [step.to_dict() for step in self.history],
            "best": best.to_dict(),
        }
        with atomic_output(folder / _STATE) as stream:
            stream.write(json.dumps(state, indent=1) + "\n")
        # Only now are the older files no longer needed.
        for old in folder.glob("*-*"):
            if not old.name.endswith(
                (f"-{len(self.history)}", f"-{best.iteration}", f"-{best.iteration}.sparse")
            ):
                shutil.rmtree(old, ignore_errors=True) if old.is_dir() else old.unlink(missing_ok=True)

    def read_state(self, folder: Path) -> TuneIteration | None:
        """The best iteration of an interrupted run, whose history is loaded; None for a new run."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / _STATE
        if not path.exists():
            return None
        try:
            state = json.loads(path.read_text())
            if state["run"] != self._digest():
                raise ConfigError(
                    f"{folder} contains a run with other options or data; remove it or choose another folder"
                )
            self.history = [TuneIteration(**step) for step in state["history"]]
            return TuneIteration(**state["best"])
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, ConfigError):
                raise
            raise ModelFormatError("is not the state of a tuning run", path, "remove the folder") from None

    def _digest(self) -> str:
        relevant = replace(self.options.relevant, iterations=1)
        options = replace(self.options, iterations=0, relevant=relevant).as_stored()
        what = [options, [str(source) for source in self.dev.sources], self.dev.references.streams]
        return hashlib.sha256(json.dumps(what, default=str).encode()).hexdigest()


def first_best(store: NbestStore, sentences: Sentences) -> float:
    """BLEU of the first candidates of a list."""
    metric = Bleu()
    lines = list(store.lines(store.sentence_offsets[:-1], len(sentences.sources)))
    return metric.score(metric.statistics(lines, sentences.references).sum(axis=0))
