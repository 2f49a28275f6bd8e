"""Cross-entropy difference (Moore and Lewis 2010): similar to the text, different from the corpus.

The score of a sentence is H(text) - H(corpus) in bits per word, by a language model of the text and one of as
many random sentences of the corpus. The vocabulary of both models is the words that occur at least twice in
the text, so that neither has an advantage; all other words are unknown.
"""

from __future__ import annotations

import itertools
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from isogloss.io.progress import Track, no_track
from isogloss.lm import LanguageModel, LmOptions, build

__all__ = ["entropy_differences"]

_BATCH = 20_000
_LEAST_COUNT = 2
_UNKNOWN = "<unk>"


def entropy_differences(
    corpus: Callable[[], Iterable[str]],
    text: Sequence[str],
    *,
    order: int,
    seed: int,
    threads: int = 1,
    track: Track = no_track,
) -> npt.NDArray[np.float64]:
    """Bits per word for every sentence of the corpus, lower is better; infinite for empty sentences."""
    lines = [line.split() for line in text if line.split()]
    counts = Counter(word for line in lines for word in line)
    known = {word for word, count in counts.items() if count >= _LEAST_COUNT}
    sample = _drawn(track(corpus(), "drawing sentences"), len(lines), seed)
    with tempfile.TemporaryDirectory(prefix="isogloss-sample-") as folder:
        inside = _model(Path(folder) / "text", lines, known, order, threads)
        outside = _model(Path(folder) / "corpus", [line.split() for line in sample], known, order, threads)
        parts = [
            _difference(inside, outside, batch, threads)
            for batch in _batches(track(corpus(), "cross-entropy of sentences"))
        ]
    return np.concatenate([np.zeros(0), *parts])


def _drawn(sentences: Iterable[str], size: int, seed: int) -> list[str]:
    """A uniform random sample of non-empty sentences, without knowing how many there are."""
    rng = np.random.default_rng(seed)
    kept: list[str] = []
    seen = 0
    for sentence in sentences:
        if not sentence.strip():
            continue
        seen += 1
        if len(kept) < size:
            kept.append(sentence)
        elif (place := int(rng.integers(seen))) < size:
            kept[place] = sentence
    return kept


def _model(
    place: Path, sentences: Iterable[Sequence[str]], known: set[str], order: int, threads: int
) -> LanguageModel:
    file = place.with_suffix(".txt")
    with file.open("w", encoding="utf-8", errors="surrogatepass", newline="\n") as stream:
        for words in sentences:
            stream.write(" ".join(word if word in known else _UNKNOWN for word in words) + "\n")
    build([file], options=LmOptions(order=order, special_words="unknown"), binary=place, threads=threads)
    return LanguageModel.load(place)


def _difference(
    inside: LanguageModel, outside: LanguageModel, sentences: list[str], threads: int
) -> npt.NDArray[np.float64]:
    first, second = (model.all_scores(sentences, threads=threads) for model in (inside, outside))
    words = first.words.astype(np.float64)
    bits = (second.log10 - first.log10) / math.log10(2) / np.maximum(words, 1)
    return np.where(words > 1, bits, np.inf)  # the end of the sentence is a word


def _batches(sentences: Iterable[str]) -> Iterator[list[str]]:
    stream = iter(sentences)
    while batch := list(itertools.islice(stream, _BATCH)):
        yield batch
