"""What an unseen word may be made of, found the slow way: every known word is asked how it differs.

The engine goes the other way round: it makes changed forms and looks which of them are known.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from isogloss.grammar.word_forms import WordForms, without_marks

__all__ = ["WordWays"]

Way = tuple[tuple[str, ...], bool, float]
"""Words, whether they are parts, and a score."""

_HYPHENS = {("", "-"): (3, 4), ("", "‐"): (3, 4)}


def _scores(evidence: Mapping[tuple[str, str], tuple[int, int]]) -> dict[tuple[str, str], float]:
    scores = {key: math.log(right / (seen + 2)) for key, (right, seen) in evidence.items()}
    return {key: score for key, score in scores.items() if score >= math.log(0.05)}


class WordWays:
    """Ways for the words that are not among the known ones."""

    def __init__(self, known: Iterable[str], forms: WordForms, parts: Mapping[str, list[int]]) -> None:
        self.parts = parts
        self.endings, self.beginnings = _scores(forms.endings), _scores(forms.beginnings)
        self.insides = _scores(forms.insides)
        self.joints = {
            key: (right + 0.2) / (seen + 2) for key, (right, seen) in {**_HYPHENS, **forms.joints}.items()
        }
        right, seen = (sum(pair[i] for pair in forms.lengths) for i in (0, 1))
        average = (right + 0.1) / (seen + 1)
        self.lengths = [(r + 2 * average) / (n + 2) for r, n in forms.lengths] or [average]
        words = sorted(word for word in known)
        self.known = {
            word[0].lower() + word[1:]: word for word in words if word[0].lower().upper() == word[0]
        }
        self.known |= {word: word for word in words}
        self.known = {form: word for form, word in self.known.items() if len(form) >= 3}

    def ways(self, word: str) -> list[Way]:
        """All ways, other forms first."""
        form = word.lower()
        same = self.known.get(form) or self.known.get(word.upper())
        related = [] if same is None else [(same, -0.05)]
        related += [(self.known[one], score) for one, score in self._changed(form)]
        found = self._best(related) + self._splits(form, change=False)
        if found:
            return found
        twice = self._best((self.known[one], score) for one, score in self._changed_twice(form))
        return twice + (self._splits(form, change=True) or self._partial(form))

    def _best(self, related: Iterable[tuple[str, float]]) -> list[Way]:
        best: dict[str, float] = {}
        for word, score in related:
            best[word] = max(score, best.get(word, -math.inf))
        ranked = sorted((-score, word) for word, score in best.items())
        return [((word,), False, -score) for score, word in ranked[:3]]

    def _ended(self, form: str, other: str) -> Iterator[float]:
        for kept in range(max(3, len(form) - 3), len(form) + 1):
            if other[:kept] == form[:kept] and (form[kept:], other[kept:]) in self.endings:
                yield self.endings[form[kept:], other[kept:]]

    def _inside(self, form: str) -> Iterator[tuple[str, float]]:
        for (letters, nothing), score in self.insides.items():
            for at in range(2, len(form) - 2 - len(letters)):
                if not nothing and form[at : at + len(letters)] == letters:
                    yield form[:at] + form[at + len(letters) :], score
        pairs = [pair for pair in zip(form, without_marks(form), strict=True) if pair in self.insides]
        if pairs:
            yield without_marks(form), max(self.insides[pair] for pair in pairs)

    def _changed(self, form: str) -> Iterator[tuple[str, float]]:
        inside = list(self._inside(form))
        for other in self.known:
            yield from ((other, score) for score in self._ended(form, other))
            for lost in range(min(3, len(form) - 3) + 1):
                kept = form[lost:]
                key = form[:lost], other[: len(other) - len(kept)]
                if other.endswith(kept) and key in self.beginnings:
                    yield other, self.beginnings[key]
            yield from ((other, score) for one, score in inside if one == other)

    def _changed_twice(self, form: str) -> Iterator[tuple[str, float]]:
        least, inside = math.log(0.1), list(self._inside(form))
        for other in self.known:
            for begin in range(4):
                for end in range(max(begin + 3, len(form) - 3), len(form) + 1):
                    kept = form[begin:end]
                    for at in range(len(other) - len(kept) + 1):
                        first = form[:begin], other[:at]
                        last = form[end:], other[at + len(kept) :]
                        if other[at:].startswith(kept) and first in self.beginnings and last in self.endings:
                            more, score = self.beginnings[first], self.endings[last]
                            if more >= least - score:
                                yield other, score + more
            for one, score in inside:
                yield from (
                    (other, score + more) for more in self._ended(one, other) if more >= least - score
                )

    def _smoothed(self, word: str, average: float, *, first: bool) -> float:
        right, seen = self.parts[word][:2] if first else self.parts[word][2:]
        return 0.5 * math.log((right + 2 * average) / (seen + 2))

    def _trust(self, word: str, form: str, *, first: bool) -> float:
        return self._smoothed(word, self.lengths[min(len(form), len(self.lengths) - 1)], first=first)

    def _splits(self, form: str, *, change: bool) -> list[Way]:
        found = [way for way in self._ways_from(form, "", change) if way[1] >= math.log(0.02)]
        return [(words, True, score) for words, score in found]

    def _ways_from(self, form: str, before: str, change: bool) -> list[tuple[tuple[str, ...], float]]:
        ways: list[tuple[tuple[str, ...], float]] = []
        if before:
            last = [(self.known[form], 0.0)] if form in self.known else []
            if not last and change and len(form) >= 4:
                ended = ((self.known[one], s) for one in self.known for s in self._ended(form, one))
                likely = self._best((word, score) for word, score in ended if score >= math.log(0.3))
                last = [(words[0], score) for words, _, score in likely[:1]]
            ways += [((word,), score + self._trust(word, form, first=False)) for word, score in last]
        for end in range(3, len(form) - 2):
            firsts = [
                (self.known[form[: end - len(joined)] + lost], share, lost)
                for (lost, joined), share in self.joints.items()
                if form[:end].endswith(joined) and len(joined) <= end - 2
                if form[: end - len(joined)] + lost in self.known
            ]
            for rest, more in self._ways_from(form[end:], form[:end], change) if firsts else []:
                for word, share, lost in firsts if len(rest) < 4 else []:
                    score = self._smoothed(word, share, first=True)
                    ways.append(((word, *rest), (score - 0.3 if lost else score) + more))
        return sorted(ways, key=lambda way: (-way[1], way[0]))[:3]

    def _partial(self, form: str) -> list[Way]:
        ways: list[Way] = []
        for at in range(3, len(form) - 2):
            hyphen = form[at - 1] == "-"
            before, behind = form[: at - hyphen], form[at:]
            for first, part, whole in ((True, before, form[:at]), (False, behind, behind)):
                least = 4 if first else 3
                if at < least or len(form) - at < 7 - least or part not in self.known:
                    continue
                word = self.known[part]
                right, seen = self.parts[word][:2] if first else self.parts[word][2:]
                if hyphen or right / (seen + 1) >= 0.08:
                    score = self._trust(word, whole, first=first) + math.log(0.1)
                    ways.append(((word, behind) if first else (before, word), True, score))
        return sorted(ways, key=lambda way: (-way[2], way[0]))[:1]
