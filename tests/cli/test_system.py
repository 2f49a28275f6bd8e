"""``isogloss system create`` and ``isogloss oracle`` as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isogloss.cli import console
from isogloss.cli.main import main


@pytest.fixture
def create(systems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def run(*options: str) -> tuple[int, str, str]:
        console.set_quiet(False)
        models = ["--rules", str(systems / "rules"), "--lm", str(systems / "lm")]
        code = main(["system", "create", str(tmp_path / "made"), *models, *options])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_search_options_and_old_names(create) -> None:
    code, out, _ = create("--search", "phrase", "--beam-size", "7", "--set", "phrase_order=swap", "--json")
    options = json.loads(out)["options"]
    assert (code, options["hierarchical"], options["beam_size"]) == (0, False, 7)
    assert options["phrase_order"] == "swap"
    code, _, err = create("--search", "hierarchical")
    assert code == 0
    assert "'--search hierarchical' is now written '--search hiero'" in err
    assert "hierarchical search" in err


def test_sparse_features_see_columns(create, tmp_path: Path) -> None:
    (tmp_path / "classes").write_text("the\t2\nking\t3\n")
    column = f"class={tmp_path / 'classes'}"
    code, _, err = create("--templates", "pair,target_bigram", "--source-columns", column)
    assert code == 0
    assert "sparse features: " in err
    assert "class" in err
    assert (
        "--source-column is now called --source-columns"
        in create("--templates", "all", "--source-column", column)[2]
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--search", "luck"], "--search must be one of hiero, phrase, got 'luck'"),
        (["--beam-size", "-1"], "--beam-size must be between 0 and 4294967295, got -1"),
        (["--set", "unknown_mark=x"], "--unknown-mark must contain '{word}' exactly once"),
        (["--templates", "luck"], "no feature template is called 'luck'"),
        (["--source-columns", "class"], "--source-columns takes two values separated by '='"),
        (["--source-columns", "class=x"], "give --templates too"),
        (["--templates", "pair", "--source-columns", "class=missing"], "missing: No such file or directory"),
    ],
)
def test_mistakes(create, tmp_path: Path, options: list[str], message: str) -> None:
    code, out, err = create(*options)
    assert (code, out) == (2, "")
    assert message in err
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--reference is missing"),
        (["--reference", "source", "--nbest", "2"], "--nbest above 1 needs the --format moses or jsonl"),
        (["--reference", "short"], "short"),
        (["--reference", "source", "--pop-limit", "x"], "--pop-limit must be a whole number"),
    ],
)
def test_mistakes_in_oracles(
    systems: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "source").write_text("a\nb\n")
    (tmp_path / "short").write_text("a\n")
    assert main(["oracle", str(systems / "phrase"), "source", *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
