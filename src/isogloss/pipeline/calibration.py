"""Learn the confidence of a system from text that it was not trained on.

The model is a logistic regression on the sentence chrF, a number from 0 to 1, rather than on right or wrong:
every sentence says something, also where no translation is right as it stands. The strength of the
regularization is chosen by cross-validation on the same text.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isogloss.decoder.confidence import ConfidenceModel, translation_properties, write_confidence
from isogloss.decoder.decoder import DEFAULT_MAX_WORDS
from isogloss.decoder.sentence import Source
from isogloss.decoder.stored_system import load
from isogloss.decoder.system import System
from isogloss.decoder.translator import best_lines
from isogloss.decoder.weights import default_weights
from isogloss.io.errors import ConfigError, TrainingError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import read_lines
from isogloss.metric import References, metric_named
from isogloss.nbest.edit import best_rows
from isogloss.tuning import TuneOptions, tune
from isogloss.tuning.options import AUTO

__all__ = ["LEAST_CALIBRATED", "Sample", "calibrate", "fit_confidence", "learn_confidence", "observe"]

Paths = Mapping[str, Path]
Options = Mapping[str, Any]
Float64 = npt.NDArray[np.float64]

LEAST_CALIBRATED = 40
"""Smallest number of sentences to learn the confidence from."""
_MOST = 400
"""More sentences add little to so few weights."""
_PASSES = 1
_STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
_FOLDS = 5
_STEPS = 50
_BEYOND = 3.0


class Sample(NamedTuple):
    """Sentences and their references, as a user writes them and as tokens."""

    sources: Sequence[str]
    references: References
    tokens: Sequence[Source] = ()
    token_references: References | None = None

    def part(self, rows: Sequence[int]) -> Sample:
        """Some of the sentences."""
        known = self.token_references
        return Sample(
            [self.sources[row] for row in rows],
            _part(self.references, rows),
            [self.tokens[row] for row in rows] if self.tokens else (),
            None if known is None else _part(known, rows),
        )


def calibrate(inputs: Paths, outputs: Paths, options: Options, *, threads: int, track: Track) -> None:
    """Learn the confidence of a system from its development set."""
    sources = list(read_lines(inputs["dev_source"])) if "dev_source" in inputs else []
    model = None
    if len(sources) >= LEAST_CALIBRATED:
        tuning, sample = None, Sample(sources, _references(inputs, "dev_target"))
        if options["tune"] is not None:
            tuning = TuneOptions.from_stored(options["tune"])
            tokens = list(read_lines(inputs["tokens_dev_source"]))
            sample = Sample(*sample[:2], tokens, _references(inputs, "tokens_dev_target"))
        system = load(inputs["system"])
        model = learn_confidence(
            system, sample, tuning, lowercase=options["lowercase"], threads=threads, track=track
        )
    write_confidence(outputs["confidence"], model)


def learn_confidence(
    system: System,
    sample: Sample,
    tuning: TuneOptions | None = None,
    *,
    lowercase: bool = False,
    threads: int = 1,
    track: Track = no_track,
) -> ConfidenceModel | None:
    """Learn the confidence of a system; None if there are too few sentences.

    Weights that were tuned on a sentence translate it too well. So, if there is ``tuning``, each half of the
    sample is translated with weights that were tuned, in one pass, on the other half.
    """
    count = len(sample.sources)
    rows = np.unique(np.linspace(0, count - 1, min(_MOST, count)).round().astype(int)).tolist()
    halves = [rows] if tuning is None else [rows[::2], rows[1::2]]
    found = []
    for number, half in enumerate(track(halves, "learning confidence", len(halves))):
        others = sample.part(halves[1 - number]) if tuning is not None else None
        with contextlib.ExitStack() as weights:
            if tuning is not None and others is not None:
                weights.enter_context(_tuned(system, others, tuning, threads))
            found.append(observe(system, sample.part(half), lowercase=lowercase, threads=threads))
    return fit_confidence(
        {name: np.concatenate([part[0][name] for part in found]) for name in found[0][0]},
        np.concatenate([part[1] for part in found]),
    )


@contextlib.contextmanager
def _tuned(system: System, sample: Sample, options: TuneOptions, threads: int) -> Iterator[None]:
    """Let the system have weights that are tuned, from the usual ones, on these tokens only."""
    decoder, references = system.decoder, sample.token_references
    assert references is not None
    usable = [at for at, line in enumerate(sample.tokens) if _can_be_tuned_on(line)]
    first = _PASSES if options.dense_first is None else min(_PASSES, options.dense_first)
    quick = replace(options, iterations=_PASSES, dense_first=first)
    if options.method.startswith(AUTO):
        quick = replace(quick, method="online-mira" if decoder.sparse_weights is not None else "batch-mira")
    with decoder.restored():
        decoder.set_weights(default_weights(decoder.names, hierarchical=decoder.options.hierarchical))
        with contextlib.suppress(TrainingError, ConfigError):  # too little to learn from
            given = [sample.tokens[at] for at in usable], _part(references, usable)
            found = tune(System(decoder, system.path), *given, quick, threads=threads)
            decoder.set_weights(found.dense, found.sparse)
        yield


def _can_be_tuned_on(line: Source) -> bool:
    return isinstance(line, str) and bool(line) and len(line.split(" ")) <= DEFAULT_MAX_WORDS


def _references(inputs: Paths, name: str) -> References:
    return References.read([inputs[item] for item in sorted(inputs) if item.startswith(name)])


def _part(references: References, rows: Sequence[int]) -> References:
    return References([[stream[row] for row in rows] for stream in references.streams])


def observe(
    system: System, sample: Sample, *, lowercase: bool = False, threads: int = 1
) -> tuple[dict[str, Float64], Float64]:
    """Translate sentences; return the properties of the translations, and their quality from 0 to 1."""
    text = system.text
    tokens = [source if text is None else text.tokenize(source) for source in sample.sources]
    used = [at for at, line in enumerate(tokens) if line]
    given = [tokens[at] for at in used]
    store = system.decoder.nbest(given, nbest=1, threads=threads)
    rows = best_rows(store)
    lines = list(best_lines(store, list(given), rows))
    if text is not None:
        lines = [text.detokenize(line, sample.sources[at]) for line, at in zip(lines, used, strict=True)]
    metric = metric_named("chrf", lowercase=lowercase)
    quality = metric.scores(metric.statistics(lines, _part(sample.references, used)))
    properties = translation_properties(store, rows, [len(line.split(" ")) for line in given])
    return properties, np.asarray(quality) / 100


def fit_confidence(properties: Mapping[str, Float64], quality: Float64) -> ConfidenceModel | None:
    """A model of the quality of translations, from 0 to 1; None if there are too few to learn from."""
    if len(quality) < LEAST_CALIBRATED:
        return None
    matrix = np.column_stack(list(properties.values()))
    shift, scale = matrix.mean(axis=0), matrix.std(axis=0)
    varying = scale > 1e-9 * (1 + np.abs(shift))
    names = tuple(name for name, keep in zip(properties, varying.tolist(), strict=True) if keep)
    shift, scale = shift[varying], scale[varying]
    rows = np.clip((matrix[:, varying] - shift) / scale, -_BEYOND, _BEYOND)
    strength = min(_STRENGTHS, key=lambda one: _cross_validated(rows, quality, one))
    weights, bias = _logistic(rows, quality, strength)
    return ConfidenceModel(
        names=names, shift=shift, scale=scale, weights=weights, bias=bias, sentences=len(quality)
    )


def _cross_validated(rows: Float64, quality: Float64, strength: float) -> float:
    """Mean squared error of predictions for sentences that were left out."""
    folds = np.arange(len(rows)) % _FOLDS
    error = 0.0
    for fold in range(_FOLDS):
        weights, bias = _logistic(rows[folds != fold], quality[folds != fold], strength)
        predicted = 1 / (1 + np.exp(-(rows[folds == fold] @ weights + bias)))
        error += float(((predicted - quality[folds == fold]) ** 2).sum())
    return error


def _logistic(rows: Float64, quality: Float64, strength: float) -> tuple[Float64, float]:
    """Ridge logistic regression by Newton's method; the bias is not regularized."""
    inputs = np.column_stack([rows, np.ones(len(rows))])
    ridge = np.full(inputs.shape[1], strength)
    ridge[-1] = 1e-6  # quality may be 1 everywhere
    weights = np.zeros(inputs.shape[1])
    for _ in range(_STEPS):
        predicted = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        slope = inputs.T @ (quality - predicted) - ridge * weights
        curve = (inputs * (predicted * (1 - predicted))[:, None]).T @ inputs + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        weights += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    return weights[:-1], float(weights[-1])
