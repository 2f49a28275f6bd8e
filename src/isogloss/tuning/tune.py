"""Tuning: from a decoder and a development set to weights.

A learner that needs a decoder (``online-mira``, ``relevant-set``) learns while it decodes and can learn
sparse features. Any other takes turns with the decoder: see ``isogloss.tuning.turns``.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from isogloss.decoder.external import NbestDecoder
from isogloss.decoder.sentence import Source
from isogloss.decoder.system import System
from isogloss.io.errors import ConfigError, TrainingError
from isogloss.io.progress import Track, no_track
from isogloss.learn.registry import learner_names
from isogloss.metric import References
from isogloss.tuning.job import DecoderLearner, Sentences, TuneIteration, TuneResult, TuningJob
from isogloss.tuning.options import TuneOptions
from isogloss.tuning.turns import tune_in_turns

__all__ = ["TuneIteration", "TuneOptions", "TuneResult", "tune"]


def tune(
    system: System | NbestDecoder,
    sources: Sequence[Source],
    references: References,
    options: TuneOptions | None = None,
    *,
    held_out: tuple[Sequence[Source], References] | None = None,
    start: Mapping[str, float] | None = None,
    threads: int = 1,
    track: Track = no_track,
    report: Callable[[TuneIteration], None] | None = None,
    work: Path | None = None,
) -> TuneResult:
    """Tune the weights of a system on a development set. The system's own weights do not change.

    Any other decoder can be tuned too, from ``start`` weights, by the methods that learn from lists. With a
    ``work`` folder a run that was interrupted goes on where it stopped, to the same result.
    """
    options = options or TuneOptions()
    dev, test = Sentences(sources, references), Sentences(*held_out) if held_out else None
    job = TuningJob(dev, test, options, threads=threads, track=track, report=report or (lambda step: None))
    learner = options.learner(threads)
    with contextlib.ExitStack() as stack:
        folder = work or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="isogloss-tune-")))
        if not isinstance(system, System):
            result = tune_in_turns(job, system, learner, _start(system, options, start), folder)
        elif options.entry.needs_decoder:
            driver: DecoderLearner = learner
            result = driver.tune(job, system, dict(system.weights if start is None else start), folder)
        else:
            weights = dict(system.weights if start is None else start)
            stack.enter_context(system.decoder.restored())
            system.decoder.set_weights(weights)  # what these learners see has no sparse part
            result = tune_in_turns(job, system, learner, weights, folder)
    check_result(result, references)
    return result


_BLEU_ORDER = 4


def _start(
    decoder: NbestDecoder, options: TuneOptions, start: Mapping[str, float] | None
) -> dict[str, float]:
    """Start weights for a decoder of which nothing is known but its lists."""
    if options.entry.needs_decoder:
        possible = [name for name in learner_names(decoder=False) if name in learner_names(decoder=True)]
        raise ConfigError(
            f"the method '{options.entry.name}' works inside the search of Isogloss; tune another decoder by "
            f"one of: {', '.join(possible)}"
        )
    begin = start if start is not None else getattr(decoder, "weights", None)
    if begin is None:
        raise ConfigError("another decoder than a system has no weights that are known: give start weights")
    return dict(begin)


def check_result(result: TuneResult, references: References) -> None:
    """Refuse weights with which nothing sensible comes out."""
    if not any(result.dense.values()) and not result.sparse:
        raise TrainingError("all weights became 0, so every candidate ties")
    # Of lists of words, BLEU says nothing.
    longest = max(len(line.split()) for number in range(len(references)) for line in references.of(number))
    if result.best.dev_score <= 0 and longest >= _BLEU_ORDER:
        raise TrainingError(
            "the best translations of the development set share no four words in a row with the references "
            "(BLEU 0); is the order of sources and references the same, and the tokenization?"
        )
