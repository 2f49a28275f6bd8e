"""``isogloss align`` as a user runs it."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import zstandard

from isogloss.align import Alignments, train
from isogloss.cli.main import main
from isogloss.storage.folder import verify_folder
from support import align_oracles
from support.fork_server import ForkServer


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two parallel files, gold links, and a folder to work in."""
    monkeypatch.chdir(tmp_path)
    pairs, truth = align_oracles.toy_corpus(150)
    Path("c.src").write_text("".join(f"{source}\n" for source, _ in pairs))
    Path("c.tgt").write_text("".join(f"{target}\n" for _, target in pairs))
    Alignments.from_links(truth).write("gold")
    return tmp_path


def run(*arguments: str) -> int:
    return main(["--quiet", "align", *arguments])


def test_links_and_error_rate(corpus: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["align", "c.src", "c.tgt", "--output", "links", "--gold", "gold"]) == 0
    printed, notes = capfd.readouterr()
    assert "alignment error rate" in printed
    assert "150 sentence pairs" in notes
    assert "per target word" in notes
    truth = Alignments.read("gold")
    assert align_oracles.share_found(Alignments.read("links"), truth) > 0.93


def test_json_tells_everything(corpus: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("c.src", "c.tgt", "--gold", "gold", "--json", "--model-type", "fast", "--iterations", "2") == 0
    result = json.loads(capfd.readouterr().out)
    assert result["pairs"] == 150
    assert result["scores"]["error_rate"] < 0.1
    assert result["model"]["options"]["model_type"] == "fast"
    assert len(result["model"]["perplexities"]) == 6
    assert result["output"] is None


def test_packed_files_and_one_file_give_the_same(corpus: Path) -> None:
    source, target = Path("c.src").read_bytes(), Path("c.tgt").read_bytes()
    Path("c.gz").write_bytes(gzip.compress(source))
    Path("c.zst").write_bytes(zstandard.compress(target))
    rows = list(zip(source.decode().splitlines(), target.decode().splitlines(), strict=True))
    Path("both.tsv").write_text("".join(f"{s}\t{t}\n" for s, t in rows))
    Path("both.txt").write_text("".join(f"{s} ||| {t}\n" for s, t in rows))
    assert run("c.src", "c.tgt", "--output", "plain", "--threads", "1") == 0
    for number, files in enumerate([["c.gz", "c.zst"], ["both.tsv"], ["both.txt"]]):
        assert run(*files, "--output", f"links{number}", "--threads", "2") == 0
        assert Path(f"links{number}").read_bytes() == Path("plain").read_bytes()
    assert run("c.src", "c.tgt", "--output", "plain.gz") == 0
    assert gzip.decompress(Path("plain.gz").read_bytes()) == Path("plain").read_bytes()


def test_a_stored_model_aligns_later(corpus: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("c.src", "c.tgt", "--output", "first", "--model-output", "model") == 0
    assert verify_folder("model") == 10
    assert run("c.src", "c.tgt", "--output", "-", "--model", "model") == 0
    assert capfd.readouterr().out == Path("first").read_text()
    Path("empty").write_text("")
    assert run("empty", "empty", "--output", "nothing", "--model", "model") == 0
    assert Path("nothing").read_text() == ""


def test_lexical_tables_go_out_and_in(corpus: Path) -> None:
    assert run("c.src", "c.tgt", "--lexical-output", "lex") == 0
    assert "t1 s1 " in Path("lex.f2e").read_text()
    assert "s1 t1 " in Path("lex.e2f").read_text()
    assert run("c.src", "c.tgt", "--lexical-input", "lex", "--output", "links") == 0
    assert align_oracles.share_found(Alignments.read("links"), Alignments.read("gold")) > 0.8


def test_lowercased_tables_align_text_in_any_case(corpus: Path) -> None:
    assert run("c.src", "c.tgt", "--lexical-output", "lex") == 0
    assert run("c.src", "c.tgt", "--lexical-input", "lex", "--output", "links") == 0
    Path("c.src").write_text(Path("c.src").read_text().upper())
    assert run("c.src", "c.tgt", "--lexical-input", "lex", "--output", "upper") == 0
    assert Path("upper").read_text() == Path("links").read_text()
    assert run("c.src", "c.tgt", "--lexical-input", "lex", "--output", "upper", "--no-lowercase") == 0
    assert Path("upper").read_text() != Path("links").read_text()


def test_old_options_still_work(corpus: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["align", "c.src", "c.tgt", "-o", "links", "--seed", "2"]) == 0
    notes = capfd.readouterr().err
    assert "--seed is no longer needed" in notes


def test_extra_pairs_are_not_written(corpus: Path) -> None:
    for side in ("src", "tgt"):
        Path(f"few.{side}").write_text("\n".join(Path(f"c.{side}").read_text().splitlines()[:7]) + "\n")
    extra = ["--extra-source", "c.src", "--extra-target", "c.tgt"]
    assert run("few.src", "few.tgt", "--output", "links", *extra) == 0
    assert len(Path("links").read_text().splitlines()) == 7


def test_odd_lines_keep_their_places(corpus: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with Path("c.src").open("a") as source, Path("c.tgt").open("a") as target:
        source.write("\n" + "word " * 10_000 + "\ns1\n")
        target.write("t1\n" + "wort " * 10_000 + "\nt1\n")
    assert main(["align", "c.src", "c.tgt", "--output", "links"]) == 0
    lines = Path("links").read_text().split("\n")
    assert lines[150:] == ["", "", "0-0", ""]
    notes = capfd.readouterr().err
    assert "more than 250 words on a side have no links (the first is line 152)" in notes
    assert "1 sentence pairs with an empty side have no links" in notes


def test_one_word_corpus(corpus: Path) -> None:
    Path("w").write_text("word\n")
    assert run("w", "w", "--output", "links") == 0
    assert Path("links").read_text() == "0-0\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["c.src", "short"], "short:2: the file has 1 lines, but c.src has more"),
        (["short", "c.tgt"], "short:2: the file has 1 lines, but c.tgt has more"),
        (["empty", "empty"], "empty: there are no sentence pairs"),
        (["blank", "blank"], "blank: none of the 3 sentence pairs can be used"),
        (["c.src", "missing"], "missing: No such file or directory"),
        (["c.src"], "c.src:1: 1 fields, 2 expected; separate source and target by a tab"),
        (["bad", "bad"], "bad:2: byte 0xff"),
        (["c.src", "c.tgt", "--threads", "-1"], "--threads must be at least 0, got -1"),
        (
            ["c.src", "c.tgt", "--memory-limit", "much"],
            "--memory-limit must be a size such as 512M or 4G, got 'much'",
        ),
        (["c.src", "c.tgt", "--memory-limit", "1M"], "0.2 GB of memory; raise --memory-limit"),
        (["c.src", "c.tgt", "--iterations", "-2"], "--iterations must be at least 0, got -2"),
        (["c.src", "c.tgt", "--threshold", "2"], "--threshold must be between 0 and 1, got 2"),
        (["c.src", "c.tgt", "--max-length", "0"], "--max-length must be between 1 and 2000, got 0"),
        (
            ["c.src", "c.tgt", "--model-type", "ibm4"],
            "--model-type must be one of hmm, fast, model1, got 'ibm4'",
        ),
        (["c.src", "c.tgt", "--method", "magic"], "--method must be one of grow-diag-final-and"),
        (["c.src", "c.tgt", "--model", "missing"], "missing: No such file or directory"),
        (["c.src", "c.tgt", "--model", "."], "no manifest.json here"),
        (
            ["c.src", "c.tgt", "--model", "m", "--iterations", "3"],
            "--model is not trained further; remove --iterations",
        ),
        (
            ["c.src", "c.tgt", "--model", "m", "--model-output", "n"],
            "--model is not trained further; remove --model-output",
        ),
        (
            ["c.src", "c.tgt", "--model", "m", "--lexical-input", "n"],
            "give either --model or --lexical-input, not both",
        ),
        (["c.src", "c.tgt", "--lexical-input", "missing"], "missing.f2e: No such file or directory"),
        (["c.src", "c.tgt", "--extra-source", "c.src"], "--extra-source and --extra-target must be given"),
        (["c.src", "c.tgt", "--gold", "short"], "'s1' is not a gold link"),
        (["c.src", "c.tgt", "--gold", "outside"], "outside:1: link 99-0 is outside sentences of"),
        (["c.src", "c.tgt", "--gold", "few"], "few: 1 lines for 150 sentence pairs"),
        (["c.src", "c.tgt", "--model-output", "c.src"], "c.src: is a file; a folder is needed here"),
        (["c.src", "c.tgt", "--model-output", "."], "the folder holds something that isogloss did not write"),
        (["c.src", "c.tgt", "--lexical-output", "no/lex"], "no: the folder does not exist"),
        (
            ["c.src", "c.tgt", "--backend", "eflomal", "--memory-limit", "1G"],
            "eflomal does not support --memory-limit; use another --backend",
        ),
    ],
)
def test_mistakes_are_explained_and_leave_the_old_output(
    corpus: Path, arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("short").write_text("s1\n")
    Path("few").write_text("0-0\n")
    Path("outside").write_text("99-0\n" + "\n" * 149)
    Path("empty").write_text("")
    Path("blank").write_text("\n \n\t\n")
    Path("bad").write_bytes(b"a\n\xff\n")
    Path("links").write_text("old\n")
    assert run(*arguments, "--output", "links") == 2
    error = capfd.readouterr().err
    assert message in " ".join(error.replace("│", " ").split())
    assert "Traceback" not in error
    assert Path("links").read_text() == "old\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to do: give --output"),
        (["--output", "-", "--json"], "would both write to standard output"),
        (["--output", "no/such/links"], "no/such: the folder does not exist"),
        (["--output", "/dev/full"], "/dev/full: No space left on device"),
    ],
)
def test_outputs_that_cannot_be(
    corpus: Path, arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run("c.src", "c.tgt", *arguments) == 2
    assert message in capfd.readouterr().err


@pytest.mark.parametrize("option", ["--output", "--model-output", "--lexical-output"])
def test_a_full_disk_leaves_the_old_output(corpus: Path, option: str, fork_server: ForkServer) -> None:
    assert run("c.src", "c.tgt", option, "out") == 0
    files = sorted(path for path in corpus.rglob("*") if path.is_file())
    before = [path.read_bytes() for path in files]
    command = ["align", "c.src", "c.tgt", option, "out", "--model-type", "model1"]
    done = fork_server.run(*command, largest_file=200)
    assert done.returncode == 2
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path for path in corpus.rglob("*") if path.is_file()) == files
    assert [path.read_bytes() for path in files] == before


def test_interrupting_leaves_nothing(
    corpus: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = " ".join(f"w{i}" for i in range(200)) + "\n"
    Path("long").write_text(words * 300)
    whole = train.make_batches
    # Where Python happens to clean up, it reports a Ctrl-C and goes on: somebody would press it again.
    presses = [threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)) for after in (0.1, 10, 20)]

    def about_to_learn(*arguments: Any) -> list[tuple[int, int]]:
        for press in presses:
            press.start()
        return whole(*arguments)

    monkeypatch.setattr(train, "make_batches", about_to_learn)
    code = main(["align", "long", "long", "--output", "links", "--iterations", "1000"])  # not after hours
    for press in presses:
        press.cancel()
    assert code == 130
    assert "interrupted" in capfd.readouterr().err
    assert not Path("links").exists()
    assert not list(corpus.glob(".*"))


def test_a_missing_backend_is_explained(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "eflomal", None)
    assert run("c.src", "c.tgt", "--output", "links", "--backend", "eflomal") == 2
    assert "pip install 'isogloss[eflomal]'" in capfd.readouterr().err
    assert not Path("links").exists()
