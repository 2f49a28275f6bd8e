"""A discriminative word lexicon: which words a translation has, given all words of its source.

For every target word a logistic regression on the source words of the sentence (Mauser, Hasan and Ney 2009).
Unlike IBM Model 1, each word sees the whole source, and words that are missing count as much as words that
are there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from isogloss._engine import Vocabulary
from isogloss.io.errors import DataFormatError, ModelFormatError
from isogloss.io.options import Above, AtLeast, Options
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.io.text_lines import TextLines
from isogloss.rerank.training_text import both_sides
from isogloss.storage.folder import open_folder, write_folder

__all__ = ["LexiconOptions", "WordLexicon"]

KIND = "word-lexicon"
VERSION = 1
_SCALE = 1024.0  # weights are stored as multiples of 1/1024

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class LexiconOptions(Options):
    """How a word lexicon is trained. Memory is 8 bytes times source words times target words."""

    source_words: Annotated[int, AtLeast(1)] = 10_000
    """The most frequent source words that are used."""
    target_words: Annotated[int, AtLeast(1)] = 6_000
    """The most frequent target words that are predicted."""
    min_source: Annotated[int, AtLeast(1)] = 2
    """Source words in fewer sentences are left out."""
    min_target: Annotated[int, AtLeast(1)] = 3
    """Target words in fewer sentences are left out."""
    epochs: Annotated[int, AtLeast(1)] = 8
    """Passes over the text."""
    rate: Annotated[float, Above(0)] = 0.5
    """Learning rate of AdaGrad."""
    update_size: Annotated[int, AtLeast(1)] = 128
    """Sentences per update."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed of the order of the sentences."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordLexicon:
    """Log odds of every target word, given the words of a source sentence.

    >>> pairs = ["das Haus", "ein Haus", "das Buch"] * 20, ["the house", "a house", "the book"] * 20
    >>> lexicon = WordLexicon.train(*pairs, LexiconOptions(epochs=20))
    >>> odds = dict(zip(lexicon.target, lexicon.odds(["das", "Haus"]).tolist()))
    >>> sorted(sorted(odds, key=lambda word: odds[word])[-2:])
    ['house', 'the']
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    weights: npt.NDArray[np.int16]
    """Source words × target words, in units of 1/1024."""
    bias: Floats
    losses: tuple[float, ...] = ()
    """Mean loss of a sentence in each pass of the training."""

    @classmethod
    def train(
        cls,
        source: TextLines,
        target: TextLines,
        options: LexiconOptions | None = None,
        *,
        track: Track = no_track,
    ) -> WordLexicon:
        """Learn from tokenized parallel text: files or lists of sentences."""
        options = options or LexiconOptions()
        sides = [[set(line.split()) for line in side] for side in both_sides(source, target)]
        numbers = [
            _vocabulary(sides[0], options.min_source, options.source_words),
            _vocabulary(sides[1], options.min_target, options.target_words),
        ]
        if not numbers[0] or not numbers[1]:
            raise DataFormatError("too little text to learn a word lexicon from", "text")
        given, wanted = (_matrix(side, of) for side, of in zip(sides, numbers, strict=True))
        weights, bias, losses = _learn(given, wanted, options, track)
        scaled = np.clip(np.rint(weights * _SCALE), -32768, 32767).astype(np.int16)
        return cls(
            source=tuple(numbers[0]),
            target=tuple(numbers[1]),
            weights=scaled,
            bias=bias,
            losses=tuple(losses),
        )

    def odds(self, words: Iterable[str], numbers: dict[str, int] | None = None) -> npt.NDArray[np.float64]:
        """Log odds of every target word; ``numbers`` are those of the source words, if known already."""
        known = numbers if numbers is not None else self.source_numbers()
        rows = [known[word] for word in dict.fromkeys(words) if word in known]
        summed = self.weights[rows].sum(axis=0, dtype=np.int64) / _SCALE
        return np.asarray(summed + self.bias, dtype=np.float64)

    def source_numbers(self) -> dict[str, int]:
        """The row of every source word."""
        return {word: number for number, word in enumerate(self.source)}

    def save(self, path: StrPath) -> None:
        """Store as a folder."""
        arrays: dict[str, npt.NDArray[Any]] = {"weights": self.weights, "bias": self.bias}
        for name, words in (("source", self.source), ("target", self.target)):
            vocabulary = Vocabulary()
            for word in words:
                vocabulary.add(word)
            arrays[f"{name}_bytes"], arrays[f"{name}_offsets"] = vocabulary.arrays()
        write_folder(
            path, kind=KIND, version=VERSION, arrays=arrays, attributes={"losses": list(self.losses)}
        )

    @classmethod
    def load(cls, path: StrPath) -> WordLexicon:
        """Open a stored lexicon."""
        folder = open_folder(path, kind=KIND, version=VERSION)
        arrays = folder.arrays
        try:
            sides = [
                tuple(Vocabulary.from_arrays(arrays[f"{name}_bytes"], arrays[f"{name}_offsets"]).words())
                for name in ("source", "target")
            ]
            weights, bias = arrays["weights"], arrays["bias"]
            if weights.shape != (len(sides[0]), len(sides[1])) or bias.shape != (len(sides[1]),):
                raise ValueError(f"weights of shape {weights.shape}")
            if weights.dtype != np.int16 or bias.dtype != np.float32 or not np.all(np.isfinite(bias)):
                raise ValueError(f"weights of type {weights.dtype}")
            losses = tuple(float(loss) for loss in folder.attributes["losses"])
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ModelFormatError(
                f"the word lexicon is damaged ({error})", path, "rebuild it or restore it from a backup"
            ) from None
        return cls(source=sides[0], target=sides[1], weights=weights, bias=bias, losses=losses)


def _vocabulary(lines: Sequence[set[str]], fewest: int, most: int) -> dict[str, int]:
    """Numbers of the most frequent words, by falling frequency, then by name."""
    counts = Counter(word for line in lines for word in line)
    kept = sorted((-count, word) for word, count in counts.items() if count >= fewest)[:most]
    return {word: number for number, (_, word) in enumerate(kept)}


def _matrix(lines: Sequence[set[str]], numbers: dict[str, int]) -> csr_matrix:
    rows = [sorted(numbers[word] for word in line if word in numbers) for line in lines]
    columns = np.array([number for row in rows for number in row], dtype=np.int64)
    offsets = np.cumsum([0, *map(len, rows)])
    return csr_matrix((np.ones(len(columns), np.float32), columns, offsets), (len(rows), len(numbers)))


def _learn(
    given: csr_matrix, wanted: csr_matrix, options: LexiconOptions, track: Track
) -> tuple[Floats, Floats, list[float]]:
    """AdaGrad on the logistic loss of all target words at once; the bias is the log odds of frequency."""
    frequency = np.clip(np.asarray(wanted.mean(axis=0)).ravel(), 1e-6, 1 - 1e-6)
    bias = np.log(frequency / (1 - frequency)).astype(np.float32)
    weights = np.zeros((given.shape[1], wanted.shape[1]), np.float32)
    squares = np.full(weights.shape, 0.1, np.float32)
    rng, count, losses = np.random.default_rng(options.seed), given.shape[0], []
    for _ in track(range(options.epochs), "learning the lexicon", options.epochs):
        order, loss = rng.permutation(count), 0.0
        for begin in range(0, count, options.update_size):
            rows = order[begin : begin + options.update_size]
            source = given[rows]
            used = np.unique(source.indices)
            own = source[:, used]
            likely = 1 / (1 + np.exp(-(own @ weights[used] + bias)))
            there = wanted[rows].toarray()
            loss -= float(np.log(np.where(there > 0, likely, 1 - likely) + 1e-9).sum())
            gradient = np.asarray(own.T @ (likely - there), dtype=np.float32)
            squares[used] += gradient * gradient
            weights[used] -= options.rate * gradient / np.sqrt(squares[used])
        losses.append(loss / count)
    return weights, bias, losses
