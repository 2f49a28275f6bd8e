"""Dense scores expressed as weights of binary features.

A back-off model is linear in the n-grams of a translation. With b for back-off weights and every probability
as a logarithm, give

    the word v                 p(v) + b(v)
    the pair u v               p(v|u) - p(v) - b(u) + b(u v)
    the triple t u v           p(v|t u) - p(v|u) - b(t u)

as weights. Then the weights of all n-grams of a translation that the model has seen add up to its log
probability, without the constants b(<s>) and p(</s>). Scores of a rule, its words and itself become the
weight of its identity; the distance between rules becomes a weight for each bin of ``distortion``, by its
typical length.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError
from isogloss.io.streams import StrPath, read_lines

__all__ = ["BinaryScores", "binary_scores"]

_SPECIAL = re.compile(r"([\\|#()_+@=~:])")
_BEGIN, _END, _UNKNOWN = "<s>", "</s>", "<unk>"
_TEMPLATES = {1: "target_word", 2: "target_bigram", 3: "target_trigram"}
_LENGTHS = {"1": 1.0, "2..3": 2.5, "4..6": 5.0, "7..": 8.0}
_BINS = _LENGTHS | {"-1": 1.0, "-2..-3": 2.5, "-4..-6": 5.0, "-7..": 8.0}
"""Bins of the template ``distortion`` and the lengths that stand for them."""

Ngrams = dict[tuple[str, ...], tuple[float, float]]


class BinaryScores(NamedTuple):
    """Weights that replace those of dense features."""

    features: dict[str, float]
    """By the name of the feature."""
    unknown: float
    """The weight of the dense feature ``unknown``, which counts words without a rule."""


def binary_scores(rules: RuleTable, arpa: StrPath, weights: Mapping[str, float]) -> BinaryScores:
    """Express weights of dense features by features of the templates ``rule``, ``target_word``,
    ``target_bigram``, ``target_trigram`` and ``distortion``.

    ``arpa`` is the language model, of at most three words. The bins of ``distortion`` are approximate; all
    else is exact, but for a constant in each sentence.
    """
    own = {"lm", "words", "rules", "unknown", "backtrack", *rules.columns}
    for name, weight in weights.items():
        if weight and name not in own:
            raise ConfigError(f"binary features cannot express the dense feature '{name}'")
    scale = weights.get("lm", 0.0)
    ngrams = _read(arpa)
    found = {name: scale * value for name, value in _language(ngrams)}
    each = weights.get("words", 0.0)
    step = weights.get("rules", 0.0)
    for rule in rules.rules():
        score = sum(weights.get(name, 0.0) * value for name, value in rule.scores.items())
        found[f"rule:{_phrase(rule.source)}|{_phrase(rule.target)}"] = score + each * len(rule.target) + step
    found |= {f"distortion:#{name}": weights.get("backtrack", 0.0) * size for name, size in _BINS.items()}
    strange = scale * ngrams[1].get((_UNKNOWN,), (0.0, 0.0))[0]
    return BinaryScores(found, weights.get("unknown", 0.0) + strange + each + step)


def _language(ngrams: Mapping[int, Ngrams]) -> Iterator[tuple[str, float]]:
    def backed_off(before: str, text: str) -> float:
        pair = ngrams.get(2, {}).get((before, text))
        return ngrams[1][text,][0] + ngrams[1][before,][1] if pair is None else pair[0]

    for (text,), (score, backoff) in ngrams[1].items():
        if text not in (_BEGIN, _END, _UNKNOWN):
            yield f"target_word:{_word(text)}", score + backoff
    for (before, text), (score, backoff) in ngrams.get(2, {}).items():
        shared = ngrams[1][text,][0] + ngrams[1][before,][1]
        yield f"target_bigram:{_word(before)}|{_word(text)}", score - shared + backoff
    for (first, before, text), (score, _) in ngrams.get(3, {}).items():
        shared = backed_off(before, text) + ngrams[2][first, before][1]
        yield f"target_trigram:{_word(first)}|{_word(before)}|{_word(text)}", score - shared


def _read(path: StrPath) -> dict[int, Ngrams]:
    """The n-grams of an ARPA file by length, with natural logarithms of probability and back-off weight."""
    found: dict[int, Ngrams] = {}
    order = 0
    for line in read_lines(path):
        if line.startswith("\\"):
            order = int(line[1:].partition("-")[0]) if line.endswith("-grams:") else 0
            if order not in (0, *_TEMPLATES):
                raise ConfigError(
                    "binary features express language models of up to three words; set lm.order"
                )
        elif order and line:
            score, text, *rest = line.split("\t")
            words = tuple(text.split(" "))
            numbers = (float(score), float(rest[0]) if rest else 0.0)
            found.setdefault(order, {})[words] = (numbers[0] * math.log(10), numbers[1] * math.log(10))
    return found


def _word(text: str) -> str:
    return text if text in (_BEGIN, _END) else _SPECIAL.sub(r"\\\1", text)


def _phrase(words: tuple[str, ...]) -> str:
    return f"({'_'.join(map(_word, words))})"
