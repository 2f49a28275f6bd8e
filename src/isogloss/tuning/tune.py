"""Tune the weights of a decoder on a development set.

A learner that needs a decoder (``online-mira``, ``relevant-set``) learns while decoding and can learn sparse
features. All others alternate with the decoder: see ``isogloss.tuning.turns``.
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
from isogloss.tuning.job import (
    DecoderLearner,
    Sentences,
    TuneIteration,
    TuneResult,
    TuningJob,
    UnseenDecoders,
)
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
    unseen: UnseenDecoders | None = None,
    elsewhere: NbestDecoder | None = None,
) -> TuneResult:
    """Tune the weights of a system on a development set.

    The system's own weights do not change. External decoders can be tuned too, from ``start`` weights, with
    n-best learners. With a ``work`` folder, an interrupted run resumes and gives the same result. If the
    sentences are the training text, ``unseen`` makes decoders that have not seen some of them. ``elsewhere``
    is the same system on other machines; it decodes for n-best learners.
    """
    options = options or TuneOptions()
    dev, test = Sentences(sources, references), Sentences(*held_out) if held_out else None
    job = TuningJob(
        dev,
        test,
        options,
        threads=threads,
        track=track,
        report=report or (lambda step: None),
        unseen=unseen,
        elsewhere=elsewhere,
    )
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
            system.decoder.set_weights(weights)  # these learners use no sparse features
            result = tune_in_turns(job, system, learner, weights, folder)
    check_result(result, references)
    return result


_BLEU_ORDER = 4


def _start(
    decoder: NbestDecoder, options: TuneOptions, start: Mapping[str, float] | None
) -> dict[str, float]:
    """Start weights for an external decoder."""
    if options.entry.needs_decoder:
        possible = [name for name in learner_names(decoder=False) if name in learner_names(decoder=True)]
        raise ConfigError(
            f"the method '{options.entry.name}' works only with the decoder of Isogloss; tune an external "
            f"decoder with one of: {', '.join(possible)}"
        )
    begin = start if start is not None else getattr(decoder, "weights", None)
    if begin is None:
        raise ConfigError("the weights of an external decoder are unknown; give start weights")
    return dict(begin)


def check_result(result: TuneResult, references: References) -> None:
    """Raise an error if the weights are unusable."""
    if not any(result.dense.values()) and not result.sparse:
        raise TrainingError("all weights are zero, so every candidate ties")
    # BLEU says nothing about lists of words.
    longest = max(len(line.split()) for number in range(len(references)) for line in references.of(number))
    if result.best.dev_score <= 0 and longest >= _BLEU_ORDER:
        raise TrainingError(
            "the best translations of the development set share no four words in a row with the references "
            "(BLEU 0); are sources and references in the same order, and tokenized in the same way?"
        )
