"""Confidence: the quality that is expected of a translation, as an engine learned it from held-out text.

    ENGINE/confidence/   a weight for every property of a translation

The confidence is the expected chrF of a translation against one that a person has reviewed, divided by 100.
It is computed from what the search knows anyway, so it costs next to nothing. A system without this folder
(made from models, or by an earlier version) gives a rule of thumb instead, which ranks but predicts nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isogloss.io.errors import ModelFormatError
from isogloss.io.streams import StrPath
from isogloss.nbest.store import Int64, NbestStore
from isogloss.storage.folder import open_folder, write_folder

__all__ = [
    "CALIBRATED",
    "RULE_OF_THUMB",
    "ConfidenceModel",
    "read_confidence",
    "translation_confidences",
    "translation_properties",
    "write_confidence",
]

KIND, VERSION = "confidence", 1
CALIBRATED = "the expected chrF of a translation, divided by 100"
RULE_OF_THUMB = "a rule of thumb that ranks translations; it predicts nothing"

Float64 = npt.NDArray[np.float64]

_SURPRISE = 10.0  # natural logarithm: words this improbable lower the rule of thumb to 1/e
_SUMS = (
    *("unknown", "rules", "lm", "target_given_source", "source_given_target"),
    *("target_given_source_lexical", "source_given_target_lexical"),
)
"""Features that say something about quality; with those of reordering and lengths, a model that is learned
from a few hundred sentences becomes worse."""
_BEYOND = 3.0
"""Standard deviations beyond those of the held-out text that a property may reach: a straight line says
nothing about text that is quite different."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceModel:
    """A logistic model of the quality of a translation.

    >>> model = ConfidenceModel(
    ...     names=("unknown",), shift=np.zeros(1), scale=np.ones(1), weights=np.array([-2.0]), bias=1.0
    ... )
    >>> model.predict({"unknown": np.array([0.0, 1.0])}).round(2).tolist()
    [0.73, 0.27]
    """

    names: tuple[str, ...]
    """Names of the properties, as ``translation_properties`` returns them."""
    shift: Float64
    scale: Float64
    """Mean and standard deviation of each property in the text that the model was learned from."""
    weights: Float64
    bias: float
    sentences: int = 0
    """Number of sentences that the model was learned from."""

    def predict(self, properties: Mapping[str, Float64]) -> Float64:
        """The confidence of every translation; a property that a system does not have counts as usual."""
        rows = len(next(iter(properties.values())))
        found = np.full(rows, self.bias)
        for name, shift, scale, weight in zip(self.names, self.shift, self.scale, self.weights, strict=True):
            if name in properties:
                found += weight * np.clip((properties[name] - shift) / scale, -_BEYOND, _BEYOND)
        return np.asarray(1 / (1 + np.exp(-found)))


def write_confidence(path: StrPath, model: ConfidenceModel | None) -> None:
    """Store a model, or that there is none."""
    arrays: dict[str, Float64] = {}
    attributes: dict[str, object] = {"predicts": RULE_OF_THUMB}
    if model is not None:
        arrays = {
            "shift": model.shift,
            "scale": model.scale,
            "weights": model.weights,
            "bias": np.array([model.bias]),
        }
        attributes = {
            "predicts": CALIBRATED,
            "properties": list(model.names),
            "sentences": model.sentences,
        }
    write_folder(path, kind=KIND, version=VERSION, arrays=arrays, attributes=attributes)


def read_confidence(path: StrPath) -> ConfidenceModel | None:
    """Read a stored model; None if there is none."""
    folder = open_folder(path, kind=KIND, version=VERSION)
    names = folder.attributes.get("properties")
    if names is None and not folder.arrays:
        return None
    arrays = {name: np.array(array, np.float64) for name, array in folder.arrays.items()}
    if (
        not isinstance(names, list)
        or not all(isinstance(name, str) for name in names)
        or not all(_fits(arrays.get(name), len(names)) for name in ("shift", "scale", "weights"))
        or not _fits(arrays.get("bias"), 1)
        or not (arrays["scale"] > 0).all()
    ):
        raise ModelFormatError("is damaged", path, "train the system again")
    return ConfidenceModel(
        names=tuple(names),
        shift=arrays["shift"],
        scale=arrays["scale"],
        weights=arrays["weights"],
        bias=float(arrays["bias"][0]),
        sentences=int(folder.attributes.get("sentences", 0)),
    )


def _fits(array: Float64 | None, size: int) -> bool:
    return array is not None and array.shape == (size,) and bool(np.isfinite(array).all())


def translation_properties(store: NbestStore, rows: Int64, lengths: Sequence[int]) -> dict[str, Float64]:
    """What tells good translations from bad ones, by name; ``lengths`` are source lengths in words.

    Sums over a derivation are divided by the number of source words.
    """
    words = np.maximum(np.array(lengths, np.float64), 1.0)
    made = np.diff(store.tokens.offsets)[rows].astype(np.float64)
    dense = {name: store.dense[rows, at].astype(np.float64) for at, name in enumerate(store.dense_names)}
    none = np.zeros(len(rows))
    unknown, rules = dense.get("unknown", none), dense.get("rules", none)
    return {
        "length": np.log(words),
        "length ratio": np.log((made + 1) / (words + 1)),
        "has unknown words": (unknown > 0).astype(np.float64),
        "one rule": (rules <= 1).astype(np.float64),
        **{f"{name} per word": dense[name] / words for name in _SUMS if name in dense},
    }


def translation_confidences(
    store: NbestStore, rows: Int64, lengths: Sequence[int], model: ConfidenceModel | None = None
) -> list[float]:
    """The confidence of each chosen translation, from 0 to 1; ``lengths`` are the source lengths in words.

    Without a model, it is a rule of thumb. An empty sentence has confidence 1.
    """
    if not len(rows):
        return []
    sure = _rule_of_thumb(store, rows, lengths)
    if model is not None:
        sure = model.predict(translation_properties(store, rows, lengths))
    rounded: list[float] = np.where(np.array(lengths) > 0, sure, 1.0).round(3).tolist()
    return rounded


def _rule_of_thumb(store: NbestStore, rows: Int64, lengths: Sequence[int]) -> Float64:
    """Combine the share of known words, the length of phrases and the fluency."""
    words = np.maximum(np.array(lengths, np.float64), 1.0)
    made = np.diff(store.tokens.offsets)[rows]
    names = list(store.dense_names)

    def feature(name: str) -> Float64:
        return store.dense[rows, names.index(name)] if name in names else np.zeros(len(rows))

    known = np.maximum(0.0, 1 - feature("unknown") / words)
    together = np.sqrt(words / (words + feature("rules")))
    usual = np.exp(np.minimum(0.0, feature("lm")) / (made + 1) / _SURPRISE)
    return np.asarray(known * together * usual)
