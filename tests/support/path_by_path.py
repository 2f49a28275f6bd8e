"""Derivations a second time, found in another way, to check the first enumeration.

Here a lattice is taken apart into its paths: each derivation uses the words of exactly one. On a path,
derivations of the hierarchical search are put together from those of its pieces, without a stack; those of
the phrase search are cuts of the path into phrases, in all orders that are allowed. Features come out of a
small table for each step.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from support.exhaustive import Arc, Grammar, LanguageModel, Lattice, Options, Rule

Path = list[Arc]


@dataclass(frozen=True)
class Piece:
    """One step: which table entry (-1: passes through) by which shape on which words of the path."""

    shape: str
    entry: int
    words: tuple[int, ...]
    target: tuple[str, ...]


Pieces = tuple[Piece, ...]


def all_features(
    grammar: Grammar, lm: LanguageModel, lattice: Lattice, options: Options
) -> list[tuple[tuple[str, ...], dict[str, float]]]:
    """Target and features of every derivation."""
    found = []
    for path in paths(lattice, 0):
        search = PathSearch(grammar, lattice, options, path)
        sequences = search.nested(0, len(path)) if options.hierarchical else search.ordered()
        for sequence in sequences:
            target = tuple(itertools.chain.from_iterable(piece.target for piece in sequence))
            found.append((target, {"lm": natural_log(lm, target), **search.features(sequence)}))
    return found


def paths(lattice: Lattice, place: int) -> Iterator[Path]:
    if place == lattice.last:
        yield []
    for arc in lattice.arcs:
        if arc.begin == place:
            yield from ([arc, *rest] for rest in paths(lattice, arc.end))


def natural_log(lm: LanguageModel, target: tuple[str, ...]) -> float:
    """The longest n-gram that the model has, and the back-off weights of all longer contexts."""
    total = 0.0
    words = [word if (word,) in lm.probabilities else "<unk>" for word in ("<s>", *target, "</s>")]
    for i in range(1, len(words)):
        begins = range(max(0, i + 1 - lm.order), i + 1)
        found = next(begin for begin in begins if tuple(words[begin : i + 1]) in lm.probabilities)
        total += lm.probabilities[tuple(words[found : i + 1])]
        total += sum(lm.backoffs.get(tuple(words[begin:i]), 0) for begin in range(begins[0], found))
    return total * math.log(10)


class PathSearch:
    def __init__(self, grammar: Grammar, lattice: Lattice, options: Options, path: Path) -> None:
        self.grammar = grammar
        self.lattice = lattice
        self.options = options
        self.path = path
        self.places = [0, *(arc.end for arc in path)]
        self.lengths = {
            (begin, end): min(lengths)
            for begin, end in itertools.product(self.places, repeat=2)
            if (lengths := [*self._way_lengths(lattice, begin, end)])
        }
        self.memory: dict[tuple[int, int], list[Pieces]] = {}

    def _way_lengths(self, lattice: Lattice, begin: int, end: int) -> Iterator[int]:
        if begin == end:
            yield 0
        for arc in lattice.arcs:
            if arc.begin == begin and arc.end <= end:
                yield from (1 + length for length in self._way_lengths(lattice, arc.end, end))

    def between(self, begin: int, end: int) -> int:
        """Words between two positions of the path, which may come in either order."""
        first, second = sorted((self.places[begin], self.places[end]))
        return self.lengths[first, second]

    def phrases(self, begin: int, end: int) -> list[tuple[int, tuple[str, ...]]]:
        words = tuple(arc.word for arc in self.path[begin:end])
        found = [(i, rule.target) for i, rule in enumerate(self.grammar.rules) if rule.source == words]
        return [(-1, words)] if not found and len(words) == 1 else found

    def nested(self, begin: int, end: int) -> list[Pieces]:
        """Ways to translate a piece of the path."""
        if begin == end:
            return [()]
        if (begin, end) not in self.memory:
            self.memory[begin, end] = [*self.by_phrase(begin, end), *self.by_gap_rule(begin, end)]
        return self.memory[begin, end]

    def by_phrase(self, begin: int, end: int) -> Iterator[Pieces]:
        for first, stop in itertools.combinations(range(begin, end + 1), 2):
            far = self.between(begin, first) > self.options.distortion_limit
            if first > begin and (far or not self.options.reordering_glue):
                continue
            before, behind = self.nested(begin, first), self.nested(stop, end)
            shape = {
                (False, False): "rule",
                (False, True): "glue_phrase_gap",
                (True, False): "glue_gap_phrase",
                (True, True): "glue_gaps",
            }[first > begin, stop < end]
            for entry, target in self.phrases(first, stop):
                words = tuple(range(first, stop))
                for left, right in itertools.product(before, behind):
                    yield (Piece(shape, entry, words, target), *left, *right)
                    if shape == "glue_gaps":
                        yield (Piece("glue_gaps_swapped", entry, words, target), *right, *left)

    def by_gap_rule(self, begin: int, end: int) -> Iterator[Pieces]:
        if not self.options.gap_rules or self.between(begin, end) > self.options.max_span:
            return
        for entry, rule in enumerate(self.grammar.rules):
            gaps = [i for i, symbol in enumerate(rule.source) if symbol is None]
            for sizes in itertools.product(range(1, end - begin), repeat=len(gaps)):
                widths = dict(zip(gaps, sizes, strict=True))
                edges = [begin]
                for i in range(len(rule.source)):
                    edges.append(edges[-1] + widths.get(i, 1))
                if not gaps or edges[-1] != end:
                    continue
                words = [i for i in range(len(rule.source)) if i not in widths]
                if all(self.path[edges[i]].word == rule.source[i] for i in words):
                    piece = Piece("rule", entry, tuple(edges[i] for i in words), rule.target)
                    filled = [self.nested(edges[i], edges[i + 1]) for i in gaps]
                    for parts in itertools.product(*(reversed(filled) if rule.swapped else filled)):
                        yield (piece, *itertools.chain.from_iterable(parts))

    def ordered(self) -> Iterator[Pieces]:
        """Phrases that make up the path, in every allowed order."""
        inner = range(1, len(self.path))
        for cuts in itertools.chain.from_iterable(
            itertools.combinations(inner, n) for n in range(len(inner) + 1)
        ):
            edges = [0, *cuts, len(self.path)] if self.path else [0]
            blocks = [*itertools.pairwise(edges)]
            choices = [self.phrases(*block) for block in blocks]
            for order in itertools.permutations(range(len(blocks))) if all(choices) else ():
                if not self.is_allowed(order, blocks):
                    continue
                for chosen in itertools.product(*(choices[i] for i in order)):
                    yield tuple(
                        Piece("phrase", entry, tuple(range(*blocks[i])), target)
                        for i, (entry, target) in zip(order, chosen, strict=True)
                    )

    def is_allowed(self, order: tuple[int, ...], blocks: list[tuple[int, int]]) -> bool:
        if self.options.phrase_order == "monotone":
            return [*order] == sorted(order)
        if self.options.phrase_order == "swap":  # exchanging twice restores: every block has one partner
            return all(abs(order[i] - i) <= 1 and order[order[i]] == i for i in order)
        limit, last, missing = self.options.distortion_limit, 0, set(range(len(self.path)))
        for i in order:
            begin, end = blocks[i]
            if self.between(last, begin) > limit:
                return False
            if begin != min(missing) and self.between(end, min(missing)) > limit:
                return False
            missing -= set(range(begin, end))
            last = end
        return True

    def features(self, sequence: Pieces) -> dict[str, float]:
        """All but the language model."""
        starts = [piece.words[0] for piece in sequence]
        stops = [0, *(piece.words[-1] + 1 for piece in sequence)]
        jumps = [self.between(stop, start) for start, stop in zip(starts, stops, strict=False)]
        shapes = [piece.shape for piece in sequence]
        table = [self.grammar.rules[piece.entry] for piece in sequence if piece.entry >= 0]
        glue = [shape.startswith("glue") for shape in shapes]
        by_glue = sum(jump for jump, is_glue in zip(jumps, glue, strict=True) if is_glue)
        counts = {
            shape: shapes.count(shape)
            for shape in ("glue_phrase_gap", "glue_gap_phrase", "glue_gaps", "glue_gaps_swapped")
        }
        turned = [
            rule for rule in table if rule.swapped or (None in rule.source and self.gap_first(rule.source))
        ]
        columns = {name: sum(rule.scores[c] for rule in table) for c, name in enumerate(self.grammar.columns)}
        return {
            "words": sum(len(piece.target) for piece in sequence),
            "rules": len(sequence),
            "unknown": sum(piece.entry == -1 for piece in sequence),
            "insertions": sum(self.insertions(rule) for rule in table),
            "deletions": sum(self.deletions(rule) for rule in table),
            "backtrack": sum(jumps),
            "distance_glue": by_glue,
            "distance_rule": sum(jumps) - by_glue,
            "reordering": len(turned) + sum(glue) - counts["glue_phrase_gap"],
            **counts,
            "arcs": sum(arc.score for arc in self.path),
            **columns,
        }

    def insertions(self, rule: Rule) -> int:
        matched = {t for t in rule.target for s in self.lattice.words() if self.grammar.translates(s, t)}
        return 0 if self.grammar.lexicon is None else sum(word not in matched for word in rule.target)

    def deletions(self, rule: Rule) -> int:
        matched = {s for s in rule.source if s and any(self.grammar.translates(s, t) for t in rule.target)}
        return sum(s is not None and s not in matched for s in rule.source)

    @staticmethod
    def gap_first(source: tuple[str | None, ...]) -> bool:
        """Whether some word comes after the first gap."""
        return any(symbol is not None for symbol in source[source.index(None) :])
