"""Parameter mixing against a plain version that keeps every weight vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.decoder import System, load
from isogloss.decoder.decoder import Decoder
from isogloss.features import SparseModel, SparseOptions
from isogloss.features.name_log import NameLog
from isogloss.io.errors import ConfigError
from isogloss.metric import References
from isogloss.tuning import TuneOptions, TuneResult, tune
from isogloss.tuning import mixing as mixing_module
from isogloss.tuning.online import OnlineOptions, OnlineTrainer
from support.small_dev import dev_sentences

SPARSE = SparseModel(SparseOptions(templates=("pair", "target_bigram"), source_types=("surface",)))
ONLINE = OnlineOptions(iterations=3, nbest=20, aggressiveness=0.05, dense_scale=1.0, keep_start=False)
Vector = dict[Any, float]


def make_system(systems: Path, sparse: bool = True) -> System:
    base = load(systems / "phrase")
    decoder = Decoder(base.decoder._rules, base.decoder._lm, base.options, sparse=SPARSE if sparse else None)
    decoder.set_weights(base.weights)
    return System(decoder, base.path)


def mixed(systems: Path, work: Path | None = None, *, sparse: bool = True, **changes: int) -> TuneResult:
    online = replace(ONLINE, mixed_parts=3, **changes)  # type: ignore[arg-type]
    options = TuneOptions(method="online-mira", dense_first=0, online=online)
    return tune(make_system(systems, sparse), *dev_sentences(systems), options, work=work)


def mean(vectors: Sequence[Vector]) -> Vector:
    names = {name for vector in vectors for name in vector}
    return {name: sum(vector.get(name, 0.0) for vector in vectors) / len(vectors) for name in names}


class PlainPart:
    """A trainer of some sentences that notes its weights, by name, after every sentence."""

    def __init__(self, systems: Path, folder: Path, part: int, parts: int) -> None:
        sources, references = dev_sentences(systems)
        rows = range(part, len(sources), parts)
        lines = [[stream[row] for row in rows] for stream in references.streams]
        system = make_system(systems)
        self.names = NameLog(folder)
        self.trainer = OnlineTrainer(
            system.decoder,
            [sources[row] for row in rows],
            References(lines),
            system.weights,
            replace(ONLINE, mixed_parts=parts),
            name_log=self.names,
        )
        self.vectors: list[tuple[Vector, Vector]] = []
        self.checks: dict[int, int] = {}
        step = self.trainer.state.next_step

        def watched() -> None:
            step()
            self.vectors.append(self.now())

        self.trainer.state.next_step = watched  # type: ignore[method-assign]

    def now(self) -> tuple[Vector, Vector]:
        state = self.trainer.state
        features, weights, _, checks = state.sparse.columns()
        self.checks.update(zip(features.tolist(), checks.tolist(), strict=True))
        dense = (state.dense / self.trainer.scales).tolist()
        return (
            dict(zip(self.trainer.decoder.names, dense, strict=True)),
            dict(zip(features.tolist(), weights.tolist(), strict=True)),
        )

    def set(self, dense: Vector, sparse: Vector, checks: dict[int, int]) -> None:
        state = self.trainer.state
        state.dense = np.array([dense[name] for name in self.trainer.decoder.names]) * self.trainer.scales
        features = sorted(sparse)
        state.sparse.restore(
            np.array(features, np.uint64),
            np.array([sparse[feature] for feature in features], np.float32),
            np.zeros(len(features)),
            np.array([checks[feature] for feature in features], np.uint32),
            state.sparse.steps,
        )


def test_it_equals_a_plain_version(systems: Path, tmp_path: Path) -> None:
    parts = [PlainPart(systems, tmp_path / str(part), part, 3) for part in range(3)]
    for _ in range(ONLINE.iterations):
        for part in parts:
            part.trainer.iterate()
        ends = [part.now() for part in parts]
        checks = {feature: check for part in parts for feature, check in part.checks.items()}
        dense = mean([end[0] for end in ends])
        sparse = {
            int(name): value
            for name, value in mean([{str(f): w for f, w in e[1].items()} for e in ends]).items()
        }
        for part in parts:
            part.set(dense, sparse, checks)
    expected_dense = mean([mean([dense for dense, _ in part.vectors]) for part in parts])
    by_number = mean(
        [mean([{str(f): w for f, w in sparse.items()} for _, sparse in part.vectors]) for part in parts]
    )
    found = mixed(systems)
    assert found.dense == pytest.approx(expected_dense, rel=1e-9)
    assert found.sparse is not None
    weights = dict(found.sparse)
    assert len(weights) > 50
    numbers = {number for number, value in by_number.items() if np.float32(value) != 0}
    assert len(weights) == len(numbers)
    assert sorted(weights.values()) == pytest.approx(
        sorted(by_number[n] for n in numbers), rel=1e-5, abs=1e-9
    )


def test_the_parts_learn_from_each_other(systems: Path) -> None:
    """A part whose weights were not mixed would end elsewhere."""
    alone = mixed(systems, iterations=1)
    longer = mixed(systems)
    assert alone.sparse is not None
    assert longer.sparse is not None
    assert len(longer.sparse) > len(alone.sparse)
    assert longer.history[-1].dev_score > longer.history[0].dev_score


def test_it_needs_no_sparse_features(systems: Path) -> None:
    found = mixed(systems, sparse=False)
    assert found.sparse is None
    assert found.dense != dict(load(systems / "phrase").weights)


def test_a_killed_run_resumes(systems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = mixed(systems, tmp_path / "whole")
    made, calls = mixing_module._write_mixed, 0

    def killed(*arguments: object) -> None:
        nonlocal calls
        calls += 1
        made(*arguments)  # type: ignore[arg-type]
        if calls == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(mixing_module, "_write_mixed", killed)
    with pytest.raises(KeyboardInterrupt):
        mixed(systems, tmp_path / "killed")
    monkeypatch.undo()
    again = mixed(systems, tmp_path / "killed")
    assert again.dense == whole.dense
    assert again.sparse is not None
    assert whole.sparse is not None
    assert dict(again.sparse) == dict(whole.sparse)


def test_more_parts_than_sentences_are_refused(systems: Path) -> None:
    online = replace(ONLINE, mixed_parts=100)
    with pytest.raises(ConfigError, match="only 12 sentences"):
        tune(
            make_system(systems),
            *dev_sentences(systems),
            TuneOptions(method="online-mira", dense_first=0, online=online),
        )
