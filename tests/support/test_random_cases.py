"""Random cases: repeatable, exact, and rich enough to be worth a parity test."""

from __future__ import annotations

import itertools
import random
import struct
from collections import Counter

import pytest

from support.exhaustive import Derivation, LanguageModel, derivations
from support.random_cases import (
    MODEL_WORDS,
    Case,
    has_at_most,
    random_arpa,
    random_case,
    random_lattice,
    random_path,
)


def solve(case: Case) -> list[Derivation]:
    return derivations(case.grammar, case.lm, case.source, case.options, case.weights)


def test_a_seed_repeats_a_case() -> None:
    for seed in range(10):
        assert random_case(random.Random(seed)) == random_case(random.Random(seed))
    assert random_case(random.Random(1)) != random_case(random.Random(2))


def test_numbers_are_exact_in_single_precision() -> None:
    for seed in range(30):
        case = random_case(random.Random(seed), lattice=True)
        numbers = [*case.weights.values(), *(arc.score for arc in case.lattice.arcs)]
        numbers += [score for rule in case.grammar.rules for score in rule.scores]
        numbers += [*case.lm.probabilities.values(), *case.lm.backoffs.values()]
        assert numbers == [struct.unpack("f", struct.pack("f", number))[0] for number in numbers]


def test_the_number_of_derivations_is_bounded() -> None:
    for seed in range(20):
        case = random_case(random.Random(seed), most=50)
        assert has_at_most(case, 50)
        count = len(solve(case))
        assert has_at_most(case, count)
        assert not has_at_most(case, count - 1)


def test_no_two_rules_have_the_same_sides() -> None:
    for seed in range(30):
        rules = random_case(random.Random(seed)).grammar.rules
        assert len({(rule.source, rule.target, rule.swapped) for rule in rules}) == len(rules)


def test_cases_use_everything() -> None:
    seen: Counter[str] = Counter()
    for seed in range(120):
        case = random_case(random.Random(seed), most=300)
        found = solve(case)
        steps = [step for derivation in found for step in derivation.steps]
        lattice = case.lattice
        events = {step.kind for step in steps}
        events |= {f"{len(step.match.gaps)} gaps" for step in steps}
        events |= {"swapped" for step in steps if step.match.rule.swapped}
        sides = [step.match.rule.source for step in steps]
        events |= {"gaps side by side" for side in sides if (None, None) in itertools.pairwise(side)}
        events |= {"unknown" for step in steps if step.match.entry is None}
        events |= {"a lattice with several paths"} if len(lattice.arcs) > lattice.last else set()
        events |= {"arcs off the way" for arc in lattice.arcs if lattice.distance(0, arc.begin) is None}
        events |= {f"order {case.lm.order}", f"{case.options.phrase_order} {case.options.hierarchical}"}
        events |= {"one derivation" if len(found) == 1 else "many derivations"}
        events |= set() if lattice.last else {"empty"}
        seen.update(events)
    assert {event for event, times in seen.items() if times >= 3} >= {
        *("rule", "phrase", "glue_phrase_gap", "glue_gap_phrase", "glue_gaps", "glue_gaps_swapped"),
        *("0 gaps", "1 gaps", "2 gaps", "swapped", "gaps side by side", "unknown", "empty"),
        *("a lattice with several paths", "arcs off the way", "one derivation", "many derivations"),
        *("order 1", "order 2", "order 3", "order 4"),
        *(f"{order} False" for order in ("monotone", "swap", "distortion")),
    }


def test_paths_lead_through_the_lattice() -> None:
    for seed in range(30):
        rng = random.Random(seed)
        lattice = random_lattice(rng, rng.randint(0, 6))
        shortest = lattice.distance(0, lattice.last)
        assert shortest is not None
        assert shortest <= len(random_path(rng, lattice)) <= lattice.last


class TestModels:
    @pytest.mark.parametrize("closed", [True, False])
    @pytest.mark.parametrize("order", [1, 2, 3, 4])
    def test_order_and_counts(self, order: int, closed: bool) -> None:
        for seed in range(10):
            text = random_arpa(random.Random(seed), order, closed=closed)
            model = LanguageModel.from_arpa(text)
            counts = Counter(map(len, model.probabilities))
            declared = [line for line in text.splitlines() if line.startswith("ngram ")]
            assert declared == [f"ngram {n}={counts[n]}" for n in range(1, order + 1)]
            assert min(counts.values()) > 0
            assert {("<s>",), ("</s>",), ("<unk>",)} <= set(model.probabilities)
            assert {word for ngram in model.probabilities for word in ngram} <= {
                *MODEL_WORDS,
                *("<s>", "</s>", "<unk>"),
            }
            assert all("<s>" not in ngram[1:] and "</s>" not in ngram[:-1] for ngram in model.probabilities)

    def test_closed_models_have_all_parts_of_their_ngrams(self) -> None:
        lacking = 0
        for seed in range(10):
            for closed in (True, False):
                ngrams = LanguageModel.from_arpa(
                    random_arpa(random.Random(seed), 4, closed=closed)
                ).probabilities
                long = [ngram for ngram in ngrams if len(ngram) > 1]
                assert all(ngram[:-1] in ngrams for ngram in long)
                missing = [ngram for ngram in long if ngram[1:] not in ngrams]
                assert not (closed and missing)
                lacking += len(missing)
        assert lacking

    def test_backing_off_matters(self) -> None:
        for seed in range(10):
            model = LanguageModel.from_arpa(random_arpa(random.Random(seed), 3))
            words = [ngram[0] for ngram in model.probabilities if len(ngram) == 1]
            possible = {(a, b) for a in words for b in words if a != "</s>" and b != "<s>"}
            assert 0 < len(possible & set(model.probabilities)) < len(possible)
