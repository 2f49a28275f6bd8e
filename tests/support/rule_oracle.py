"""A slow, obvious extractor of rules, written from the definitions: what the engine is held against."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field

Link = tuple[int, int]
Side = tuple[str, ...]


@dataclass
class Settings:
    max_length: int = 10
    max_gaps: int = 2
    max_symbols: int = 5
    max_target_words: int = 7
    min_gap: int = 1
    tight: bool = True
    adjacent_gaps: bool = False
    count: str = "fractional"
    orientation: str = "hier"
    orientation_smoothing: float = 0.5
    smoothing: str = "none"
    max_plain: int = 0


@dataclass
class Facts:
    """Everything known about a rule."""

    count: float = 0.0
    seen: int = 0
    alignments: Counter = field(default_factory=Counter)
    previous: Counter = field(default_factory=Counter)
    next: Counter = field(default_factory=Counter)


def consistent(links: set[Link], s0: int, s1: int, t0: int, t1: int) -> bool:
    """At least one link inside [s0, s1) x [t0, t1), and no link that is half inside."""
    some = False
    for s, t in links:
        inside_source, inside_target = s0 <= s < s1, t0 <= t < t1
        if inside_source != inside_target:
            return False
        some = some or inside_source
    return some


def phrases(n: int, m: int, links: set[Link], longest: int, tight: bool) -> list[tuple[int, int, int, int]]:
    found = []
    aligned_source, aligned_target = {s for s, _ in links}, {t for _, t in links}
    for s0, t0 in itertools.product(range(n), range(m)):
        for s1 in range(s0 + 1, min(n, s0 + longest) + 1):
            for t1 in range(t0 + 1, min(m, t0 + longest) + 1):
                if not consistent(links, s0, s1, t0, t1):
                    continue
                edges = {s0, s1 - 1} <= aligned_source and {t0, t1 - 1} <= aligned_target
                if edges or not tight:
                    found.append((s0, s1, t0, t1))
    return found


def orientations(block, n: int, m: int, links: set[Link], blocks, settings: Settings) -> tuple[str, str]:
    s0, s1, t0, t1 = block
    if settings.orientation == "word":
        points = links | {(-1, -1), (n, m)}
        previous = ((s0 - 1, t0 - 1) in points, (s1, t0 - 1) in points)
        following = ((s1, t1) in points, (s0 - 1, t1) in points)
        name = {(True, False): "monotone", (False, True): "swap"}
        return name.get(previous, "discontinuous"), name.get(following, "discontinuous")

    def decide(monotone: bool, swap: bool) -> str:
        return "monotone" if monotone else "swap" if swap else "discontinuous"

    return (
        decide(
            (s0, t0) == (0, 0) or any(b[1] == s0 and b[3] == t0 for b in blocks),
            any(b[0] == s1 and b[3] == t0 for b in blocks),
        ),
        decide(
            (s1, t1) == (n, m) or any(b[0] == s1 and b[2] == t1 for b in blocks),
            any(b[1] == s0 and b[2] == t1 for b in blocks),
        ),
    )


def rules_of(block, initial, links: set[Link], settings: Settings):
    """All rules that come from an initial phrase pair: source items, target items, in sentence positions.

    An item is a position or the gap (a phrase pair) that stands there.
    """
    s0, s1, t0, t1 = block
    inner = [
        gap
        for gap in initial
        if gap != block
        and s0 <= gap[0]
        and gap[1] <= s1
        and t0 <= gap[2]
        and gap[3] <= t1
        and gap[1] - gap[0] >= settings.min_gap
    ]
    for number in range(settings.max_gaps + 1):
        for gaps in itertools.combinations(sorted(inner), number):
            if any(
                not ((a[1] <= b[0] or b[1] <= a[0]) and (a[3] <= b[2] or b[3] <= a[2]))
                for a, b in itertools.combinations(gaps, 2)
            ):
                continue
            source = _items(s0, s1, [(g[0], g[1], g) for g in gaps])
            target = _items(t0, t1, [(g[2], g[3], g) for g in gaps])
            words = {item for item in source if isinstance(item, int)}
            target_words = {item for item in target if isinstance(item, int)}
            longest = settings.max_symbols if gaps else max(settings.max_symbols, settings.max_plain)
            if len(source) > longest or not words:
                continue
            if gaps and max(s1 - s0, t1 - t0) > settings.max_length:
                continue
            if not any(s in words and t in target_words for s, t in links):
                continue
            touching = any(
                not isinstance(a, int) and not isinstance(b, int) for a, b in itertools.pairwise(source)
            )
            if touching and not settings.adjacent_gaps:
                continue
            yield source, target


def _items(begin: int, end: int, gaps):
    items, at = [], begin
    while at < end:
        gap = next((g for g in gaps if g[0] == at), None)
        items.append(at if gap is None else gap[2])
        at = at + 1 if gap is None else gap[1]
    return items


def in_normal_form(target, settings: Settings) -> bool:
    words = list(itertools.takewhile(lambda item: isinstance(item, int), target))
    rest = target[len(words) :]
    most = settings.max_target_words if rest else max(settings.max_target_words, settings.max_plain)
    return 1 <= len(words) <= most and not any(isinstance(item, int) for item in rest)


def extract(corpus, settings: Settings) -> dict[tuple[Side, Side], Facts]:
    """Rules with their facts from (source words, target words, links) triples."""
    table: dict[tuple[Side, Side], Facts] = defaultdict(Facts)
    for source_words, target_words, links in corpus:
        n, m = len(source_words), len(target_words)
        initial = phrases(n, m, links, max(settings.max_length, settings.max_plain), settings.tight)
        longest = settings.max_length if settings.orientation == "phrase" else max(n, m)
        blocks = phrases(n, m, links, longest, tight=False)
        for block in initial:
            found = list(rules_of(block, initial, links, settings))
            if settings.orientation != "none":
                previous, following = orientations(block, n, m, links, blocks, settings)
            for source, target in found:
                if not in_normal_form(target, settings):
                    continue
                gaps = [item for item in source if not isinstance(item, int)]
                name = {gap: f"[X,{i}]" for i, gap in enumerate(gaps, start=1)}
                key = (
                    tuple(source_words[i] if isinstance(i, int) else name[i] for i in source),
                    tuple(target_words[i] if isinstance(i, int) else name[i] for i in target),
                )
                inner = sorted(
                    (target.index(t), source.index(s)) for s, t in links if s in source and t in target
                )
                facts = table[key]
                facts.count += 1 / len(found) if settings.count == "fractional" else 1
                facts.seen += 1
                facts.alignments[tuple(inner)] += 1
                if settings.orientation != "none":
                    facts.previous[previous] += 1
                    facts.next[following] += 1
    return dict(table)


def best_alignment(facts: Facts) -> tuple[Link, ...]:
    """The most frequent, of several the smallest list of (target, source); as (source, target) pairs."""
    best = min(facts.alignments, key=lambda a: (-facts.alignments[a], a))
    return tuple((s, t) for t, s in best)


def probabilities(table, settings: Settings, given: str) -> dict[tuple[Side, Side], float]:
    """p(target|source) for given="source", p(source|target) for given="target"."""
    side = {"source": 0, "target": 1}[given]
    totals: dict[Side, float] = defaultdict(float)
    partners = Counter(rule[1 - side] for rule in table)
    seen = Counter(facts.seen for facts in table.values())

    def factor(n: int) -> float:
        if settings.smoothing == "good-turing" and n <= 10 and seen[n] and seen[n + 1]:
            return min(1.0, (n + 1) * seen[n + 1] / (n * seen[n]))
        if settings.smoothing == "kneser-ney":
            return 1 - kneser_ney_discounts(seen)[min(n, 3) - 1] / n
        return 1.0

    kept: dict[Side, float] = defaultdict(float)
    for rule, facts in table.items():
        totals[rule[side]] += facts.count
        kept[rule[side]] += facts.count * factor(facts.seen)
    result = {}
    for rule, facts in table.items():
        p = facts.count * factor(facts.seen) / totals[rule[side]]
        if settings.smoothing == "kneser-ney":
            rest = 1 - kept[rule[side]] / totals[rule[side]]
            p += rest * partners[rule[1 - side]] / len(table)
        result[rule] = p
    return result


def kneser_ney_discounts(seen: Counter) -> list[float]:
    if all(seen[n] for n in (1, 2, 3, 4)):
        y = seen[1] / (seen[1] + 2 * seen[2])
        found = [n - (n + 1) * y * seen[n + 1] / seen[n] for n in (1, 2, 3)]
        if all(0 < d < n for n, d in enumerate(found, start=1)):
            return found
    return [0.5, 1.0, 1.5]


def lexicon(corpus) -> tuple[dict, dict]:
    """w(target|source) and w(source|target) by relative frequency; None is "no word"."""
    counts: Counter = Counter()
    for source, target, links in corpus:
        for s, t in links:
            counts[source[s], target[t]] += 1
        for i, word in enumerate(source):
            if i not in {s for s, _ in links}:
                counts[word, None] += 1
        for i, word in enumerate(target):
            if i not in {t for _, t in links}:
                counts[None, word] += 1
    of_source, of_target = Counter(), Counter()
    for (s, t), n in counts.items():
        of_source[s] += n
        of_target[t] += n
    return (
        {pair: n / of_source[pair[0]] for pair, n in counts.items()},
        {pair: n / of_target[pair[1]] for pair, n in counts.items()},
    )


def lexical_weights(rule, links, forward, backward) -> tuple[float, float]:
    source, target = rule
    weight, inverse = 1.0, 1.0
    for t, word in enumerate(target):
        if word.startswith("[X,"):
            continue
        mine = [forward[source[s], word] for s, u in links if u == t] or [forward[None, word]]
        weight *= sum(mine) / len(mine)
    for s, word in enumerate(source):
        if word.startswith("[X,"):
            continue
        mine = [backward[word, target[t]] for u, t in links if u == s] or [backward[word, None]]
        inverse *= sum(mine) / len(mine)
    return math.log(weight), math.log(inverse)


def orientation_scores(facts: Facts, settings: Settings) -> list[float]:
    added = settings.orientation_smoothing
    return [
        math.log((counts[name] + added) / (facts.seen + 3 * added))
        for counts in (facts.previous, facts.next)
        for name in ("monotone", "swap", "discontinuous")
    ]


def covers(side: Side, words: list[str], at: int = 0):
    """The ways in which a source side covers all the words: for each, what its gaps stand for."""
    if not side:
        if not words:
            yield ()
    elif side[0].startswith("[X,"):
        for n in range(1, len(words) + 1):
            for rest in covers(side[1:], words[n:], at + n):
                yield ((at, at + n), *rest)
    elif words and words[0] == side[0]:
        yield from covers(side[1:], words[1:], at + 1)


def matches(sides, sentence: list[str], max_span: int) -> set:
    """All (side, begin, end, gaps) of source sides over a sentence; max_span is for sides with gaps."""
    return {
        (side, begin, end, gaps)
        for begin, end in itertools.combinations(range(len(sentence) + 1), 2)
        for side in sides
        for gaps in covers(side, sentence[begin:end], begin)
        if not gaps or end - begin <= max_span
    }


def target_occurs(side: Side, sentence: list[str]) -> bool:
    """Whether the words of a target side stand somewhere with as many words behind as it has gaps."""
    words = [word for word in side if not word.startswith("[X,")]
    last = len(sentence) - len(side)
    return any(sentence[i : i + len(words)] == words for i in range(last + 1))
