from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from isogloss import _engine
from isogloss.align import (
    AlignmentModel,
    AlignOptions,
    LinkOptions,
    align_corpus,
    sharded_table,
    shared_pairs,
    train,
)
from isogloss.align.bitext import BitextEncoder
from isogloss.align.options import ModelType
from isogloss.io.errors import ConfigError
from support.travelling import Travelling


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "_BATCH_CELLS", 2000)
    monkeypatch.setattr(shared_pairs, "_BATCHES", 2)
    monkeypatch.setattr(sharded_table, "_RANGE_CELLS", 800)


def corpus(pairs: int, words: int = 60, longest: int = 12) -> list[tuple[str, str]]:
    """Pairs of words drawn at random, some of them the same on both sides; a few sentences are empty."""
    rng = np.random.default_rng(7)

    def sentence(prefix: str) -> str:
        drawn = rng.zipf(1.4, rng.integers(0, longest)) % words
        return " ".join(f"{'' if number % 5 == 0 else prefix}{number}" for number in drawn)

    return [(sentence("s"), sentence("t")) for _ in range(pairs)]


def assert_same(one: AlignmentModel, other: AlignmentModel) -> None:
    for name in ("row_offsets", "columns", "probabilities", "source_null", "target_null"):
        first, second = getattr(one, name), getattr(other, name)
        assert first.dtype == second.dtype
        np.testing.assert_array_equal(first, second, err_msg=name)
    np.testing.assert_array_equal(one.parameters.jumps, other.parameters.jumps)
    assert one.parameters.tensions == other.parameters.tensions
    assert one.made_with == other.made_with


@pytest.mark.parametrize(
    ("model_type", "symmetric"),
    [("model1", True), ("fast", True), ("hmm", True), ("fast", False), ("hmm", False)],
)
def test_shards_change_nothing(model_type: ModelType, symmetric: bool, tmp_path: Path) -> None:
    text = corpus(400)
    options = AlignOptions(
        model_type=model_type, symmetric_lexicon=symmetric, model1_iterations=1, iterations=2
    )
    executor = Travelling()
    here = align_corpus(text, training=options)
    there = align_corpus(text, training=options, executor=executor, scratch=tmp_path)
    assert here.model is not None
    assert there.model is not None
    assert_same(here.model, there.model)
    assert here.alignments.text() == there.alignments.text()
    assert executor.shards["collecting word pairs"] > 3
    assert executor.shards["merging word pairs"] > 2
    assert executor.shards["expected counts"] == 3 * executor.shards["collecting word pairs"]
    assert list(tmp_path.iterdir()) == []


def test_dictionary_entries_and_long_pairs(tmp_path: Path) -> None:
    text = corpus(300, longest=20)
    how = {"training": AlignOptions(max_length=9, twin_prior=0), "links": LinkOptions(max_length=12)}
    both = [
        align_corpus(text, extra=corpus(20), **how, **more)
        for more in ({}, {"executor": Travelling(), "scratch": tmp_path})
    ]
    assert both[0].too_long == both[1].too_long != ()
    assert both[0].alignments.text() == both[1].alignments.text()


@pytest.mark.parametrize("share", [0.95, 0.9])
def test_too_little_memory_drops_the_same_entries(share: float, tmp_path: Path) -> None:
    text = corpus(150, words=3000, longest=20)
    options = AlignOptions(prune=0, model1_iterations=1, iterations=1)
    full = align_corpus(text, training=options).model
    assert full is not None
    source, target = (sum(len(side.split()) for side in sides) for sides in zip(*text, strict=True))
    least = (200 << 20) + 12 * source + 4 * target + 24 * len(text)
    limit = least + int(20 * share * len(full.columns))
    models, warnings = [], []
    for more in ({}, {"executor": Travelling(), "scratch": tmp_path}):
        said: list[str] = []
        found = align_corpus(text, training=options, memory_limit=limit, warn=said.append, **more)
        assert found.model is not None
        models.append(found.model)
        warnings.append(said)
    assert warnings[0] == warnings[1] != []
    assert len(models[0].columns) < len(full.columns)
    assert_same(*models)
    with pytest.raises(ConfigError, match="needs at least"):
        align_corpus(text, memory_limit=1000, executor=Travelling(), scratch=tmp_path)


def test_a_table_of_other_pairs_is_refused() -> None:
    encoder = BitextEncoder()
    pairs = encoder.learn([("a b", "x y"), ("a", "x")])
    sizes = {"source_words": 2, "target_words": 2, "max_length": 9}
    table = _engine.Cooccurrence(pairs.bitext(), **sizes)
    assert table.build(100, 1)
    rows, columns, cells = table.arrays()
    again = _engine.Cooccurrence(pairs.bitext(), **sizes)
    again.restore(rows, columns, cells)
    assert all(map(np.array_equal, again.arrays(), (rows, columns, cells)))
    outside = np.full(1, 9, np.uint32)
    for wrong, message in (
        ((rows, columns, cells[1:]), "other sentence pairs"),
        ((rows[1:], columns, cells), "other sentence pairs"),
        ((rows, np.append(columns[1:], outside), cells), "outside the vocabulary"),
        ((rows, columns, np.append(cells[1:], outside)), "outside the table"),
    ):
        with pytest.raises(ValueError, match=message):
            again.restore(*wrong)
    trainer = _engine.AlignmentTrainer(again, _engine.AlignmentParameters(), symmetric=True)
    nulls = np.zeros(2, np.float32), np.zeros(3, np.float32)
    with pytest.raises(ValueError, match="another table"):
        trainer.resume(np.zeros((len(columns), 2), np.float32), *nulls, most=1)
    with pytest.raises(ValueError, match="a mass is expected"):
        trainer.add_masses(*(np.ones(1, np.uint32),) * 2, np.zeros(1))
