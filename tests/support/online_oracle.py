"""Algorithm 1 of Watanabe et al. (2007) in plain Python: dictionaries, strings, and SciPy for the update.

Nothing of the trainer is used: BLEU is counted from strings (by sacreBLEU for single sentences), the document
is a list of them, and the large-margin problem is solved in its dual by a general method.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import sacrebleu
from scipy.optimize import LinearConstraint, minimize

Features = Mapping[str, float]
Search = Callable[[int, Mapping[str, float]], list["Candidate"]]
"""From the number of a sentence and weights to its distinct candidates, best first."""


@dataclass(frozen=True)
class Candidate:
    """A translation and its features."""

    text: str
    features: Features


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the paper varies."""

    oracles: int = 10
    candidates: int = 10
    limit: float = 0.01
    rule: str = "mira"
    rate: float = 1.0
    sentence_loss: bool = False
    scale: float = 1.0


@dataclass
class Run:
    """The weights after every sentence, and how often an oracle was not in the list of its sentence."""

    weights: dict[str, float]
    steps: list[dict[str, float]] = field(default_factory=list)
    remembered: int = 0

    def average(self) -> dict[str, float]:
        """The mean of the weights after every sentence."""
        names = {name for step in self.steps for name in step}
        return {name: sum(step.get(name, 0.0) for step in self.steps) / len(self.steps) for name in names}


def bleu(pairs: Sequence[tuple[str, str]]) -> float:
    """BLEU (0 to 1) of hypotheses with one reference each."""
    matches, totals, lengths = [0] * 4, [0] * 4, [0, 0]
    for hypothesis, reference in pairs:
        words, known = hypothesis.split(), reference.split()
        lengths[0] += len(words)
        lengths[1] += len(known)
        for order in range(1, 5):
            grams = Counter(tuple(words[at : at + order]) for at in range(len(words) - order + 1))
            there = Counter(tuple(known[at : at + order]) for at in range(len(known) - order + 1))
            matches[order - 1] += sum((grams & there).values())
            totals[order - 1] += sum(grams.values())
    if not all(matches):
        return 0.0
    shares = sum(math.log(match / total) for match, total in zip(matches, totals, strict=True))
    return math.exp(min(0.0, 1 - lengths[1] / lengths[0]) + shares / 4)


def train(
    search: Search,
    references: Sequence[str],
    start: Mapping[str, float],
    settings: Settings,
    passes: int,
) -> Run:
    """Algorithm 1; weights are by feature name."""
    run = Run(dict(start))
    document = [search(number, start)[0].text for number in range(len(references))]
    memory: list[list[Candidate]] = [[] for _ in references]

    def quality(number: int, text: str) -> float:
        if settings.sentence_loss:
            smoothed = sacrebleu.sentence_bleu(text, [references[number]], tokenize="none").score
            return settings.scale * smoothed / 100
        texts = [*document[:number], text, *document[number + 1 :]]
        return settings.scale * len(texts) * bleu(list(zip(texts, references, strict=True)))

    for _ in range(passes):
        for number in range(len(references)):
            found = search(number, run.weights)
            known = {candidate.text for candidate in memory[number]}
            both = [*memory[number], *(one for one in found if one.text not in known)]
            both.sort(key=lambda one: -quality(number, one.text))
            memory[number] = both[: settings.oracles]
            listed = {one.text for one in found}
            run.remembered += sum(one.text not in listed for one in memory[number])
            document[number] = memory[number][0].text
            pairs = [
                (
                    _difference(oracle.features, other.features),
                    quality(number, oracle.text) - quality(number, other.text),
                )
                for oracle in memory[number]
                for other in found[: settings.candidates]
            ]
            for name, change in _update(pairs, run.weights, settings).items():
                run.weights[name] = run.weights.get(name, 0.0) + change
            run.steps.append(dict(run.weights))
    return run


def _difference(first: Features, second: Features) -> dict[str, float]:
    names = {*first, *second}
    found = {name: first.get(name, 0.0) - second.get(name, 0.0) for name in names}
    return {name: value for name, value in found.items() if value}


def _update(
    pairs: Sequence[tuple[Features, float]], weights: Features, settings: Settings
) -> dict[str, float]:
    pairs = [(difference, loss) for difference, loss in pairs if difference]
    margins = [sum(weights.get(name, 0.0) * value for name, value in d.items()) for d, _ in pairs]
    if settings.rule == "perceptron":
        alphas = [
            settings.rate if loss > 0 and margin <= 0 else 0.0
            for (_, loss), margin in zip(pairs, margins, strict=True)
        ]
    elif settings.rule == "tillmann-zhang":
        alphas = [
            settings.rate * max(0.0, loss) * max(0.0, 1 - margin)
            for (_, loss), margin in zip(pairs, margins, strict=True)
        ]
    else:
        alphas = _dual(pairs, margins, settings.limit)
    change: dict[str, float] = {}
    for alpha, (difference, _) in zip(alphas, pairs, strict=True):
        for name, value in difference.items():
            change[name] = change.get(name, 0.0) + alpha * value
    return change


def _dual(pairs: Sequence[tuple[Features, float]], margins: Sequence[float], limit: float) -> list[float]:
    """Maximize -1/2 |sum alpha dh|^2 + sum alpha (L - w dh) with alpha >= 0 and sum alpha <= C."""
    if not pairs:
        return []
    names = sorted({name for difference, _ in pairs for name in difference})
    matrix = np.array([[difference.get(name, 0.0) for name in names] for difference, _ in pairs])
    gains = np.array([loss for _, loss in pairs]) - np.array(margins)
    # In units of C, so that the solver's tolerance means the same for any C.
    kernel = matrix @ matrix.T * limit
    solved = minimize(
        lambda a: 0.5 * a @ kernel @ a - a @ gains,
        np.zeros(len(pairs)),
        jac=lambda a: kernel @ a - gains,
        bounds=[(0, 1)] * len(pairs),
        constraints=[LinearConstraint(np.ones(len(pairs)), -np.inf, 1)],
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-15},
    )
    return list(limit * np.clip(solved.x, 0, 1))
