"""``isogloss translate`` and ``isogloss system`` as a user runs them."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import sacrebleu

from isogloss.cli.main import main
from isogloss.decoder import DerivationStep
from isogloss.nbest import read_nbest

COMMAND = [sys.executable, "-m", "isogloss", "--quiet"]
Run = Callable[..., tuple[int, str, str]]
SEARCHES = pytest.mark.parametrize("search", ["hierarchical", "phrase"])


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, systems: Path) -> Run:
    monkeypatch.chdir(systems)

    def call(*arguments: str, text: str | bytes = b"") -> tuple[int, str, str]:
        typed = text.encode() if isinstance(text, str) else text
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
        code = main(["--quiet", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@SEARCHES
def test_the_test_set(run: Run, systems: Path, search: str) -> None:
    source = (systems / "corpus" / "test.src").read_text()
    code, out, err = run("translate", search, text=source)
    assert (code, err) == (0, "")
    assert run("translate", search, "--threads", "2", text=source)[1] == out
    references = [(systems / "corpus" / "test.tgt.0").read_text().splitlines()]
    assert len(out.splitlines()) == len(references[0])
    copied = score(source.splitlines(), references)
    assert score(out.splitlines(), references) > copied + 30


@SEARCHES
def test_n_best_lists(run: Run, systems: Path, search: str, tmp_path: Path) -> None:
    lines = (systems / "corpus" / "test.src").read_text().splitlines()[:120]
    lines[3] = ""
    text = "".join(line + "\n" for line in lines)
    best = run("translate", search, text=text)[1].splitlines()
    lists = {}
    for format in ("moses", "jsonl"):
        code, out, _ = run("translate", search, "--nbest", "4", "--format", format, text=text)
        assert code == 0
        (tmp_path / format).write_text(out)
        lists[format] = read_nbest(tmp_path / format, format=format)
    assert lists["jsonl"].alignment is not None
    assert lists["moses"].equals(replace(lists["jsonl"], alignment=None))
    store = lists["moses"]
    assert store.sentence_ids.tolist() == list(range(120))
    assert [store.text(store.rows_of(i)[0]) for i in range(120)] == best
    first = json.loads(out.splitlines()[0])
    assert first["dense"]["lm"] < 0
    assert first["derivation"][-1]["target_span"][1] == len(first["text"].split())
    assert first["derivation"][0].keys() == set(DerivationStep._fields)


def test_lattices(run: Run) -> None:
    text = "((('aaa', -0.1, 1), ('bbb', -5, 1),),)\n()\n\n((('bbb', 0, 1),),)\n"
    assert run("translate", "phrase", "--input", "plf", text=text) == (0, "aaa\n\n\nbbb\n", "")
    bad = "((('aaa', 0, 1),),)\n((('a', 0, 2),),)\n((('bbb', 0, 1),),)\n"
    code, out, err = run("translate", "phrase", "--input", "plf", text=bad)
    assert (code, out) == (2, "aaa\n\nbbb\n")
    assert err.startswith("warning: standard input:2: not a lattice: the arc 'a' leads from node 0 to 2;")
    code, out, err = run("translate", "phrase", "--input", "plf", "--bad-lines", "stop", text=bad)
    assert (code, out) == (2, "aaa\n")
    assert err.startswith("error: standard input:2: not a lattice")


def test_lines(run: Run) -> None:
    assert run("translate", "phrase", text="") == (0, "", "")
    assert run("translate", "phrase", text="\n\nxxx\r\n  \n||| yyy") == (0, "\n\nxxx\n\n||| yyy\n", "")
    long = " ".join(f"w{i}" for i in range(2000))
    code, out, _ = run("translate", "phrase", "--max-words", "50", text=f"{long}\nxxx\n")
    assert code == 0
    assert sorted(out.splitlines()[0].split()) == sorted(long.split())
    assert out.splitlines()[1:] == ["xxx"]


def test_bytes_that_are_not_text(run: Run) -> None:
    text = b"xxx\nyyy\n\xffzzz\nlast\n"
    message = (
        "standard input:3: byte 0xff at column 1 is not valid UTF-8; "
        "use --replace-invalid to replace such bytes with U+FFFD\n"
    )
    code, out, err = run("translate", "phrase", text=text)
    assert (code, out) == (2, "xxx\nyyy\n\nlast\n")
    assert err == (
        f"warning: {message}error: standard input: 1 line could not be read; the output is empty there\n"
    )
    code, out, err = run("translate", "phrase", "--bad-lines", "stop", text=text)
    assert (code, out, err) == (2, "xxx\nyyy\n", f"error: {message}")
    assert run("translate", "phrase", "--replace-invalid", text=text) == (
        0,
        "xxx\nyyy\n\ufffdzzz\nlast\n",
        "",
    )
    code, out, err = run("translate", "phrase", text=b"xxx\na\0\nyyy\n")
    assert (code, out) == (2, "xxx\n\nyyy\n")
    assert "standard input:2: contains a NUL byte at column 2\n" in err


def test_only_the_first_bad_lines_are_told(run: Run) -> None:
    code, out, err = run("translate", "phrase", "--markup", "on", text="<\n" * 1234 + "xxx\n")
    assert (code, out) == (2, "\n" * 1234 + "xxx\n")
    assert len(err.splitlines()) == 11
    assert err.endswith("error: standard input: 1,234 lines could not be read; the output is empty there\n")


def test_translations_in_the_text(run: Run, tmp_path: Path) -> None:
    text = 'xxx <t translation="A &lt; B">the kings</t> <t>lummer</t>\n'
    code, out, _ = run("translate", "phrase", "--markup", "on", text=text)
    assert code == 0
    assert sorted(out.split()) == sorted(["xxx", "A", "<", "B", "lummer"])
    assert "A < B" in out
    assert "&lt;" in run("translate", "phrase", text=text)[1]
    (tmp_path / "terms").write_text("the kings\tA < B\nlummer\n")
    plain = "xxx the kings lummer\n"
    assert run("translate", "phrase", "--terms", str(tmp_path / "terms"), text=plain)[1] == out
    factored = "xxx|N the|D kings|N lummer|N\n"
    arguments = ["--terms", str(tmp_path / "terms"), "--factors", "pos"]
    assert run("translate", "phrase", *arguments, text=factored)[1] == out
    code, out, err = run("translate", "phrase", "--factors", "1", text=plain)
    assert (code, out) == (2, "\n")
    assert "standard input:1: 'xxx' has 0 factors, 1 expected at column 1; " in err


def test_unknown_words(run: Run) -> None:
    for arguments, expected in [
        (["--unknown", "pass"], "zzz\n"),
        (["--unknown", "drop"], "\n"),
        (["--unknown", "mark"], "<unk:zzz>\n"),
        (["--unknown", "mark", "--unknown-mark", "?{word}"], "?zzz\n"),
        (["--time-limit", "0.001"], "zzz\n"),
    ]:
        assert run("translate", "phrase", *arguments, text="zzz\n") == (0, expected, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["phrase", "--nbest", "0"], "--nbest must be at least 1, got 0"),
        (["phrase", "--nbest", "2"], "nbest above 1 needs format moses or jsonl"),
        (["phrase", "--threads", "-1"], "--threads must be at least 0, got -1"),
        (["phrase", "--beam-size", "-1"], "--beam-size must be between"),
        (["phrase", "--weights", "nowhere"], "nowhere: No such file or directory"),
        (["nowhere"], "nowhere: No such file or directory"),
        (["rules"], "rules: no system.json here; give a system made by 'isogloss train'"),
        (["phrase", "--unknown-mark", "?"], "--unknown-mark must contain '{word}' exactly once"),
        (["phrase", "--time-limit", "0"], "--time-limit must be above 0, got 0.0"),
        (["phrase", "--factors", "a b"], "'a b' is not a valid factor name"),
        (["phrase", "--terms", "nowhere"], "nowhere: No such file or directory"),
        (["phrase", "--terms", "x", "--input", "plf"], "cannot be used with lattices"),
        (["phrase", "--format", "xml"], "--format must be one of text, moses, jsonl, got 'xml'"),
    ],
)
def test_mistakes(run: Run, arguments: list[str], message: str) -> None:
    code, out, err = run("translate", *arguments, text="xxx\n")
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert message in err


def test_other_weights(run: Run, systems: Path, tmp_path: Path) -> None:
    text = (systems / "corpus" / "test.src").read_text()[:2000]
    weights = (systems / "phrase" / "weights.tsv").read_text()
    assert "\nwords\t" in weights
    longer = "".join(
        "words\t3\n" if line.startswith("words\t") else line for line in weights.splitlines(keepends=True)
    )
    (tmp_path / "longer.tsv").write_text(longer)
    usual = run("translate", "phrase", text=text)[1]
    changed = run("translate", "phrase", "--weights", str(tmp_path / "longer.tsv"), text=text)[1]
    assert len(changed.split()) > len(usual.split())


def test_creating(run: Run, tmp_path: Path) -> None:
    parts = ["--rules", "rules", "--lm", "lm"]
    made = str(tmp_path / "made")
    code, out, _ = run("system", "create", made, *parts, "--search", "phrase", "--beam-size", "7", "--json")
    assert code == 0
    assert json.loads(out)["options"]["beam_size"] == 7
    assert json.loads(out)["weights"]["lm"] > 0
    code, _, err = run("system", "create", made, "--rules", "lm", "--lm", "lm")
    assert code == 2
    assert "lm: holds a stored 'lm', not a 'rules'" in err


def test_an_answer_to_every_line(systems: Path) -> None:
    process = subprocess.Popen([*COMMAND, "translate", str(systems / "phrase")], stdin=-1, stdout=-1)
    assert process.stdin is not None
    assert process.stdout is not None
    for line in (b"xxx\n", b"yyy\n"):
        process.stdin.write(line)
        process.stdin.flush()
        assert process.stdout.readline() == line
    process.stdin.close()
    assert process.stdout.read() == b""
    process.stdout.close()
    assert process.wait(timeout=600) == 0


def test_a_reader_that_has_seen_enough(systems: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("xxx\n" * 100_000)
    with (tmp_path / "text").open("rb") as text:
        process = subprocess.Popen(
            [*COMMAND, "translate", str(systems / "phrase")], stdin=text, stdout=-1, stderr=-1
        )
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"xxx\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait(timeout=600) != 0


def score(translations: list[str], references: list[list[str]]) -> float:
    return float(sacrebleu.corpus_bleu(translations, references, tokenize="none", force=True).score)
