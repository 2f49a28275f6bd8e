from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss import _engine
from isogloss.decoder import load
from isogloss.decoder.decoder import Decoder
from isogloss.features import SparseModel, SparseOptions
from isogloss.features.name_log import NameLog
from isogloss.io.errors import ConfigError, ModelFormatError
from isogloss.io.progress import no_track
from isogloss.metric import References
from isogloss.metric.document import DocumentBleu
from isogloss.tuning import TuneOptions, tune
from isogloss.tuning.job import Sentences, TuningJob
from isogloss.tuning.online import PAPER, OnlineOptions, OnlineTrainer
from support.small_dev import dev_sentences as dev
from support.small_search import make_decoder

OPTIONS = replace(PAPER, iterations=3, nbest=30, candidates=3, oracles=3)
SPARSE = SparseModel(SparseOptions(templates=("pair", "target_bigram"), source_types=("surface", "prefix")))


def make(
    systems: Path, folder: Path, options: OnlineOptions = OPTIONS, *, sparse: bool = True, threads: int = 1
) -> OnlineTrainer:
    base = load(systems / "phrase")
    decoder = Decoder(base.decoder._rules, base.decoder._lm, base.options, sparse=SPARSE if sparse else None)
    log = NameLog(folder) if sparse else None
    return OnlineTrainer(decoder, *dev(systems), base.weights, options, name_log=log, threads=threads)


def weights(trainer: OnlineTrainer) -> tuple[dict[str, float], dict[str, float]]:
    found = trainer.average()
    return found.dense, dict(found.sparse) if found.sparse is not None else {}


def test_it_learns_its_own_sentences(systems: Path, tmp_path: Path) -> None:
    trainer = make(systems, tmp_path, replace(OPTIONS, aggressiveness=0.05))
    first = trainer.iterate()
    for _ in range(5):
        last = trainer.iterate()
    assert last.score > first.score
    assert last.oracle_score >= last.score
    assert last.active_features > 50


def test_the_average_is_that_of_all_vectors(systems: Path, tmp_path: Path) -> None:
    trainer = make(systems, tmp_path)
    seen: list[tuple[np.ndarray, dict[int, float]]] = []
    step = trainer.state.next_step

    def watched() -> None:
        step()
        features, values, _, _ = trainer.state.sparse.columns()
        seen.append((trainer.state.dense.copy(), dict(zip(features.tolist(), values.tolist(), strict=True))))

    trainer.state.next_step = watched  # type: ignore[method-assign]
    for _ in range(2):
        trainer.iterate()
    assert len(seen) == 24
    assert np.allclose(trainer.state.dense_average(), np.mean([dense for dense, _ in seen], axis=0))
    features, _, sums, _ = trainer.state.sparse.columns()
    for feature, total in zip(features.tolist(), sums.tolist(), strict=True):
        assert total == pytest.approx(sum(sparse.get(feature, 0.0) for _, sparse in seen), abs=1e-6)


def test_the_score_of_the_search_is_that_of_the_features(systems: Path, tmp_path: Path) -> None:
    trainer = make(systems, tmp_path)
    trainer.iterate()
    trainer._set_current()
    sources, _ = dev(systems)
    found = trainer.decoder.search(sources[:3], nbest=5)
    for sentence in range(3):
        rows = found.store.rows_of(sentence)
        sparse = found.sparse(sentence, range(len(rows)))
        products = sparse.sums(trainer.state.sparse.weights(sparse.features))
        dense = found.store.dense[list(rows)] @ (trainer.state.dense / trainer.scales)
        assert dense + products == pytest.approx(found.store.scores[list(rows)], rel=1e-4, abs=1e-4)


def test_every_feature_has_a_name(systems: Path, tmp_path: Path) -> None:
    for number, selection in enumerate(("oracles", "hope-fear")):
        trainer = make(systems, tmp_path / str(number), replace(OPTIONS, selection=selection))
        trainer.iterate()
        found = trainer.average().sparse
        assert found is not None
        assert len(found) > 0
        for name, weight in itertools.islice(found, 50):
            assert name.startswith(("pair:", "target_bigram:"))
            assert found[name] == weight


@pytest.mark.parametrize("threads", [1, 2])
def test_stopped_and_resumed_is_the_same(systems: Path, tmp_path: Path, threads: int) -> None:
    whole = make(systems, tmp_path / "whole")
    for _ in range(3):
        whole.iterate()
    first = make(systems, tmp_path / "log", threads=threads)
    first.iterate()
    first.save(tmp_path / "state")
    first.iterate()  # goes on past what was stored, and is killed
    second = make(systems, tmp_path / "log", threads=threads)
    second.restore(tmp_path / "state")
    second.iterate()
    second.iterate()
    assert weights(second) == weights(whole)


def test_a_stored_run_of_another_kind_is_refused(systems: Path, tmp_path: Path) -> None:
    trainer = make(systems, tmp_path / "log")
    trainer.iterate()
    trainer.save(tmp_path / "state")
    other = make(systems, tmp_path / "log", replace(OPTIONS, aggressiveness=0.5))
    with pytest.raises(ConfigError, match="a run with other options"):
        other.restore(tmp_path / "state")
    with pytest.raises(ModelFormatError):
        trainer.restore(systems / "phrase" / "rules")


@pytest.mark.parametrize(
    "options",
    [
        replace(OPTIONS, method="perceptron"),
        replace(OPTIONS, method="tillmann-zhang"),
        replace(OPTIONS, loss="sentence"),
        replace(OPTIONS, selection="hope-fear", candidates=1, oracles=1),
        replace(OPTIONS, slack="pair", keep_inverted=True),
    ],
    ids=lambda options: f"{options.method}-{options.loss}-{options.selection}-{options.slack}",
)
def test_variants_learn_too(systems: Path, tmp_path: Path, options: OnlineOptions) -> None:
    trainer = make(systems, tmp_path, options)
    before = weights(trainer)
    first = trainer.iterate()
    assert weights(trainer) != before
    assert 0 < first.score <= 100


def test_without_sparse_features(systems: Path, tmp_path: Path) -> None:
    trainer = make(systems, tmp_path, sparse=False)
    assert trainer.iterate().active_features == 0
    assert trainer.average().sparse is None


def test_oracles_are_ranked_by_the_document(systems: Path, tmp_path: Path) -> None:
    trainer = make(systems, tmp_path)
    trainer.iterate()
    document: DocumentBleu = trainer._document
    for sentence in range(len(document)):
        oracles = trainer.state.oracles.of(sentence)
        assert 1 <= len(oracles) <= OPTIONS.oracles
        assert len({oracle.text for oracle in oracles}) == len(oracles)
        # The best oracle stands for its sentence in the document.
        assert document.row(sentence).tolist() == oracles[0].statistics.tolist()


def test_options_that_cannot_work() -> None:
    changes = ({"method": "sgd"}, {"loss": "ter"}, {"selection": "fear"}, {"nbest": 0}, {"slack": "word"})
    for change in changes:
        with pytest.raises(ConfigError):
            OnlineOptions(**change)  # type: ignore[arg-type]


@pytest.mark.parametrize("resumed", [False, True], ids=["at once", "after a resume"])
def test_features_with_the_same_number_are_told(resumed: bool, tmp_path: Path) -> None:
    one, two = "colliderAAAAAAAA", "dgjvzzovbTvHFFCo"  # found by solving the hash for the last letters
    names = [f"target_phrase:({word})" for word in (one, two)]
    assert len({*_engine.feature_numbers(names)}) == 1
    types = SparseOptions(templates=("target_phrase",), target_types=("surface",))
    rules = [f"{s} ||| {t} ||| 0-0" for s, t in (("a", one), ("a", "x"), ("b", two), ("b", "y"), ("c", "z"))]
    decoder = make_decoder(tmp_path, rules, SparseModel(types))
    options = replace(PAPER, loss="sentence", nbest=5, batch=1, aggressiveness=0.1)

    def trainer(sources: list[str], references: list[str]) -> OnlineTrainer:
        log = NameLog(tmp_path / "names")
        start = dict.fromkeys(decoder.names, 0.0)
        return OnlineTrainer(decoder, sources, References([references]), start, options, name_log=log)

    if resumed:
        first = trainer(["a"], [one])
        assert first.iterate().collisions == []
        first.save(tmp_path / "state")
        second = trainer(["b"], [two])
        second.restore(tmp_path / "state")
    else:
        second = trainer(["a", "b"], [one, two])
    [told] = second.iterate().collisions
    assert all(name in told for name in names)
    assert second.iterate().collisions == []
    assert trainer(["a", "c"], [one, "z"]).iterate().collisions == []


def test_dense_weights_have_steps_of_their_own(systems: Path, tmp_path: Path) -> None:
    start = dict(load(systems / "phrase").weights)
    moved = {}
    for scale in (0.0, 0.1, 1.0):
        trainer = make(systems, tmp_path / f"{scale:g}", replace(OPTIONS, dense_scale=scale))
        trainer.iterate()
        dense, sparse = weights(trainer)
        moved[scale] = max(abs(dense[name] - start[name]) for name in start)
        assert any(sparse.values())
    assert moved[0.0] < 1e-12 < moved[0.1] < moved[1.0]


@pytest.mark.parametrize("worse", [True, False])
def test_training_does_not_end_below_its_start(
    systems: Path, monkeypatch: pytest.MonkeyPatch, worse: bool
) -> None:
    system = load(systems / "phrase")
    start = OnlineTrainer(system.decoder, *dev(systems), system.weights).start_score
    assert start is not None
    monkeypatch.setattr(TuningJob, "score_dev", lambda self, decoder: start - 1 if worse else start)
    options = TuneOptions(method="online-mira", iterations=1, dense_first=0, online=OnlineOptions(nbest=20))
    found = tune(system, *dev(systems), options)
    assert (found.dense == dict(system.weights)) == worse
    assert len(found.notes) == worse
    if worse:
        assert (found.best.iteration, found.best.dev_score) == (0, start)
        assert "which are kept" in found.notes[0]
    monkeypatch.undo()
    sentences = Sentences(*dev(systems))
    job = TuningJob(sentences, None, options, threads=1, track=no_track, report=lambda step: None)
    with system.decoder.restored():
        assert job.score_dev(system.decoder) == pytest.approx(start)
    kept = replace(options, online=replace(options.online, keep_start=False))
    assert not tune(system, *dev(systems), kept).notes
