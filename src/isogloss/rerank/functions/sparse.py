"""Sparse binary features of words and word pairs."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss._engine import Vocabulary
from isogloss.errors import ConfigError
from isogloss.nbest.store import Ragged, SparseFeatures
from isogloss.rerank.features import FeatureFunction, Material
from isogloss.rerank.functions.alignments import aligned_pairs

__all__ = ["TEMPLATES", "SparseTemplates"]

Links = list[tuple[int, int]]


def _pair(source: list[str], target: list[str], links: Links) -> Iterator[str]:
    for i, j in links:
        yield f"pair:{target[j]}|{source[i]}"


def _word(source: list[str], target: list[str], links: Links) -> Iterator[str]:
    for word in target:
        yield f"word:{word}"


def _bigram(source: list[str], target: list[str], links: Links) -> Iterator[str]:
    bounded = ["<s>", *target, "</s>"]
    for left, right in itertools.pairwise(bounded):
        yield f"bigram:{left}|{right}"


def _insertion(source: list[str], target: list[str], links: Links) -> Iterator[str]:
    aligned = {j for _, j in links}
    for j, word in enumerate(target):
        if j not in aligned:
            yield f"insertion:{word}"


def _deletion(source: list[str], target: list[str], links: Links) -> Iterator[str]:
    aligned = {i for i, _ in links}
    for i, word in enumerate(source):
        if i not in aligned:
            yield f"deletion:{word}"


TEMPLATES: dict[str, Callable[[list[str], list[str], Links], Iterator[str]]] = {
    "pair": _pair,
    "word": _word,
    "bigram": _bigram,
    "insertion": _insertion,
    "deletion": _deletion,
}
_ALIGNED = {"pair", "insertion", "deletion"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseTemplates(FeatureFunction):
    """Counts of each word, target bigram, aligned pair, unaligned target or source word."""

    name: ClassVar[str] = "sparse"
    needs_source: ClassVar[bool] = True

    templates: str = "pair"
    """pair, word, bigram, insertion, deletion: one or several, joined by +."""
    path: str | None = None
    """A stored alignment model, for lists without alignments."""
    min_sentences: int = 2
    """To be learned, a feature must tell candidates apart in the lists of so many sentences."""
    label: str = "sparse"

    def columns(self) -> tuple[str, ...]:
        """None that are dense."""
        return ()

    def resources(self) -> dict[str, str]:
        """The alignment model, if there is one."""
        return {} if self.path is None else {"path": self.path}

    def compute(self, material: Material) -> SparseFeatures:
        """Names are kept, so that a model's weights can be read."""
        names = self.templates.split("+")
        unknown = [name for name in names if name not in TEMPLATES]
        if unknown:
            raise ConfigError(f"unknown template '{unknown[0]}'; choose from: {', '.join(TEMPLATES)}")
        needs_links = bool(_ALIGNED & set(names))
        links = aligned_pairs(material, self.path, self.name) if needs_links else None
        features = Vocabulary()
        rows = [
            Counter(features.add(feature) for name in names for feature in TEMPLATES[name](*facts))
            for facts in _facts(material, links)
        ]
        least = self.min_sentences if material.training else 1
        return _kept(features, rows, material, least)


def _facts(material: Material, links: Ragged | None) -> Iterator[tuple[list[str], list[str], Links]]:
    assert material.source is not None
    store = material.store
    words = [_safe(word) for word in store.words.words()]
    for sentence, source in enumerate(material.source):
        safe = [_safe(word) for word in source]
        for row in store.rows_of(sentence):
            target = [words[word] for word in store.tokens.row(row).tolist()]
            row_links = [] if links is None else [(i, j) for i, j in links.row(row).tolist()]
            yield safe, target, [(i, j) for i, j in row_links if i < len(safe) and j < len(target)]


def _safe(word: str) -> str:
    """A word as part of a feature's name: the bar between words must stay the only one."""
    return word.replace("|", "&#124;")


def _kept(features: Vocabulary, rows: list[Counter[int]], material: Material, least: int) -> SparseFeatures:
    """Leave out features that never tell candidates of a sentence apart, or do so in too few sentences."""
    told_apart: Counter[int] = Counter()
    for sentence in range(material.store.num_sentences):
        own = [rows[row] for row in material.store.rows_of(sentence)]
        everywhere = {
            (feature, count)
            for feature, count in own[0].items()
            if all(row.get(feature) == count for row in own)
        }
        constant = {feature for feature, _ in everywhere}
        told_apart.update({feature for row in own for feature in row} - constant)
    names, numbers = Vocabulary(), {}
    words = features.words()
    for feature, sentences in sorted(told_apart.items()):
        if sentences >= least:
            numbers[feature] = names.add(words[feature])
    offsets, columns, values = [0], [], []
    for row in rows:
        present = sorted((numbers[feature], count) for feature, count in row.items() if feature in numbers)
        columns += [number for number, _ in present]
        values += [count for _, count in present]
        offsets.append(len(columns))
    events = Ragged(np.array(offsets, np.int64), np.array(columns, np.uint32))
    return SparseFeatures(names, events, np.array(values, np.float32))
