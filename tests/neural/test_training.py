from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from isogloss import _engine
from isogloss.align import Alignments
from isogloss.io.errors import ConfigError, TrainingError
from isogloss.neural import Epoch, JointOptions, train_joint
from isogloss.neural.aligned_text import JointText
from isogloss.neural.words import BEGIN, END, JointWords

PENALTY = 0.5
SMALL = JointOptions(window=3, history=2, embedding=16, hidden=16, min_count=1, batch=32, noise=32, epochs=6)


def word_for_word(count: int) -> tuple[list[list[str]], list[list[str]], Alignments]:
    """Sentences in which every word has its own translation, and all are in order."""
    rng = np.random.default_rng(5)
    sources = [[f"s{n}" for n in rng.integers(0, 12, rng.integers(2, 7))] for _ in range(count)]
    targets = [[word.replace("s", "t") for word in source] for source in sources]
    links = Alignments.from_links([[(i, i) for i in range(len(source))] for source in sources])
    return sources, targets, links


def test_learns_what_the_source_says() -> None:
    sources, targets, links = word_for_word(600)
    model = train_joint(sources, targets, links, SMALL)
    assert model.facts["perplexity"] < 1.3
    right = sum(model.score(["s3", "s5"], ["t3", "t5"], [(0, 0), (1, 1)]))
    wrong = sum(model.score(["s3", "s5"], ["t4", "t5"], [(0, 0), (1, 1)]))
    assert right > wrong + 3


def test_does_not_depend_on_the_number_of_threads() -> None:
    sources, targets, links = word_for_word(100)
    one, three = (
        train_joint(sources, targets, links, replace(SMALL, epochs=2), threads=threads) for threads in (1, 3)
    )
    for name, array in one.arrays.items():
        assert np.array_equal(array, three.arrays[name]), name
    other = train_joint(sources, targets, links, replace(SMALL, epochs=2, seed=2))
    assert not np.array_equal(one.arrays["output"], other.arrays["output"])


def test_a_training_that_was_interrupted_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    sources, targets, links = word_for_word(100)
    options = replace(SMALL, epochs=4)
    straight = train_joint(sources, targets, links, options)

    class Killed(Exception):  # noqa: N818
        pass

    def kill(epoch: Epoch) -> None:
        if epoch.number == 3:
            raise Killed

    seen: list[int] = []
    with pytest.raises(Killed):
        train_joint(sources, targets, links, options, work=tmp_path, report=kill)
    resumed = train_joint(
        sources, targets, links, options, work=tmp_path, report=lambda epoch: seen.append(epoch.number)
    )
    assert seen == [3, 4]
    assert resumed.facts == straight.facts
    for name, array in straight.arrays.items():
        assert np.array_equal(array, resumed.arrays[name]), name


class Trainer:
    """A trainer whose noise is always one word, so that a step can be computed by hand."""

    NOISE = 5

    def __init__(self, **changes: float) -> None:
        sources, targets = [["a", "b", "c"], ["b"]], [["x", "y"], ["z", "z", "x"]]
        links = Alignments.from_links([[(0, 0), (2, 1)], [(0, 1)]])
        self.source = JointWords.learn(sources, min_count=1, most=100)
        self.target = JointWords.learn(targets, min_count=1, most=100)
        self.text = JointText.of(sources, targets, links, self.source, self.target)
        self.noise = np.full(len(self.target), 1e-9)
        self.noise[self.NOISE] = 1 - self.noise.sum() + self.noise[self.NOISE]
        settings = {"penalty": PENALTY, "hidden_dropout": 0.0, "history_dropout": 0.0, **changes}
        self.engine = _engine.JointTrainer(
            source_words=len(self.source),
            target_words=len(self.target),
            window=3,
            history=2,
            embedding=16,
            hidden=16,
            source=self.text.source,
            target=self.text.target,
            source_begin=self.text.source_begin,
            target_begin=self.text.target_begin,
            position=self.text.position,
            noise=self.noise,
            batch=64,
            noise_words=4,
            seed=3,
            **settings,
        )

    def parameters(self) -> dict[str, npt.NDArray[np.float64]]:
        return {name: np.asarray(v, np.float64) for name, v in self.engine.parameters().items()}


# The samples of both sentences: words around the source position, last words first, the word itself.
def samples(trainer: Trainer) -> list[tuple[list[int], list[int], int]]:
    a, b, c = trainer.source.numbers(["a", "b", "c"])
    x, y, z = trainer.target.numbers(["x", "y", "z"])
    return [
        ([BEGIN, a, b], [BEGIN, BEGIN], x),
        ([b, c, END], [x, BEGIN], y),
        ([c, END, END], [y, x], END),
        ([BEGIN, b, END], [BEGIN, BEGIN], z),
        ([BEGIN, b, END], [z, BEGIN], z),
        ([BEGIN, b, END], [z, z], x),
        ([b, END, END], [x, z], END),
    ]


def test_a_step_follows_the_gradient_of_the_estimated_likelihood() -> None:
    trainer = Trainer()
    before = trainer.parameters()
    e_source, e_target, hidden_weights, output = (
        before[name].reshape(-1, 16) for name in ("source_embedding", "target_embedding", "hidden", "output")
    )
    gradients = {name: np.zeros_like(values) for name, values in before.items()}
    shaped = {name: values.reshape(-1, 16) for name, values in gradients.items() if values.size % 16 == 0}
    all_samples = samples(trainer)
    for window, history, word in all_samples:
        inputs = np.concatenate([e_source[window].reshape(-1), e_target[history].reshape(-1)])
        hidden = np.maximum(inputs @ hidden_weights + before["hidden_bias"], 0)
        others = [] if word == Trainer.NOISE else [Trainer.NOISE] * 4
        scores = hidden @ output.T + before["output_bias"]
        parts = np.exp(
            [scores[word], *(scores[other] - np.log(4 * trainer.noise[other]) for other in others)]
        )
        # d (log Z - score + penalty * log Z squared) / d score
        deltas = parts / parts.sum() * (1 + 2 * PENALTY * np.log(parts.sum()))
        deltas[0] -= 1
        back = np.zeros(16)
        for other, delta in zip([word, *others], deltas, strict=True):
            shaped["output"][other] += delta * hidden
            gradients["output_bias"][other] += delta
            back += delta * output[other]
        back[hidden <= 0] = 0
        shaped["hidden"] += np.outer(inputs, back)
        gradients["hidden_bias"] += back
        rows = (hidden_weights @ back).reshape(-1, 16)
        for row, number in zip(rows[:3], window, strict=True):
            shaped["source_embedding"][number] += row
        for row, number in zip(rows[3:], history, strict=True):
            shaped["target_embedding"][number] += row
    step = 0.01
    trainer.engine.train(np.arange(7, dtype=np.uint32), step=step, last_step=step)
    after = trainer.parameters()
    for name, gradient in gradients.items():
        mean = gradient / len(all_samples)
        assert np.any(mean != 0)
        # AdaGrad's first step has the size of ``step`` wherever there is a gradient.
        large = np.abs(mean) > 1e-6
        assert np.allclose((before[name] - after[name])[large], step * np.sign(mean)[large], atol=1e-4), name
        assert np.allclose((before[name] - after[name])[mean == 0], 0), name
        squares = np.asarray(trainer.engine.state()[2][name], np.float64)
        assert np.allclose(squares, mean**2, rtol=2e-3, atol=1e-9), name


def test_goes_on_from_a_state_as_if_never_stopped() -> None:
    order = np.arange(7, dtype=np.uint32)
    straight, stopped, resumed = Trainer(), Trainer(), Trainer()
    for trainer in (straight, stopped):
        trainer.engine.train(order, step=0.05, last_step=0.05)
    resumed.engine.restore(*stopped.engine.state())
    for trainer in (straight, resumed):
        trainer.engine.train(order[::-1].copy(), step=0.05, last_step=0.05)
    for name, values in straight.parameters().items():
        assert np.array_equal(values, resumed.parameters()[name]), name


def test_predictions_are_normalized_by_their_sum() -> None:
    trainer = Trainer()
    hidden, scores, log_sums = trainer.engine.predict(np.arange(7, dtype=np.uint32))
    found = trainer.parameters()
    everything = hidden.astype(np.float64) @ found["output"].reshape(-1, 16).T + found["output_bias"]
    assert np.allclose(log_sums, np.log(np.exp(everything).sum(axis=1)), atol=1e-5)
    words = [word for _, _, word in samples(trainer)]
    assert np.allclose(scores, everything[np.arange(7), words], atol=1e-5)


def test_history_that_is_cut_off_is_nothing() -> None:
    # With all histories cut off, the first target word before is never learned about as itself in full.
    trainer = Trainer(history_dropout=0.9)
    before = trainer.parameters()["target_embedding"].reshape(-1, 16)
    for _ in range(5):
        trainer.engine.train(np.arange(7, dtype=np.uint32), step=0.05, last_step=0.05)
    after = trainer.parameters()["target_embedding"].reshape(-1, 16)
    assert not np.array_equal(before[2], after[2])  # <nothing>


def test_bad_input_is_refused() -> None:
    with pytest.raises(ConfigError, match="odd"):
        JointOptions(window=4)
    with pytest.raises(ConfigError, match="multiple of 16"):
        JointOptions(hidden=100)
    with pytest.raises(TrainingError, match="two sentence pairs"):
        train_joint([["a"]], [["b"]], Alignments.from_links([[]]), SMALL)
    with pytest.raises(ValueError, match="no such sample"):
        Trainer().engine.train(np.array([7], np.uint32), step=0.1, last_step=0.1)
