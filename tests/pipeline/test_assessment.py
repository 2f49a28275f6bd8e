"""Judging translations: what counts as right, which strings are shown, what is a combination, what helps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from isogloss.metric import References, evaluate
from isogloss.pipeline.advice import Evidence, advice, warnings
from isogloss.pipeline.assessment import (
    Judged,
    combinations,
    confidence_check,
    part_verdicts,
    rank_correlation,
    same_text,
    unknown_words,
)
from isogloss.pipeline.similarity import memory_translations, nearest_sources
from isogloss.report.verdict import PartVerdict, Score, SystemVerdict, UnknownWord

TRAINING = ["open the file", "open the door", "close the window", "save %s now", "a dog", "open the file"]
TARGETS = ["Datei öffnen", "Tür öffnen", "Fenster zu", "%s sichern", "ein Hund", "Öffne die Datei"]


def judged(sources: list[str], lines: list[str], targets: list[str], **more: Any) -> Judged:
    nearest = nearest_sources(TRAINING, sources)
    return Judged(
        sources=sources,
        tokens=sources,
        lines=lines,
        memory=memory_translations(nearest, (TRAINING, TARGETS), sources, ("printf",)),
        references=References([targets]),
        confidence=np.linspace(0.1, 0.9, len(sources)),
        nearest=nearest,
        scoring={"tokenize": "13a", "lowercase": False},
        **more,
    )


def test_a_memory_offers_the_most_frequent_translation_of_the_nearest_source() -> None:
    sentences = ["open the file now", "save %d now", "nothing like it", "", "a dog"]
    nearest = nearest_sources(TRAINING, sentences)
    assert nearest.similarity.tolist() == pytest.approx([3 / 4, 2 / 3, 0, 0, 1])
    assert nearest.row.tolist() == [0, 3, -1, -1, 4]
    offered = memory_translations(nearest, (TRAINING, TARGETS), sentences, ("printf",))
    assert offered == ["Datei öffnen", "%d sichern", "nothing like it", "", "ein Hund"]
    more = [*TRAINING, "open the file"], [*TARGETS, "Öffne die Datei"]
    assert memory_translations(nearest, more, sentences, ())[0] == "Öffne die Datei"
    assert nearest_sources([], ["a"]).row.tolist() == [-1]


def test_a_match_whose_placeholders_do_not_correspond_is_offered_as_it_is() -> None:
    sentences = ["save it now", "save %s %d now", "save %d now"]
    nearest = nearest_sources(TRAINING, sentences)
    assert nearest.row.tolist() == [3, 3, 3]
    offered = memory_translations(nearest, (TRAINING, TARGETS), sentences, ("printf",))
    assert offered == ["%s sichern", "%s sichern", "%d sichern"]


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Qui\u202f?", "Qui ?", True),
        (" a  b\n", "a b", True),
        ("é", "e\u0301", True),
        ("A", "a", False),
        ("a.", "a", False),
    ],
)
def test_right_as_it_stands(first: str, second: str, same: bool) -> None:
    assert same_text(first, second) is same


def test_parts_are_scored_beside_the_memory() -> None:
    sources = ["open the door", "close the door now please", "save %s now", "a cat"]
    lines = ["Tür öffnen", "Tür jetzt bitte zu", "%s jetzt sichern", "eine Katze"]
    targets = ["Tür öffnen", "Tür bitte jetzt zu", "%s sichern", "eine Katze"]
    parts, p_value = part_verdicts(judged(sources, lines, targets))
    assert {name: part.strings for name, part in parts.items()} == {"all": 4, "similar": 2, "other": 2}
    assert (parts["all"].engine.right, parts["all"].memory.right) == (2, 2)
    assert (parts["similar"].engine.right, parts["similar"].memory.right) == (1, 2)
    assert (parts["other"].engine.right, parts["other"].memory.right) == (1, 0)
    expected = evaluate([lines[1], lines[3]], [targets[1], targets[3]])
    for metric in ("BLEU", "chrF2"):
        score = parts["other"].engine.scores[metric]
        assert score.score == pytest.approx(expected.score(metric))
        assert score.low - 1e-9 <= score.score <= score.high + 1e-9
    assert p_value is not None
    assert 0 < p_value <= 1


def test_one_part_alone_does_not_repeat_the_whole() -> None:
    parts, _ = part_verdicts(judged(["a dog"], ["ein Hund"], ["ein Hund"]))
    assert list(parts) == ["all"]


def test_best_and_worst_are_as_many_as_fit_and_do_not_overlap() -> None:
    sources = [f"{'word ' * (1 + at % 3)}{at}" for at in range(26)]
    references = [f"Wort Nummer {at}" for at in range(26)]
    lines = [text if at % 2 else "falsch" for at, text in enumerate(references)]
    one = judged(sources, lines, references)
    best, worst = one.best_and_worst(one.chrf(lines))
    assert (len(best), len(worst)) == (10, 10)
    assert {item.chrf for item in best} == {100.0}
    assert all(item.chrf < 50 for item in worst)
    assert not {item.line for item in best} & {item.line for item in worst}
    assert len(best[0].source) == max(len(source) for at, source in enumerate(sources) if at % 2)
    assert sources[best[0].line - 1] == best[0].source
    few = judged(sources[:3], lines[:3], references[:3])
    assert [len(items) for items in few.best_and_worst(few.chrf(lines[:3]))] == [1, 1]


def test_unknown_words_by_the_number_of_strings() -> None:
    lines = ["open the gate gate", "the gate , 77 ǁ0ǁ 're", "a zebra", "open the door"]
    words, has = unknown_words(TRAINING, lines)
    assert words == [UnknownWord(word="gate", strings=2), UnknownWord(word="zebra", strings=1)]
    assert has.tolist() == [True, True, True, False]


def test_combinations_of_training_strings() -> None:
    sources = ["open the window", "save the dog", "open the gate", "window the open a"]
    _, has = unknown_words(TRAINING, sources)
    found = combinations(TRAINING, judged(sources, sources, sources), has)
    assert found.tolist() == [True, True, False, False]


# Confidence -----------------------------------------------------------------------------------------------


def test_rank_correlation_is_that_of_scipy() -> None:
    rng = np.random.default_rng(3)
    first = rng.integers(0, 9, 60).astype(float)
    second = first + rng.normal(0, 4, 60)
    assert rank_correlation(first, second) == pytest.approx(spearmanr(first, second).statistic, abs=6e-4)
    assert rank_correlation(first, -first) == -1
    assert rank_correlation(first, np.ones(60)) is None


def test_reliability_compares_what_is_promised_with_what_comes() -> None:
    confidence = np.repeat([0.2, 0.95], 40)
    chrf = np.repeat([30.0, 90.0], 40)
    right = np.repeat([False, True], 40)
    check = confidence_check(confidence, chrf, right, calibrated=True)
    assert [row.strings for row in check.reliability] == [20, 20, 20, 20]
    assert [(row.confidence, row.chrf) for row in check.reliability] == [(0.2, 0.3)] * 2 + [(0.95, 0.9)] * 2
    assert check.error == pytest.approx(0.075)
    assert check.correlation == 1.0
    assert [(row.low, row.strings, row.right) for row in check.thresholds][-1] == (0.9, 40, 40)
    assert "expected chrF" in check.meaning
    assert "rule of thumb" in confidence_check(confidence, chrf, right, calibrated=False).meaning


# Advice ---------------------------------------------------------------------------------------------------


def evidence(**changes: Any) -> Evidence:
    score = Score(score=50.0, low=48.0, high=52.0)
    verdict = SystemVerdict(right=200, scores={"chrF2": score, "BLEU": score})
    facts: dict[str, Any] = {
        "set": "test",
        "pairs": 1000,
        "words": [],
        "tuned": True,
        "dropped": 10,
        "segmenter": "",
        "parts": {"all": PartVerdict(strings=400, engine=verdict, memory=verdict)},
        "p_value": 0.001,
        "chrf": np.tile([60.0, 40.0], 200),
        "unknown": np.zeros(400, np.bool_),
    }
    return Evidence(**{**facts, **changes})


def part(strings: int, low: float, high: float) -> dict[str, PartVerdict]:
    verdict = SystemVerdict(right=1, scores={"chrF2": Score(score=50.0, low=low, high=high)})
    return {"all": PartVerdict(strings=strings, engine=verdict, memory=verdict)}


def test_nothing_to_warn_of_and_nothing_to_advise() -> None:
    assert warnings(evidence()) == []
    assert advice(evidence()) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"parts": part(60, 48, 52)}, "60 strings are too few to tell exactly"),
        ({"parts": part(400, 40, 61)}, "chrF would be between 40 and 61"),
        ({"combined": 0.97}, "97% of these strings are pieces of training strings"),
        ({"p_value": 0.3}, "may be chance (p = 0.30)"),
        ({"set": "dev"}, "these strings were tuned on"),
        ({"set": "", "parts": {}}, "too few training pairs to hold any out (1,000)"),
    ],
)
def test_warnings(changes: dict[str, Any], said: str) -> None:
    (found,) = warnings(evidence(**changes))
    assert said in found
    assert warnings(evidence(set="dev", tuned=False)) == []


def test_advice_by_what_it_is_worth() -> None:
    words = [UnknownWord(word="gate", strings=3)]
    unknown = np.tile([False, True], 200)  # the bad half
    gains = np.tile([2.0, 1.0], 100)
    found = advice(
        evidence(words=words, unknown=unknown, gains=gains, dropped=900, segmenter="pip install x")
    )
    assert [text.split()[0] for text in found] == ["Install", "Add", "Add", "Look"]
    assert (
        "gate. 50% of the strings have an unknown word; their mean chrF is 40, that of the others 60"
        in (found[1])
    )
    assert "the mean chrF is 1.5 lower (± 0.1); twice as many" in found[2]
    # A few strings with unknown words are 20 points worse; that is half a point of all strings.
    few = (np.arange(400) < 20) & (np.arange(400) % 2 == 1)
    little = advice(evidence(words=words, unknown=few, gains=gains))
    assert [text.split()[1] for text in little] == ["more", "terms"]
    (none,) = advice(evidence(gains=np.tile([-1.0, 0.8], 100)))
    assert none.startswith("More pairs of the same kind may not help much")
    assert "changes by +0.1 (± 0.1)" in none
    (unclear,) = advice(evidence(gains=np.tile([-30.0, 31.0], 100)))
    assert unclear.startswith("These strings are too few to tell whether more pairs")
