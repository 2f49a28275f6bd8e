"""What a joint model expects at each word of a translation, to explain its score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from isogloss.neural.aligned_text import source_positions
from isogloss.neural.model import JointModel
from isogloss.neural.words import BEGIN, END

__all__ = ["PredictedWord", "predicted_words"]


@dataclass(frozen=True, slots=True)
class PredictedWord:
    """A word of a translation, and what a joint model would have expected there."""

    word: str
    """Empty at the end of the sentence."""
    score: float
    """Natural log probability."""
    likely: tuple[str, ...]
    """The most probable words, the first one most of all; an empty one is the end. Words that are known by
    their endings only are left out."""

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def predicted_words(
    model: JointModel,
    source: Sequence[str],
    target: Sequence[str],
    links: Sequence[tuple[int, int]],
    count: int = 3,
) -> list[PredictedWord]:
    """The words of an aligned translation, and its end, as the model sees them."""
    sizes, arrays = model.sizes, model.arrays
    hidden, window = sizes["hidden"], sizes["window"]
    positions = source_positions(links, len(source), len(target))
    numbers = model.source_words.numbers(source)
    padded = [*[BEGIN] * (window // 2), *numbers, *[END] * (window // 2 + 1)]
    words = [*model.target_words.numbers(target), END]
    embedding = arrays["source_embedding"].reshape(-1, sizes["embedding"])
    source_hidden = arrays["source_hidden"].reshape(-1, hidden)
    history = arrays["history"].reshape(sizes["history"], -1, hidden)
    output = arrays["output"].reshape(-1, hidden)
    unnamed = np.array([not model.target_words.is_word(number) for number in range(len(model.target_words))])
    found = []
    for at, (position, word) in enumerate(zip(positions, words, strict=True)):
        before = [*words[:at][::-1], *[BEGIN] * len(history)][: len(history)]
        layer = (
            arrays["hidden_bias"] + embedding[padded[position : position + window]].ravel() @ source_hidden
        )
        layer = layer + sum(part[number] for part, number in zip(history, before, strict=True))
        scores = output @ np.maximum(layer, 0) + arrays["output_bias"]
        named = np.where(unnamed, -np.inf, scores)
        likely = tuple(
            "" if number == END else model.target_words.words[number]
            for number in np.argsort(-named)[:count].tolist()
        )
        found.append(PredictedWord(target[at] if at < len(target) else "", float(scores[word]), likely))
    return found
