"""A joint model by its definition, in double precision: what the engine is held against."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from isogloss.neural import JointModel, JointOptions
from isogloss.neural.words import BEGIN, END, JointWords
from support.exhaustive import Lattice, Step

SPECIAL = ("<s>", "</s>", "<nothing>", "<rare>")


class JointOracle:
    """Random parameters, and what they say."""

    def __init__(
        self, source_words: Sequence[str], target_words: Sequence[str], options: JointOptions, seed: int
    ) -> None:
        rng = np.random.default_rng(seed)
        self.options = options
        self.source = JointWords([*SPECIAL, *source_words])
        self.target = JointWords([*SPECIAL, *target_words])
        shapes = {
            "source_embedding": (len(self.source), options.embedding),
            "target_embedding": (len(self.target), options.embedding),
            "hidden": ((options.window + options.history) * options.embedding, options.hidden),
            "hidden_bias": (options.hidden,),
            "output": (len(self.target), options.hidden),
            "output_bias": (len(self.target),),
        }
        self.parameters = {
            name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()
        }

    def model(self) -> JointModel:
        flat = {name: values.reshape(-1) for name, values in self.parameters.items()}
        return JointModel.of_parameters(self.options, self.source, self.target, flat, {})

    def score(self, source: Sequence[int], position: int, history: Sequence[int], word: int) -> float:
        """``history`` has the last word first; missing words are the beginning of the sentence."""
        options, half = self.options, self.options.window // 2
        window = [
            BEGIN if at < 0 else source[at] if at < len(source) else END
            for at in range(position - half, position + half + 1)
        ]
        before = [*history, *[BEGIN] * options.history][: options.history]
        inputs = np.concatenate(
            [self._double("source_embedding")[window].reshape(-1), self._target_rows(before)]
        )
        hidden = np.maximum(inputs @ self._double("hidden") + self._double("hidden_bias"), 0)
        return float(hidden @ self._double("output")[word] + self._double("output_bias")[word])

    def sentence(self, source: Sequence[str], target: Sequence[str], positions: Sequence[int]) -> list[float]:
        numbers, words = self.source.numbers(source), [*self.target.numbers(target), END]
        return [
            self.score(numbers, position, words[:at][::-1], word)
            for at, (position, word) in enumerate(zip(positions, words, strict=True))
        ]

    def derivation(self, source: Sequence[str] | Lattice, steps: Sequence[Step]) -> float:
        """The feature of a derivation of the exhaustive decoder."""
        path = best_path(source)
        positions: list[int] = []
        target: list[str] = []
        for step in steps:
            rule, arcs = step.match.rule, iter(step.match.arcs)
            # Only words have links; a rule without any belongs to where it begins.
            places = [step.match.begin if symbol is None else next(arcs).begin for symbol in rule.source]
            target += rule.target
            for word in range(len(rule.target)):
                place = places[aligned(rule.links, word, len(rule.target))]
                positions.append(sum(end <= place for end, _ in path))
        return sum(self.sentence([word for _, word in path], target, [*positions, len(path)]))

    def _double(self, name: str) -> npt.NDArray[np.float64]:
        return self.parameters[name].astype(np.float64)

    def _target_rows(self, words: Sequence[int]) -> npt.NDArray[np.float64]:
        return self._double("target_embedding")[list(words)].reshape(-1)


def aligned(links: Sequence[tuple[int, int]], word: int, words: int) -> int:
    """The source symbol a target word of a rule belongs to."""
    order = sorted(range(words), key=lambda other: (abs(other - word), other < word))
    for other in order:
        linked = sorted(s for s, t in links if t == other)
        if linked:
            return linked[len(linked) // 2]
    return 0


def best_path(source: Sequence[str] | Lattice) -> list[tuple[int, str]]:
    """Ends and words of the arcs on the path with the highest score."""
    if not isinstance(source, Lattice):
        return list(enumerate(source, start=1))
    best: dict[int, tuple[float, list[tuple[int, str]]]] = {0: (0.0, [])}
    for arc in sorted(source.arcs, key=lambda arc: arc.begin):
        if arc.begin not in best:
            continue
        score, path = best[arc.begin]
        if arc.end not in best or score + arc.score > best[arc.end][0]:
            best[arc.end] = (score + arc.score, [*path, (arc.end, arc.word)])
    return best[source.last][1]
