from __future__ import annotations

import gzip
import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from sacrebleu.metrics import BLEU

from isogloss.cli.main import main
from support.fork_server import ForkServer

Run = Callable[..., tuple[int, str, str]]
LINES = ["the cat sat on the mat .", "a dog barks at the moon .", "birds sing in the early morning ."]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: str | Path) -> tuple[int, str, str]:
        code = main(["evaluate", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def ref(tmp_path: Path) -> Path:
    return write(tmp_path / "ref", LINES)


@pytest.fixture
def hyp(tmp_path: Path) -> Path:
    return write(tmp_path / "hyp", ["the cat is on the mat .", LINES[1], "birds sang early ."])


def test_scores_come_with_signatures(run: Run, hyp: Path, ref: Path) -> None:
    code, out, _ = run(hyp, "--reference", ref, "--metrics", "bleu,nist,chrf,ter", "--tokenize", "none")
    assert code == 0
    score = BLEU(tokenize="none").corpus_score(hyp.read_text().splitlines(), [LINES]).score
    assert f"{score:.2f}" in out
    for expected in (
        "3 sentences",
        "BLEU: nrefs:1|case:mixed|eff:no|tok:none|smooth:exp|version:",
        "NIST: nrefs:1|case:mixed|order:5|tok:none|version:isogloss-",
        "chrF2: nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:",
        "TER: nrefs:1|case:lc|tok:tercom|",
        "TER (low is good)",
        "zero BLEU",
    ):
        assert expected in out


def test_json_holds_everything(run: Run, hyp: Path, ref: Path) -> None:
    code, out, _ = run(hyp, ref, "--reference", ref, "--json", "--worst", "1", "--samples", "50")
    assert code == 0
    result = json.loads(out)
    assert result["sentences"] == 3
    base, better = result["systems"]
    assert base["name"] == str(hyp)
    assert base["zero_bleu"] == [1]
    assert better["scores"][0]["score"] == pytest.approx(100)
    comparison = better["scores"][0]["comparison"]
    assert (comparison["test"], comparison["samples"], comparison["seed"]) == ("bootstrap", 50, 1)
    assert better["differences"][0]["line"] == 3
    assert better["differences"][0]["references"] == [LINES[2]]


def test_systems_are_tested_against_the_first(run: Run, hyp: Path, ref: Path) -> None:
    code, out, _ = run(hyp, ref, "--reference", ref, "--test", "randomization", "--samples", "100")
    assert code == 0
    assert "difference" in out
    again = run(hyp, ref, "--reference", ref, "--test", "randomization", "--samples", "100")[1]
    assert again == out
    assert "difference" not in run(hyp, ref, "--reference", ref, "--test", "none")[1]


def test_the_worst_sentences_are_shown_with_their_texts(run: Run, hyp: Path, ref: Path) -> None:
    out = run(hyp, ref, "--reference", ref, "--worst", "1")[1]
    assert "line 3: sentence BLEU" in out
    assert f"{hyp}: birds sang early ." in out
    assert f"reference: {LINES[2]}" in out
    assert "line 1:" not in out


def test_commas_join_the_runs_of_one_system(run: Run, tmp_path: Path, hyp: Path, ref: Path) -> None:
    code, out, _ = run(f"{hyp},{ref}", "--reference", ref, "--json")
    (system,) = json.loads(out)["systems"]
    assert code == 0
    assert len(system["scores"][0]["runs"]) == 2
    assert system["scores"][0]["deviation"] > 0
    assert "std. dev." in run(f"{hyp},{ref}", "--reference", ref)[1]

    odd = write(tmp_path / "a,b", LINES)
    (system,) = json.loads(run(odd, "--reference", ref, "--json")[1])["systems"]
    assert system["scores"][0]["runs"] == [pytest.approx(100)]
    code, _, err = run(f"{hyp},,{ref}", "--reference", ref)
    assert code == 2
    assert "empty file between its commas" in err


def test_empty_reference_lines_are_missing_references(run: Run, tmp_path: Path, hyp: Path, ref: Path) -> None:
    second = write(tmp_path / "second", ["", "", "birds sang early ."])
    both = json.loads(run(hyp, "--reference", ref, "--reference", second, "--json")[1])
    one = json.loads(run(hyp, "--reference", ref, "--json")[1])
    assert both["systems"][0]["scores"][0]["score"] > one["systems"][0]["scores"][0]["score"]
    assert "nrefs:var" in both["signatures"]["BLEU"]
    code, _, err = run(hyp, "--reference", second)
    assert code == 2
    assert f"{second}:1: the line is empty" in err


def test_lowercase_and_packed_files(run: Run, tmp_path: Path, ref: Path) -> None:
    shout = tmp_path / "shout.gz"
    shout.write_bytes(gzip.compress("\n".join(line.upper() for line in LINES).encode()))
    out = json.loads(run(shout, "--reference", ref, "--lowercase", "--json")[1])
    assert out["systems"][0]["scores"][0]["score"] == pytest.approx(100)
    assert "case:lc" in out["signatures"]["BLEU"]


def test_standard_input_is_read_once(hyp: Path, ref: Path, fork_server: ForkServer) -> None:
    command = [fork_server.command, "evaluate", "-"]
    options = ["--reference", str(ref), "--json"]
    piped = subprocess.run([*command, *options], input=hyp.read_bytes(), capture_output=True, check=False)
    assert piped.returncode == 0
    assert json.loads(piped.stdout)["systems"][0]["name"] == "-"
    assert main(["evaluate", "-", "-", "--reference", str(ref)]) == 2


def test_tokenized_text_is_warned_about(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "tok", LINES * 50)
    code, _, err = run(path, "--reference", path)
    assert code == 0
    assert "150 lines of" in err
    assert "--tokenize none" in err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ["--metrics", "bleu,meteor"],
            "unknown metric 'meteor'; choose one or more of: bleu, nist, chrf, ter",
        ),
        (["--tokenize", "moses"], "unknown tokenizer 'moses'; choose one of:"),
        (["--test", "sign"], "--test must be one of bootstrap, randomization, none, got 'sign'"),
        (["--samples", "0"], "--samples must be at least 1"),
        (["--seed", "-1"], "--seed must be at least 0"),
        (["--worst", "-1"], "--worst must be at least 0"),
        (["--samples", "many"], "--samples must be a whole number, at least 1, got 'many'"),
    ],
)
def test_wrong_options(run: Run, hyp: Path, ref: Path, arguments: list[str], problem: str) -> None:
    code, out, err = run(hyp, hyp, "--reference", ref, *arguments)
    assert code == 2
    assert out == ""
    assert problem in " ".join(err.split())


@pytest.mark.parametrize(("option", "value"), [("--worst", "2"), ("--test", "bootstrap")])
def test_comparisons_need_two_systems(run: Run, hyp: Path, ref: Path, option: str, value: str) -> None:
    code, _, err = run(hyp, "--reference", ref, option, value)
    assert code == 2
    assert f"{option} compares systems: give at least two" in err


def missing(path: Path) -> str:
    path.unlink()
    return f"{path}: No such file or directory"


def folder(path: Path) -> str:
    path.unlink()
    path.mkdir()
    return f"{path}: is a folder"


def binary(path: Path) -> str:
    path.write_bytes(bytes(range(256)))
    return f"{path}: not a text file"


def truncated(path: Path) -> str:
    noise = random.Random(1).randbytes(2000).hex()
    path.write_bytes(gzip.compress(noise.encode())[:500])
    return f"{path}: the compressed file is truncated"


def not_utf8(path: Path) -> str:
    path.write_bytes(b"one\ntwo\nthr\xe9e\n")
    return f"{path}:3: byte 0xe9 at column 4 is not valid UTF-8"


def no_lines(path: Path) -> str:
    path.write_bytes(b"")
    return f"{path}"


def too_short(path: Path) -> str:
    write(path, LINES[:2])
    return f"{path}:3: 2 lines found, but "


def too_long(path: Path) -> str:
    write(path, [*LINES, "one more"])
    return f"{path}:4: 4 lines found, but "


@pytest.mark.parametrize("side", ["hypothesis", "reference", "second reference"])
@pytest.mark.parametrize(
    "damage", [missing, folder, binary, truncated, not_utf8, no_lines, too_short, too_long]
)
def test_bad_input_names_file_and_line(
    run: Run, tmp_path: Path, hyp: Path, ref: Path, side: str, damage: Callable[[Path], str]
) -> None:
    bad = write(tmp_path / "bad", LINES)
    expected = damage(bad)
    arguments = {
        "hypothesis": [bad, "--reference", ref],
        "reference": [hyp, "--reference", bad],
        "second reference": [hyp, "--reference", ref, "--reference", bad],
    }[side]
    if side == "reference" and damage in (too_short, too_long):
        # Both files are named; the line is that of the translations, which are held against the references.
        expected = f"{hyp}:{3 if damage is too_short else 4}: 3 lines found, but {bad} has"
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert expected in err
    assert "Traceback" not in err


def test_two_empty_files_are_refused(run: Run, tmp_path: Path) -> None:
    empty = write(tmp_path / "empty", [])
    code, _, err = run(empty, "--reference", empty)
    assert code == 2
    assert f"{empty}: the file has no lines; at least one sentence is expected" in err
