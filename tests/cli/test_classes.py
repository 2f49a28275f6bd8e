"""``isogloss classes`` as a user runs it."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from isogloss.classes import WordClasses
from isogloss.cli.main import main
from support.fork_server import ForkServer


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rng = random.Random(4)
    path = tmp_path / "text.en"
    lines = (" ".join(rng.choice("abcdefghijklmnop") for _ in range(9)) for _ in range(200))
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_writes_classes_and_prints_them(corpus: Path, capfd: pytest.CaptureFixture[str]) -> None:
    output = corpus.parent / "classes.tsv"
    assert main(["classes", str(corpus), "--output", str(output), "--classes", "4"]) == 0
    classes = WordClasses.load(output)
    assert set(classes) == set("abcdefghijklmnop")
    assert set(classes.members()) <= {2, 3, 4, 5}
    printed, notes = capfd.readouterr()
    assert "most frequent" in printed
    assert "pass 1: perplexity" in notes
    assert "restart 8: perplexity" in notes
    assert "16 words of 200 sentences" in notes


def test_json_and_packed_files(corpus: Path, capfd: pytest.CaptureFixture[str]) -> None:
    packed = corpus.with_suffix(".gz")
    packed.write_bytes(gzip.compress(corpus.read_bytes()))
    outputs = [corpus.parent / name for name in ("plain.tsv", "packed.tsv.gz")]
    for source, output in zip((corpus, packed), outputs, strict=True):
        command = [
            "classes",
            str(source),
            "--output",
            str(output),
            "--classes",
            "4",
            "--json",
            "--threads",
            "2",
        ]
        assert main(command) == 0
        result = json.loads(capfd.readouterr().out)
        assert result["tokens"] == 1800
        assert sum(row["tokens"] for row in result["classes"]) == 1800
        assert result["perplexity"] == min(step["perplexity"] for step in result["passes"])
    assert gzip.decompress(outputs[1].read_bytes()) == outputs[0].read_bytes()


def test_words_that_look_like_markup_are_printed_as_they_are(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t").write_text("[red] [/b] x\n")
    assert main(["--quiet", "classes", str(tmp_path / "t"), "--output", str(tmp_path / "c")]) == 0
    out, err = capfd.readouterr()
    assert "[red]" in out
    assert "[/b]" in out
    assert err == ""


@pytest.mark.parametrize("content", ["word\n", "a " * 10_000 + "b\n", "one line without an end"])
def test_odd_corpora_work(tmp_path: Path, content: str, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t").write_text(content)
    assert main(["classes", str(tmp_path / "t"), "--output", str(tmp_path / "c")]) == 0
    assert set(WordClasses.load(tmp_path / "c")) == set(content.split())
    assert "different words, so there cannot be more classes than that" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        (b"", [], "text: no words found; give tokenized sentences"),
        (b"\n \n", [], "text: no words found"),
        (b"a\n\xff\n", [], "text:2: byte 0xff"),
        (b"a\0b\n", [], "not a text file"),
        (b"a\n", ["--classes", "0"], "--classes must be between 1 and 4096, got 0"),
        (b"a\n", ["--iterations", "0"], "--iterations must be at least 1"),
        (b"a\n", ["--threads", "-1"], "--threads must be at least 0, got -1"),
        (None, [], "No such file or directory"),
    ],
)
def test_mistakes_are_explained_and_leave_the_old_output(
    tmp_path: Path,
    content: bytes | None,
    arguments: list[str],
    message: str,
    capfd: pytest.CaptureFixture[str],
) -> None:
    if content is not None:
        (tmp_path / "text").write_bytes(content)
    (tmp_path / "c").write_text("old\t2\n")
    assert main(["classes", str(tmp_path / "text"), "--output", str(tmp_path / "c"), *arguments]) == 2
    error = capfd.readouterr().err
    assert message in error
    assert "Traceback" not in error
    assert (tmp_path / "c").read_text() == "old\t2\n"


def test_a_full_disk_leaves_the_old_output(corpus: Path, fork_server: ForkServer) -> None:
    output = corpus.parent / "c"
    output.write_text("old\t2\n")
    run = fork_server.run("classes", corpus, "--output", output, largest_file=20)
    assert run.returncode == 2
    assert "File too large" in run.stderr
    assert output.read_text() == "old\t2\n"
    assert sorted(path.name for path in corpus.parent.iterdir()) == ["c", corpus.name]
    run = fork_server.run("classes", corpus, "--output", "/dev/full")
    assert run.returncode == 2
    assert "No space left on device" in run.stderr
