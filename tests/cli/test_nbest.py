"""``isogloss nbest`` on good files and bad ones: messages, exit codes, and that nothing is written."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from isogloss.cli.main import main
from isogloss.nbest import NbestStore, read_nbest
from support.fork_server import ForkServer
from support.nbest_lists import read_moses

Run = Callable[..., tuple[int, str, str]]
GOOD = b"0 ||| a b ||| LM= -1 x=1 ||| -2\n0 ||| a c ||| LM= -3 ||| -4\n2 ||| a b ||| LM= -5 y=2 ||| -6\n"


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(["nbest", *arguments])
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.fixture
def good(tmp_path: Path) -> str:
    (tmp_path / "good").write_bytes(GOOD)
    return "good"


def refused(run: Run, *arguments: str) -> str:
    """The message of a command that must fail by the user's mistake and leave everything as it was."""
    before = snapshot(Path())
    code, out, err = run(*arguments)
    assert code == 2, err
    assert out == ""
    assert "Traceback" not in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert snapshot(Path()) == before
    return err.removeprefix("error: ").rstrip("\n")


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


# Good files ----------------------------------------------------------------------------------------------


def test_info(run: Run, good: str) -> None:
    code, out, err = run("info", good)
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert ["sentences", "2", "(1", "numbers", "without", "candidates)"] in lines
    assert ["LM", "-5", "-3", "-1"] in lines
    assert all(line == line.rstrip() for line in out.splitlines())


def test_info_as_json(run: Run, good: str) -> None:
    code, out, _ = run("info", good, "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["sentences"], found["candidates"], found["sparse_features"]) == (2, 3, 2)
    assert found["columns"] == [{"name": "LM", "least": -5.0, "mean": -3.0, "greatest": -1.0}]


def test_numbers_too_large_for_a_sum(run: Run) -> None:
    Path("list").write_text("".join(f"0 ||| a ||| LM= {v} ||| 1\n" for v in ("1.7e308", "1.7e308", "-1e308")))
    code, out, err = run("info", "list", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["columns"][0]["mean"] == pytest.approx(0.8e308)


@pytest.mark.parametrize("format", ["moses", "marian", "fairseq", "sockeye", "jsonl", "store"])
def test_convert_there_and_back(run: Run, good: str, format: str) -> None:
    code, out, err = run("convert", good, "--to", format, "--output", "there")
    assert (code, out) == (0, "")
    assert "there: wrote 3 candidates of 2 sentences\n" in err
    warned = f"warning: the format '{format}' cannot hold: " in err
    assert warned == (format in ("marian", "fairseq", "sockeye"))
    code, out, err = run("convert", "there", "--format", format)
    assert code == 0
    assert err.splitlines()[-1] == "wrote 3 candidates of 2 sentences"
    assert [line.split(" ||| ")[1] for line in out.splitlines()] == ["a b", "a c", "a b"]
    assert warned or read_moses(out.encode()).equals(read_moses(GOOD))


def test_a_list_can_come_from_and_go_to_a_pipe(fork_server: ForkServer) -> None:
    command = [fork_server.command, "nbest", "convert", "-", "--to", "jsonl", "--output", "-"]
    done = subprocess.run(command, input=gzip.compress(GOOD), capture_output=True)
    assert done.returncode == 0
    assert [json.loads(line)["sentence"] for line in done.stdout.splitlines()] == [0, 0, 2]


def test_merge(run: Run, good: str) -> None:
    Path("other").write_bytes(b"0 ||| a b ||| x=1 LM= -1 ||| 7\n1 ||| d ||| New= 1 LM= 0 ||| 0\n")
    code, out, err = run("merge", good, "other")
    assert code == 0
    assert "warning: good: dense features that are missing here count as 0: New\n" in err
    assert [line.split(" ||| ")[:2] for line in out.splitlines()] == [
        ["0", "a b"],
        ["0", "a c"],
        ["1", "d"],
        ["2", "a b"],
    ]


def test_features_that_some_candidates_lack_are_named_once(run: Run) -> None:
    Path("list").write_bytes(b"0 ||| a ||| LM= 1 ||| -2\n0 ||| b ||| ||| -1\n")
    Path("reference").write_text("a\n")
    said = "warning: list: feature 'LM' is missing on 1 of 2 candidates; it counts as 0 there\n"
    for call in (["info"], ["convert"], ["oracle", "--reference", "reference"]):
        err = run(*call[:1], "list", *call[1:])[2]
        assert err.count("is missing on") == 1
        assert said in err


def test_distinct_best_and_add_column(run: Run) -> None:
    Path("list").write_bytes(b"0 ||| a ||| LM= 1 ||| -2\n0 ||| a ||| LM= 2 ||| -1\n2 ||| b ||| LM= 3 ||| 0\n")
    assert run("distinct", "list")[1] == "0 ||| a ||| LM= 2 ||| -1\n2 ||| b ||| LM= 3 ||| 0\n"
    assert run("best", "list")[1] == "a\n\nb\n"
    Path("column").write_text("7\n8.5\n-0.0\n")
    code, out, _ = run("add-column", "list", "--name", "QE", "--values", "column")
    assert code == 0
    assert out.splitlines()[1] == "0 ||| a ||| LM= 2 QE= 8.5 ||| -1"


def test_oracle(run: Run, good: str) -> None:
    Path("reference").write_text("a c\nz\na b\n")
    code, out, err = run("oracle", good, "--reference", "reference", "--output", "oracle")
    assert code == 0
    assert "1 of 3 sentences have no candidates" in err
    assert Path("oracle").read_text() == "a c\n\na b\n"
    assert "oracle" in out
    assert json.loads(run("oracle", good, "--reference", "reference", "--json")[1])["oracle"] >= 0


def test_files_may_be_changed_in_place(run: Run, good: str) -> None:
    assert run("distinct", good, "--output", good)[0] == 0
    assert read_nbest(good).equals(read_moses(GOOD))
    run("convert", good, "--to", "store", "--output", "stored")
    assert run("distinct", "stored", "--to", "store", "--output", "stored")[0] == 0
    assert NbestStore.open("stored").equals(read_moses(GOOD))


def test_names_and_words_that_are_not_ascii_under_any_locale(tmp_path: Path) -> None:
    name = "l\u00efst".encode() + b"\xff"  # not even UTF-8
    path = os.path.join(os.fsencode(tmp_path), name)  # noqa: PTH118
    with open(path, "wb") as stream:  # noqa: PTH123
        stream.write("0 ||| 漢字 ||| ||| 1\n".encode())
    for locale in ("C", "C.UTF-8"):
        environment = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        command = [sys.executable, "-m", "isogloss", "nbest", "convert", path]
        done = subprocess.run(command, capture_output=True, timeout=600, env=environment)
        assert done.returncode == 0, done.stderr
        assert done.stdout == "0 ||| 漢字 ||| ||| 1\n".encode()
    missing = subprocess.run([*command[:-1], path + b"x"], capture_output=True, timeout=600)
    assert missing.returncode == 2
    assert b"No such file" in missing.stderr


# Bad files -----------------------------------------------------------------------------------------------


ONE_LINE = b"0 ||| a ||| LM= 1 ||| 1\n"
BAD_LINES = {
    "fields": (b"0 a\n", "at least 2 fields expected between '|||', found 1; the fields are: sentence"),
    "many": (b"0 ||| a ||| ||| 1 ||| ||| ||| \n", "at most 6 fields expected between '|||', found 7"),
    "nan": (b"0 ||| a ||| LM= nan ||| 1\n", "the value of 'LM' is nan, a finite number is expected"),
    "inf": (b"0 ||| a ||| LM= inf ||| 1\n", "the value of 'LM' is inf, a finite number is expected"),
    "huge": (b"0 ||| a ||| LM= 1e999 ||| 1\n", "the value of 'LM' is '1e999', a number is expected"),
    "sparse": (b"0 ||| a ||| x=nan ||| 1\n", "the value of 'x' is nan, a finite number is expected"),
    "score": (b"0 ||| a ||| LM= 1 ||| one\n", "the score is 'one', a number is expected"),
    "word": (b"0 ||| a|||b ||| LM= 1 ||| 1\n", "the word 'a|||b' contains the field separator '|||'"),
    "negative": (b"-1 ||| a ||| LM= 1 ||| 1\n", "the sentence number is '-1', a whole number from 0"),
    "large": (b"9" * 30 + b" ||| a ||| LM= 1 ||| 1\n", "the sentence number is '9999"),
    "utf8": (b"0 ||| caf\xe9 ||| LM= 1 ||| 1\n", "the word 'caf\\xe9' is not valid UTF-8 text"),
    "sizes": (b"0 ||| a ||| LM= 1 2 ||| 1\n", "feature 'LM' has 2 values here and 1 before"),
    "empty": (b"\n", "empty line; an n-best list must have one candidate per line"),
    "escape": (b"0 ||| a ||| \x1b]0;x\x07= 1 y ||| 1\n", "the value of '\\x1b]0;x\\x07' is 'y'"),
}


@pytest.mark.parametrize("case", BAD_LINES)
def test_a_bad_line_is_named(run: Run, case: str) -> None:
    line, message = BAD_LINES[case]
    content = ONE_LINE * 4 + line + ONE_LINE
    Path("list").write_bytes(content)
    Path("list.gz").write_bytes(gzip.compress(content))
    assert refused(run, "info", "list").startswith(f"list:5: {message}")
    convert = ["convert", "list.gz", "--to", "store", "--output", "out"]
    assert refused(run, *convert).startswith(f"list.gz:5: {message}")


@pytest.mark.parametrize(
    "verb",
    [
        ["info", "--json"],
        ["convert", "--to", "store", "--output", "out"],
        ["merge", "--output", "out"],
        ["distinct", "--output", "out.gz"],
        ["add-column", "--name", "x", "--values", "good", "--output", "out"],
        ["oracle", "--reference", "good", "--output", "out"],
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("good")
def test_files_that_are_no_lists(run: Run, verb: list[str]) -> None:
    packed, zpacked = gzip.compress(GOOD * 100), zstandard.ZstdCompressor().compress(GOOD * 100)
    noise = random.Random(1).randbytes(5000)
    for content, message in [
        (b"", "list: the file is empty; give an n-best list with at least one candidate"),
        (bytes(range(256)) * 10, "list: not a text file (it contains NUL bytes)"),
        (packed[:-5], "list: the compressed file is truncated; copy or download it again"),
        (packed[:30], "list: the compressed file is truncated"),
        (packed[:20] + bytes([packed[20] ^ 255]) + packed[21:], "list: damaged gzip file"),
        (zpacked[:-2], "list: the compressed file is truncated"),
        (zpacked[:8] + b"\xff\xff" + zpacked[10:], "list: damaged zstd file"),
        (gzip.compress(b""), "list: the file is empty"),
        (noise, "list: not a text file"),
        (noise.replace(b"\0", b"1"), "list:1: "),
        (b"just some words\nof a text\n", "list: no line has '|||', and it is no other n-best format"),
    ]:
        Path("list").write_bytes(content)
        assert refused(run, *verb, "list").startswith(message)
    assert refused(run, *verb, "missing") == "missing: No such file or directory"
    assert refused(run, *verb, "good/below") == "good/below: Not a directory"
    Path("folder").mkdir()
    message = "folder: no manifest.json here; give a folder written by isogloss"
    assert refused(run, *verb, "folder") == message
    assert refused(run, *verb, "folder", "--format", "moses") == "folder: is a folder; give a file"
    assert refused(run, *verb, "missing", "--format", "store") == "missing: No such file or directory"


def test_formats_that_do_not_exist(run: Run, good: str) -> None:
    for option in ("--to", "--format"):
        message = refused(run, "convert", "missing", option, "bogus", "--output", "out")
        choices = "moses, marian, fairseq, sockeye, jsonl, store"
        if option == "--format":
            choices += ", samples, openai, vllm, ctranslate2, huggingface, lines"
        assert message.startswith(f"{option} must be one of {choices}, got 'bogus'")
    assert refused(run, "convert", good, "--format", "jsonl").startswith("good:1: not JSON")
    assert refused(run, "convert", good, "--format", "fairseq").startswith("good: no hypotheses found")


def test_column_files(run: Run, good: str) -> None:
    arguments = ["add-column", good, "--name", "x", "--values", "column", "--output", "out"]
    for text, message in [
        ("1\n2\n", "column: 2 lines for the 3 candidates of good; one number per candidate is expected"),
        ("1\n2\n3\n4\n", "column: 4 lines for the 3 candidates of good"),
        ("", "column: 0 lines for the 3 candidates of good"),
        ("1\nx\n3\n", "column:2: 'x' is not a number"),
        ("1\n2\ninf\n", "column:3: inf found, a finite number is expected"),
        ("1\n2\nnan\n", "column:3: nan found, a finite number is expected"),
    ]:
        Path("column").write_text(text)
        assert refused(run, *arguments).startswith(message)
    Path("column").write_bytes(b"1\n\xff\n3\n")
    assert refused(run, *arguments).startswith("column:2: byte 0xff at column 1 is not valid UTF-8")
    Path("column").unlink()
    assert refused(run, *arguments) == "column: No such file or directory"
    Path("column").write_text("1\n2\n3\n")
    for name, message in [
        ("LM", "the list already has a feature 'LM'"),
        ("a b", "'a b' is not a valid feature name"),
    ]:
        renamed = [name if word == "x" else word for word in arguments]
        assert refused(run, *renamed).startswith(message)
    Path("good").write_bytes(b"1 ||| a ||| ||| 1\n0 ||| a ||| ||| 1\n1 ||| a ||| ||| 1\n")
    assert refused(run, *arguments).startswith("good: the lines are not grouped by rising sentence number")


def test_lists_that_do_not_fit_together(run: Run, good: str) -> None:
    Path("other").write_bytes(b"0 ||| a ||| LM= 1 2 ||| 1\n")
    message = refused(run, "merge", good, "other", "--output", "out")
    assert message.startswith("the lists cannot be merged: 'LM' has 1 values in one and 2 in another")


def test_references_of_another_length(run: Run, good: str) -> None:
    Path("reference").write_text("a\nb\n")
    message = refused(run, "oracle", good, "--reference", "reference", "--output", "out")
    assert message == "good: references for 2 sentences only, 3 are expected"


def test_sentences_that_would_need_endless_files(run: Run) -> None:
    Path("list").write_bytes(b"9000000000000000000 ||| a ||| ||| 1\n")
    for arguments in (["best", "list"], ["convert", "list", "--to", "sockeye"]):
        message = refused(run, *arguments, "--output", "out")
        assert message.startswith("the last sentence has the number 9000000000000000000")


def test_references_that_no_list_can_hold(run: Run) -> None:
    Path("reference").write_text("a\nb ||| c\n")
    message = refused(run, "synthetic", "reference", "--output", "out")
    assert message == "reference:2: the word '|||' contains the field separator '|||'"


# Places that cannot be written ---------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["moses", "marian", "fairseq", "sockeye", "jsonl"])
def test_files_that_cannot_be_written(run: Run, format: str) -> None:
    Path("folder").mkdir()
    Path("list").write_bytes(b"0 ||| a ||| ||| 1\n")
    convert = ["convert", "list", "--to", format, "--output"]
    for output, message in [
        ("list/below", "list/below: Not a directory"),
        ("missing/below", "missing/below: No such file or directory"),
        ("folder", "folder: is a folder; give the name of a file"),
        ("/dev/full", "/dev/full: No space left on device"),
        ("/proc/isogloss", "/proc/isogloss: No such file or directory"),
    ]:
        assert refused(run, *convert, output) == message


def test_folders_that_cannot_be_written(run: Run, good: str) -> None:
    for name in ("folder", "empty"):
        Path(name).mkdir()
    Path("folder/letter.txt").write_text("mine")
    convert = ["convert", good, "--to", "store", "--output"]
    for output, message in [
        ("folder", "folder: the folder holds something that isogloss did not write"),
        ("good", "good: is a file; a folder is needed here; choose another name"),
        ("good/below", "good/below: Not a directory"),
        ("/dev/full", "/dev/full: "),
        ("/proc/isogloss", "/proc/isogloss: "),
        ("-", "standard output: cannot hold a stored list; give the name of a folder"),
    ]:
        assert refused(run, *convert, output).startswith(message)
    assert run(*convert, "empty")[0] == 0


@pytest.mark.parametrize("output", ["out", "out.gz", "out.zst", "-", "stored"])
def test_a_full_disk(tmp_path: Path, output: str, fork_server: ForkServer) -> None:
    """A limit on the size of files stands for it: writing begins and then fails."""
    words = random.Random(1)
    lines = (f"{i} ||| {words.random()} {words.random()} ||| LM= {words.random()}\n" for i in range(5000))
    (tmp_path / "list").write_text("".join(lines))
    (tmp_path / "out").write_text("what was here before\n")
    before = snapshot(tmp_path)
    command = ["nbest", "convert", "list", "--output", output]
    command += ["--to", "store" if output == "stored" else "moses"]
    with (tmp_path.parent / f"{tmp_path.name}.stdout").open("wb") as stdout:
        done = fork_server.run(*command, cwd=tmp_path, stdout=stdout, largest_file=20_000)
    where = "standard output" if output == "-" else output
    assert done.stderr == f"error: {where}: File too large\n"
    assert done.returncode == 2
    assert snapshot(tmp_path) == before


def test_damaged_folders(run: Run, good: str) -> None:
    assert run("convert", good, "--to", "store", "--output", "stored")[0] == 0
    for file in sorted(Path("stored").iterdir()):
        content = file.read_bytes()
        if content:
            file.unlink()
            file.write_bytes(content[:-2])
            assert str(file) in refused(run, "info", "stored")
            file.write_bytes(content)
    (Path("stored") / "manifest.json").write_text("{}")
    assert refused(run, "info", "stored").startswith("stored/manifest.json: is not a manifest of isogloss")
    message = refused(run, "convert", good, "--to", "store", "--output", "stored")
    assert message.startswith("stored: the folder holds something")


def test_computed_features_and_words(run: Run, tmp_path: Path) -> None:
    Path("answers.jsonl").write_text('{"samples": ["A house.", "House."]}\n{"samples": ["No."]}\n', "utf-8")
    assert run("tokenize", "answers.jsonl", "--output", "words")[0] == 0
    assert [line.split(" |||")[1] for line in Path("words").read_text("utf-8").splitlines()] == [
        " A house .",
        " House .",
        " No .",
    ]
    assert run("features", "words", "--features", "popularity repetition", "--output", "more")[0] == 0
    assert read_nbest("more").dense_names == [
        "Count",
        "Popularity",
        "RepeatedWords",
        "RepeatedPhrases",
        "RepeatedRun",
    ]
