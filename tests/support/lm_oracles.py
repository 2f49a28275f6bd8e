"""Slow, literal versions of what the language model room does."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

Ngram = tuple[str, ...]


@dataclass
class BackoffModel:
    """A back-off model as dictionaries, asked by its definition."""

    order: int
    probs: dict[Ngram, float] = field(default_factory=dict)
    backoffs: dict[Ngram, float] = field(default_factory=dict)

    def score(self, context: Ngram, word: str) -> tuple[float, int]:
        """log10 P(word | context) and the length of the n-gram found."""
        if (word,) not in self.probs:
            word = "<unk>"
        context = tuple(w if (w,) in self.probs else "<unk>" for w in context)
        return self._score(context[max(0, len(context) - self.order + 1) :], word)

    def _score(self, context: Ngram, word: str) -> tuple[float, int]:
        if (*context, word) in self.probs:
            return self.probs[(*context, word)], len(context) + 1
        if not context:
            return -100.0, 1
        shorter, length = self._score(context[1:], word)
        return self.backoffs.get(context, 0.0) + shorter, length

    def score_words(
        self, words: Sequence[str], *, bos: bool = True, eos: bool = True
    ) -> list[tuple[float, int]]:
        context: Ngram = ("<s>",) if bos else ()
        scores = []
        for word in [*words, *(["</s>"] if eos else [])]:
            scores.append(self.score(context, word))
            context = (*context, word)
        return scores

    def arpa(self) -> str:
        lines = ["\\data\\"]
        sections = [sorted(g for g in self.probs if len(g) == k) for k in range(1, self.order + 1)]
        lines += [f"ngram {k}={len(section)}" for k, section in enumerate(sections, start=1)]
        for k, section in enumerate(sections, start=1):
            lines += ["", f"\\{k}-grams:"]
            for ngram in section:
                backoff = f"\t{self.backoffs[ngram]!r}" if ngram in self.backoffs else ""
                lines.append(f"{self.probs[ngram]!r}\t{' '.join(ngram)}{backoff}")
        return "\n".join([*lines, "", "\\end\\", ""])

    @classmethod
    def parse(cls, text: str) -> BackoffModel:
        """Read an ARPA file that is known to be sound."""
        order = text.count("\nngram ")
        model = cls(order)
        section = 0
        for line in text.splitlines():
            if line.endswith("-grams:"):
                section += 1
            elif section and line and not line.startswith("\\"):
                fields = line.split()
                ngram = tuple(fields[1 : section + 1])
                model.probs[ngram] = float(fields[0])
                if len(fields) > section + 1:
                    model.backoffs[ngram] = float(fields[section + 1])
        return model


def kneser_ney(
    sentences: Sequence[Sequence[str]],
    order: int,
    prune: Sequence[int] = (0,),
    fallback: Sequence[float] = (0.5, 1.0, 1.5),
) -> BackoffModel:
    """Interpolated modified Kneser-Ney by its equations."""
    thresholds = [prune[min(k, len(prune) - 1)] for k in range(order)]
    seen: list[Counter[Ngram]] = [Counter() for _ in range(order)]
    for sentence in sentences:
        tokens = ("<s>", *sentence, "</s>")
        for last in range(1, len(tokens)):
            for k in range(1, order + 1):
                if last - k + 1 >= 0:
                    seen[k - 1][tokens[last - k + 1 : last + 1]] += 1
    adjusted: list[dict[Ngram, int]] = []
    for k in range(1, order + 1):
        if k == order:
            adjusted.append(dict(seen[k - 1]))
            continue
        left = Counter(ngram[1:] for ngram in seen[k])
        adjusted.append({g: seen[k - 1][g] if g[0] == "<s>" else left[g] for g in seen[k - 1]})
    specials = {("<unk>",), ("<s>",), ("</s>",)}
    kept = [{g for g in adjusted[k] if seen[k][g] > thresholds[k] or g in specials} for k in range(order)]
    kept[0] |= specials
    adjusted[0].setdefault(("<unk>",), 0)

    model = BackoffModel(order)
    shorter: dict[Ngram, float] = {(): 1.0 / (len(kept[0]) - 1)}
    for k in range(order):
        n = [sum(1 for a in adjusted[k].values() if a == j) for j in range(5)]
        discounts = [0.0, *_discounts(n, fallback)]
        contexts: dict[Ngram, list[Ngram]] = {}
        for ngram in adjusted[k]:
            contexts.setdefault(ngram[:-1], []).append(ngram)
        probs: dict[Ngram, float] = {}
        for context, ngrams in contexts.items():
            total = sum(adjusted[k][g] for g in ngrams)
            gamma = (
                sum(discounts[min(adjusted[k][g], 3)] if g in kept[k] else adjusted[k][g] for g in ngrams)
                / total
            )
            for ngram in ngrams:
                if ngram in kept[k]:
                    count = adjusted[k][ngram]
                    probs[ngram] = (count - discounts[min(count, 3)]) / total + gamma * shorter[ngram[1:]]
            if context and any(g in kept[k] for g in ngrams):
                model.backoffs[context] = math.log10(gamma)
        if k == 0:
            probs["<s>",] = 1.0
        model.probs.update({g: math.log10(p) for g, p in probs.items()})
        shorter = probs
    return model


def _discounts(n: Sequence[int], fallback: Sequence[float]) -> Sequence[float]:
    if 0 in n[1:4]:
        return fallback
    y = n[1] / (n[1] + 2 * n[2])
    discounts = [j - (j + 1) * y * n[j + 1] / n[j] for j in (1, 2, 3)]
    return discounts if all(0 < d <= j for j, d in enumerate(discounts, start=1)) else fallback
