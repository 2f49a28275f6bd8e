"""``isogloss speech`` and ``isogloss nbest from-lattice`` as a user runs them."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from isogloss.cli.main import main
from isogloss.nbest import read_nbest

Run = Callable[..., tuple[int, str, str]]
LATTICES = "((('aaa', -0.1, 1), ('bbb', -5, 1),),)\n()\n\n((('bbb', -inf, 1),),)\n((('ccc', 0, 1),),)\n"


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, systems: Path, tmp_path: Path
) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system").symlink_to(systems / "phrase")
    (tmp_path / "lattices").write_text(LATTICES)

    def call(*arguments: str, text: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code = main(["--quiet", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_strings_of_lattices(run: Run) -> None:
    code, out, err = run("nbest", "from-lattice", "lattices", "--nbest", "1")
    assert (code, err) == (0, "")
    assert out == (
        "0 ||| aaa ||| asr= -0.1 ||| -0.1\n1 ||| ||| asr= 0 ||| 0\n2 ||| ||| asr= 0 ||| 0\n"
        "3 ||| bbb ||| asr= -100 ||| -100\n4 ||| ccc ||| asr= 0 ||| 0\n"
    )
    assert len(run("nbest", "from-lattice", "-", text=LATTICES)[1].splitlines()) == 6
    code, out, err = run("nbest", "from-lattice", "-", text="()\n(a\n")
    assert (code, out) == (2, "")
    assert err.startswith("error: -:2: not a lattice")


def test_lines_match_utterances_whatever_was_heard(run: Run, tmp_path: Path) -> None:
    wanted = "aaa\n\n\nbbb\nccc\n"
    assert run("speech", "system", "lattices", "--input", "plf") == (0, wanted, "")
    run("nbest", "from-lattice", "lattices", "--output", "list")
    assert run("speech", "system", "list") == (0, wanted, "")
    kept = [line for line in (tmp_path / "list").read_text().splitlines(True) if line[0] in "03"]
    (tmp_path / "short").write_text("".join(kept))
    assert run("speech", "system", "short", "--count", "5") == (0, "aaa\n\n\nbbb\n\n", "")
    (tmp_path / "text").write_text("aaa\n\nbbb\n")
    assert run("speech", "system", "text", "--input", "text") == (0, "aaa\n\nbbb\n", "")
    code, out, err = run("speech", "system", "-", "--input", "plf", text="()\n(((\n((('aaa', 0, 1),),)\n")
    assert (code, out) == (2, "\n\naaa\n")
    assert "warning: -:2: not a lattice" in err
    assert "1 line could not be read; the output is empty there" in err


def test_scores_that_are_missing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "list").write_text(
        "0 ||| aaa ||| asr= -2 ||| -2\n0 ||| bbb |||\n1 ||| ccc |||\n3 ||| ddd ||| asr= -1\n"
    )
    code, out, err = run("speech", "system", "list")
    assert (code, out) == (0, "aaa\nccc\n\nddd\n")
    assert "feature 'asr' is missing on 2 of 4 candidates; the lowest value of the utterance is used" in err


def test_a_reranker_learns_from_the_union(run: Run, systems: Path, tmp_path: Path) -> None:
    """The recognizer prefers what is wrong, and says so in a column: only learning helps."""
    corpus = systems / "corpus"
    sources = (corpus / "test.src").read_text().splitlines()[:60]
    for name, part in (("dev", sources[:40]), ("test", sources[40:])):
        begin = 0 if name == "dev" else 40
        with (tmp_path / f"{name}.list").open("w") as stream:
            for number, line in enumerate(part):
                wrong = sources[(begin + number + 7) % 60]
                stream.write(
                    f"{number} ||| {wrong} ||| sure= 0.1 ||| -1\n{number} ||| {line} ||| sure= 0.8 ||| -2\n"
                )
        references = (corpus / "test.tgt.0").read_text().splitlines()[begin : begin + len(part)]
        (tmp_path / f"{name}.ref").write_text("".join(line + "\n" for line in references))
    assert run("speech", "system", "dev.list", "--nbest", "1", "--to", "store", "--output", "union")[0] == 0
    assert "Asr.sure" in read_nbest("union").dense_names
    code, _, err = run("rerank", "train", "union", "--reference", "dev.ref", "--output", "model")
    assert code == 0, err
    plain = run("speech", "system", "test.list", "--nbest", "1")[1].splitlines()
    chosen = run("speech", "system", "test.list", "--nbest", "1", "--reranker", "model")[1].splitlines()
    right = run("speech", "system", "-", "--input", "text", text="\n".join(sources[40:]) + "\n")[
        1
    ].splitlines()
    assert sum(a == b for a, b in zip(chosen, right, strict=True)) >= 15
    assert sum(a == b for a, b in zip(plain, right, strict=True)) <= 10


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nowhere", "list"], "nowhere: No such file or directory"),
        (["system", "missing"], "missing: No such file or directory"),
        (["system", "lattices", "--input", "plf", "--count", "3"], "--count cannot be used with input plf"),
        (["system", "list", "--count", "1"], "the list has hypotheses of utterance 1"),
        (["system", "list", "--scale", "-1"], "--scale must be at least 0, got -1.0"),
        (["system", "list", "--hypotheses", "0"], "--hypotheses must be at least 1, got 0"),
        (
            ["system", "list", "--to", "xml"],
            "--to must be one of moses, marian, fairseq, sockeye, jsonl, store",
        ),
        (["system", "list", "--reranker", "missing"], "missing"),
    ],
)
def test_mistakes(run: Run, tmp_path: Path, arguments: list[str], problem: str) -> None:
    (tmp_path / "list").write_text("0 ||| aaa ||| ||| 1\n1 ||| aaa ||| ||| 1\n")
    code, out, err = run("speech", *arguments)
    assert (code, out) == (2, "")
    assert problem in err


def test_tuning_on_lattices_weighs_their_scores(run: Run, systems: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(systems / "phrase", tmp_path / "tuned")
    sources = (systems / "corpus" / "dev.src").read_text().splitlines()[:30]
    with (tmp_path / "dev.plf").open("w") as stream:
        for i, line in enumerate(sources):
            words, others = line.split(), sources[i - 1].split()
            arcs = [
                f'(("{word}", -0.5, 1), ("{others[k % len(others)]}", -1, 1),),'
                for k, word in enumerate(words)
            ]
            stream.write(f"({''.join(arcs)})\n")
    references = (systems / "corpus" / "dev.tgt.0").read_text().splitlines()[:30]
    (tmp_path / "dev.ref").write_text("".join(line + "\n" for line in references))
    code, _, err = run(
        "tune", "tuned", "--input", "plf", "--dev-source", "dev.plf", "--dev-target", "dev.ref",
        "--method", "batch-mira", "--iterations", "2", "--nbest", "30",
    )  # fmt: skip
    assert code == 0, err
    rows = dict(line.split("\t") for line in (tmp_path / "tuned" / "weights.tsv").read_text().splitlines())
    before = dict(line.split("\t") for line in (systems / "phrase" / "weights.tsv").read_text().splitlines())
    assert rows["arcs"] != before["arcs"]
