from __future__ import annotations

import random

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.metric import EvaluateOptions, Nist, References, SystemOutput, evaluate

BASE = random.Random(1)
WORDS = [f"w{i}" for i in range(30)]
REFERENCE = [" ".join(BASE.choice(WORDS) for _ in range(12)) for _ in range(60)]
REFERENCES = References([REFERENCE])


def output(seed: int, noise: float) -> list[str]:
    rng = random.Random(seed)
    return [
        " ".join(rng.choice(WORDS) if rng.random() < noise else word for word in line.split())
        for line in REFERENCE
    ]


def test_scores_are_those_of_the_metrics() -> None:
    lines = output(1, 0.3)
    options = EvaluateOptions(metrics=("bleu", "nist", "chrf", "ter"), tokenize="none")
    result = evaluate([SystemOutput("one", (lines,))], REFERENCES, options)
    nist = Nist()
    expected = [
        BLEU(tokenize="none", force=True).corpus_score(lines, [REFERENCE]).score,
        nist.score(nist.statistics(lines, REFERENCES).sum(axis=0)),
        CHRF().corpus_score(lines, [REFERENCE]).score,
        TER().corpus_score(lines, [REFERENCE]).score,
    ]
    (system,) = result.systems
    assert [score.score for score in system.scores] == pytest.approx(expected, abs=1e-9)
    assert list(result.signatures) == ["BLEU", "NIST", "chrF2", "TER"]
    assert [score.higher_is_better for score in system.scores] == [True, True, True, False]
    for score in system.scores:
        assert score.interval.low < score.score < score.interval.high
        assert score.comparison is None
        assert score.deviation is None
    assert result.sentences == 60


def test_runs_are_averaged_with_their_spread() -> None:
    runs = tuple(output(seed, 0.3) for seed in range(3))
    options = EvaluateOptions(metrics=("bleu",), tokenize="none")
    (system,) = evaluate([SystemOutput("three", runs)], REFERENCES, options).systems
    single = [
        evaluate([SystemOutput("one", (run,))], REFERENCES, options).systems[0].scores[0].score
        for run in runs
    ]
    (score,) = system.scores
    assert score.runs == pytest.approx(single)
    assert score.score == pytest.approx(np.mean(single))
    assert score.deviation == pytest.approx(np.std(single, ddof=1))
    assert len(system.zero_bleu) == 3


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_each_system_is_compared_with_the_first(test: str) -> None:
    systems = [
        SystemOutput("base", (output(1, 0.3), output(2, 0.3))),
        SystemOutput("same", (output(1, 0.3), output(2, 0.3))),
        SystemOutput("better", (output(3, 0.1),)),
    ]
    options = EvaluateOptions(metrics=("bleu", "ter"), tokenize="none", test=test, samples=200)
    base, same, better = evaluate(systems, REFERENCES, options).systems
    assert [score.comparison for score in base.scores] == [None, None]
    assert [score.comparison.p_value for score in same.scores if score.comparison] == [1.0, 1.0]
    for score in better.scores:
        assert score.comparison is not None
        assert score.comparison.p_value < 0.01
        assert score.comparison.test == test
        assert (score.comparison.difference > 0) == score.higher_is_better
    alone = evaluate([systems[0], systems[2]], REFERENCES, options).systems[1]
    assert alone.scores == better.scores


def test_without_a_test_there_is_no_comparison() -> None:
    systems = [SystemOutput("a", (output(1, 0.3),)), SystemOutput("b", (output(2, 0.3),))]
    result = evaluate(systems, REFERENCES, EvaluateOptions(test="none"))
    assert all(score.comparison is None for system in result.systems for score in system.scores)


def test_the_sentences_that_differ_most() -> None:
    references = References([["a b c d", "e f g h", "i j k l", "m n o p"], ["", "", "i j x l", ""]])
    base = SystemOutput("base", (["a b c d", "e f g x", "i j k l", "q q q q"],))
    other = SystemOutput("other", (["q q q q", "e f g h", "i j k l", "q q q r"],))
    options = EvaluateOptions(metrics=("bleu",), worst=3)
    first, second = evaluate([base, other], references, options).systems
    assert first.differences == ()
    assert [found.line for found in second.differences] == [1, 2]
    found = second.differences[0]
    assert (found.baseline_score, found.system_score) == pytest.approx((100, 0))
    assert (found.baseline, found.system, found.references) == ("a b c d", "q q q q", ("a b c d",))
    assert second.zero_bleu == (2,)


def test_tokenised_text_under_a_tokenizer_is_noticed() -> None:
    lines = ["a b ."] * 120
    system = [SystemOutput("s", (lines,))]
    result = evaluate(system, References([lines]), EvaluateOptions(metrics=("bleu",)))
    assert result.warnings == (
        "120 lines of s end in ' .': if the text is tokenised already, score it with --tokenize none",
    )
    options = EvaluateOptions(metrics=("bleu",), tokenize="none")
    assert evaluate(system, References([lines]), options).warnings == ()


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"metrics": ("meteor",)}, "unknown metric 'meteor'; choose one or more of: bleu, nist, chrf, ter"),
        ({"metrics": ()}, "no metric; choose"),
        ({"metrics": ("bleu", "bleu")}, "each metric can be asked for once, got bleu, bleu"),
        ({"test": "t"}, "unknown test 't'; choose one of: bootstrap, randomization, none"),
        ({"samples": 0}, "samples must be at least 1, got 0"),
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"worst": -1}, "worst must be at least 0, got -1"),
    ],
)
def test_options_are_checked(wrong: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        EvaluateOptions(**wrong)  # type: ignore[arg-type]


def test_outputs_must_fit_the_references() -> None:
    with pytest.raises(DataFormatError, match="s, run 2:2: 1 line found, but reference 1 has 2"):
        evaluate([SystemOutput("s", (["a", "b"], ["a"]))], References([["a", "b"]]))
    with pytest.raises(ConfigError, match="system 's' has no output"):
        evaluate([SystemOutput("s", ())], References([["a"]]))
    with pytest.raises(ConfigError, match="no system"):
        evaluate([], References([["a"]]))
