"""Local training on more than stored lists of similar examples: Dev, new decodings, sparse features."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from isogloss.adapt import (
    Example,
    LocalOptions,
    LocalTranslator,
    Memory,
    MemoryOptions,
    add_examples,
    build_memory,
    local_weights,
)
from isogloss.align import AlignmentModel
from isogloss.decoder import System, create_system, load
from isogloss.features import SparseModel, SparseOptions, SparseWeights
from isogloss.io.errors import ConfigError

SMALL = MemoryOptions(nbest=8)


@pytest.fixture(scope="module")
def memory(system: System, examples: list[Example], tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return build_memory(tmp_path_factory.mktemp("m") / "memory", system, examples[:30], SMALL)


@pytest.fixture(scope="module")
def dev(system: System, examples: list[Example], tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return build_memory(tmp_path_factory.mktemp("d") / "dev", system, examples[30:38], SMALL)


@pytest.mark.parametrize("method", ["mbuu", "ebuu"])
def test_dev_is_trained_on_as_well(
    method: str, memory: Memory, dev: Memory, system: System, examples: list[Example]
) -> None:
    update = LocalOptions(method=method, strength=0.5, gate=0.0, gate_examples=0)
    source = examples[40].source
    translator = LocalTranslator(system, memory, update=update, dev=dev)
    hits, found = translator.weights(source)
    everything = [(hit.lists, hit.list_position) for hit in hits] + dev.everything()
    from isogloss.adapt.lists import one_candidate_set

    both = one_candidate_set(everything, len(memory.names))
    alike, baseline = [1.0] * len(everything), dict(system.weights)
    expected = local_weights(both, alike, baseline, update, units=translator._find_units())
    assert found.weights == pytest.approx(expected.weights, rel=1e-6)
    assert found.weights != LocalTranslator(system, memory, update=update).weights(source)[1].weights


def test_examples_are_decoded_again(memory: Memory, system: System, examples: list[Example]) -> None:
    """What the weights so far find is added to the lists, each candidate once."""
    once = LocalOptions(strength=3.0, gate=0.0)
    twice = LocalOptions(strength=3.0, gate=0.0, decodings=2)
    source = examples[41].source
    hits, first = LocalTranslator(system, memory, update=once).weights(source)
    translator = LocalTranslator(system, memory, update=twice)
    assert translator.weights(source)[1].weights != first.weights
    lists = [[(hit.lists, hit.list_position)] for hit in hits]
    again = translator._decoded_again(hits, first)
    fresh = again.fresh(lists, len(memory.names))
    for position, hit in enumerate(hits):
        rows = fresh.columns["candidate_offsets"][position : position + 2]
        new = fresh.columns["statistics"][rows[0] : rows[1]], fresh.columns["dense"][rows[0] : rows[1]]
        old = memory.candidates([hit])
        known = {(*d.astype(np.float32), *s) for d, s in zip(old.dense, old.statistics, strict=True)}
        used = fresh.columns["dense_columns"]
        for statistics, dense in zip(*new, strict=True):
            full = np.zeros(len(memory.names), np.float32)
            full[used] = dense
            assert (*full, *statistics) not in known
    assert 0 < fresh.columns["candidate_offsets"][-1] < again.columns["candidate_offsets"][-1]
    with pytest.raises(ConfigError, match="decodings must be at least 1"):
        LocalOptions(decodings=0)


@pytest.fixture(scope="module")
def with_sparse(systems: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], System]:
    """Systems with weights for some features of words that the corpus has."""
    folder = tmp_path_factory.mktemp("sparse")
    model = SparseModel(
        SparseOptions(templates=("pair", "target_bigram"), source_types=("surface", "prefix"))
    )

    def make(search: str) -> System:
        base = load(systems / search)
        path = folder / search
        if not path.exists():
            create_system(
                path,
                rules=base.path / "rules",
                lm=base.path / "lm",
                options=base.options,
                weights=dict(base.weights),
                sparse=model,
            ).save_weights(
                dict(base.weights),
                SparseWeights.from_names({"target_bigram:<s>|va": 0.3}, signature=model.signature),
            )
        return load(path)

    return make


@pytest.mark.parametrize("method", ["mbuu", "ebuu"])
def test_sparse_weights_move(
    method: str, with_sparse: Callable[[str], System], examples: list[Example], tmp_path: Path
) -> None:
    system = with_sparse("phrase")
    kept = MemoryOptions(nbest=8, sparse=True)
    memory = build_memory(tmp_path / "memory", system, examples[:20], kept)
    update = LocalOptions(method=method, strength=1.0, gate=0.0, decodings=2)
    translator = LocalTranslator(system, memory, update=update)
    source = examples[41].source
    hits, local = translator.weights(source)
    assert local.sparse
    candidates = memory.candidates(hits)
    assert candidates.sparse_ids is not None
    assert candidates.constants is None
    # Differences of scores within a list are those of the features that are kept.
    rows = candidates.sparse
    assert rows is not None
    assert system.decoder.sparse_weights is not None
    weights = system.decoder.sparse_weights.weights(candidates.sparse_ids)
    sparse = np.add.reduceat(np.append(weights[rows.columns] * rows.values, 0.0), rows.offsets[:-1]) * (
        np.diff(rows.offsets) > 0
    )
    total = candidates.dense @ np.array(list(system.weights.values())) + sparse
    store = system.nbest([hits[0].example().source], nbest=8)
    own = total[: candidates.offsets[1]]
    np.testing.assert_allclose(own - own[0], store.scores - store.scores[0], atol=1e-3)
    # And the search scores with what was learned.
    done = translator.translate_one(source, nbest=3)
    searched = system.decoder.copy()
    searched.change(local.weights, local.sparse)
    found = searched.search([source], nbest=3)
    numbers = found.sparse(0, range(found.store.num_candidates))
    changed = searched.sparse_weights
    assert changed is not None
    score = found.store.dense @ np.array(list(local.weights.values()))
    score = score + numbers.sums(changed.weights(numbers.features))
    np.testing.assert_allclose(done.nbest.scores, score, atol=1e-3)
    some = next(iter(local.sparse))
    before = system.decoder.sparse_weights.weights(np.array([some], np.uint64))[0]
    assert changed.weights(np.array([some], np.uint64))[0] == pytest.approx(before + local.sparse[some])


def test_sparse_features_that_are_not_there(system: System, examples: list[Example], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the system has no sparse features to store"):
        build_memory(tmp_path / "memory", system, examples[:2], MemoryOptions(sparse=True))


@pytest.mark.parametrize("search", ["phrase", "hierarchical"])
def test_an_overlay_beside_sparse_features(
    search: str,
    with_sparse: Callable[[str], System],
    systems: Path,
    examples: list[Example],
    tmp_path: Path,
) -> None:
    """The new word is translated; with rules with gaps also where other words stand between."""
    system = with_sparse(search)
    sides = [
        (systems / "corpus" / name).read_text().splitlines()[:600] for name in ("train.src", "train.tgt")
    ]
    aligner = AlignmentModel.train(list(zip(*sides, strict=True)))
    memory = build_memory(tmp_path / "memory", system, examples[:3], SMALL, aligner=aligner)
    translator = LocalTranslator(system, memory, update=LocalOptions(strength=0.0))
    first, similar = f"zzyzx {examples[40].source}", f"{examples[41].source} zzyzx"
    wanted = f"grumble {examples[40].references[0]}"
    add_examples(memory.path, system, [Example(source=first, references=(wanted,))])
    for text in (first, similar):
        done = translator.translate_one(text, nbest=3)
        assert "grumble" in done.text
        searched = translator._decoder().search([text], nbest=3)
        rows = searched.sparse(0, range(searched.store.num_candidates))
        names = searched.names(0, [0], rows.row(0).features)
        assert "pair:grumble|zzyzx" in names.values()
        assert system.decoder.sparse_weights is not None
        scores = searched.store.dense @ np.array(list(system.weights.values()))
        scores = scores + rows.sums(system.decoder.sparse_weights.weights(rows.features))
        np.testing.assert_allclose(searched.store.scores, scores, atol=1e-3)
    table = translator._decoder().overlay
    assert table is not None
    assert any("[X,1]" in rule.source for rule in table.rules()) == (search == "hierarchical")
    assert max(len(rule.source) for rule in table.rules()) > 5
