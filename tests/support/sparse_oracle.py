"""The sparse features of a derivation, read off its steps by their definitions and printed as names.

Nothing here is shared with the engine. An event is a template and what stands at its positions; a feature is
an event with one form at each position, and how often it fires is its value.

Where the definitions leave room, this is what holds here:

* A word that passes through is aligned with itself.
* In glue, the rule is the plain phrase pair; what its shape leaves open has it as its parent.
* A word twice in the sentence is two words to an inserted one; every arc of a lattice is a word of it,
  whether or not it lies on a way through.
* A word without any form that a template sees gives no feature.
* The marks ``<s>`` and ``</s>`` have one form, which every template sees.
* A phrase has forms for each type: its words in that type, every combination of their values, unless there
  are more than 256. Words that have none stand there as themselves; a form in which all words would is
  left out.
* A word that is spelled like one of the marks is not the mark: it stands behind a backslash.
* The orientation is that of a rule's whole span and, in glue, of the phrase alone. Blocks of what was
  translated are as large as they can be; a rule's block is incomplete until the gaps between its words are
  filled, and until then the next step is discontinuous to it.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from support.exhaustive import Lattice, Rule, Step

Names = tuple[str, ...]


@dataclass(frozen=True)
class Word:
    text: str
    target: bool


@dataclass(frozen=True)
class Mark:
    text: str


@dataclass(frozen=True)
class Phrase:
    symbols: tuple[str | None, ...]
    target: bool


@dataclass(frozen=True)
class Literal:
    text: str


Position = Word | Mark | Phrase | Literal
Event = tuple[str, tuple[Position, ...]]

BEGIN, END = Mark("<s>"), Mark("</s>")


# --- Events ----------------------------------------------------------------------------------------------


def events(lattice: Lattice, steps: Sequence[Step], *, hierarchical: bool) -> Iterator[Event]:
    """All events of a derivation, of every template."""
    target = [word for step in steps for word in step.match.rule.target]
    for first, second in itertools.pairwise([BEGIN, *(Word(word, True) for word in target), END]):
        yield "target_bigram", (first, second)
    words = [BEGIN, BEGIN, *(Word(word, True) for word in target), END]
    for three in zip(words, words[1:], words[2:], strict=False):
        yield "target_trigram", three
    for word in target:
        yield "target_word", (Word(word, True),)
    yield from _of_neighbors(steps)
    pairs: list[tuple[Position, Position]] = [(BEGIN, BEGIN)]
    for step in steps:
        pairs += aligned_pairs(step)
    pairs.append((END, END))
    for before, behind in itertools.pairwise(pairs):
        yield "pair_bigram", (*before, *behind)
    for step in steps:
        yield from _of_rule(step, lattice)
    if hierarchical:
        yield from _of_parents(steps)
    yield from _of_order(lattice, steps)


def links(step: Step) -> list[tuple[int, int]]:
    """Source and target positions, in the order of the target."""
    if step.match.entry is None:
        return [(0, 0)]
    return sorted(step.match.rule.links, key=lambda link: (link[1], link[0]))


def aligned_pairs(step: Step) -> list[tuple[Word, Word]]:
    rule = step.match.rule
    return [(Word(rule.target[t], True), Word(str(rule.source[s]), False)) for s, t in links(step)]


def aligned_source(step: Step) -> list[Word]:
    return [Word(str(step.match.rule.source[s]), False) for s in sorted({s for s, _ in links(step)})]


def _of_rule(step: Step, lattice: Lattice) -> Iterator[Event]:
    rule = step.match.rule
    target_words = [Word(word, True) for word in rule.target]
    for pair in aligned_pairs(step):
        yield "pair", pair
    for t, word in enumerate(target_words):
        if t not in {target for _, target in links(step)}:
            for arc in lattice.arcs:
                yield "insertion", (word, Word(arc.word, False))
    for s, symbol in enumerate(rule.source):
        if symbol is not None and s not in {source for source, _ in links(step)}:
            for word in target_words:
                yield "deletion", (word, Word(symbol, False))
    for word in target_words:
        for symbol in rule.source:
            if symbol is not None:
                yield "block_pair", (word, Word(symbol, False))
    source, target = Phrase(rule.source, False), Phrase(rule.target, True)
    yield "rule", (source, target, Literal("swapped")) if rule.swapped else (source, target)
    yield "source_phrase", (source,)
    yield "target_phrase", (target,)
    yield "shape", (Literal(shape(rule)),)


def _of_neighbors(steps: Sequence[Step]) -> Iterator[Event]:
    """Rules two by two, and on which side of the one before each stands (``sides``)."""
    rules = [step.match.rule for step in steps]
    sources: list[Position] = [BEGIN, *(Phrase(rule.source, False) for rule in rules), END]
    targets: list[Position] = [BEGIN, *(Phrase(rule.target, True) for rule in rules), END]
    yield from (("source_phrase_bigram", pair) for pair in itertools.pairwise(sources))
    yield from (("target_phrase_bigram", pair) for pair in itertools.pairwise(targets))
    for side, rule in zip(sides([(s.match.first, s.match.last) for s in steps]), rules, strict=True):
        phrases = Phrase(rule.source, False), Phrase(rule.target, True)
        yield "block_orientation", (Literal(side), *phrases)


def sides(spans: Sequence[tuple[int, int]]) -> list[str]:
    """R if a block begins where the one before ended, L if it ends where that one began, else N.

    The beginning of the sentence is an end. Figure 1 of Tillmann and Zhang (2006):

    >>> sides([(1, 2), (0, 1), (2, 3), (3, 4)])
    ['N', 'L', 'N', 'R']
    """
    found, before = [], (-1, 0)
    for span in spans:
        found.append("R" if span[0] == before[1] else "L" if span[1] == before[0] else "N")
        before = span
    return found


def shape(rule: Rule) -> str:
    """Words side by side are one ``w``; a gap is ``~``, on the target side with its number if there are two.

    >>> shape(Rule(("a", "b", None, "c", None), ("x", "y"), swapped=True))
    'w~w~>w~2~1'
    """
    source = re.sub("w+", "w", "".join("~" if symbol is None else "w" for symbol in rule.source))
    gaps = ("", "~", "~2~1" if rule.swapped else "~1~2")[rule.gaps]
    return f"{source}>w{gaps}"


def _of_parents(steps: Sequence[Step]) -> Iterator[Event]:
    """Steps take the open spans in the order in which a stack gives them back."""
    parents: list[Step | None] = [None]
    for step in steps:
        parent = parents.pop()
        if parent is not None:
            for pair in itertools.product(aligned_source(parent), aligned_source(step)):
                yield "hierarchical", pair
        parents += [step] * len(step.opened)


def _of_order(lattice: Lattice, steps: Sequence[Step]) -> Iterator[Event]:
    last = 0
    for step, turn in zip(steps, turns(steps), strict=True):
        rule, match = step.match.rule, step.match
        words = [Word(symbol, False) for symbol in rule.source if symbol is not None]
        edges = {
            "source_first": words[0],
            "source_last": words[-1],
            "target_first": Word(rule.target[0], True),
            "target_last": Word(rule.target[-1], True),
        }
        for edge, word in edges.items():
            yield "orientation", (Literal(f"{turn}/{edge}"), word)
        jump = lattice.jump(last, match.first) * (-1 if match.first < last else 1)
        yield "distortion", (Literal(bin_of(jump)),)
        yield "distortion", (Literal(bin_of(jump)), words[0])
        last = match.last


def bin_of(jump: int) -> str:
    """
    >>> [bin_of(jump) for jump in (0, -1, 3, -4, 6, 7, -70)]
    ['0', '-1', '2..3', '-4..-6', '4..6', '7..', '-7..']
    """
    sign, size = "-" if jump < 0 else "", abs(jump)
    if size <= 1:
        return f"{sign}{size}"
    if size >= 7:
        return f"{sign}7.."
    return f"{sign}2..{sign}3" if size <= 3 else f"{sign}4..{sign}6"


def turns(steps: Sequence[Step]) -> list[str]:
    """How each step lies to the block of what was translated before it."""
    found = []
    stack = [(0, 0, frozenset[int]())]  # hull and covered places, the latest block last
    for step in steps:
        first, last = step.span if step.kind == "rule" else (step.match.first, step.match.last)
        begin, end, covered = stack[-1]
        if len(covered) < end - begin:
            found.append("discontinuous")
        else:
            found.append("monotone" if end == first else "swap" if begin == last else "discontinuous")
        covered = frozenset(place for arc in step.match.arcs for place in range(arc.begin, arc.end))
        stack.append((step.match.first, step.match.last, covered))
        while len(stack) > 1 and (block := _reduced(stack[-2], stack[-1])):
            stack[-2:] = [block]
    return found


Block = tuple[int, int, frozenset[int]]


def _reduced(below: Block, top: Block) -> Block | None:
    """Two blocks as one, if they are."""
    complete = [len(covered) == end - begin for begin, end, covered in (below, top)]
    if not complete[1]:
        return None
    inside = below[0] <= top[0] and top[1] <= below[1]
    beside = below[1] == top[0] or below[0] == top[1]
    if inside if not complete[0] else beside:
        return min(below[0], top[0]), max(below[1], top[1]), below[2] | top[2]
    return None


# --- Names -----------------------------------------------------------------------------------------------

Column = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class TokenTypes:
    """The token types of both sides; ``template_types`` as in the options of the search."""

    source_types: Names
    target_types: Names
    source_columns: Mapping[str, Column] = field(default_factory=dict)
    target_columns: Mapping[str, Column] = field(default_factory=dict)
    template_types: Mapping[str, tuple[Names, Names]] = field(default_factory=dict)
    _names: dict[Event, list[str]] = field(default_factory=dict, repr=False, compare=False)

    def names(self, event: Event) -> list[str]:
        """Names of the features of an event."""
        if event not in self._names:
            template, positions = event
            forms = [self._forms(template, position) for position in positions]
            self._names[event] = [f"{template}:{'|'.join(chosen)}" for chosen in itertools.product(*forms)]
        return self._names[event]

    def _forms(self, template: str, position: Position) -> list[str]:
        match position:
            case Mark(text):
                return [text]
            case Literal(text):
                return ["#" + re.sub(r"[|\\]", r"\\\g<0>", text)]
            case Word(text, target):
                return [
                    form for type in self._types(template, target) for form in self.forms(text, type, target)
                ]
            case Phrase(symbols, target):
                found = []
                for type in self._types(template, target):
                    seen = [symbol is not None and self.forms(symbol, type, target) for symbol in symbols]
                    if type == "surface" or any(seen):
                        choices = [self._in_phrase(symbol, type, target) for symbol in symbols]
                        if math.prod(map(len, choices)) <= 256:
                            found += [f"({'_'.join(chosen)})" for chosen in itertools.product(*choices)]
                return found

    def _types(self, template: str, target: bool) -> Names:
        return self.template_types.get(template, (self.source_types, self.target_types))[target]

    def _in_phrase(self, symbol: str | None, type: str, target: bool) -> list[str]:
        if symbol is None:
            return ["~"]
        return self.forms(symbol, type, target) or self.forms(symbol, "surface", target)

    def forms(self, word: str, type: str, target: bool) -> list[str]:
        """A word in one type, as it is printed."""
        match type:
            case "surface":
                return ["\\" + word if word in ("<s>", "</s>") else escaped(word)]
            case "prefix":
                return [f"{escaped(word[:4])}+"] if len(word) > 4 else []
            case "suffix":
                return [f"+{escaped(word[-4:])}"] if len(word) > 4 else []
            case "digits":
                shape = re.sub(r"\d", "@", word)
                return [escaped(shape).replace(r"\@", "@")] if shape != word else []
        column = (self.target_columns if target else self.source_columns)[type]
        return [f"{escaped(type)}={escaped(value)}" for value in column.get(word, ())]


def escaped(text: str) -> str:
    r"""
    >>> escaped("2+2=@home")
    '2\\+2\\=\\@home'
    """
    return re.sub(r"[|:#()_+@=~\\]", r"\\\g<0>", text)


def feature_counts(types: TokenTypes, templates: Sequence[str], fired: Iterator[Event]) -> Counter[str]:
    """Names of features and how often they fire."""
    counts: Counter[str] = Counter()
    for event, times in Counter(event for event in fired if event[0] in templates).items():
        for name in types.names(event):
            counts[name] += times
    return counts
