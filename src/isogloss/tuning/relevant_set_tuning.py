"""Tuning by relevant-set training: several passes over the text; the best one is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from isogloss.decoder.decoder import Decoder
from isogloss.decoder.sentence import Source
from isogloss.decoder.system import System
from isogloss.features.weights import SparseWeights
from isogloss.metric import References
from isogloss.tuning.job import TuneIteration, TuneResult, TuningJob, UnseenDecoders
from isogloss.tuning.relevant_set import RelevantSetOptions, RelevantSetTrainer, weights_of
from isogloss.tuning.sequence_decoder import SearchSequences, SequenceWeights

__all__ = ["decoders_of_folds", "stored_weights", "tune_relevant_set"]

_RELEVANT = "relevant"


def tune_relevant_set(
    options: RelevantSetOptions, job: TuningJob, system: System, weights: Mapping[str, float], folder: Path
) -> TuneResult:
    """Find sparse weights by decoding the training text repeatedly."""
    with system.decoder.restored():
        system.decoder.set_weights(weights)
        return _passes(options, job, system.decoder, folder)


def _passes(options: RelevantSetOptions, job: TuningJob, decoder: Decoder, folder: Path) -> TuneResult:
    count = min(options.sentences or len(job.dev.sources), len(job.dev.sources))
    sources = job.dev.sources[:count]
    sequences = SearchSequences(
        decoder,
        sources,
        References([stream[:count] for stream in job.dev.references.streams]),
        real=options.real_features,
        truth_list=options.truth_list,
        force=options.force,
        unseen=decoders_of_folds(options, sources, job.unseen),
        threads=job.threads,
    )
    trainer = RelevantSetTrainer(sequences, options, folder / _RELEVANT, threads=job.threads)
    best = job.read_state(folder)
    if job.history:
        trainer.restore(len(job.history))
    else:
        trainer.begin(job.track)
    while trainer.iteration < options.iterations:
        found = trainer.iterate(job.track)
        sequences.use(trainer.weights())
        step = TuneIteration(
            iteration=found.iteration,
            dev_score=found.score,
            held_out_score=job.score_held_out(decoder),
            upper_bound=found.upper_bound,
            active_features=found.active_features,
            seconds=found.seconds,
        )
        job.history.append(step)
        if best is None or job.worth(step) >= job.worth(best):
            best = step
        trainer.save({best.iteration})
        job.write_state(folder, best)
        job.report(step)
    assert best is not None
    weights = trainer.stored_weights(best.iteration)
    return TuneResult(
        dense={**dict.fromkeys(decoder.names, 0.0), **weights.real},
        sparse=_named(trainer, weights, decoder),
        history=job.history,
        best=best,
    )


def stored_weights(work: Path, iteration: int, real: Sequence[str]) -> SequenceWeights:
    """The weights after an iteration of a run that was kept in this folder."""
    return weights_of(work / _RELEVANT, iteration, real)


def decoders_of_folds(
    options: RelevantSetOptions, sources: Sequence[Source], unseen: UnseenDecoders | None
) -> Sequence[Decoder]:
    """A decoder for each fold of some training sentences; none if there are no folds."""
    if options.folds < 2 or unseen is None:
        return ()
    parts = np.array_split(np.arange(len(sources)), min(options.folds, len(sources)))
    return unseen([[str(sources[at]) for at in part] for part in parts])


def _named(trainer: RelevantSetTrainer, weights: SequenceWeights, decoder: Decoder) -> SparseWeights:
    assert decoder.sparse is not None
    names, ends = trainer.name_arrays(weights.features)
    return SparseWeights.from_numbers(
        weights.features, weights.values, names, ends, signature=decoder.sparse.signature
    )
