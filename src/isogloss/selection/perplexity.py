"""How well samples of a corpus predict a text: comparable perplexities.

A model of a small sample has a small vocabulary, and an unknown word that stands for many words is easy to
predict. So the probability of the unknown word is divided equally among all words of corpus and text that the
model does not have; every model then distributes its probability over the same words.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss._engine import NO_WORD
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, read_lines
from isogloss.lm import LanguageModel, LmOptions, build

__all__ = ["ModelPerplexity", "perplexities"]

_SPECIAL = 3  # <s>, </s>, <unk>


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPerplexity:
    """The perplexity of a text by a language model of some sentences."""

    sentences: int
    words: int
    """Words in the model's own text."""
    perplexity: float
    unknown: int
    """Words of the other text that the model does not have."""


def perplexities(
    samples: Mapping[str, StrPath],
    text: Sequence[str],
    *,
    order: int = 3,
    threads: int = 1,
    track: Track = no_track,
) -> dict[str, ModelPerplexity]:
    """For every file of sentences, the perplexity of ``text`` by its model; the first file must contain all
    others.

    A file without words has no model and is left out.
    """
    found: dict[str, ModelPerplexity] = {}
    universe = 0
    for name, path in samples.items():
        if not any(line.split() for line in read_lines(path)):
            continue
        with tempfile.TemporaryDirectory(prefix="isogloss-perplexity-") as folder:
            options = LmOptions(order=order, special_words="unknown")
            built = build([path], options=options, binary=Path(folder) / "lm", threads=threads, track=track)
            model = LanguageModel.load(Path(folder) / "lm")
            scores = model.perplexity(list(text), threads=threads)
            own = model.counts[0] - _SPECIAL
            if not universe:
                known = model.vocabulary
                universe = own + len(
                    {word for line in text for word in line.split() if known.find(word) == NO_WORD}
                )
        each = math.log10(max(1, universe - own))
        log10 = scores.log10 - scores.unknown * each
        found[name] = ModelPerplexity(
            sentences=built.sentences,
            words=built.words,
            perplexity=10 ** (-log10 / scores.words) if scores.words else math.nan,
            unknown=scores.unknown,
        )
    return found
