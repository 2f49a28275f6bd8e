"""Aligned text by number of word, as a joint model sees it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isogloss.align import Alignments
from isogloss.neural.words import JointWords

__all__ = ["JointText", "source_positions"]


def source_positions(links: Sequence[tuple[int, int]], source_length: int, target_length: int) -> list[int]:
    """The source position each target word belongs to; the end of the target belongs to that of the source.

    Of several linked positions it is the middle one. A word without a link has that of the nearest word with
    one, the one on its right if both are equally near; without any link, all belong to the first position.

    >>> source_positions([(0, 1), (2, 1), (3, 1), (4, 3)], 5, 5)
    [2, 2, 4, 4, 4, 5]
    """
    linked: list[list[int]] = [[] for _ in range(target_length)]
    for source, target in links:
        linked[target].append(source)
    own = [sorted(sources)[len(sources) // 2] if sources else None for sources in linked]
    positions = []
    for target in range(target_length):
        position = 0
        for distance in range(target_length):
            right, left = target + distance, target - distance
            if right < target_length and (found := own[right]) is not None:
                position = found
                break
            if left >= 0 and (found := own[left]) is not None:
                position = found
                break
        positions.append(position)
    return [*positions, source_length]


@dataclass(frozen=True, slots=True, eq=False)
class JointText:
    """Sentence pairs by number of word, with the source position of each target word and of each end."""

    source: npt.NDArray[np.uint32]
    target: npt.NDArray[np.uint32]
    source_begin: npt.NDArray[np.int64]
    """Where each sentence begins; one more than sentences."""
    target_begin: npt.NDArray[np.int64]
    position: npt.NDArray[np.uint32]
    """By sample: the target words of a sentence, then its end."""

    @classmethod
    def of(
        cls,
        sources: Sequence[Sequence[str]],
        targets: Sequence[Sequence[str]],
        links: Alignments,
        source_words: JointWords,
        target_words: JointWords,
    ) -> JointText:
        """Number tokenized, aligned sentence pairs."""
        positions: list[int] = []
        for source, target, points in zip(sources, targets, links, strict=True):
            positions += source_positions(points, len(source), len(target))
        return cls(
            _numbers(sources, source_words),
            _numbers(targets, target_words),
            _begins(sources),
            _begins(targets),
            np.array(positions, np.uint32),
        )

    @property
    def sentence_count(self) -> int:
        """Number of sentence pairs."""
        return len(self.source_begin) - 1

    def samples(self, sentences: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint32]:
        """Numbers of the samples of chosen sentences."""
        lengths = np.diff(self.target_begin) + 1
        return np.flatnonzero(np.repeat(sentences, lengths)).astype(np.uint32)


def _numbers(sentences: Sequence[Sequence[str]], words: JointWords) -> npt.NDArray[np.uint32]:
    return np.array([number for sentence in sentences for number in words.numbers(sentence)], np.uint32)


def _begins(sentences: Sequence[Sequence[str]]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(sentence) for sentence in sentences])]).astype(np.int64)
