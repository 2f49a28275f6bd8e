from __future__ import annotations

import io
import itertools
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from isogloss.cli.main import main
from isogloss.lm import LanguageModel
from support.fork_server import ForkServer

Run = Callable[..., tuple[int, str, str]]
LINES = ["the cat sat on the mat", "the dog sat", "a cat saw the dog", "the mat"]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str | Path) -> tuple[int, str, str]:
        code = main(["lm", *map(str, arguments)])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "text"
    path.write_text("\n".join(LINES) + "\n")
    return path


def test_from_text_to_perplexity(run: Run, corpus: Path, tmp_path: Path) -> None:
    arpa, binary = tmp_path / "m.arpa.gz", tmp_path / "m"
    code, out, err = run("build", corpus, "--order", "3", "--arpa", arpa, "--binary", binary)
    assert code == 0
    assert "1      11       0.5556  0.3333  3.0000" in out
    assert "4 sentences, 16 words" in err
    assert "warning: discounts of 3-grams cannot be estimated (no n-gram has adjusted count 3)" in err
    assert run("binarize", arpa, tmp_path / "again")[0] == 0
    outputs = {run("query", model, corpus)[1] for model in (arpa, binary, tmp_path / "again")}
    assert len(outputs) == 1
    rows = [line.split("\t") for line in outputs.pop().splitlines()]
    assert [row[3] for row in rows] == LINES
    assert [row[1:3] for row in rows] == [["7", "0"], ["4", "0"], ["6", "0"], ["3", "0"]]
    model = LanguageModel.load(binary)
    assert [float(row[0]) for row in rows] == pytest.approx(model.score_sentences(LINES).tolist(), abs=1e-6)


def test_words_text_and_json(run: Run, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("build", corpus, "--order", "2", "--binary", tmp_path / "m")
    typed = io.TextIOWrapper(io.BytesIO(b"the bird sat\n"))
    monkeypatch.setattr(sys, "stdin", typed)
    code, out, err = run("query", tmp_path / "m", "--show", "words")
    assert code == 0
    assert [line.split("\t")[1:] for line in out.strip().splitlines()] == [
        ["2", "the"],
        ["1", "bird*"],
        ["1", "sat"],
        ["2", "</s>"],
    ]
    assert "unknown words: 1" in err
    code, out, err = run("query", tmp_path / "m", corpus, "--show", "text")
    assert "perplexity without unknown words" in out
    found = json.loads(run("query", tmp_path / "m", corpus, "--json", "--show", "words")[1])
    assert found["words"] == 20
    assert found["sentences"][3]["words"][0]["word"] == "the"
    assert found["perplexity"] == pytest.approx(
        LanguageModel.load(tmp_path / "m").perplexity(LINES).including_unknown
    )
    fragments = json.loads(run("query", tmp_path / "m", corpus, "--json", "--fragments")[1])
    assert fragments["words"] == 16
    built = json.loads(run("build", corpus, "--order", "2", "--arpa", tmp_path / "a", "--json")[1])
    assert built["counts"] == [11, 15]
    assert built["discounts"][1]["fallback"] is None
    assert json.loads(run("binarize", tmp_path / "a", tmp_path / "b", "--json")[1])["counts"] == [11, 15]


def test_an_empty_text_has_no_perplexity(run: Run, corpus: Path, tmp_path: Path) -> None:
    run("build", corpus, "--binary", tmp_path / "m")
    (tmp_path / "empty").write_text("")
    assert json.loads(run("query", tmp_path / "m", tmp_path / "empty", "--json")[1])["perplexity"] is None


def test_arpa_to_standard_output(run: Run, corpus: Path) -> None:
    code, out, _ = run("build", corpus, "--order", "2", "--arpa", "-")
    assert code == 0
    assert out.startswith("\\data\\\nngram 1=11\nngram 2=15\n\n\\1-grams:\n")
    assert out.endswith("\n\\end\\\n")


def test_a_model_without_unk_is_reported(run: Run, tmp_path: Path, corpus: Path) -> None:
    arpa = tmp_path / "a"
    arpa.write_text("\\data\\\nngram 1=2\n\n\\1-grams:\n-1 <s>\n-0.5 </s>\n\n\\end\\\n")
    code, _, err = run("query", arpa, corpus)
    assert code == 0
    assert "warning: " in err
    assert "has no <unk>" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--order", "0"], "--order must be between 1 and 7, got 0"),
        (["--order", "8"], "--order must be between 1 and 7, got 8"),
        (["--order", "x"], "--order must be a whole number, between 1 and 7, got 'x'"),
        (["--prune", "1,0"], "--prune must not decrease"),
        (["--prune", "some"], "--prune must be a list of whole numbers, at least 0, got 'some'"),
        (["--memory-limit", "lots"], "--memory-limit must be a size such as 512M or 4G, got 'lots'"),
        (["--memory-limit", "4K"], "--memory-limit must be at least 1M"),
        (["--special-words", "drop"], "--special-words must be one of error, unknown, got 'drop'"),
    ],
    ids=str,
)
def test_mistakes_in_options(
    run: Run, corpus: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    code, _, err = run("build", corpus, "--arpa", tmp_path / "a", *arguments)
    assert code == 2
    assert message in err
    assert not (tmp_path / "a").exists()


def test_mistakes_in_files(run: Run, corpus: Path, tmp_path: Path) -> None:
    assert "nothing to write" in run("build", corpus)[2]
    assert run("build", tmp_path / "missing", "--arpa", tmp_path / "a")[0] == 2
    assert run("query", tmp_path / "missing", corpus)[0] == 2
    code, _, err = run("query", corpus, corpus)
    assert code == 2
    assert "text:1: '\\data\\' expected, found 'the cat sat on the mat'" in err
    (tmp_path / "tagged").write_text("a b\n<s> c </s>\n")
    code, _, err = run("build", tmp_path / "tagged", "--arpa", tmp_path / "a")
    assert code == 2
    assert "tagged:2: the word '<s>' is reserved" in err
    assert run("build", tmp_path / "tagged", "--arpa", tmp_path / "a", "--special-words", "unknown")[0] == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(run: Run, corpus: Path, tmp_path: Path) -> None:
    code, _, err = run("build", corpus, "--arpa", "/dev/full")
    assert code == 2
    assert "/dev/full: No space left on device" in err


@pytest.fixture(scope="module")
def larger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    choose = random.Random(2)
    words = [f"w{i}" for i in range(2000)]
    path = tmp_path_factory.mktemp("lm") / "text"
    path.write_text("".join(" ".join(choose.choices(words, k=15)) + "\n" for _ in range(2500)))
    return path


def test_files_that_may_not_grow(larger: Path, tmp_path: Path, run: Run, fork_server: ForkServer) -> None:
    """As if the disk were full while temporary files, ARPA or tables are written: the old outputs stay."""
    (tmp_path / "old.arpa").write_text("old")
    old = tmp_path / "old.binary"
    small = tmp_path / "text"
    small.write_text("a b\n")
    assert run("build", small, "--order", "2", "--binary", old)[0] == 0
    for outputs in (
        ["--memory-limit", "1M", "--scratch", tmp_path, "--arpa", tmp_path / "old.arpa"],
        ["--arpa", tmp_path / "old.arpa"],
        ["--binary", old],
    ):
        done = fork_server.run("lm", "build", larger, *outputs, largest_file=300_000)
        assert done.returncode == 2, done.stderr
        assert "File too large" in done.stderr
        assert "Traceback" not in done.stderr
    assert (tmp_path / "old.arpa").read_text() == "old"
    assert LanguageModel.load(old).counts == (5, 3)
    assert {p.name for p in tmp_path.iterdir()} == {"old.arpa", "old.binary", "text"}


class Killed:
    """A build that replaces a small model by a larger one, to be killed."""

    def __init__(self, folder: Path, text: Path, run: Run) -> None:
        self.arpa, self.binary, self.scratch = folder / "m.arpa", folder / "m.binary", folder / "scratch"
        self.scratch.mkdir()
        outputs = ["--arpa", self.arpa, "--binary", self.binary]
        limits = ["--memory-limit", "1M", "--scratch", self.scratch]
        self.command = ["lm", "build", text, "--order", "3", *limits, *outputs]
        begun = time.monotonic()
        assert run(*self.command[1:])[0] == 0
        self.duration = time.monotonic() - begun
        self.new = self.content()
        (folder / "small").write_text("a b\n")
        assert run("build", folder / "small", "--order", "3", *outputs)[0] == 0
        self.old = self.content()

    def content(self) -> tuple[bytes, dict[str, bytes]]:
        arrays = json.loads((self.binary / "manifest.json").read_text())["arrays"]
        return self.arpa.read_bytes(), {
            name: (self.binary / array["file"]).read_bytes() for name, array in arrays.items()
        }

    def check(self) -> None:
        found = self.content()
        assert found[0] in (self.old[0], self.new[0])
        assert found[1] in (self.old[1], self.new[1])
        LanguageModel.load(self.binary).score("w1 w2")
        assert not list(self.scratch.iterdir())


def test_killing_at_any_change_of_the_file_system_leaves_the_old_or_the_new(
    corpus: Path, tmp_path: Path, run: Run, fork_server: ForkServer
) -> None:
    build = Killed(tmp_path, corpus, run)
    for change in itertools.count(1):
        if not fork_server.killed(build.command, change=change):
            break
        build.check()
    assert change > 10
    assert build.content() == build.new


@pytest.mark.slow
def test_killing_at_any_moment_leaves_the_old_or_the_new(
    larger: Path, tmp_path: Path, run: Run, fork_server: ForkServer
) -> None:
    build = Killed(tmp_path, larger, run)
    for moment in range(12):
        fork_server.killed(build.command, seconds=build.duration * moment / 10)
        build.check()
    assert fork_server.run(*build.command).returncode == 0
    assert build.content() == build.new
