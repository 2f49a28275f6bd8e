"""The exhaustive search against cases worked by hand, and against a second enumeration."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given

from support import path_by_path
from support.exhaustive import (
    Arc,
    Derivation,
    Grammar,
    LanguageModel,
    Lattice,
    Options,
    Rule,
    TooManyDerivationsError,
    Words,
    derivations,
)
from support.properties import examples
from support.random_cases import Case, arpas, cases, random_case

ARPA = """\\data\\
ngram 1=6
ngram 2=2

\\1-grams:
-99\t<s>\t-0.5
-1\t</s>
-2\t<unk>\t-0.25
-0.25\tx\t-0.125
-0.75\ty

\\2-grams:
-0.5\t<s> x
-0.125\tx y

\\end\\
"""
LM = LanguageModel.from_arpa(ARPA)
FREE = {"max_span": 100, "distortion_limit": 100}
WEIGHTS = {"lm": 1.0, "p": 0.5, "backtrack": -0.25}


def rule(source: str, target: str, score: float = 0.0, *, swapped: bool = False) -> Rule:
    """From a source side with ``_`` for gaps."""
    symbols = tuple(None if symbol == "_" else symbol for symbol in source.split())
    return Rule(symbols, tuple(target.split()), swapped, (score,))


def search(source: str | Lattice, *rules: Rule, **options: object) -> list[Derivation]:
    given = source.split() if isinstance(source, str) else source
    return derivations(Grammar(rules, ("p",)), LM, given, Options(**{**FREE, **options}), WEIGHTS)  # type: ignore[arg-type]


def strings(found: list[Derivation]) -> list[str]:
    return sorted(" ".join(derivation.target) for derivation in found)


def by_string(found: list[Derivation]) -> dict[str, Derivation]:
    result = {" ".join(derivation.target): derivation for derivation in found}
    assert len(result) == len(found)
    return result


def nonzero(derivation: Derivation) -> dict[str, float]:
    return {name: value for name, value in derivation.features.items() if value and name != "lm"}


def kinds(derivation: Derivation) -> list[str]:
    return [step.kind for step in derivation.steps]


class TestLanguageModel:
    @pytest.mark.parametrize(
        ("sentence", "log10"),
        [
            ("x y", -0.5 - 0.125 - 1),
            ("y x", (-0.5 - 0.75) - 0.25 + (-0.125 - 1)),  # no <s> y; y has no back-off weight; no x </s>
            ("", -0.5 - 1),
            ("other x", (-0.5 - 2) + (-0.25 - 0.25) + (-0.125 - 1)),
            ("<unk> x", (-0.5 - 2) + (-0.25 - 0.25) + (-0.125 - 1)),
        ],
    )
    def test_backs_off(self, sentence: str, log10: float) -> None:
        assert LM.sentence_log10(tuple(sentence.split())) == pytest.approx(log10, abs=1e-12)

    def test_uses_no_more_context_than_its_order(self) -> None:
        assert LM.order == 2
        assert LM.word_log10(("y", "y", "x"), "y") == -0.125

    def test_long_contexts_back_off_through_all_orders(self) -> None:
        text = "-1\ta\t-0.5\n-2\tb\t-0.25\n-0.75\ta b\t-0.0625\n-0.5\ta b a\n"
        model = LanguageModel.from_arpa(text)
        assert model.word_log10(("a", "b"), "a") == -0.5
        assert model.word_log10(("a", "b"), "b") == -0.0625 - 0.25 - 2
        assert model.word_log10(("b", "a"), "b") == -0.75  # the model has no "b a": nothing is lost
        assert model.word_log10(("b", "b"), "b") == -0.25 - 2

    def test_without_unk_a_new_word_is_nearly_impossible(self) -> None:
        assert LanguageModel.from_arpa("-1\ta\t-0.5\n").word_log10(("a",), "b") == -100

    @examples(25)
    @given(arpas(), arpas(closed=False))
    def test_equals_the_longest_match_formula(self, closed: str, pruned: str) -> None:
        for model in map(LanguageModel.from_arpa, (closed, pruned)):
            for target in (("x", "y", "x", "w"), ("z", "x", "x", "7", "y"), ("w",), ()):
                expected = path_by_path.natural_log(model, target)
                assert math.log(10) * model.sentence_log10(target) == pytest.approx(expected, abs=1e-9)


class TestHierarchical:
    def test_two_words(self) -> None:
        found = search("a b", rule("a", "x", -1), rule("b", "y", -2))
        straight, turned = by_string(found)["x y"], by_string(found)["y x"]
        assert kinds(straight) == ["glue_phrase_gap", "rule"]
        assert nonzero(straight) == {"words": 2, "rules": 2, "p": -3, "glue_phrase_gap": 1}
        assert straight.features["lm"] == pytest.approx(-1.625 * math.log(10))
        assert straight.score == pytest.approx(-1.625 * math.log(10) - 1.5)
        assert kinds(turned) == ["glue_gap_phrase", "rule"]
        distances = {"backtrack": 1 + 2, "distance_glue": 1, "distance_rule": 2}
        counts = {"words": 2, "rules": 2, "p": -3, "glue_gap_phrase": 1, "reordering": 1}
        assert nonzero(turned) == {**counts, **distances}
        assert turned.score == pytest.approx(-2.625 * math.log(10) - 1.5 - 0.75)
        assert found == [straight, turned]

    def test_glue_around_a_phrase(self) -> None:
        found = search("a b c", rule("b", "y"), rule("a", "x"), rule("c", "z"))
        assert strings(found) == ["x y z", "x z y", "y x z", "y z x", "z x y", "z y x"]
        split, swapped = by_string(found)["y x z"], by_string(found)["y z x"]
        assert kinds(split) == ["glue_gaps", "rule", "rule"]
        assert [step.span for step in split.steps] == [(0, 3), (0, 1), (2, 3)]
        counts = {"words": 3, "rules": 3, "reordering": 1, "distance_glue": 1, "backtrack": 4}
        assert nonzero(split) == {**counts, "glue_gaps": 1, "distance_rule": 2 + 1}
        assert kinds(swapped) == ["glue_gaps_swapped", "rule", "rule"]
        assert [step.span for step in swapped.steps] == [(0, 3), (2, 3), (0, 1)]
        assert nonzero(swapped) == {**counts, "glue_gaps_swapped": 1, "distance_rule": 0 + 3}

    def test_orders_of_single_words(self) -> None:
        # The first word's place leaves l words on its left and r on its right, to be done in either order:
        # t(n) = 2 t(n - 1) + the sum of 2 t(l) t(r) over l + r = n - 1 with neither 0; all are different.
        for length, number in enumerate([1, 2, 6, 20, 72, 272], start=1):
            found = search(" ".join("abcdef"[:length]))
            assert len({d.target for d in found}) == len(found) == number

    def test_distortion_limit_bounds_the_gap_on_the_left(self) -> None:
        assert strings(search("a b c", distortion_limit=0)) == ["a b c"]
        assert strings(search("a b c", distortion_limit=1)) == ["a b c", "a c b", "b a c", "b c a"]
        assert len(search("a b c", distortion_limit=2)) == 6

    def test_without_reordering_glue_only_gaps_on_the_right(self) -> None:
        found = search("a b c", rule("a b", "x"), reordering_glue=False)
        assert sorted(map(kinds, found)) == [
            ["glue_phrase_gap", "glue_phrase_gap", "rule"],
            ["glue_phrase_gap", "rule"],
        ]

    def test_gaps_in_target_order(self) -> None:
        words = rule("b", "x"), rule("d", "y")
        found = search("a b c d", rule("a _ c _", "q"), rule("a _ c _", "r", swapped=True), *words)
        kept, swapped = (by_string(found)[string] for string in ("q x y", "r y x"))
        assert [step.span for step in kept.steps] == [(0, 4), (1, 2), (3, 4)]
        turned = {"words": 3, "rules": 3, "reordering": 1}
        assert nonzero(kept) == {**turned, "backtrack": 2 + 1, "distance_rule": 2 + 1}
        assert [step.span for step in swapped.steps] == [(0, 4), (3, 4), (1, 2)]
        assert nonzero(swapped) == {**turned, "backtrack": 0 + 3, "distance_rule": 0 + 3}

    def test_first_opened_is_first_translated_before_the_rest_of_the_stack(self) -> None:
        rules = rule("a _ _", "q"), rule("b _", "r"), rule("c", "x"), rule("d", "y")
        found = search("a b c d", *rules, distortion_limit=0)
        chosen = [d for d in found if kinds(d) == ["rule"] * 4]
        assert [[step.span for step in d.steps] for d in chosen] == [[(0, 4), (1, 3), (2, 3), (3, 4)]]

    @pytest.mark.parametrize(
        ("gap_rule", "reordering", "backtrack"),
        [
            (rule("a _", "q"), 0, 0),
            (rule("_ b", "q"), 1, 1 + 2),
            (rule("a _ b", "q"), 1, 0 + 2),
            (rule("a _ _", "q"), 0, 0),
            (rule("a _ _", "q", swapped=True), 1, 0 + 1 + 2),
            (rule("_ a _", "q"), 1, 1 + 2 + 1),
        ],
    )
    def test_reordering_is_something_left_open_on_the_left(
        self, gap_rule: Rule, reordering: int, backtrack: int
    ) -> None:
        sentence = " ".join(symbol or "new" for symbol in gap_rule.source)
        (chosen,) = [
            d for d in search(sentence, gap_rule) if d.target[0] == "q" and set(kinds(d)) == {"rule"}
        ]
        assert chosen.features["reordering"] == reordering
        assert chosen.features["backtrack"] == chosen.features["distance_rule"] == backtrack

    def test_gaps_take_at_least_one_word_and_any_number(self) -> None:
        gap_rule = rule("_ a _", "q")
        assert not any(d.target[0] == "q" for d in search("a b", gap_rule))
        found = search("a a a a", gap_rule, rule("a", "x"), rule("a a", "y"), distortion_limit=0)
        spans = {d.steps[0].match.gaps for d in found if d.target[0] == "q"}
        assert spans == {((0, 1), (2, 4)), ((0, 2), (3, 4))}

    def test_max_span_and_gap_rules(self) -> None:
        gap_rule = rule("a _", "q")

        def uses(**options: object) -> int:
            return sum(d.target[0] == "q" for d in search("a b c", gap_rule, **options))

        assert (uses(max_span=2), uses(max_span=3), uses(gap_rules=False)) == (0, 2, 0)
        assert strings(search("a b", rule("a b", "x"), max_span=0, distortion_limit=0)) == ["a b", "x"]

    def test_a_word_without_a_rule_of_its_own_passes_through(self) -> None:
        found = search("a b", rule("a b", "x"), rule("a _", "y", -1))
        assert strings(found) == ["a b", "b a", "x", "y b"]
        assert nonzero(by_string(found)["a b"]) == {
            "words": 2,
            "rules": 2,
            "unknown": 2,
            "glue_phrase_gap": 1,
        }
        assert nonzero(by_string(found)["y b"]) == {"words": 2, "rules": 2, "unknown": 1, "p": -1}
        assert "a" not in {word for d in search("a b", rule("a", "x")) for word in d.target}

    def test_equal_entries_count_twice(self) -> None:
        assert strings(search("a", rule("a", "x"), rule("a", "x"))) == ["x", "x"]

    def test_an_empty_sentence(self) -> None:
        (only,) = search("")
        assert (only.target, only.steps, nonzero(only)) == ((), (), {})
        assert only.score == pytest.approx(-1.5 * math.log(10))


class TestPhrases:
    @pytest.mark.parametrize(("limit", "orders"), [(0, 1), (1, 1), (2, 3), (3, 6)])
    def test_distortion_limit(self, limit: int, orders: int) -> None:
        found = search("a b c", hierarchical=False, distortion_limit=limit)
        assert len(found) == orders
        if limit == 2:
            assert strings(found) == ["a b c", "a c b", "b a c"]

    @pytest.mark.parametrize(("order", "numbers"), [("monotone", [1, 1, 1, 1, 1]), ("swap", [1, 2, 3, 5, 8])])
    def test_orders_that_ignore_the_limit(self, order: str, numbers: list[int]) -> None:
        for length, number in enumerate(numbers, start=1):
            sentence = " ".join("abcde"[:length])
            found = search(sentence, hierarchical=False, phrase_order=order, distortion_limit=0)
            assert len({d.target for d in found}) == len(found) == number

    def test_both_the_jump_and_the_way_back_are_limited(self) -> None:
        found = strings(search("a b c d e f", hierarchical=False, distortion_limit=3))
        assert "b c a e d f" in found  # from behind a to e: 3
        assert "b c a f d e" not in found  # from behind a to f: 4, though from behind f back to d: 3
        assert "a b d c e f" in found
        assert "a d b c e f" in found  # from behind d back to b: 3
        assert "a d c b e f" in found
        assert "a e b c d f" not in found  # from a to e: 3, from behind e back to b: 4

    def test_all_orders_without_a_limit(self) -> None:
        found = search("a b c d", hierarchical=False)
        assert len({d.target for d in found}) == len(found) == 24

    def test_monotone_cuts(self) -> None:
        rules = rule("a", "1"), rule("b", "2"), rule("c", "3"), rule("a b", "12"), rule("b c", "23")
        found = search("a b c", *rules, hierarchical=False, phrase_order="monotone")
        assert strings(found) == ["1 2 3", "1 23", "12 3"]

    def test_a_swap_jumps_over_one_phrase(self) -> None:
        found = search("a b c d", rule("a b", "x"), hierarchical=False, phrase_order="swap")
        straight = ["a b c d", "a b d c", "a c b d", "b a c d", "b a d c"]
        assert strings(found) == sorted([*straight, "x c d", "x d c", "c x d"])

    def test_features(self) -> None:
        found = search("a b c", rule("a", "x", -1), rule("b c", "y y", -2), hierarchical=False)
        turned = by_string(found)["y y x"]
        distances = {"backtrack": 1 + 3, "distance_rule": 1 + 3}
        assert nonzero(turned) == {"words": 3, "rules": 2, "p": -3, **distances}
        assert [step.opened for step in turned.steps] == [((0, 1),), ()]
        assert nonzero(by_string(found)["x b c"]) == {"words": 3, "rules": 3, "p": -1, "unknown": 2}

    def test_rules_with_gaps_play_no_part(self) -> None:
        assert strings(search("a b", rule("a _", "x"), hierarchical=False)) == ["a b", "b a"]

    def test_an_empty_sentence(self) -> None:
        (only,) = search("", hierarchical=False)
        assert (only.target, only.steps) == ((), ())


class TestLattice:
    TRIANGLE = Lattice(2, (Arc(0, 1, "a", -1), Arc(1, 2, "b", -2), Arc(0, 2, "c", -4)))

    def test_distances(self) -> None:
        lattice = Lattice(4, (Arc(0, 1, "a"), Arc(1, 3, "b"), Arc(0, 2, "c"), Arc(2, 3, "d"), Arc(3, 4, "e")))
        assert [lattice.distance(0, place) for place in range(5)] == [0, 1, 1, 2, 3]
        assert (lattice.distance(1, 2), lattice.distance(3, 1)) == (None, None)
        assert (lattice.jump(1, 2), lattice.jump(3, 1), lattice.jump(4, 0), lattice.jump(2, 2)) == (
            1,
            1,
            3,
            0,
        )

    @pytest.mark.parametrize("hierarchical", [True, False])
    def test_every_path(self, hierarchical: bool) -> None:
        found = by_string(search(self.TRIANGLE, hierarchical=hierarchical))
        assert sorted(found) == ["a b", "b a", "c"]
        assert [found[s].features["arcs"] for s in ("a b", "b a", "c")] == [-3, -3, -4]
        # The way back from place 2 to place 0 is one word long, by the other path.
        assert found["b a"].features["backtrack"] == 1 + 1

    def test_widths_go_by_the_shortest_way(self) -> None:
        gap_rule = rule("a _", "q")
        narrow = Lattice(2, self.TRIANGLE.arcs[:2])
        assert strings(search(self.TRIANGLE, gap_rule, max_span=1, distortion_limit=0)) == ["a b", "c", "q b"]
        assert strings(search(narrow, gap_rule, max_span=1, distortion_limit=0)) == ["a b"]

    def test_phrase_jumps_go_by_the_shortest_way(self) -> None:
        assert "b a" in strings(search(self.TRIANGLE, hierarchical=False, distortion_limit=1))

    @pytest.mark.parametrize("hierarchical", [True, False])
    def test_two_ways_to_spell_a_phrase_are_two_derivations(self, hierarchical: bool) -> None:
        arcs = Arc(0, 1, "a", -1), Arc(0, 1, "a", -2), Arc(1, 2, "b"), Arc(0, 2, "c")
        found = search(Lattice(2, arcs), rule("a b", "x"), hierarchical=hierarchical, distortion_limit=0)
        assert strings(found) == ["a b", "a b", "c", "x", "x"]
        assert sorted(d.features["arcs"] for d in found if d.target == ("x",)) == [-2, -1]

    @pytest.mark.parametrize("hierarchical", [True, False])
    def test_arcs_off_the_way_are_never_used(self, hierarchical: bool) -> None:
        arcs = Arc(0, 2, "a"), Arc(1, 2, "lost"), Arc(0, 3, "dead"), Arc(2, 4, "b")
        found = search(Lattice(4, arcs), rule("_ b", "x"), hierarchical=hierarchical)
        assert strings(found) == (["a b", "b a", "x a"] if hierarchical else ["a b", "b a"])

    def test_a_gap_needs_a_way(self) -> None:
        arcs = Arc(0, 1, "a"), Arc(1, 3, "x"), Arc(0, 2, "y"), Arc(2, 3, "b"), Arc(3, 4, "c")
        found = search(Lattice(4, arcs), rule("a _ b _", "q"), rule("a _ c", "r"))
        assert not any("q" in d.target for d in found)
        assert ["r", "x"] in [[*d.target] for d in found]


class TestRefusals:
    def test_rules(self) -> None:
        for bad in (((None,), ("x",)), ((None, "a", None, None), ("x",)), (("a",), ())):
            with pytest.raises(ValueError, match=r"source|target"):
                Rule(*bad)
        with pytest.raises(ValueError, match="swapped"):
            Rule(("a", None), ("x",), swapped=True)

    def test_grammars(self) -> None:
        with pytest.raises(ValueError, match="another feature"):
            Grammar((), ("lm",))
        with pytest.raises(ValueError, match="2 scores"):
            Grammar((rule("a", "x"),), ("p", "q"))

    def test_lattices(self) -> None:
        for arcs in ((), (Arc(0, 1, "a"),), (Arc(0, 2, "a"), Arc(1, 1, "b")), (Arc(0, 3, "a"),)):
            with pytest.raises(ValueError, match="place"):
                Lattice(2, arcs)

    def test_options_and_weights(self) -> None:
        with pytest.raises(ValueError, match="phrase_order"):
            Options(phrase_order="free")
        with pytest.raises(ValueError, match="at least 0"):
            Options(distortion_limit=-1)
        with pytest.raises(ValueError, match="wrods"):
            derivations(Grammar((), ()), LM, ["a"], Options(), {"wrods": 1.0})

    def test_too_many(self) -> None:
        given = Grammar((), ()), LM, ["a", "b", "c"], Options(), {"lm": 1.0}
        assert len(derivations(*given, limit=6)) == 6
        with pytest.raises(TooManyDerivationsError):
            derivations(*given, limit=5)


def check_against_paths(case: Case) -> None:
    """The same derivations, feature by feature."""
    names = case.grammar.features

    def rows(found: list[tuple[Words, dict[str, float]]]) -> list[tuple[Words, list[float]]]:
        return sorted(
            (target, [round(features[name], 6) + 0.0 for name in names]) for target, features in found
        )

    found = derivations(case.grammar, case.lm, case.source, case.options, case.weights)
    second = path_by_path.all_features(case.grammar, case.lm, case.lattice, case.options)
    assert rows([(d.target, dict(d.features)) for d in found]) == rows(second)


@pytest.mark.parametrize("lattice", [False, True])
@pytest.mark.parametrize("hierarchical", [False, True])
def test_equals_a_second_enumeration(hierarchical: bool, lattice: bool) -> None:
    for seed in range(75):
        rng = random.Random(seed)
        check_against_paths(random_case(rng, hierarchical=hierarchical, lattice=lattice, length=5, most=500))


@examples(40)
@given(cases(most=500))
def test_properties(case: Case) -> None:
    found = derivations(case.grammar, case.lm, case.source, case.options, case.weights)
    assert found
    assert [d.score for d in found] == sorted((d.score for d in found), reverse=True)
    for d in found:
        assert set(d.features) == set(case.grammar.features)
        assert d.score == pytest.approx(sum(case.weights[n] * v for n, v in d.features.items()), abs=1e-9)
        assert d.features["backtrack"] == d.features["distance_rule"] + d.features["distance_glue"]
        path = sorted((arc for step in d.steps for arc in step.match.arcs), key=lambda arc: arc.begin)
        edges = [0, *(arc.end for arc in path)]
        assert [arc.begin for arc in path] == edges[:-1]
        assert edges[-1] == case.lattice.last
        assert d.features["arcs"] == pytest.approx(sum(arc.score for arc in path), abs=1e-9)
