"""Tiny random grammars, models, sentences, lattices, options and weights for parity tests of the search.

Every maker draws from the ``random.Random`` it is given, so a seed repeats a case, and Hypothesis can draw
and shrink the same cases: use ``random_case(random.Random(seed), ...)`` or ``@given(cases(...))``.

All numbers are multiples of 1/1024 and small enough to be exact both as text and in single precision, so
that an engine which stores floats starts from the same numbers. Equal scores still happen, since different
derivations may use the same rules: compare sorted scores, or sets of derivations within a score.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from support.exhaustive import Arc, Grammar, LanguageModel, Lattice, Options, Rule, Words, all_steps

SOURCE_WORDS = ("a", "b", "c", "d")
NEW_WORDS = ("new", "7")
"""Source words that no rule has; the model knows "7"."""
TARGET_WORDS = ("w", "x", "y", "z")
MODEL_WORDS = ("w", "x", "y", "7")
"""What models know at most; "z" is always unknown to them."""
COLUMNS = ("forward", "backward")


def number(rng: random.Random, low: float, high: float) -> float:
    return rng.randint(int(low * 1024), int(high * 1024)) / 1024


def random_sentence(rng: random.Random, length: int, *, new: float = 0.15) -> list[str]:
    """Words, each a new one with the probability ``new``."""
    return [rng.choice(NEW_WORDS if rng.random() < new else SOURCE_WORDS) for _ in range(length)]


def random_lattice(rng: random.Random, last: int, *, extra: int = 2, new: float = 0.15) -> Lattice:
    """An arc out of every place but the last, most of them to the next place, and up to ``extra`` more.

    So the last place is reached from everywhere, but some places may lie on no way from the first one.
    Parallel arcs may have the same word.
    """
    ends = [begin + 1 if rng.random() < 0.85 else rng.randint(begin + 1, last) for begin in range(last)]
    spans = list(enumerate(ends))
    for _ in range(rng.randint(0, extra) if last else 0):
        begin = rng.randrange(last)
        spans.append((begin, rng.randint(begin + 1, min(begin + 3, last))))
    words = random_sentence(rng, len(spans), new=new)
    arcs = [Arc(*span, word, number(rng, -2, 0)) for span, word in zip(spans, words, strict=True)]
    return Lattice(last, tuple(sorted(arcs, key=lambda arc: (arc.begin, arc.end))))


def random_path(rng: random.Random, lattice: Lattice) -> list[str]:
    """Words on one way through the lattice."""
    place, words = 0, []
    while place != lattice.last:
        ways = [a for a in lattice.arcs if a.begin == place]
        arc = rng.choice([a for a in ways if lattice.distance(a.end, lattice.last) is not None])
        words.append(arc.word)
        place = arc.end
    return words


def random_grammar(
    rng: random.Random, source: Sequence[str] | Lattice, rules: int, *, gaps: bool = True
) -> Grammar:
    """Up to ``rules`` different rules; most match the source somewhere, some match nothing or new words.

    Rules for pieces of the source with zero to two gaps (also side by side, at the edges and swapped), with
    one to three target words. No two rules have the same sides.
    """
    sides: dict[tuple[tuple[str | None, ...], Words, bool], Rule] = {}
    for _ in range(rules):
        words = random_path(rng, source) if isinstance(source, Lattice) else list(source)
        if not words or rng.random() < 0.1:
            words = random_sentence(rng, 3)
        piece = _random_side(rng, words, gaps=gaps)
        target = tuple(rng.choices(TARGET_WORDS, k=rng.choice((1, 1, 1, 2, 2, 3))))
        swapped = piece.count(None) == 2 and rng.random() < 0.5
        scores = tuple(number(rng, -6, 0) for _ in COLUMNS)
        sides.setdefault((piece, target, swapped), Rule(piece, target, swapped, scores))
    lexicon = random_lexicon(rng, list(sides.values())) if rng.random() < 0.8 else None
    return Grammar(tuple(sides.values()), COLUMNS, lexicon)


def random_lexicon(rng: random.Random, rules: Sequence[Rule]) -> dict[tuple[str, str], float]:
    """Of the words of the rules: many pairs are not there, some are below the threshold, some on it."""
    sources = sorted({symbol for rule in rules for symbol in rule.source if symbol is not None})
    targets = sorted({word for rule in rules for word in rule.target})
    pairs = [pair for pair in itertools.product(sources, targets) if rng.random() < 0.5]
    return {pair: rng.choice((0.01, 0.0625, 0.05, 0.5)) for pair in pairs}


def _random_side(rng: random.Random, words: list[str], *, gaps: bool) -> tuple[str | None, ...]:
    count = rng.choice((0, 0, 0, 1, 1, 2, 2)) if gaps else 0
    length = rng.randint(count + 1, 5) if count else rng.choice((1, 1, 1, 2, 2, 3))
    length = min(length, len(words))
    begin = rng.randint(0, len(words) - length)
    side: list[str | None] = list(words[begin : begin + length])
    for _ in range(count):
        left = [i for i, symbol in enumerate(side) if symbol is not None]
        if len(left) > 1:
            first = rng.choice(left)
            wide = first + 1 in left and len(left) > 2 and rng.random() < 0.4
            side[first : first + 1 + wide] = [None]
    return tuple(side)


def random_arpa(rng: random.Random, order: int, *, keep: float = 0.4, closed: bool = True) -> str:
    """A back-off model of exactly this order in ARPA format; its probabilities need not add up to 1.

    Of the possible longer n-grams a share ``keep`` is there, fewer with every order. With an n-gram its
    context is always there; ``closed``: and also the n-gram without its first word, as in estimated models,
    which may be missing after pruning. ``<unk>`` takes part in n-grams and has a back-off weight like any
    word.
    """
    words = [word for word in MODEL_WORDS if rng.random() < 0.8] or ["x"]
    ngrams: list[list[Words]] = [[("<s>",), ("</s>",), ("<unk>",), *((word,) for word in words)]]
    always = tuple(rng.choices(words, k=order))
    for n in range(2, order + 1):
        possible = [
            (*context, word)
            for context in ngrams[-1]
            if context[-1] != "</s>"
            for word in (*words, "<unk>", "</s>")
            if not closed or (*context[1:], word) in ngrams[-1]
        ]
        inside = {always[i : i + n] for i in range(order - n + 1)}
        ngrams.append([ngram for ngram in possible if ngram in inside or rng.random() < keep / (n - 1)])
    counts = [f"ngram {n}={len(block)}" for n, block in enumerate(ngrams, start=1)]
    lines = ["\\data\\", *counts]
    for n, block in enumerate(ngrams, start=1):
        lines += ["", f"\\{n}-grams:"]
        for ngram in block:
            probability = -99.0 if ngram == ("<s>",) else number(rng, -3, -0.0625)
            fields = [str(probability), " ".join(ngram)]
            if n < order and ngram[-1] != "</s>":
                fields.append(str(number(rng, -1.5, 0.25)))
            lines.append("\t".join(fields))
    return "\n".join([*lines, "", "\\end\\", ""])


def random_weights(rng: random.Random, grammar: Grammar) -> dict[str, float]:
    """Of all features; some are 0, all may have either sign."""
    return {
        name: 0.0 if rng.random() < 0.15 else number(rng, -1, 1.5 if name == "lm" else 1)
        for name in grammar.features
    }


def random_options(rng: random.Random, length: int, *, hierarchical: bool) -> Options:
    """Every switch and limit, set so that it matters for a sentence of this length."""
    return Options(
        hierarchical=hierarchical,
        max_span=rng.randint(1, length + 3),
        distortion_limit=rng.randint(0, length + 1),
        gap_rules=rng.random() < 0.9,
        reordering_glue=rng.random() < 0.8,
        phrase_order=rng.choice(("distortion", "distortion", "swap", "monotone")),
    )


@dataclass(frozen=True)
class Case:
    """All that a search is given."""

    grammar: Grammar
    arpa: str
    source: list[str] | Lattice
    options: Options
    weights: dict[str, float]

    @property
    def lattice(self) -> Lattice:
        return self.source if isinstance(self.source, Lattice) else Lattice.from_words(self.source)

    @property
    def lm(self) -> LanguageModel:
        return LanguageModel.from_arpa(self.arpa)


def random_case(
    rng: random.Random,
    *,
    hierarchical: bool | None = None,
    lattice: bool | None = None,
    length: int = 6,
    rules: int = 16,
    most: int = 3000,
) -> Case:
    """A case with up to ``length`` words (a lattice: places), ``rules`` rules and ``most`` derivations.

    ``hierarchical`` and ``lattice``: None draws them. A case with more derivations is drawn again, shorter.
    """
    hierarchical = rng.random() < 0.5 if hierarchical is None else hierarchical
    lattice = rng.random() < 0.4 if lattice is None else lattice
    length = rng.randint(length // 2, length) if rng.random() < 0.8 else rng.randint(0, length)
    while True:
        source = random_lattice(rng, length) if lattice else random_sentence(rng, length)
        size = rng.randint(rules // 2, rules) if rng.random() < 0.9 else 0
        grammar = random_grammar(rng, source, size, gaps=hierarchical or rng.random() < 0.2)
        case = Case(
            grammar=grammar,
            arpa=random_arpa(rng, rng.randint(1, 4)),
            source=source,
            options=random_options(rng, length, hierarchical=hierarchical),
            weights=random_weights(rng, grammar),
        )
        if has_at_most(case, most):
            return case
        length = max(length - 1, 0)


LONG_WORDS = {
    "a": "Häuser|9",
    "b": "haus",
    "c": "2007/6/27",
    "d": "a+b=(~_:#)",
    "new": "neu\\alt",
    "7": "7",
    "w": "houses",
    "x": "house+",
    "y": "дом_@",
    "z": "x",
}
"""For the words of the cases: some that have a beginning and an end, digits and signs."""


def with_links(rng: random.Random, case: Case, words: Mapping[str, str] = LONG_WORDS) -> Case:
    """The same with other words, whose rules are aligned: some words with none, some with several."""

    def link(rule: Rule) -> Rule:
        density = rng.choice((0.0, 0.3, 0.5, 0.8))
        places = [s for s, symbol in enumerate(rule.source) if symbol is not None]
        pairs = [(s, t) for s in places for t in range(len(rule.target)) if rng.random() < density]
        source = tuple(symbol and words.get(symbol, symbol) for symbol in rule.source)
        target = tuple(words.get(word, word) for word in rule.target)
        return replace(rule, source=source, target=target, links=tuple(pairs))

    lines = []
    for line in case.arpa.splitlines():
        fields = line.split("\t")
        if len(fields) > 1:
            fields[1] = " ".join(words.get(word, word) for word in fields[1].split(" "))
        lines.append("\t".join(fields))
    source = case.source
    if isinstance(source, Lattice):
        source = Lattice(source.last, tuple(replace(a, word=words.get(a.word, a.word)) for a in source.arcs))
    else:
        source = [words.get(word, word) for word in source]
    lexicon = case.grammar.lexicon and {
        (words.get(s, s), words.get(t, t)): value for (s, t), value in case.grammar.lexicon.items()
    }
    grammar = replace(case.grammar, rules=tuple(link(rule) for rule in case.grammar.rules), lexicon=lexicon)
    return replace(case, grammar=grammar, arpa="\n".join([*lines, ""]), source=source)


def has_at_most(case: Case, most: int) -> bool:
    """Whether the case has no more than so many derivations."""
    beyond = itertools.islice(all_steps(case.grammar, case.lattice, case.options), most, None)
    return next(beyond, None) is None


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    hierarchical: bool | None = None,
    lattice: bool | None = None,
    length: int = 6,
    rules: int = 16,
    most: int = 3000,
) -> Case:
    """What ``random_case`` makes, for ``@given``."""
    rng = draw(st.randoms(use_true_random=False))
    return random_case(rng, hierarchical=hierarchical, lattice=lattice, length=length, rules=rules, most=most)


def arpas(*, closed: bool = True) -> SearchStrategy[str]:
    """Models of order 1 to 4."""
    randoms = st.randoms(use_true_random=False)
    return st.tuples(randoms, st.integers(1, 4)).map(lambda drawn: random_arpa(*drawn, closed=closed))
