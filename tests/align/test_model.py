from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from isogloss import _engine
from isogloss.align import AlignmentModel, AlignOptions, LinkOptions
from isogloss.align.options import ModelType
from isogloss.io.errors import ConfigError, ModelFormatError
from isogloss.storage.folder import add_arrays, open_folder, verify_folder, write_folder
from support import align_oracles

CORPUS, TRUTH = align_oracles.toy_corpus(120)


@pytest.fixture(scope="module")
def model() -> AlignmentModel:
    return AlignmentModel.train(CORPUS)


@pytest.mark.parametrize("model_type", ["hmm", "fast", "model1"])
def test_a_stored_model_gives_the_same_links(model_type: ModelType, tmp_path: Path) -> None:
    model = AlignmentModel.train(CORPUS, AlignOptions(model_type=model_type, lowercase=False))
    model.save(tmp_path / "m")
    assert verify_folder(tmp_path / "m") == 10
    loaded = AlignmentModel.load(tmp_path / "m")
    assert loaded.align_pairs(CORPUS) == model.align_pairs(CORPUS)
    assert loaded.parameters.tensions == model.parameters.tensions
    assert loaded.made_with == model.made_with
    assert loaded.encoder.lowercase is False
    assert loaded.probability("s1", "t1") == model.probability("s1", "t1")


def test_one_pair_equals_many(model: AlignmentModel) -> None:
    all_at_once = model.align_pairs(CORPUS, threads=2)
    assert [model.align(s, t) for s, t in CORPUS] == list(all_at_once)
    assert model.align(CORPUS[0][0].split(), CORPUS[0][1].split()) == all_at_once[0]
    assert model.align("", "t1") == []
    assert model.align([], []) == []


def test_methods_and_threshold(model: AlignmentModel) -> None:
    for method in ("intersection", "union", "grow-diag", "grow-diag-final", "forward", "backward"):
        found = model.align_pairs(CORPUS, LinkOptions(method=method))
        assert align_oracles.share_found(found, TRUTH) > 0.9
    assert model.align("s1 s2", "t1 t2", threshold=1.0) == []


def test_unknown_words_find_their_equals_and_their_places(model: AlignmentModel) -> None:
    assert model.align("s1 Qwert s2", "t1 QWERT t2") == [(0, 0), (1, 1), (2, 2)]
    # Nothing is known of either word: what is known around them decides.
    assert (1, 1) in model.align("s1 quux s2", "t1 corge t2")
    assert model.align("quux corge", "corge quux") == [(0, 1), (1, 0)]


def test_only_ascii_white_space_separates_words(model: AlignmentModel) -> None:
    assert model.align("s1\u00a0s2\u3000s3", "t1\u00a0t2") == [(0, 0)]
    assert model.align("s1\ts2\ns3", "t1 t2 t3") == [(0, 0), (1, 1), (2, 2)]
    with pytest.raises(ConfigError, match="must not be empty or contain whitespace"):
        model.align(["s1 s2"], ["t1"])


def test_words_of_the_table(model: AlignmentModel) -> None:
    entries = list(model.lexical_entries())
    assert len(entries) == len(model.table) == len(model.columns)
    best = max(entries, key=lambda entry: entry[2] * (entry[0] == "s1"))
    assert best[:2] == ("s1", "t1")
    assert model.probability("nothing", "t1") == (0.0, 0.0)


def damaged(path: Path, **changes: np.ndarray) -> None:
    add_arrays(path, kind="alignment-model", version=1, arrays=changes)


def test_damaged_models_are_refused(model: AlignmentModel, tmp_path: Path) -> None:
    for name, change in {
        "row_offsets": model.row_offsets[::-1].copy(),
        "columns": model.columns[:-1],
        "probabilities": model.probabilities[:-1],
        "source_null": model.source_null[:-1],
        "target_null": np.zeros(3, np.float32),
        "jumps": -model.parameters.jumps,
        "source_words": np.zeros(0, np.uint8),
    }.items():
        path = tmp_path / name
        model.save(path)
        damaged(path, **{name: change})
        with pytest.raises(ModelFormatError, match="the alignment model is damaged"):
            AlignmentModel.load(path)
    path = tmp_path / "attributes"
    model.save(path)
    arrays = {
        name: np.array(array)
        for name, array in open_folder(path, kind="alignment-model", version=1).arrays.items()
    }
    write_folder(path, kind="alignment-model", version=1, arrays=arrays, attributes={"model_type": "hmm"})
    with pytest.raises(ModelFormatError, match="the alignment model is damaged"):
        AlignmentModel.load(path)


def test_hostile_values_give_wrong_links_but_no_crash(model: AlignmentModel, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    path = tmp_path / "m"
    model.save(path)
    damaged(
        path,
        columns=rng.integers(0, 2**32, len(model.columns), dtype=np.uint32),
        probabilities=np.full_like(model.probabilities, np.nan),
        source_null=np.full_like(model.source_null, np.inf),
    )
    loaded = AlignmentModel.load(path)
    assert len(loaded.align_pairs(CORPUS)) == len(CORPUS)
    huge = np.array([2**32 - 1, 2**31, 5, 10**6], np.uint32)
    bitext = _engine.Bitext(huge, np.array([0, 4]), huge, np.array([0, 4]))
    loaded._aligner.align(
        bitext, 0, 1, method=_engine.Symmetrization.union, threshold=0.0, max_length=9, threads=1
    )
    with pytest.raises(ValueError, match="no such sentence pairs"):
        loaded._aligner.align(
            bitext, 0, 2, method=_engine.Symmetrization.union, threshold=0.0, max_length=9, threads=1
        )
