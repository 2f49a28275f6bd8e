from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from isogloss.cli.main import main
from isogloss.corpus.synthetic.text import as_text, make_corpus

TMX = """<?xml version="1.0"?>
<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en"><seg>one</seg></tuv><tuv xml:lang="de"><seg>eins</seg></tuv></tu>
</body></tmx>
"""
XLIFF = """<xliff version="1.2"><file source-language="en" target-language="de"><body>
<trans-unit id="1"><source>one</source><target>eins</target></trans-unit></body></file></xliff>
"""
PO = 'msgid "one"\nmsgstr "eins"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    corpus = make_corpus(pairs=60, seed=2)
    for name, side in (("a.en", corpus.source), ("a.tv", corpus.target)):
        (tmp_path / name).write_text("".join(f"{as_text(tokens)}\n" for tokens in side), encoding="utf-8")
    (tmp_path / "a.tmx").write_text(TMX)
    (tmp_path / "a.xlf").write_text(XLIFF)
    (tmp_path / "a.po").write_text(PO)
    (tmp_path / "a.tsv").write_text("one\teins\ntwo\tzwei\n")
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def run_main(*words: str) -> tuple[int, str, str]:
        code = main(["corpus", *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_main


Run = Callable[..., tuple[int, str, str]]


def test_synthetic(folder: Path, run: Run) -> None:
    code, out, _ = run("synthetic", "made", "--pairs", "30", "--references", "2")
    assert code == 0
    assert out.splitlines()[:3] == ["made/train.src", "made/train.tgt", "made/train.align"]
    code, out, _ = run("synthetic", "raw", "--pairs", "30", "--raw", "--json")
    assert json.loads(out)["files"][-1] == "raw/test.tgt.0"
    code, _, err = run("synthetic", "made")
    assert code == 2
    assert "made: the folder is not empty" in err


def test_convert_names_what_is_lost_before_it_writes(folder: Path, run: Run) -> None:
    code, out, err = run("convert", "a.tmx", "b.tsv")
    assert (code, out) == (0, "")
    assert err.startswith("warning: not carried over if present: notes and properties;")
    assert err.endswith("b.tsv: 1 pairs\n")
    assert Path("b.tsv").read_text() == "one\teins\n"
    code, out, _ = run(
        "convert",
        "a.tsv",
        "b.xlf",
        "--to",
        "xliff2",
        "--json",
        "--source-language",
        "en",
        "--target-language",
        "de",
    )
    assert (code, json.loads(out)["pairs"]) == (0, 2)
    assert 'version="2.0"' in Path("b.xlf").read_text()
    code, out, _ = run("convert", "b.xlf", "-", "--to", "tsv")
    assert out == "one\teins\t1\ntwo\tzwei\t2\n"
    assert run("convert", "b.xlf", "-", "--to", "tsv", "--json")[0] == 2
    code, _, _ = run("convert", "a.tsv", "c.de.gz", "c.en.zst", "--columns", "2,1")
    assert gzip.decompress(Path("c.de.gz").read_bytes()) == b"eins\nzwei\n"
    code, _, err = run("convert", "a.en", "a.tv", "c.po")
    assert code == 0
    assert Path("c.po").read_text(encoding="utf-8").count("msgid") == 61


def test_check_prints_findings_and_strict_makes_them_an_error(folder: Path, run: Run) -> None:
    code, out, _ = run("check", "a.en", "a.tv", "--strict")
    assert (code, out) == (0, "60 pairs, 0 with findings\n")
    with Path("a.en").open("ab") as stream:
        stream.write(b"a ||| b\n\nf\xfcr\n")
    with Path("a.tv").open("a") as stream:
        stream.write("x\ny\nz\n")
    code, out, _ = run("check", "a.en", "a.tv", "--list", "all.tsv")
    assert code == 0
    assert "a.en:61: separator: at column 3" in out
    assert "a.en:62: empty-side: the source is empty" in out
    assert "a.en:63: invalid-utf8: byte 0xfc at column 2" in out
    assert Path("all.tsv").read_text().splitlines() == [
        "a.en\t61\tseparator\tat column 3",
        "a.en\t62\tempty-side\tthe source is empty",
        "a.en\t63\tinvalid-utf8\tbyte 0xfc at column 2",
    ]
    code, out, _ = run("check", "a.en", "a.tv", "--strict", "--json")
    assert code == 2
    report = json.loads(out)
    assert (report["pairs"], report["flagged"]) == (63, 3)
    assert report["findings"]["separator"]["examples"] == [
        {"file": "a.en", "line": 61, "detail": "at column 3"}
    ]


def test_clean(folder: Path, run: Run) -> None:
    for name in ("a.en", "a.tv"):
        text = Path(name).read_text(encoding="utf-8")
        Path(name).write_text(text + text.splitlines()[4] + "\n", encoding="utf-8")
    code, _, err = run("clean", "a.en", "a.tv", "b.en", "b.tv", "--dropped", "d.tsv")
    assert code == 0
    assert "dropped for duplicate: 1" in err
    assert Path("d.tsv").read_text().splitlines()[1] == "61\tduplicate\tthe same as line 5"
    assert len(Path("b.en").read_text(encoding="utf-8").splitlines()) == 60
    code, out, _ = run("clean", "a.en", "a.tv", "b.en", "b.tv", "--keep", "duplicate", "--json")
    assert json.loads(out) == {"kept": 61, "dropped": 0, "reasons": {}}


def test_tokenizing_as_a_filter(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'Delete <b>%(name)s</b>, {n} files?\nIt\'s "done".\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    code, out, _ = run("tokenize", "--placeholders", "p.jsonl")
    assert code == 0
    assert out == 'Delete ǁ0ǁ ǁ1ǁ ǁ2ǁ , ǁ3ǁ files ?\nIt \'s " done " .\n'
    Path("t").write_text(out, encoding="utf-8")
    code, out, _ = run("detokenize", "t", "--placeholders", "p.jsonl")
    assert (code, out) == (0, text)
    code, out, _ = run("detokenize", "t", "t.gz")
    assert gzip.decompress(Path("t.gz").read_bytes()).decode().startswith("Delete ǁ0ǁ ǁ1ǁ ǁ2ǁ,")
    Path("p.jsonl").write_text("[]\n")
    code, _, err = run("detokenize", "t", "u", "--placeholders", "p.jsonl")
    assert (code, "p.jsonl:2: the file has 1 lines, but t has more" in err) == (2, True)
    for broken in (
        "[1]",
        "{}",
        "null",
        '[["a", "w"]]',
        '[["a", true, true]]',
        '[[1, "", ""]]',
        "[" * 10_000,
        "x",
    ):
        Path("p.jsonl").write_text(f"[]\n{broken}\n")
        code, _, err = run("detokenize", "t", "u", "--placeholders", "p.jsonl")
        assert (code, "p.jsonl:2: a JSON list of placeholders expected" in err) == (2, True)
    assert not Path("u").exists()
    assert run("tokenize", "t", "--protect", "tags")[0] == 2
    assert run("tokenize", "t", "--tokenizer", "none", "--language", "xx")[0] == 0
    assert run("tokenize", "t", "--tokenizer", "nothing")[0] == 2


def test_truecasing(folder: Path, run: Run) -> None:
    assert run("tokenize", "a.en", "t")[0] == 0
    assert run("truecase", "train", "t", "--model", "case.tsv")[0] == 0
    assert run("truecase", "apply", "t", "lower", "--model", "case.tsv")[0] == 0
    code, out, _ = run("truecase", "undo", "lower")
    assert (code, out) == (0, Path("t").read_text(encoding="utf-8"))
    assert Path("lower").read_text(encoding="utf-8") != out
    code, _, err = run("truecase", "apply", "t", "--model", "t")
    assert (code, "t:1: a word in lower case" in err) == (2, True)


BINARY = b"\x7fELF\x02\x01\0\0\0"
BAD: list[tuple[str, bytes, list[str], str]] = [
    ("a.en", BINARY, ["check", "a.en", "a.tv"], "a.en: not a text file"),
    ("a.en", BINARY, ["convert", "a.en", "a.tv", "out.tsv"], "a.en: not a text file"),
    (
        "a.en",
        gzip.compress(b"x\n" * 999, mtime=0)[:-9],
        ["check", "a.en", "a.tv"],
        "a.en: the compressed file ends in",
    ),
    (
        "a.tv",
        gzip.compress(b"x\n" * 999, mtime=0)[:-9],
        ["clean", "a.en", "a.tv", "o.en", "o.tv"],
        "a.tv: the compressed",
    ),
    (
        "a.en",
        gzip.compress(b"x\n" * 999, mtime=0)[:20],
        ["tokenize", "a.en", "out"],
        "a.en: the compressed file ends",
    ),
    ("a.en", b"f\xfcr\n" * 60, ["convert", "a.en", "a.tv", "out.tsv"], "a.en:1: byte 0xfc at column 2"),
    ("a.en", b"f\xfcr\n", ["tokenize", "a.en", "out"], "a.en:1: byte 0xfc at column 2"),
    ("a.en", b"one\n", ["convert", "a.en", "a.tv", "o.en", "o.tv"], "a.en:2: the file has 1 lines, but a.tv"),
    ("a.en", b"one\n", ["clean", "a.en", "a.tv", "o.en", "o.tv"], "a.en:2: the file has 1 lines, but a.tv"),
    (
        "a.tsv",
        b"a\tb\nno tab\n",
        ["convert", "a.tsv", "o.en", "o.de"],
        "a.tsv:2: 2 to 4 tab-separated fields",
    ),
    ("a.tsv", b"a\tb\nno tab\n", ["check", "a.tsv"], "a.tsv:2: 2 to 4 tab-separated fields"),
    ("a.tsv", b"a\tb\nno tab\n", ["clean", "a.tsv", "o.tsv"], "a.tsv:2: 2 to 4 tab-separated fields"),
    ("a.tmx", TMX[:150].encode(), ["convert", "a.tmx", "out.tsv"], "a.tmx:3: not well-formed XML"),
    ("a.tmx", b"", ["check", "a.tmx"], "a.tmx:1: not well-formed XML"),
    ("a.tmx", BINARY, ["check", "a.tmx"], "a.tmx:1: not well-formed XML"),
    (
        "a.tmx",
        TMX.replace("<tmx", "<!DOCTYPE tmx [<!ENTITY a 'b'>]><tmx").encode(),
        ["convert", "a.tmx", "out.tsv"],
        "a.tmx:2: the file declares or uses the XML entity 'a'",
    ),
    (
        "a.xlf",
        XLIFF.replace("</body>", "").encode(),
        ["convert", "a.xlf", "out.tsv"],
        "a.xlf:2: not well-formed",
    ),
    ("a.xlf", b"<html/>", ["clean", "a.xlf", "out.tsv"], "a.xlf:1: found <html> where XLIFF"),
    ("a.po", PO[:-3].encode(), ["convert", "a.po", "out.tsv"], "a.po:2: found"),
    ("a.po", b"hello\n", ["check", "a.po"], "a.po:1: found 'hello' where PO expects"),
    ("a.po", BINARY, ["check", "a.po"], "a.po: not a text file"),
]


@pytest.mark.parametrize(("name", "content", "words", "message"), BAD)
def test_bad_input_is_named_and_nothing_is_written(
    folder: Path, run: Run, name: str, content: bytes, words: list[str], message: str
) -> None:
    (folder / name).write_bytes(content)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert f"error: {message}" in err
    assert "Traceback" not in err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["check", "missing.en", "a.tv"], "missing.en: No such file or directory"),
        (["check", "a.en", "missing.tv"], "missing.tv: No such file or directory"),
        (["check", "a.en"], "'a.en' is taken as plain text, and the file with its translation is missing"),
        (["check", "a.en", "a.tv", "a.po"], "one file too many: 'a.po' after a.en and a.tv"),
        (["check", ".", "a.tv"], ".: is a folder"),
        (
            ["check", "a.tsv", "--columns", "x"],
            "--columns must be a list of whole numbers, at least 1, got 'x'",
        ),
        (["check", "a.tsv", "--columns", "0,1"], "--columns must be at least 1, got 0"),
        (
            ["check", "a.tsv", "--format", "xls"],
            "--format must be one of plain, tsv, po, tmx, xliff, xliff2, got 'xls'",
        ),
        (["check", "a.tsv", "--max-ratio", "1"], "--max-ratio must be above 1, got 1"),
        (
            ["convert", "a.tsv", "b.tmx"],
            "TMX files name their languages: give --source-language and --target-language",
        ),
        (["convert", "a.tsv", "no/such/b.tsv"], "no/such/b.tsv: No such file or directory"),
        (["convert", "a.tsv", "b.en", "."], ".: is a folder"),
        (["convert", "a.tsv", "b.en", "b.en"], "two outputs have the same name"),
        (["convert", "a.tsv", "/dev/full", "--to", "tsv"], "/dev/full: No space left on device"),
        (["clean", "a.tsv", "b.en", "/dev/full"], "/dev/full: No space left on device"),
        (["clean", "a.tsv", "b.tsv", "--dropped", "/dev/full"], "/dev/full: No space left on device"),
        (["clean", "a.tsv", "b.tsv", "--keep", "rhymes"], "'rhymes' is not a rule that can be excused"),
        (["tokenize", "missing", "out"], "missing: No such file or directory"),
        (["tokenize", "a.en", "out", "--placeholders", "no/p"], "no/p: No such file or directory"),
        (["tokenize", "a.en", "out", "--protect", "x", "--placeholders", "p"], "unknown kind of placeholder"),
        (["truecase", "apply", "a.en", "out", "--model", "none"], "none: No such file or directory"),
        (["synthetic", "new", "--pairs", "0"], "at least 1 training pair and no negative sizes are needed"),
        (["synthetic", "a.en"], "a.en: File exists"),
    ],
)
def test_bad_calls_are_explained_and_nothing_is_written(
    folder: Path, run: Run, words: list[str], message: str
) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert message in err
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


COMMAND = [sys.executable, "-c", "from isogloss.cli.main import run; run()", "corpus"]


def test_text_is_utf8_whatever_the_locale(folder: Path) -> None:
    (folder / "x").write_text("grün\n", encoding="utf-8")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run([*COMMAND, "tokenize", "x"], env=environment, capture_output=True, check=True)
    assert done.stdout == "grün\n".encode()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_standard_output(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*COMMAND, "check", "a.tsv"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.decode() == "error: standard output: No space left on device\n"
