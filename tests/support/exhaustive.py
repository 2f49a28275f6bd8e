"""All derivations of a sentence or word lattice, by plain enumeration: what the search is held against.

Nothing here is clever and nothing is shared with the engine. Every derivation is built step by step from
the definitions, and its features are computed from scratch when it is complete.

Places are numbered 0..N and every arc leads to a higher number; in a plain sentence word i is an arc from
place i to place i + 1. A span is a pair of places ``(begin, end)``, written [begin, end). Widths and
distances count words on the shortest way, whatever way the derivation takes.

Where the definitions leave room, this is what holds here:

* An empty sentence has one derivation: no steps, no words, and the model's score of ``<s> </s>``.
* A passed-through word may cover an open span exactly; that step then counts as one by a table rule, in
  ``distance_rule`` too, so that ``backtrack = distance_rule + distance_glue`` always.
* Every entry of the table, every path and every arc counts by itself: two equal entries, or two parallel
  arcs with the same word, give two derivations.
* A table rule and glue of the same shape are two derivations. Glue needs no table rule with gaps and is
  not bounded by ``max_span``; rules without gaps are not bounded either.
* The distortion limit says nothing in the orders "monotone" and "swap".
* The leftmost open span's begin, to which the order "distortion" must be able to return, is taken before
  the step.
* An arc that lies on no way from the first to the last place is never used.
* A model without ``<unk>`` gives an unknown word the log10 probability -100. In contexts, too, an unknown
  word is ``<unk>``.
* The marks of the sentence's begin and end do not belong to the target.
* A weight that is not given is 0; a weight for a feature that does not exist is an error.
"""

from __future__ import annotations

import abc
import functools
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

Words = tuple[str, ...]
Span = tuple[int, int]

GLUE_KINDS = ("glue_phrase_gap", "glue_gap_phrase", "glue_gaps", "glue_gaps_swapped")
FIXED_FEATURES = (
    "lm",
    "words",
    "rules",
    "unknown",
    "insertions",
    "deletions",
    "backtrack",
    "distance_rule",
    "distance_glue",
    "reordering",
    *GLUE_KINDS,
    "arcs",
)
"""Names of all features but the grammar's columns."""


# --- What is given ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    """A rule in target normal form: its target side is ``target``, then the gaps.

    >>> Rule(("ne", None, "pas", None), ("not",), swapped=True).gaps
    2
    """

    source: tuple[str | None, ...]
    """Words and gaps; ``None`` is a gap."""
    target: Words
    swapped: bool = False
    """The second gap comes first in the target."""
    scores: tuple[float, ...] = ()
    links: tuple[tuple[int, int], ...] = ()
    """Positions of aligned words: in ``source``, gaps counted, and in ``target``."""

    def __post_init__(self) -> None:
        if self.gaps > 2 or self.gaps == len(self.source):
            raise ValueError(f"a source side has at least one word and at most two gaps: {self.source}")
        if not self.target:
            raise ValueError(f"the target side of {self.source} is empty")
        if self.swapped and self.gaps != 2:
            raise ValueError(f"only two gaps can be swapped: {self.source}")
        if any(self.source[s] is None or not 0 <= t < len(self.target) for s, t in self.links):
            raise ValueError(f"a link is between words: {self.links}")

    @property
    def gaps(self) -> int:
        return sum(symbol is None for symbol in self.source)


@dataclass(frozen=True)
class Grammar:
    rules: tuple[Rule, ...]
    columns: Words
    """Names of the scores, as features."""
    lexicon: Mapping[tuple[str, str], float] | None = None
    """Probability of a target word given a source word, by (source, target); None: no word is unmatched."""
    lexical_threshold: float = 0.05

    def __post_init__(self) -> None:
        if len({*self.columns, *FIXED_FEATURES}) != len(self.columns) + len(FIXED_FEATURES):
            raise ValueError(f"a column has another feature's name: {self.columns}")
        for rule in self.rules:
            if len(rule.scores) != len(self.columns):
                raise ValueError(f"{len(self.columns)} scores expected: {rule}")

    @property
    def features(self) -> Words:
        return (*FIXED_FEATURES, *self.columns)

    def translates(self, source: str, target: str) -> bool:
        """Whether a word may have become another."""
        return self.lexicon is None or self.lexicon.get((source, target), 0.0) >= self.lexical_threshold


@dataclass(frozen=True)
class Arc:
    begin: int
    end: int
    word: str
    score: float = 0.0


@dataclass(frozen=True)
class Lattice:
    """Words on arcs between places; translation goes from place 0 to place ``last``."""

    last: int
    arcs: tuple[Arc, ...]
    _distances: dict[Span, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for arc in self.arcs:
            if not 0 <= arc.begin < arc.end <= self.last:
                raise ValueError(f"an arc must lead forward between the places 0..{self.last}: {arc}")
        distances = {(place, place): 0 for place in range(self.last + 1)}
        for begin, end in itertools.combinations(range(self.last + 1), 2):
            before = [(begin, arc.begin) for arc in self.arcs if arc.end == end]
            ways = [distances[span] + 1 for span in before if span in distances]
            if ways:
                distances[begin, end] = min(ways)
        object.__setattr__(self, "_distances", distances)
        if self.distance(0, self.last) is None:
            raise ValueError(f"place {self.last} cannot be reached from place 0")

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Lattice:
        return cls(len(words), tuple(Arc(i, i + 1, word) for i, word in enumerate(words)))

    def distance(self, begin: int, end: int) -> int | None:
        """Words on the shortest way, None if there is no way."""
        return self._distances.get((begin, end))

    def words(self) -> set[str]:
        """All words that lie on some way from the first place to the last."""
        return {
            arc.word
            for arc in self.arcs
            if self.distance(0, arc.begin) is not None and self.distance(arc.end, self.last) is not None
        }

    def jump(self, begin: int, end: int) -> int:
        """Words between two places, in whatever direction there is a way."""
        for words in (self.distance(begin, end), self.distance(end, begin)):
            if words is not None:
                return words
        return abs(begin - end)


@dataclass(frozen=True, kw_only=True)
class Options:
    hierarchical: bool = True
    max_span: int = 15
    """Widest span, in words, to which a rule with gaps may be applied."""
    distortion_limit: int = 6
    """In words. Hierarchical: widest gap on the left of a glue rule's phrase. Phrases: longest jump."""
    gap_rules: bool = True
    """Use table rules with gaps; hierarchical only."""
    reordering_glue: bool = True
    """Use glue with a gap on the left of its phrase; hierarchical only."""
    phrase_order: str = "distortion"
    """monotone, swap or distortion; phrases only."""

    def __post_init__(self) -> None:
        if self.phrase_order not in ("monotone", "swap", "distortion"):
            raise ValueError(f"unknown phrase_order '{self.phrase_order}'")
        if self.distortion_limit < 0 or self.max_span < 0:
            raise ValueError("limits must be at least 0")


@dataclass(frozen=True)
class LanguageModel:
    """A back-off n-gram model, as the ARPA format defines it; log10."""

    order: int
    probabilities: Mapping[Words, float]
    backoffs: Mapping[Words, float]

    @classmethod
    def from_arpa(cls, text: str) -> LanguageModel:
        probabilities: dict[Words, float] = {}
        backoffs: dict[Words, float] = {}
        for line in text.splitlines():
            fields = line.split("\t")
            if len(fields) > 1:
                ngram = tuple(fields[1].split(" "))
                probabilities[ngram] = float(fields[0])
                backoffs[ngram] = float(fields[2]) if len(fields) > 2 else 0.0
        return cls(max(map(len, probabilities)), probabilities, backoffs)

    def word_log10(self, context: Words, word: str) -> float:
        """Of a word after a context of any length."""
        known = tuple(w if (w,) in self.probabilities else "<unk>" for w in (*context, word))
        return self._backed_off(known[-self.order :])

    def _backed_off(self, ngram: Words) -> float:
        if ngram in self.probabilities:
            return self.probabilities[ngram]
        if len(ngram) == 1:
            return -100.0
        return self.backoffs.get(ngram[:-1], 0.0) + self._backed_off(ngram[1:])

    def sentence_log10(self, words: Words) -> float:
        """Of the whole sentence with its end, after its begin."""
        sentence = ("<s>", *words, "</s>")
        return math.fsum(self.word_log10(sentence[:i], sentence[i]) for i in range(1, len(sentence)))


# --- Derivations -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Match:
    """A rule's source side, found along a path."""

    rule: Rule
    entry: int | None
    """The rule's number in the grammar; None is a word that passes through."""
    begin: int
    end: int
    arcs: tuple[Arc, ...]
    """Under the rule's words."""
    gaps: tuple[Span, ...]
    """In the order of the source."""

    @property
    def first(self) -> int:
        """Where its first word begins."""
        return self.arcs[0].begin

    @property
    def last(self) -> int:
        """Where its last word ends."""
        return self.arcs[-1].end


@dataclass(frozen=True)
class Step:
    kind: str
    """One of GLUE_KINDS, or "rule"; in the phrase search always "phrase"."""
    span: Span
    """The open span that was taken."""
    match: Match
    opened: tuple[Span, ...]
    """Spans left open in it: in the order of the target, or in the phrase search from left to right."""


@dataclass(frozen=True)
class Derivation:
    score: float
    target: Words
    features: Mapping[str, float]
    steps: tuple[Step, ...]


class TooManyDerivationsError(Exception):
    """More derivations than the caller is ready to wait for."""


def derivations(
    grammar: Grammar,
    lm: LanguageModel,
    source: Sequence[str] | Lattice,
    options: Options,
    weights: Mapping[str, float],
    *,
    limit: int | None = None,
) -> list[Derivation]:
    """All derivations, best first, ties in no particular order.

    The number grows exponentially with the length; raises TooManyDerivationsError past ``limit``.
    """
    strange = set(weights) - set(grammar.features)
    if strange:
        raise ValueError(f"weights without a feature: {sorted(strange)}")
    lattice = source if isinstance(source, Lattice) else Lattice.from_words(source)
    found = list(itertools.islice(all_steps(grammar, lattice, options), None if limit is None else limit + 1))
    if limit is not None and len(found) > limit:
        raise TooManyDerivationsError(f"more than {limit}")
    log10 = functools.cache(lm.sentence_log10)
    scored = (_scored(grammar, log10, lattice, steps, weights) for steps in found)
    return sorted(scored, key=lambda derivation: -derivation.score)


def all_steps(grammar: Grammar, lattice: Lattice, options: Options) -> Iterator[tuple[Step, ...]]:
    """The steps of every derivation, in no particular order."""
    matches = find_matches(grammar, lattice)
    whole = ((0, lattice.last),) if lattice.last else ()
    if options.hierarchical:
        return _hierarchical(_Hierarchical(lattice, matches, options), whole, ())
    return _phrases(_Phrases(lattice, matches, options), whole, 0, ())


def find_matches(grammar: Grammar, lattice: Lattice) -> list[Match]:
    """Of every rule and every word that passes through, anywhere."""
    found = []
    for entry, rule in enumerate(grammar.rules):
        for begin in range(lattice.last):
            for arcs, gaps, end in _spelled(lattice, rule.source, begin):
                found.append(Match(rule, entry, begin, end, arcs, gaps))
    known = {rule.source for rule in grammar.rules}
    for arc in lattice.arcs:
        if (arc.word,) not in known:
            itself = Rule((arc.word,), (arc.word,), scores=(0.0,) * len(grammar.columns))
            found.append(Match(itself, None, arc.begin, arc.end, (arc,), ()))
    return found


def _spelled(
    lattice: Lattice, symbols: tuple[str | None, ...], begin: int
) -> Iterator[tuple[tuple[Arc, ...], tuple[Span, ...], int]]:
    """All ways to read the symbols from a place on: arcs, gaps, and where the way ends."""
    if not symbols:
        yield (), (), begin
    elif symbols[0] is None:
        for place in range(begin + 1, lattice.last + 1):
            if lattice.distance(begin, place) is not None:
                for arcs, gaps, end in _spelled(lattice, symbols[1:], place):
                    yield arcs, ((begin, place), *gaps), end
    else:
        for arc in lattice.arcs:
            if arc.begin == begin and arc.word == symbols[0]:
                for arcs, gaps, end in _spelled(lattice, symbols[1:], arc.end):
                    yield (arc, *arcs), gaps, end


class _Space(abc.ABC):
    def __init__(self, lattice: Lattice, matches: list[Match], options: Options) -> None:
        self.lattice = lattice
        self.matches = matches
        self.options = options
        self.plain = [match for match in matches if not match.gaps]
        self._steps: dict[Span, list[Step]] = {}

    def steps(self, span: Span) -> list[Step]:
        """Everything that can be done with an open span, as far as that depends on the span alone."""
        if span not in self._steps:
            self._steps[span] = list(self.list_steps(span))
        return self._steps[span]

    @abc.abstractmethod
    def list_steps(self, span: Span) -> Iterator[Step]: ...

    def inside(self, span: Span) -> Iterator[Match]:
        """Matches without gaps on some way through the span."""
        for match in self.plain:
            before = self.lattice.distance(span[0], match.begin)
            behind = self.lattice.distance(match.end, span[1])
            if before is not None and behind is not None:
                yield match


class _Hierarchical(_Space):
    def list_steps(self, span: Span) -> Iterator[Step]:
        yield from self._rules(span)
        for match in self.inside(span):
            if (match.begin, match.end) != span:
                yield from self._glue(span, match)

    def _rules(self, span: Span) -> Iterator[Step]:
        width = self.lattice.distance(*span)
        assert width is not None
        gap_rules = self.options.gap_rules and width <= self.options.max_span
        for match in self.matches:
            if (match.begin, match.end) == span and (gap_rules or not match.gaps):
                opened = match.gaps[::-1] if match.rule.swapped else match.gaps
                yield Step("rule", span, match, opened)

    def _glue(self, span: Span, match: Match) -> Iterator[Step]:
        left, right = (span[0], match.begin), (match.end, span[1])
        if match.begin == span[0]:
            yield Step("glue_phrase_gap", span, match, (right,))
            return
        skipped = self.lattice.distance(*left)
        assert skipped is not None
        if not self.options.reordering_glue or skipped > self.options.distortion_limit:
            return
        if match.end == span[1]:
            yield Step("glue_gap_phrase", span, match, (left,))
        else:
            yield Step("glue_gaps", span, match, (left, right))
            yield Step("glue_gaps_swapped", span, match, (right, left))


def _hierarchical(
    space: _Hierarchical, stack: tuple[Span, ...], done: tuple[Step, ...]
) -> Iterator[tuple[Step, ...]]:
    if not stack:
        yield done
        return
    for step in space.steps(stack[0]):
        yield from _hierarchical(space, step.opened + stack[1:], (*done, step))


class _Phrases(_Space):
    def list_steps(self, span: Span) -> Iterator[Step]:
        for match in self.inside(span):
            sides = (span[0], match.begin), (match.end, span[1])
            yield Step("phrase", span, match, tuple(side for side in sides if side[0] != side[1]))

    def allowed(self, match: Match, open_spans: tuple[Span, ...], last: int) -> bool:
        """Whether the match may come next, after words that ended at ``last``."""
        leftmost = open_spans[0][0]
        if self.options.phrase_order == "monotone":
            return match.begin == leftmost
        if self.options.phrase_order == "swap":
            if leftmost < last:  # a hole, which must be filled now
                return (match.begin, match.end) == open_spans[0]
            hole = (leftmost, match.begin)
            return match.begin == leftmost or any((m.begin, m.end) == hole for m in self.plain)
        limit = self.options.distortion_limit
        returns = match.begin == leftmost or self.lattice.jump(match.end, leftmost) <= limit
        return self.lattice.jump(last, match.begin) <= limit and returns


def _phrases(
    space: _Phrases, open_spans: tuple[Span, ...], last: int, done: tuple[Step, ...]
) -> Iterator[tuple[Step, ...]]:
    if not open_spans:
        yield done
        return
    for span in open_spans:
        for step in space.steps(span):
            if space.allowed(step.match, open_spans, last):
                rest = [other for other in open_spans if other != span]
                left = tuple(sorted([*rest, *step.opened]))
                yield from _phrases(space, left, step.match.last, (*done, step))


# --- Features --------------------------------------------------------------------------------------------


def _scored(
    grammar: Grammar,
    log10: Callable[[Words], float],
    lattice: Lattice,
    steps: tuple[Step, ...],
    weights: Mapping[str, float],
) -> Derivation:
    target = tuple(word for step in steps for word in step.match.rule.target)
    features = dict.fromkeys(grammar.features, 0.0)
    features["lm"] = math.log(10) * log10(target)
    features["words"] = float(len(target))
    features["rules"] = float(len(steps))
    last = 0
    for step in steps:
        distance = lattice.jump(last, step.match.first)
        last = step.match.last
        features["backtrack"] += distance
        features["distance_glue" if step.kind in GLUE_KINDS else "distance_rule"] += distance
        features["reordering"] += reorders(step)
        features["unknown"] += step.match.entry is None
        if step.match.entry is not None and grammar.lexicon is not None:
            rule, words = step.match.rule, lattice.words()
            features["insertions"] += sum(
                not any(grammar.translates(word, target) for word in words) for target in rule.target
            )
            features["deletions"] += sum(
                symbol is not None and not any(grammar.translates(symbol, target) for target in rule.target)
                for symbol in rule.source
            )
        features["arcs"] += sum(arc.score for arc in step.match.arcs)
        if step.kind in GLUE_KINDS:
            features[step.kind] += 1
        for name, value in zip(grammar.columns, step.match.rule.scores, strict=True):
            features[name] += value
    score = math.fsum(weights.get(name, 0.0) * value for name, value in features.items())
    return Derivation(score, target, features, steps)


def reorders(step: Step) -> bool:
    """Whether a hierarchical step leaves something open on the left of one of its words, or swaps gaps."""
    if step.kind == "rule":
        return step.match.rule.swapped or any(gap[0] < step.match.last for gap in step.match.gaps)
    return step.kind in GLUE_KINDS and step.kind != "glue_phrase_gap"
