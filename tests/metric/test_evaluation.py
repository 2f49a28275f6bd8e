from __future__ import annotations

import dataclasses
import inspect
import random
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from isogloss.io.errors import ConfigError, DataFormatError, InputFileError
from isogloss.metric import (
    EvaluateOptions,
    Metric,
    Nist,
    References,
    SystemOutput,
    evaluate,
    evaluate_systems,
)

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
    result = evaluate_systems([SystemOutput("one", (lines,))], REFERENCES, options)
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
    (system,) = evaluate_systems([SystemOutput("three", runs)], REFERENCES, options).systems
    single = [
        evaluate_systems([SystemOutput("one", (run,))], REFERENCES, options).systems[0].scores[0].score
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
    base, same, better = evaluate_systems(systems, REFERENCES, options).systems
    assert [score.comparison for score in base.scores] == [None, None]
    assert [score.comparison.p_value for score in same.scores if score.comparison] == [1.0, 1.0]
    for score in better.scores:
        assert score.comparison is not None
        assert score.comparison.p_value < 0.01
        assert score.comparison.test == test
        assert (score.comparison.difference > 0) == score.higher_is_better
    alone = evaluate_systems([systems[0], systems[2]], REFERENCES, options).systems[1]
    assert alone.scores == better.scores


def test_without_a_test_there_is_no_comparison() -> None:
    systems = [SystemOutput("a", (output(1, 0.3),)), SystemOutput("b", (output(2, 0.3),))]
    result = evaluate_systems(systems, REFERENCES, EvaluateOptions(test="none"))
    assert all(score.comparison is None for system in result.systems for score in system.scores)


def test_the_sentences_that_differ_most() -> None:
    references = References([["a b c d", "e f g h", "i j k l", "m n o p"], ["", "", "i j x l", ""]])
    base = SystemOutput("base", (["a b c d", "e f g x", "i j k l", "q q q q"],))
    other = SystemOutput("other", (["q q q q", "e f g h", "i j k l", "q q q r"],))
    options = EvaluateOptions(metrics=("bleu",), worst=3)
    first, second = evaluate_systems([base, other], references, options).systems
    assert first.differences == ()
    assert [found.line for found in second.differences] == [1, 2]
    found = second.differences[0]
    assert (found.baseline_score, found.system_score) == pytest.approx((100, 0))
    assert (found.baseline, found.system, found.references) == ("a b c d", "q q q q", ("a b c d",))
    assert second.zero_bleu == (2,)


def test_tokenized_text_under_a_tokenizer_is_noticed() -> None:
    lines = ["a b ."] * 120
    system = [SystemOutput("s", (lines,))]
    result = evaluate_systems(system, References([lines]), EvaluateOptions(metrics=("bleu",)))
    assert result.warnings == (
        "120 lines of s end in ' .': if the text is tokenized already, "
        "score it with tokenize='none' (--tokenize none)",
    )
    options = EvaluateOptions(metrics=("bleu",), tokenize="none")
    assert evaluate_systems(system, References([lines]), options).warnings == ()


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
        evaluate_systems([SystemOutput("s", (["a", "b"], ["a"]))], References([["a", "b"]]))
    with pytest.raises(ConfigError, match="system 's' has no output"):
        evaluate_systems([SystemOutput("s", ())], References([["a"]]))
    with pytest.raises(ConfigError, match="no system"):
        evaluate_systems([], References([["a"]]))


def test_every_form_of_text_gives_the_same_scores(tmp_path: Path) -> None:
    lines, references = output(1, 0.3), [REFERENCES.of(i) for i in range(len(REFERENCES))]
    (tmp_path / "out").write_text("".join(f"{line}\n" for line in lines))
    expected = evaluate_systems([SystemOutput("hypothesis", (lines,))], REFERENCES)
    for form in (lines, tuple(lines), tmp_path / "out", str(tmp_path / "out"), np.array(lines), [lines]):
        assert evaluate(form, REFERENCES).systems[0].scores == expected.systems[0].scores
    assert evaluate(lines, references).systems == expected.systems
    assert evaluate(lines, REFERENCES).to_dict() == dataclasses.asdict(expected)
    assert evaluate(lines, REFERENCES).score("BLEU") == expected.systems[0].scores[0].score


def test_several_systems_and_runs_by_name(tmp_path: Path) -> None:
    runs = [output(seed, 0.2) for seed in (2, 3)]
    for name, run in zip("ab", runs, strict=True):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in run))
    systems = {"old": output(1, 0.4), "new": runs, "files": [tmp_path / "a", tmp_path / "b"]}
    result = evaluate(systems, REFERENCES, metrics="ter, bleu", samples=200)
    assert [system.name for system in result.systems] == ["old", "new", "files"]
    assert [(row["system"], row["metric"]) for row in result] == [
        (system, metric) for system in systems for metric in ("TER", "BLEU")
    ]
    assert result.score("ter", "new") == result.score("ter", "files") < result.score("ter")
    old, new = result[1], result[3]
    assert old["difference"] is old["p_value"] is old["deviation"] is None
    assert new["difference"] == pytest.approx(new["score"] - old["score"])
    assert new["p_value"] < 0.05
    with pytest.raises(ConfigError, match="no system is called 'x'; there are: old, new, files"):
        result.score("bleu", "x")
    with pytest.raises(ConfigError, match="there is no score of 'nist'; there are: TER, BLEU"):
        result.score("nist")


def test_metrics_of_your_own() -> None:
    class Words(Metric):
        name = "words"

        def signature(self, references: References) -> str:
            return "mine"

        def statistics(self, hypotheses, references, sentences=None):
            return np.array([[len(line.split()), 1] for line in hypotheses])

        def score(self, summed) -> float:
            return float(summed[0] / summed[1])

    result = evaluate(["a b", "a b c d"], ["x", "y"], metrics=[Words(), "bleu"])
    assert list(result.signatures) == ["words", "BLEU"]
    assert result.score("words") == 3
    assert evaluate(["a"], ["a"], metrics=[Words()]).score("words") == 1
    for metrics, message in (([], "no metric; choose"), (["wer"], "unknown metric 'wer'")):
        with pytest.raises(ConfigError, match=message):
            evaluate(["a"], ["a"], metrics=metrics)


def test_keywords_are_the_fields_of_the_options() -> None:
    parameters = inspect.signature(evaluate).parameters
    for field in dataclasses.fields(EvaluateOptions):
        assert parameters[field.name].default == getattr(EvaluateOptions(), field.name)


def test_text_that_does_not_fit_is_refused() -> None:
    with pytest.raises(DataFormatError, match="2 lines found, but reference 1 has 1"):
        evaluate(["a", "b"], ["a"])
    with pytest.raises(InputFileError, match="a single string is the name of a file"):
        evaluate("a b c", ["a b c"])
