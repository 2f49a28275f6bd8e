"""What must not matter does not: the order of sentences, how they are split into batches, other sentences,
the number of threads, and how many translations are asked for."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from isogloss.decoder import System, create_system, load
from isogloss.features import SparseModel, SparseOptions, SparseWeights


@pytest.fixture(scope="module", params=["hierarchical", "phrase", "sparse"])
def system(request: pytest.FixtureRequest, systems: Path, tmp_path_factory: pytest.TempPathFactory) -> System:
    if request.param != "sparse":
        return load(systems / request.param)
    sparse = SparseModel(SparseOptions(templates=("pair", "target_bigram")))
    path = tmp_path_factory.mktemp("same") / "system"
    made = create_system(path, rules=systems / "phrases", lm=systems / "lm", sparse=sparse)
    text = " ".join((systems / "corpus" / f"test.{side}").read_text() for side in ("src", "tgt.0")).split()
    rng = random.Random(4)
    names = {f"target_bigram:{rng.choice(text)}|{rng.choice(text)}": rng.uniform(-1, 1) for _ in range(3000)}
    made.save_weights(made.weights, SparseWeights.from_names(names, signature=sparse.signature))
    return load(path)


@pytest.fixture(scope="module")
def lines(systems: Path) -> list[str]:
    found = (systems / "corpus" / "test.src").read_text().splitlines()[:60]
    return [*found, "", "zzz", found[0], f"{found[1]} zzz", " ".join(found[:4])]


def test_order_batches_duplicates_and_threads(system: System, lines: list[str]) -> None:
    expected = dict(zip(lines, map(str, system.translate(lines)), strict=True))
    rng = random.Random(1)
    shuffled = rng.sample(lines, len(lines))
    doubled = [line for line in shuffled for _ in range(2)]
    for given, threads in ((shuffled, 1), (doubled, 2), (lines[:7], 3), (shuffled[20:], 2)):
        assert list(system.translate(given, threads=threads)) == [expected[line] for line in given]
    assert [str(system.translate(line)) for line in lines[:20]] == [expected[line] for line in lines[:20]]
    assert list(load(system.path).translate(lines[::-1])) == [expected[line] for line in lines[::-1]]


def test_a_shorter_list_is_the_beginning_of_a_longer_one(system: System, lines: list[str]) -> None:
    long = system.nbest(lines, nbest=20)
    for size in (1, 2, 7):
        short = system.nbest(lines, nbest=size)
        for sentence in range(len(lines)):
            some, all_rows = short.rows_of(sentence), long.rows_of(sentence)
            rows = list(all_rows)[: len(some)]
            assert [short.text(row) for row in some] == [long.text(row) for row in rows]
            assert [short.scores[row] for row in some] == [long.scores[row] for row in rows]
