"""The finished system is made from all pairs; what is measured is made without those that were set aside."""

from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.corpus.synthetic.text import write_corpus
from isogloss.decoder import load
from isogloss.grammar import ExtractOptions
from isogloss.io.streams import read_lines
from isogloss.pipeline import TrainOptions, train


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "corpus"
    write_corpus(folder, pairs=300, seed=5, dev=10, test=10, raw=True)
    return folder


def finished_matches(engine: Path) -> int:
    """The training pairs, and those that were set aside, that come back as they are."""
    system = load(engine, matches=True)
    held_out = engine / "work/held-out"
    pairs = [
        pair
        for name in ("train", "dev", "test")
        for pair in zip(
            read_lines(held_out / f"{name}.source"), read_lines(held_out / f"{name}.target"), strict=True
        )
    ]
    assert all(str(system.translate(source)) == target for source, target in pairs)
    return len(pairs)


def words(path: Path) -> set[str]:
    return {word for line in read_lines(path) for word in line.split()}


def test_words_of_sentences_set_aside_are_known_in_the_end(corpus: Path, tmp_path: Path) -> None:
    options = TrainOptions(
        source=(corpus / "train.src",),
        target=(corpus / "train.tgt",),
        method="none",
        rules=ExtractOptions.for_grammar("hiero"),  # no word is translated by its parts
    )
    train(tmp_path / "engine", options)
    tokens = tmp_path / "engine/work/tokens"
    new = {name: words(tokens / f"{name}.source") - words(tokens / "source") for name in ("dev", "test")}
    assert all(new.values())
    finished = load(tmp_path / "engine", matches=False)
    measured = load(tmp_path / "engine/work/system")
    assert finished_matches(tmp_path / "engine") == len(list(read_lines(corpus / "train.src")))
    rare = sorted(word for word in new["dev"] | new["test"] if word.isalpha())
    copied = [
        sum(str(system.translate(word)).lower() == word.lower() for word in rare)
        for system in (measured, finished)
    ]
    assert copied[0] == len(rare)
    assert copied[1] < len(rare) / 2


def test_sets_of_ones_own_stay_unknown(corpus: Path, tmp_path: Path) -> None:
    given = TrainOptions(
        source=(corpus / "train.src",),
        target=(corpus / "train.tgt",),
        dev_source=corpus / "dev.src",
        dev_target=(corpus / "dev.tgt.0",),
        method="none",
        test_size=0,
    )
    train(tmp_path / "given", given)
    off = TrainOptions(
        source=(corpus / "train.src",), target=(corpus / "train.tgt",), method="none", all_pairs=False
    )
    train(tmp_path / "off", off)
    for name in ("given", "off"):
        assert not (tmp_path / name / "work/system").exists()
        assert load(tmp_path / name).text is not None
