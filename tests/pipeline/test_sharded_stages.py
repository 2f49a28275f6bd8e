"""Stages on a Ray cluster of four nodes: every file is the same, byte for byte, as on this machine alone."""

from __future__ import annotations

import filecmp
import gzip
import re
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from isogloss.align import sharded_table, shared_pairs, train
from isogloss.classes import counting
from isogloss.cli.main import main
from isogloss.corpus.processing import SideOptions
from isogloss.decoder import create_system, load
from isogloss.features import SparseModel, SparseOptions
from isogloss.features.weights import SparseWeights
from isogloss.grammar import sharded_extraction
from isogloss.io.progress import no_track
from isogloss.io.text_shards import plain_files, text_shards
from isogloss.lm import sharded_counts
from isogloss.nbest import moses
from isogloss.pipeline import sharded_text, text_stages
from isogloss.rerank import SweepOptions, sweep
from isogloss.tuning import sharded_decoding
from support.small_engine import PAIRS

pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray's own


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharded_counts, "_SHARD_LINES", 700)
    monkeypatch.setattr(sharded_extraction, "_SHARD_LINES", 700)
    monkeypatch.setattr(sharded_text, "_SHARD_LINES", 50)
    monkeypatch.setattr(counting, "_SHARD_LINES", 300)
    monkeypatch.setattr(train, "_BATCH_CELLS", 20_000)
    monkeypatch.setattr(shared_pairs, "_BATCHES", 2)
    monkeypatch.setattr(sharded_table, "_RANGE_CELLS", 20_000)
    monkeypatch.setattr(sharded_decoding, "_SENTENCES", 30)


def run(*words: str | Path) -> None:
    assert main(["--quiet", *map(str, words)]) == 0


def contents(place: Path) -> dict[str, bytes]:
    """The bytes of all files by name. A stored folder names its files at random."""
    if place.is_file():
        return {"": place.read_bytes()}
    return {
        RANDOM.sub(b"", bytes(path.relative_to(place))).decode(): RANDOM.sub(b"", path.read_bytes())
        for path in place.rglob("*")
        if path.is_file()
    }


# The names of a stored folder's files, and the checksum of its manifest, which has these names.
RANDOM = re.compile(rb'-[0-9a-f]{8}(?=\.bin)|"checksum": "[0-9a-f]{64}"(?=\s*\}\s*$)')


def assert_same(one: Path, other: Path) -> None:
    """Files or folders have the same content."""
    first, second = contents(one), contents(other)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


@pytest.mark.parametrize("lines", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("text", ["", "a\n", "a\nb", "a\n\nb\r\nc\n", "\n\n\n", "x" * 50 + "\n" + "y\n" * 20])
def test_shards_have_all_lines(tmp_path: Path, text: str, lines: int) -> None:
    path = tmp_path / "text"
    path.write_text("\ufeff" + text, newline="")
    shards = [shard for (shard,) in text_shards(plain_files([path], tmp_path), lines)]
    expected = text.replace("\r\n", "\n").removesuffix("\n")
    assert "\n".join(line for shard in shards for line in shard.lines()) == expected
    assert all(len(list(shard.lines())) == lines for shard in shards[:-1])
    assert [shard.line for shard in shards] == [lines * number for number in range(len(shards))]


def test_packed_files_are_copied(tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"a\nb\n"))
    ((copy, name),) = plain_files([path], tmp_path)
    assert (Path(copy).read_text(), name) == ("a\nb\n", str(path))


def test_a_language_model(nodes: Any, systems: Path, tmp_path: Path) -> None:
    text = systems / "corpus" / "train.tgt"
    packed = tmp_path / "more.gz"
    packed.write_bytes(gzip.compress((systems / "corpus" / "test.src").read_bytes()))
    for place, more in (("local", ()), ("ray", ("--cluster", "ray"))):
        outputs = ("--binary", tmp_path / place, "--arpa", tmp_path / f"{place}.arpa")
        run("lm", "build", text, packed, "--order", "4", "--prune", "0,0,1", *outputs, *more)
    assert_same(tmp_path / "local", tmp_path / "ray")
    assert filecmp.cmp(tmp_path / "local.arpa", tmp_path / "ray.arpa", shallow=False)
    assert {path.name for path in tmp_path.iterdir()} == {"local", "ray", "local.arpa", "ray.arpa", "more.gz"}


def test_errors_name_the_line_of_the_whole_file(
    nodes: Any, systems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = (systems / "corpus" / "train.tgt").read_text().splitlines()
    lines[1500] = "a </s> b"
    text = tmp_path / "text"
    text.write_text("\n".join(lines))
    errors = []
    for more in ((), ("--cluster", "ray")):
        assert main(["--quiet", "lm", "build", str(text), "--binary", str(tmp_path / "lm"), *more]) == 2
        errors.append(capsys.readouterr().err)
    assert f"{text}:1501: " in errors[0]
    assert errors[1] == errors[0]


def test_files_of_different_length(
    nodes: Any, systems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, shorter, errors = systems / "corpus", tmp_path / "shorter", []
    shorter.write_text("".join((corpus / "train.tgt").open().readlines()[:1400]))
    for more in ((), ("--cluster", "ray")):
        words = ["extract", corpus / "train.src", shorter, corpus / "train.align", "--output", tmp_path / "r"]
        assert main(["--quiet", *map(str, words), *more]) == 2
        errors.append(capsys.readouterr().err)
    assert errors[1] == errors[0]
    assert "1,401" in errors[0] or "1401" in errors[0]


@pytest.mark.parametrize("options", [(), ("--grammar", "phrase", "--smoothing", "kneser-ney")])
def test_rules(nodes: Any, systems: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    corpus = systems / "corpus"
    for place, more in (("local", ()), ("ray", ("--cluster", "ray"))):
        sides = (corpus / "train.src", corpus / "train.tgt", corpus / "train.align")
        limit = ("--max-sentence-length", "9")  # some pairs are left out, and their words not numbered
        run("extract", *sides, "--output", tmp_path / place, *limit, *options, *more)
    assert_same(tmp_path / "local", tmp_path / "ray")


@pytest.mark.parametrize("options", [(), ("--model-type", "fast", "--set", "symmetric_lexicon=false")])
def test_word_alignment(nodes: Any, systems: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    corpus = systems / "corpus"
    for place, more in (("local", ()), ("ray", ("--cluster", "ray"))):
        (tmp_path / place).mkdir()
        outputs = ("--output", tmp_path / place / "links", "--model-output", tmp_path / place / "model")
        run("align", corpus / "train.src", corpus / "train.tgt", *outputs, *options, *more)
    assert_same(tmp_path / "local", tmp_path / "ray")
    assert {path.name for path in (tmp_path / "ray").iterdir()} == {"links", "model"}


def test_word_classes(nodes: Any, systems: Path, tmp_path: Path) -> None:
    text = systems / "corpus" / "train.tgt"
    for place, more in (("local", ()), ("ray", ("--cluster", "ray"))):
        how = ("--classes", "5", "--restarts", "1")
        run("classes", text, "--output", tmp_path / place, *how, *more)
    assert_same(tmp_path / "local", tmp_path / "ray")


def test_parameter_mixing(nodes: Any, systems: Path, tmp_path: Path) -> None:
    corpus = systems / "corpus"
    phrase = systems / "phrase"
    sparse = SparseModel(SparseOptions(templates=("pair", "target_bigram")))
    for place, more in (("local", ()), ("ray", ("--cluster", "ray"))):
        create_system(
            tmp_path / place,
            rules=phrase / "rules",
            lm=phrase / "lm",
            options=load(phrase).options,
            sparse=sparse,
        )
        sets = ("--dev-source", corpus / "dev.src", "--dev-target", corpus / "dev.tgt.0")
        how = ("--method", "online-mira", "--iterations", "2", "--set", "dense_first=0", "--threads", "1")
        run("tune", tmp_path / place, *sets, *how, "--set", "online.mixed_parts=3", *more)
    assert_same(tmp_path / "local", tmp_path / "ray")
    assert {path.name for path in tmp_path.iterdir()} == {"local", "ray"}
    assert len(SparseWeights.open(tmp_path / "ray" / "weights.sparse")) > 50


def test_tuning(nodes: Any, systems: Path, tmp_path: Path) -> None:
    corpus = systems / "corpus"
    for place, more in (("local", ()), ("ray", ("--cluster", "ray"))):
        shutil.copytree(systems / "phrase", tmp_path / place)
        sets = ("--dev-source", corpus / "dev.src", "--dev-target", corpus / "dev.tgt.0")
        how = ("--method", "mert", "--iterations", "2", "--nbest", "20", "--threads", "1")
        run("tune", tmp_path / place, *sets, *how, "--work", tmp_path / f"{place}.work", *more)
    assert_same(tmp_path / "local", tmp_path / "ray")
    for name in ("weights-2", "lists"):
        assert_same(tmp_path / "local.work" / name, tmp_path / "ray.work" / name)


def test_a_sweep(nodes: Any, systems: Path, tmp_path: Path) -> None:
    from isogloss.pipeline.executors.ray_cluster import RayExecutor

    lists, corpus, found = tmp_path / "list", systems / "corpus", []
    lines = (corpus / "dev.src").read_text().splitlines()[:60]
    store = load(systems / "phrase").nbest(lines, nbest=10)
    lists.write_text("".join(moses.write(store)))
    reference = (corpus / "dev.tgt.0").read_text().splitlines()[:60]
    for executor in (None, RayExecutor()):
        swept = sweep(
            lists,
            reference,
            methods=["expected-bleu", "mert"],
            features=["popularity"],
            options=SweepOptions(folds=2, samples=50),
            executor=executor,
        )
        found.append([{**row, "seconds": 0} for row in swept.rows()])
    assert len(found[0]) == 4
    assert found[0] == found[1]


def test_tokenizing(nodes: Any, tmp_path: Path) -> None:
    from isogloss.pipeline.executors.ray_cluster import RayExecutor

    inputs = {name: tmp_path / name for name in ("source", "target")}
    for at, path in enumerate(inputs.values()):
        path.write_text("".join(f"{pair[at]}\n" for pair in PAIRS))
    options = {"placeholders": ["printf"]}
    for name, language in (("source", "de"), ("target", "en")):
        options[name] = asdict(SideOptions(language=language, tokenizer="words", case="truecase"))
    for place, executor in (("local", None), ("ray", RayExecutor())):
        outputs = {name: tmp_path / place / name for name in ("source", "target", "text")}
        (tmp_path / place).mkdir()
        text_stages.tokenize(inputs, outputs, options, threads=1, track=no_track, executor=executor)
    assert_same(tmp_path / "local", tmp_path / "ray")
    assert "%s" not in (tmp_path / "ray" / "target").read_text()
