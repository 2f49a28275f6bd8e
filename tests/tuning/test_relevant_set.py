"""Relevant set training against its formulas, against SciPy on listed problems, and from a kill."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pytest

from isogloss import _engine
from isogloss.decoder import Decoder, SearchOptions, load
from isogloss.decoder.decoder import LanguageModel, RuleTable
from isogloss.decoder.search_result import Searched
from isogloss.decoder.system import System
from isogloss.features import SparseModel
from isogloss.features.block import block_features
from isogloss.grammar.table import Rule
from isogloss.io.errors import ConfigError, TrainingError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import read_lines
from isogloss.metric import References
from isogloss.tuning.relevant_set import RelevantSetOptions, RelevantSetTrainer
from isogloss.tuning.sequence_decoder import (
    ListSequences,
    RealFeature,
    SearchSequences,
    Sequences,
    SequenceWeights,
)
from isogloss.tuning.tune import TuneOptions, TuneResult, tune
from support.relevant_set_toys import (
    Array,
    Toy,
    ToyDecoder,
    add,
    dense_weights,
    engine_set,
    full_loss,
    objective,
    phi,
    solve,
)

T = TypeVar("T")


def columns_of(made: _engine.RelevantSet, toy: Toy) -> list[int]:
    """The engine numbers features as they come; the toy's column of each."""
    weights = np.arange(1.0, made.columns + 1)
    made.restart(weights)
    _, numbers, values = made.weights(made.now())
    order = np.argsort(values)
    return [int(number) - 1 for number in numbers[order]]


# The loss and a step --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_loss_and_gradient_equal_finite_differences(seed: int) -> None:
    toy, truths = Toy.random(seed), 1
    made = engine_set(toy, truths)
    columns = columns_of(made, toy)
    weights = np.random.default_rng(seed).normal(scale=0.3, size=len(columns))

    def loss(values: Array, sentence: int) -> float:
        made.restart(np.ascontiguousarray(values))
        return float(made.losses()[sentence])

    dense = np.zeros(toy.rows[0].shape[1])
    dense[columns] = weights
    made.restart(weights)
    assert made.losses(threads=2).mean() == pytest.approx(full_loss(toy, dense, truths))
    for sentence in range(len(toy.rows)):
        step = 1e-6 * np.eye(len(columns))
        slope = [(loss(weights + s, sentence) - loss(weights - s, sentence)) / 2e-6 for s in step]
        made.restart(weights)
        made.sweep(np.array([sentence], np.uint32), learning_rate=1e-3, decay=0, regularization=0)
        assert np.allclose((made.now() - weights) / 1e-3, -np.array(slope) / 2, atol=1e-6)


@pytest.mark.parametrize(
    ("rate", "strength", "decay"), [(0.05, 0.0, 0.0), (0.05, 0.01, 2.0), (0.2, 1.0, 0.0)]
)
def test_steps_equal_the_formula(rate: float, strength: float, decay: float) -> None:
    """The last case shrinks so much that the scale of the weights is folded into them."""
    toy, truths = Toy.random(3), 2
    made = engine_set(toy, truths)
    order = np.random.default_rng(1).integers(0, len(toy.rows), 60).astype(np.uint32)
    pass_ = made.sweep(order, learning_rate=rate, decay=decay, regularization=strength)
    weights = np.zeros(toy.rows[0].shape[1])
    total, steps, updates = np.zeros_like(weights), 0, 0
    best = toy.truths(truths)
    in_a_pass = sum(len(rows) for rows in best)
    for sentence in order:
        rows, quality = toy.rows[sentence], toy.qualities[sentence]
        others = [row for row in range(len(rows)) if row not in best[sentence]]
        for truth in best[sentence]:
            costs = [phi(quality[truth] - quality[o], weights @ (rows[truth] - rows[o])) for o in others]
            other = others[int(np.argmax(costs))]
            change = rows[truth] - rows[other]
            size = (quality[truth] - quality[other]) * max(0.0, 1 - float(weights @ change))
            now = rate / (1 + decay * steps / in_a_pass)
            weights = (1 - 2 * now * strength) * weights + now * size * change
            total += weights
            steps += 1
            updates += size > 0
    assert pass_[:2] == (steps, updates)
    assert np.allclose(dense_weights(made, len(weights)), weights, atol=1e-6)
    assert np.allclose(dense_weights(made, len(weights), average=True), total / steps, atol=1e-6)


def test_what_a_sequence_becomes() -> None:
    made = _engine.RelevantSet(sentences=2, truths=2, real_columns=0, min_count=2)
    rows = np.eye(6)
    assert add(made, 0, rows[:2], np.array([0.9, 0.5]), as_truth=True) == [2, 2]
    assert add(made, 0, rows[:1], np.array([0.9]), as_truth=False) == [0]  # a truth is no alternative
    assert add(made, 0, rows[2:4], np.array([0.5, 0.1]), as_truth=False) == [1, 1]
    assert add(made, 0, rows[3:4], np.array([0.1]), as_truth=False) == [0]
    assert add(made, 0, rows[4:5], np.array([0.7]), as_truth=False) == [2]  # better than the worst truth
    assert made.sizes(0) == (2, 3)
    assert made.sizes(1) == (0, 0)
    assert made.best_quality() == 0.9
    # Features in one sequence only get no weight, however often it is seen.
    for _ in range(3):
        made.sweep(np.array([0, 1], np.uint32), learning_rate=0.1, decay=0, regularization=0)
    assert not np.any(made.now())
    assert add(made, 1, rows[3:5], np.array([0.5, 0.2]), as_truth=True) == [2, 2]
    assert sorted(made.take_activated().tolist()) == [4, 5]
    made.sweep(np.array([0], np.uint32), learning_rate=0.1, decay=0, regularization=0)
    assert set(made.weights(made.now())[1].tolist()) == {4, 5}


def test_what_makes_no_sense_is_refused() -> None:
    made = engine_set(Toy.random(0), 1)
    order = np.zeros(1, np.uint32)
    with pytest.raises(ValueError, match="learning rate"):
        made.sweep(order, learning_rate=1, decay=0, regularization=0.5)
    with pytest.raises(ValueError, match="weight for each column"):
        made.restart(np.zeros(3))
    with pytest.raises(IndexError):
        made.sweep(order + 9, learning_rate=0.1, decay=0, regularization=0)
    empty = np.zeros((1, 0)), np.zeros(1)
    for features, counts in (([2, 1], [1, 1]), ([0], [1]), ([1], [np.nan]), ([1], [1, 1])):
        offsets = np.array([0, len(features)])
        arrays = np.array(features, np.uint64), np.array(counts, np.float32)
        with pytest.raises(ValueError, match=r"ascending|finite|fit"):
            made.add(order, offsets, *arrays, *empty, as_truth=False)
    for options, message in (
        ({"selection": "all"}, "selection must be one of"),
        ({"learning_rate": 1.0, "regularization": 0.5}, "must be below 0.5"),
        ({"truths": 0}, "at least 1"),
        ({"decay": -1.0}, "at least 0"),
        ({"parts": 0}, "at least 1"),
        ({"memory": 1.0}, "below 1"),
    ):
        with pytest.raises(ConfigError, match=message):
            RelevantSetOptions(**options)  # type: ignore[arg-type]


# Whole problems -------------------------------------------------------------------------------------------

TRUTHS, STRENGTH = 2, 0.02


def train_toy(toy: Toy, selection: str, folder: Path) -> Array:
    options = RelevantSetOptions(
        iterations=12,
        parts=1,
        truths=TRUTHS,
        selection=selection,
        nbest=4,
        passes=120,
        learning_rate=0.05,
        decay=0.05,
        regularization=STRENGTH,
        min_count=1,
    )
    trainer = RelevantSetTrainer(ToyDecoder(toy), options, folder)
    trainer.begin()
    for _ in range(options.iterations):
        trainer.iterate()
    trainer.options = replace(options, passes=800)
    trainer.learn(np.arange(len(toy.rows)))
    return dense_weights(trainer.set, toy.rows[0].shape[1], average=True)


@pytest.mark.parametrize("seed", range(3))
def test_exact_selection_reaches_the_optimum_of_the_whole_problem(seed: int, tmp_path: Path) -> None:
    toy = Toy.random(seed)
    _, best = solve(toy, TRUTHS, STRENGTH)
    gaps = {}
    for selection in ("exact", "nbest", "top"):
        found = train_toy(toy, selection, tmp_path / selection)
        gaps[selection] = objective(toy, found, TRUTHS, STRENGTH) / best - 1
    shown = ", ".join(f"{selection} +{100 * gap:.2f}%" for selection, gap in gaps.items())
    sys.stdout.write(f"seed {seed}: optimum {best:.5f}, {shown}\n")
    assert -1e-6 < gaps["exact"] < 0.01
    assert min(gaps.values()) > -1e-6  # nothing is below the optimum


@pytest.mark.parametrize("seed", range(3))
def test_lemma_1_the_relevant_set_at_the_solution_has_the_same_optimum(seed: int) -> None:
    toy = Toy.random(seed)
    weights, best = solve(toy, TRUTHS, STRENGTH)
    relevant: list[set[int]] = []
    for number, truths in enumerate(toy.truths(TRUTHS)):
        rows, quality = toy.rows[number], toy.qualities[number]
        chosen: set[int] = set()
        for truth in truths:
            costs = [
                -1.0 if o in truths else phi(quality[truth] - quality[o], weights @ (rows[truth] - rows[o]))
                for o in range(len(rows))
            ]
            chosen |= {o for o, cost in enumerate(costs) if cost >= max(costs) - 1e-4}
        relevant.append(chosen)
    sets = [sorted(chosen) for chosen in relevant]
    assert sum(map(len, sets)) < sum(map(len, toy.rows))
    found, value = solve(toy, TRUTHS, STRENGTH, sets)
    assert value == pytest.approx(best, rel=1e-3)
    assert objective(toy, found, TRUTHS, STRENGTH) == pytest.approx(best, rel=1e-2)


@pytest.mark.parametrize("seed", range(3))
def test_lemma_1_in_the_engine(seed: int) -> None:
    """Learned from the relevant set of the solution alone, the engine's weights solve the whole problem."""
    toy = Toy.random(seed)
    weights, best = solve(toy, TRUTHS, STRENGTH)
    made = _engine.RelevantSet(sentences=len(toy.rows), truths=TRUTHS, real_columns=0, min_count=1)
    left_out = 0
    for number, truths in enumerate(toy.truths(TRUTHS)):
        rows, quality = toy.rows[number], toy.qualities[number]
        add(made, number, rows[truths], quality[truths], as_truth=True)
        others = [other for other in range(len(rows)) if other not in truths]
        costs = np.array(
            [
                [phi(quality[t] - quality[o], float(weights @ (rows[t] - rows[o]))) for o in others]
                for t in truths
            ]
        )
        relevant = np.flatnonzero((costs >= costs.max(axis=1, keepdims=True) - 1e-4).any(axis=0))
        left_out += len(others) - len(relevant)
        chosen = [others[at] for at in relevant]
        add(made, number, rows[chosen], quality[chosen], as_truth=False)
    assert left_out > 0
    for number in range(800):
        order = np.random.default_rng(number).permutation(len(toy.rows)).astype(np.uint32)
        made.sweep(order, learning_rate=0.05, decay=0.05, regularization=STRENGTH)
    found = dense_weights(made, toy.rows[0].shape[1], average=True)
    assert objective(toy, found, TRUTHS, STRENGTH) == pytest.approx(best, rel=0.02)


class Recorder(ToyDecoder):
    """Notes what it is asked for, and the mean of the steps before."""

    trainer: RelevantSetTrainer

    def __init__(self, toy: Toy) -> None:
        super().__init__(toy)
        self.calls: list[tuple[SequenceWeights, list[int], Array]] = []

    def decode(
        self,
        weights: SequenceWeights,
        sentences: npt.NDArray[np.int64],
        *,
        nbest: int,
        distinct: bool,
        track: Track,
    ) -> Iterator[Sequences]:
        self.calls.append((weights, sentences.tolist(), self.trainer.set.mean()))
        return super().decode(weights, sentences, nbest=nbest, distinct=distinct, track=track)


def test_every_part_is_decoded_with_the_mean_of_what_the_parts_before_taught(tmp_path: Path) -> None:
    decoder = Recorder(Toy.random(1))
    options = RelevantSetOptions(
        parts=3, passes=2, truths=1, learning_rate=0.05, regularization=0, min_count=1, memory=0.5
    )
    decoder.trainer = RelevantSetTrainer(decoder, options, tmp_path)
    decoder.trainer.begin()
    for _ in range(2):
        decoder.trainer.iterate()
    whole = list(range(decoder.size))
    assert [len(sentences) < decoder.size for _, sentences, _ in decoder.calls] == [True] * 6
    for calls in (decoder.calls[:3], decoder.calls[3:]):
        assert [at for _, sentences, _ in calls for at in sentences] == whole
    for last, (weights, _, mean) in enumerate(decoder.calls):
        total, share = np.zeros(len(mean)), 0.0
        for number, (_, _, before) in enumerate(decoder.calls[: last + 1]):
            total[: len(before)] += 0.5 ** (last - number) * before
            share += 0.5 ** (last - number)
        _, features, values = decoder.trainer.set.weights(total / share)
        assert features.tolist() == weights.features.tolist()
        assert np.allclose(values, weights.values, atol=1e-6)
        assert (len(features) > 0) == (last > 0)  # the toy begins without alternatives


class WithScore(ToyDecoder):
    """Has a real-valued feature too."""

    real = (RealFeature("score", 0.5, 2.0),)


def test_regularization_keeps_dense_weights_at_their_start(tmp_path: Path) -> None:
    decoder = WithScore(Toy.random(1))
    options = RelevantSetOptions(
        truths=1, learning_rate=0.05, regularization=0.5, min_count=1, passes=3, real_rate=0.25
    )
    trainer = RelevantSetTrainer(decoder, options, tmp_path)
    count = decoder.size
    trainer.set.add(
        np.arange(count, dtype=np.uint32),
        np.arange(count + 1),
        np.arange(1, count + 1, dtype=np.uint64),
        np.ones(count, np.float32),
        np.ones((count, 1)),
        np.full(count, 0.5),
        as_truth=True,
    )
    start = 0.5 * 2.0 / 0.5  # scaled up, so that a step changes it less
    trainer.set.restart(np.array([start, *([1.0] * count)]))
    trainer.learn(np.arange(count))  # truths without alternatives: the steps do nothing but regularize
    shrunk = 0.95 ** (3 * count)
    assert trainer.set.now() == pytest.approx([start, *([shrunk] * count)])
    assert trainer.weights().real["score"] == pytest.approx(0.5)


# With decoders --------------------------------------------------------------------------------------------


def data(systems: Path, count: int = 60) -> tuple[list[str], References]:
    corpus = systems / "corpus"
    sources, targets = (list(read_lines(corpus / f"train.{side}"))[:count] for side in ("src", "tgt"))
    return sources, References([targets])


def block_system(systems: Path, order: str = "swap") -> System:
    options = SearchOptions(
        hierarchical=False,
        phrase_order=order,  # type: ignore[arg-type]
        max_options=5,
        max_scanned=5,
        beam_size=10,
        pop_limit=20,
    )
    sparse = SparseModel(block_features(swap=order == "swap"))
    rules, lm = RuleTable.open(systems / "phrases"), LanguageModel.load(systems / "lm")
    return System(Decoder(rules, lm, options, load(systems / "phrase").weights, sparse=sparse), systems)


def learn(
    system: System, systems: Path, work: Path, track: Track = no_track, **options: object
) -> TuneResult:
    relevant = RelevantSetOptions(**{"iterations": 3, "passes": 3, **options})  # type: ignore[arg-type]
    tuning = TuneOptions(method="relevant-set", relevant=relevant)
    threads = 2 if "threads" in work.name else 1
    return tune(system, *data(systems), tuning, work=work, track=track, threads=threads)


def content(result: TuneResult) -> list[tuple[str, float]]:
    assert result.sparse is not None
    return [*result.dense.items(), *result.sparse]


def test_blocks_are_learned_the_same_after_a_kill_and_with_any_threads(systems: Path, tmp_path: Path) -> None:
    whole = learn(block_system(systems), systems, tmp_path / "whole")
    assert whole.history[-1].dev_score > whole.history[0].dev_score + 5
    assert whole.history[-1].upper_bound is not None
    assert whole.history[-1].upper_bound > whole.history[-1].dev_score
    assert not any(whole.dense.values())
    names = {name.partition(":")[0] for name, _ in content(whole)[len(whole.dense) :]}
    assert names == set(block_features().templates)

    class Killed(BaseException):
        """Nothing catches it."""

    steps = 0

    def killing(items: Iterable[T], description: str, total: int | None = None, /) -> Iterator[T]:
        nonlocal steps
        for item in items:
            yield item
            steps += 1
            if steps % 50 == 0:
                raise Killed

    result, kills = None, 0
    while result is None:
        try:
            result = learn(block_system(systems), systems, tmp_path / "killed-threads", killing)
        except Killed:
            kills += 1
    assert kills > 1
    assert content(result) == content(whole)
    assert [step.dev_score for step in result.history] == [step.dev_score for step in whole.history]
    with pytest.raises(ConfigError, match="other options"):
        learn(block_system(systems), systems, tmp_path / "killed-threads", passes=4)


def test_a_bag_has_the_most_frequent_block_of_every_source_phrase(systems: Path) -> None:
    sources, references = data(systems, 3)
    system = block_system(systems)
    (bags,) = SearchSequences(system.decoder, sources, references).begin()
    rules = RuleTable.open(systems / "phrases")
    assert bags.qualities.tolist() == [0.0] * 3
    for sentence, line in enumerate(sources):
        found: dict[tuple[int, int], Rule] = {}
        for rule, begin, end in rules.match(line.split()):
            known = found.setdefault((begin, end), rule)
            if rule.scores["target_given_source"] > known.scores["target_given_source"]:
                found[begin, end] = rule
        expected = Counter[str]()
        for rule in found.values():
            expected[f"rule:({'_'.join(rule.source)})|({'_'.join(rule.target)})"] += 1
            expected.update(
                f"block_pair:{target}|{source}" for target in rule.target for source in rule.source
            )
        features, counts = bags.rows.row(sentence).features, bags.rows.row(sentence).counts
        numbers, letters, ends = bags.names(features)
        text, begin, names = bytes(letters).decode(), 0, {}
        for number, end in zip(numbers.tolist(), ends.tolist(), strict=True):
            names[number], begin = text[begin:end], end
        assert {names[f]: c for f, c in zip(features.tolist(), counts.tolist(), strict=True)} == expected


def test_folds_are_decoded_by_their_own_decoders(systems: Path) -> None:
    sources, references = data(systems, 7)
    decoders = [block_system(systems).decoder for _ in range(3)]
    seen: list[list[str]] = [[] for _ in decoders]

    def watch(number: int) -> None:
        search = decoders[number].search

        def searched(inputs: list[str], **options: object) -> Searched:
            seen[number] += inputs
            return search(inputs, **options)  # type: ignore[arg-type]

        decoders[number].search = searched  # type: ignore[method-assign, assignment]

    for number in range(3):
        watch(number)
    box = SearchSequences(block_system(systems).decoder, sources, references, unseen=decoders)
    nothing = SequenceWeights({}, np.zeros(0, np.uint64), np.zeros(0, np.float32))
    found = list(box.decode(nothing, np.arange(1, 6)))
    assert seen == [sources[1:3], sources[3:5], sources[5:6]]
    assert [number for part in found for number in part.sentences().tolist()] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("selection", ["nbest", "exact"])
def test_other_selections_and_monotone_order(selection: str, systems: Path) -> None:
    sources, references = data(systems, 300)
    short = [at for at, line in enumerate(sources) if len(line.split()) <= 4]
    texts = [references.of(at)[0] for at in short]
    relevant = RelevantSetOptions(iterations=3, passes=3, selection=selection, nbest=5, bags=True)
    result = tune(
        block_system(systems, "monotone"),
        [sources[at] for at in short],
        References([texts]),
        TuneOptions(method="relevant-set", relevant=relevant),
    )
    assert result.history[-1].dev_score > result.history[0].dev_score
    if selection == "exact":
        longest = max(range(len(sources)), key=lambda at: len(sources[at].split()))
        with pytest.raises(ConfigError, match="10,000 sequences or more"):
            tune(
                block_system(systems),
                [sources[longest]],
                References([references.of(longest)]),
                TuneOptions(method="relevant-set", relevant=relevant),
            )


def test_real_valued_features_are_learned_beside_the_binary_ones(systems: Path, tmp_path: Path) -> None:
    result = learn(block_system(systems), systems, tmp_path / "work", real_features=("lm", "words"))
    used = {name for name, weight in result.dense.items() if weight}
    assert used == {"lm", "words"}
    assert result.dense["lm"] != load(systems / "phrase").weights["lm"]
    sources, references = data(systems, 5)
    box = SearchSequences(
        block_system(systems).decoder, sources, references, real=("lm", "words"), truth_list=20
    )
    start = SequenceWeights(
        {x.name: x.start for x in box.real}, np.zeros(0, np.uint64), np.zeros(0, np.float32)
    )
    (listed,), (truths,) = box.decode(start, np.arange(5), nbest=20), box.truths(2)
    for sentence in range(5):
        best = np.sort(listed.qualities[list(listed.store.rows_of(sentence))])[-2:]
        assert np.sort(truths.qualities[list(truths.store.rows_of(sentence))]).tolist() == best.tolist()
    with pytest.raises(ConfigError, match="no dense feature is called 'luck'"):
        learn(block_system(systems), systems, tmp_path / "other", real_features=("luck",))


def test_hierarchical_search_and_any_decoder_of_lists(systems: Path, tmp_path: Path) -> None:
    """The trainer sees no difference; an ``ExternalDecoder`` is a decoder of lists as a system is one."""
    sources, references = data(systems, 40)
    system = load(systems / "hierarchical")
    rules, lm = RuleTable.open(systems / "rules"), LanguageModel.load(systems / "lm")
    limits = SearchOptions(beam_size=10, pop_limit=20, max_options=5)
    sparse = SparseModel(block_features("word"))
    boxes = {
        "hierarchical": SearchSequences(
            Decoder(rules, lm, limits, system.weights, sparse=sparse), sources, references
        ),
        "lists": ListSequences(system, sources, references, dict.fromkeys(system.decoder.names, 0.1)),
    }
    for name, box in boxes.items():
        options = RelevantSetOptions(iterations=3, passes=3, real_rate=1.0)
        trainer = RelevantSetTrainer(box, options, tmp_path / name)
        trainer.begin()
        steps = [trainer.iterate() for _ in range(3)]
        assert steps[-1].score > steps[0].score, name
        assert steps[-1].upper_bound > steps[-1].score
        found = trainer.weights()
        assert (len(found.features) > 0) == (name == "hierarchical")
        assert any(found.real.values()) == (name == "lists")


def test_what_cannot_be_learned_from(systems: Path, tmp_path: Path) -> None:
    sources, references = data(systems, 3)
    decoder = block_system(systems).decoder
    with pytest.raises(ConfigError, match="a system with sparse features"):
        SearchSequences(load(systems / "phrase").decoder, sources, references)
    with pytest.raises(ConfigError, match="2 source sentences but references for 3"):
        SearchSequences(decoder, sources[:2], references)
    options = RelevantSetOptions(learning_rate=100.0, regularization=0.0, iterations=2, bags=True)
    trainer = RelevantSetTrainer(SearchSequences(decoder, sources, references), options, tmp_path / "far")
    trainer.begin()
    with pytest.raises(TrainingError, match="without bound"):
        trainer.iterate()
