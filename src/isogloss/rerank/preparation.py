"""Prepare an n-best list for learning."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.learn.problem import Problem
from isogloss.metric import Metric
from isogloss.nbest import NbestList, NbestStore
from isogloss.nbest.build import Numbers
from isogloss.nbest.store import Float64
from isogloss.rerank.features import FeatureContext, FeatureFunction
from isogloss.rerank.functions.score import DecoderScore
from isogloss.rerank.options import RerankOptions

__all__ = ["EITHER", "context_of", "list_problem", "list_warnings", "with_decoder_score"]

EITHER = "give either references (--reference, one or several) or the quality of every candidate (--quality)"


def context_of(
    nbest: NbestList, *, training: bool = True, threads: int = 1, track: Track = no_track
) -> FeatureContext:
    """The context of a list for feature functions."""
    numbers, written = nbest.store.sentence_ids.tolist(), nbest.tokenizer is not None
    source = nbest.source
    return FeatureContext(
        store=nbest.store,
        source=nbest.source_words(),
        texts=nbest.texts() if written else None,
        source_lines=[source[number] for number in numbers] if written and source is not None else None,
        training=training,
        threads=threads,
        name=nbest.name,
        track=track,
    )


def list_problem(
    nbest: NbestList,
    assembled: NbestStore | None = None,
    *,
    metric: str | Metric = "bleu",
    tokenize: str = "none",
    lowercase: bool = False,
    quality: Numbers | StrPath | None = None,
    track: Track = no_track,
) -> Problem:
    """The learning problem of a list: a metric with references, or the quality of every candidate.

    ``assembled`` is the same list with more features.
    """
    store = nbest.store if assembled is None else assembled
    if quality is not None:
        return Problem.of_quality(store, nbest.column(quality, "quality"))
    references = nbest.reference_words()
    if references is None:
        raise ConfigError(EITHER)
    if isinstance(metric, str):
        metric = Metric.named(metric, tokenize=tokenize, lowercase=lowercase, progress=track)
    return Problem.of(store, references, metric)


def with_decoder_score(
    functions: Sequence[FeatureFunction], store: NbestStore, options: RerankOptions
) -> tuple[FeatureFunction, ...]:
    """The functions, and the decoder's score unless something else says the same."""
    given = tuple(functions)
    if not options.score or options.columns is not None or any(one.name == "score" for one in given):
        return given
    scores = store.scores
    if np.any(np.isnan(scores)) or not _differs(store, scores):
        return given
    size = 1e-4 * float(np.abs(scores).max())  # files have few digits
    if any(np.all(np.abs(column - scores) <= size) for column in store.dense.T):
        return given
    taken = {*store.dense_names, *(name for one in given for name in one.columns())}
    label = next(name for name in ("Score", "DecoderScore", "TotalScore") if name not in taken)
    return (DecoderScore(label=label), *given)


def _differs(store: NbestStore, values: Float64) -> bool:
    """Whether a column differs within any sentence."""
    first = store.sentence_offsets[:-1]
    return bool(np.any(np.maximum.reduceat(values, first) != np.minimum.reduceat(values, first)))


def list_warnings(nbest: NbestList, quality: Numbers | StrPath | None = None) -> list[str]:
    """Warnings about a list; references do not matter if a quality is given."""
    references = nbest.references if quality is None else None
    missing = 0 if references is None else len(references) - nbest.store.num_sentences
    if references is None or missing <= 0:
        return nbest.warnings
    share = f"{missing:,} of {len(references):,}"
    return [*nbest.warnings, f"{nbest.name}: {share} sentences have no candidates; they play no part"]
