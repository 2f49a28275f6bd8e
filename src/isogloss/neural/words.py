"""The words a joint model knows; all others share a number with those that end alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

__all__ = ["BEGIN", "END", "NOTHING", "RARE", "JointWords"]

BEGIN, END, NOTHING, RARE = range(4)
_SPECIAL = ("<s>", "</s>", "<nothing>", "<rare>")
_ENDING = 3
_MARK = "\N{HORIZONTAL ELLIPSIS}"  # before an ending; a word that begins with it is never kept
_COMMON = 20  # rare words with an ending that is worth a number


class JointWords:
    """A vocabulary: special words, frequent words, common endings of rare ones.

    >>> words = JointWords.learn([["a", "b", "a"], ["a", "c"]], min_count=2, most=100)
    >>> words.numbers(["a", "b", "c", "d"])
    [4, 3, 3, 3]
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)

    @classmethod
    def learn(cls, sentences: Iterable[Sequence[str]], *, min_count: int, most: int) -> JointWords:
        """Learn from tokenized sentences; words of equal frequency are kept in the order of the alphabet."""
        counts = Counter(word for sentence in sentences for word in sentence)
        for word in _SPECIAL:
            counts.pop(word, None)
        ranked = sorted((-count, word) for word, count in counts.items())
        kept = [word for count, word in ranked if -count >= min_count and not word.startswith(_MARK)]
        kept = kept[: most - len(_SPECIAL)]
        known = set(kept)
        endings = Counter(_MARK + word[-_ENDING:] for word in counts if word not in known)
        common = sorted(ending for ending, count in endings.items() if count >= _COMMON)
        room = most - len(_SPECIAL) - len(kept)
        return cls([*_SPECIAL, *kept, *common[:room]])

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def _number(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    def number(self, word: str) -> int:
        """The number of a word, of its ending if it is rare."""
        found = self._number.get(word)
        if found is not None and found > RARE:
            return found
        return self._number.get(_MARK + word[-_ENDING:], RARE)

    def is_word(self, number: int) -> bool:
        """Whether a number stands for one word or the end of a sentence, not for several words."""
        return number == END or (number > RARE and not self.words[number].startswith(_MARK))

    def numbers(self, words: Iterable[str]) -> list[int]:
        """The numbers of words."""
        return [self.number(word) for word in words]
