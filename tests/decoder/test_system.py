from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import isogloss
from isogloss.decoder import Arc, Lattice, SearchOptions, create_system, load, read_weights
from isogloss.decoder.system_facts import checksum
from isogloss.features import SparseModel, SparseOptions
from isogloss.features.weights import SparseWeights
from isogloss.grammar.formats import import_rules
from isogloss.io.errors import (
    ConfigError,
    DataFormatError,
    InputFileError,
    ModelFormatError,
    OutputError,
)
from isogloss.io.streams import read_lines
from isogloss.nbest import NbestStore

SEARCHES = pytest.mark.parametrize("search", ["hierarchical", "phrase"])


@pytest.fixture
def copy(systems: Path, tmp_path: Path) -> Path:
    shutil.copytree(systems / "phrase", tmp_path / "system")
    return tmp_path / "system"


# Translating ---------------------------------------------------------------------------------------------


@SEARCHES
def test_one_sentence_and_many(systems: Path, search: str) -> None:
    system = isogloss.load(str(systems / search))
    lines = list(read_lines(systems / "corpus" / "test.src"))[:60]
    found = list(system.translate(lines, threads=2))
    assert found == [system.translate(line) for line in lines]
    assert len(set(found)) > 30
    assert system.translate("") == ""
    assert list(system.translate([])) == []
    assert list(system.translate(["", lines[0], "  "])) == ["", found[0], ""]


def test_lists_do_not_depend_on_the_number_of_threads(systems: Path) -> None:
    system = load(systems / "hierarchical")
    lines = list(read_lines(systems / "corpus" / "test.src"))[:40]
    one, two = (system.nbest(lines, nbest=5, threads=threads) for threads in (1, 2))
    assert isinstance(one, NbestStore)
    assert one.equals(two)
    weights = np.array([system.weights[name] for name in one.dense_names])
    assert np.allclose(one.dense @ weights, one.scores, atol=1e-2)
    texts = list(one.texts())
    for sentence in range(one.num_sentences):
        rows = one.rows_of(sentence)
        assert len({texts[row] for row in rows}) == len(rows)
        assert np.all(np.diff(one.scores[rows]) <= 0)


@SEARCHES
def test_a_lattice_with_one_path_is_a_sentence(systems: Path, search: str) -> None:
    system = load(systems / search)
    for line in list(read_lines(systems / "corpus" / "test.src"))[:10]:
        assert system.translate(Lattice.from_words(line.split())) == system.translate(line)


@SEARCHES
def test_a_lattice_is_translated_along_its_better_path(systems: Path, search: str) -> None:
    system = load(systems / search)
    for better, other in (("aaa", "bbb"), ("bbb", "aaa")):
        lattice = Lattice(2, (Arc(0, 1, better, -0.1), Arc(0, 1, other, -5.0)))
        assert system.translate(lattice) == better


@SEARCHES
def test_strange_input(systems: Path, search: str) -> None:
    system = load(systems / search)
    unknown = "\u00a0 |||| a|||b ||| &#124; \u3000x 🙂 <s> </s> <unk> [X,1] [X]"
    assert sorted(system.translate(unknown).split(" ")) == sorted(unknown.split(" "))
    assert "a&#124;&#124;&#124;b" in system.nbest([unknown]).text(0)
    assert system.translate(Lattice.from_words(["|||"])) == "|||"
    for text in ("a\0b", "\ud800"):
        with pytest.raises(DataFormatError, match="sentence 2: contains a NUL byte or a lone surrogate"):
            list(system.translate(["a", text]))


def test_a_long_sentence_loses_nothing(systems: Path) -> None:
    words = [f"unknown{i}" for i in range(2000)]
    found = load(systems / "phrase").translate(" ".join(words), threads=2)
    assert sorted(found.split()) == sorted(words)


def test_where_the_limits_leave_nothing_there_is_a_monotone_translation(systems: Path) -> None:
    inputs = ["", *list(read_lines(systems / "corpus" / "test.src"))[:3]]
    usual = load(systems / "hierarchical")
    # One use of glue is as bad as a number can be, two are worse; without gap rules there is no other way.
    weights = {name: -3e38 if name.startswith("glue_") else weight for name, weight in usual.weights.items()}
    glued = replace(usual.options, gap_rules=False)
    phrases = replace(usual.options, hierarchical=False, phrase_order="monotone")
    decoder, monotone = (
        load(systems / "hierarchical", options=options, weights=weights).decoder
        for options in (glued, phrases)
    )
    assert decoder.search(inputs).store.sentence_ids.tolist() == [0]
    store, derivations = decoder.explained(inputs, nbest=2, threads=2)
    expected, steps = monotone.explained(inputs, nbest=1)
    assert store.equals(expected)
    assert derivations == steps


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"nbest": 0}, "nbest must be at least 1, got 0"),
        ({"threads": 0}, "threads must be at least 1, got 0"),
        ({"max_words": 0}, "max_words must be between 1 and 4000, got 0"),
    ],
)
def test_arguments_that_cannot_work(systems: Path, arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load(systems / "phrase").nbest(["a"], **arguments)


# Storing -------------------------------------------------------------------------------------------------


def test_a_system_is_stored_with_its_options_and_weights(systems: Path, tmp_path: Path) -> None:
    weights = read_weights(systems / "phrase" / "weights.tsv")
    weights["lm"] = 0.75
    options = SearchOptions(hierarchical=False, phrase_order="swap", threshold=2.5)
    parts = {"rules": systems / "rules", "lm": systems / "lm"}
    made = create_system(tmp_path / "a" / "system", options=options, weights=weights, **parts)
    again = load(tmp_path / "a" / "system")
    assert made.options == again.options == options
    assert dict(made.weights) == dict(again.weights) == weights
    # In the place of another, made of its own parts.
    inside = {"rules": made.path / "rules", "lm": made.path / "lm"}
    create_system(made.path, **inside)
    assert load(made.path).options == SearchOptions()
    assert [path.name for path in made.path.parent.iterdir()] == ["system"]


def test_other_options_and_weights_when_loading(systems: Path, tmp_path: Path) -> None:
    system = load(systems / "phrase", options=SearchOptions(beam_size=3))
    assert system.options.beam_size == 3
    (tmp_path / "w").write_text("lm\t1\n")
    with pytest.raises(DataFormatError, match="w: no weight for target_given_source, "):
        load(systems / "phrase", weights=tmp_path / "w")
    with pytest.raises(ConfigError, match="no weight for lm, "):
        load(systems / "phrase", weights={})


def test_columns_that_have_no_default_weights(systems: Path, tmp_path: Path) -> None:
    (tmp_path / "grammar").write_text("[X] ||| a ||| b ||| mine=1\n")
    import_rules(tmp_path / "grammar", tmp_path / "rules", format="hiero")
    with pytest.raises(ConfigError, match="the features mine have no default weights"):
        create_system(tmp_path / "system", rules=tmp_path / "rules", lm=systems / "lm")
    assert not (tmp_path / "system").exists()


def test_a_folder_with_something_else_is_not_touched(systems: Path, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(OutputError, match="holds something that is not a system"):
        create_system(tmp_path, rules=systems / "rules", lm=systems / "lm")
    with pytest.raises(OutputError, match="is a file"):
        create_system(tmp_path / "notes", rules=systems / "rules", lm=systems / "lm")
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


# Damage --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", ["rules", "lm", "weights.tsv", "system.json"])
def test_a_part_is_missing(copy: Path, part: str) -> None:
    target = copy / part
    shutil.rmtree(target) if target.is_dir() else target.unlink()
    with pytest.raises(ModelFormatError, match=part):
        load(copy)


@pytest.mark.parametrize("part", ["sparse", "weights.sparse"])
def test_sparse_features_that_are_missing_are_not_taken_for_none(
    systems: Path, tmp_path: Path, part: str
) -> None:
    sparse = SparseModel(SparseOptions(templates=("pair",)))
    made = create_system(tmp_path / "system", rules=systems / "rules", lm=systems / "lm", sparse=sparse)
    weights = SparseWeights.from_names({"pair:a|b": 1.0}, signature=sparse.signature)
    made.save_weights(made.weights, weights)
    assert load(tmp_path / "system").decoder.sparse_weights is not None
    shutil.rmtree(tmp_path / "system" / part)
    with pytest.raises(ModelFormatError, match=part):
        load(tmp_path / "system")


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="nowhere: No such file"):
        load(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputFileError, match="file: is a file; give the folder of a system"):
        load(tmp_path / "file")


def test_every_changed_byte_of_the_description_is_found(copy: Path) -> None:
    good = (copy / "system.json").read_bytes()
    for place in range(0, len(good) - 1, 7):
        if good[place : place + 1].isspace():
            continue
        bad = good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :]
        (copy / "system.json").write_bytes(bad)
        with pytest.raises(ModelFormatError, match=r"system\.json"):
            load(copy)
    for bad in (b"", b"[]", b"{}", b"\xff", b"[" * 100_000, good[:-20]):
        (copy / "system.json").write_bytes(bad)
        with pytest.raises(ModelFormatError, match=r"system\.json: not the description of a system"):
            load(copy)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"version": 99},
            r"system\.json: format version 99 is newer than this version of isogloss supports \(1\); upgrade",
        ),
        ({"kind": "lm"}, r"system\.json: is damaged or was edited"),
        ({"options": {"beam_size": -1}}, r"system\.json: the search options are invalid \(beam_size must"),
        ({"options": []}, r"system\.json: the search options are invalid"),
    ],
)
def test_a_description_that_cannot_be_used(copy: Path, changes: dict[str, object], message: str) -> None:
    facts = json.loads((copy / "system.json").read_bytes())
    del facts["checksum"]
    facts |= changes
    (copy / "system.json").write_text(json.dumps({**facts, "checksum": checksum(facts)}))
    with pytest.raises(ModelFormatError, match=message):
        load(copy)


@pytest.mark.parametrize("part", ["rules", "lm"])
def test_a_part_is_cut_off_or_another_kind(copy: Path, systems: Path, part: str) -> None:
    largest = max((copy / part).glob("*.bin"), key=lambda file: file.stat().st_size)
    largest.write_bytes(largest.read_bytes()[:-8])
    with pytest.raises(ModelFormatError, match=largest.name):
        load(copy)
    shutil.rmtree(copy / part)
    shutil.copytree(systems / ("lm" if part == "rules" else "rules"), copy / part)
    with pytest.raises(ModelFormatError, match=f"{part}: holds a stored"):
        load(copy)
