from __future__ import annotations

import itertools
import json
import time
from pathlib import Path

import pytest

from isogloss.cli.main import main
from isogloss.grammar import RuleTable
from support.rule_corpora import TOY, many_lines, stored_bytes, write_corpus


def arguments(folder: Path, *more: str) -> list[str]:
    files = [str(folder / name) for name in ("source", "target", "links")]
    return ["--quiet", "extract", *files, "--output", str(folder / "table"), *more]


@pytest.fixture
def toy(tmp_path):
    write_corpus(tmp_path, TOY)
    return tmp_path


def test_extract_and_look(toy, capsys):
    assert main([*arguments(toy, "--json")]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["pairs"] == len(TOY)
    assert main(["grammar", "show", str(toy / "table"), "habe [X,1] gelesen", "--json"]) == 0
    (rule,) = json.loads(capsys.readouterr().out)
    assert rule["target"] == ["read", "[X,1]"]
    assert main(["grammar", "show", str(toy / "table"), "das"]) == 0
    assert "that" in capsys.readouterr().out
    assert main(["grammar", "show", str(toy / "table"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rules"] == report["rules"]
    assert main(["grammar", "show", str(toy / "table")]) == 0
    assert "source_words" in capsys.readouterr().out


def test_every_option_arrives(toy, capsys):
    options = [
        *("--max-length", "8", "--max-gaps", "1", "--max-symbols", "4", "--max-target-words", "3"),
        *("--min-gap", "2", "--no-tight", "--adjacent-gaps", "--count", "unit", "--orientation", "word"),
        *("--orientation-smoothing", "1", "--smoothing", "kneser-ney", "--max-sentence-length", "99"),
        *("--word-forms",),
        *("--memory-limit", "64M", "--threads", "2", "--scratch", str(toy)),
    ]
    assert main(arguments(toy, *options)) == 0
    assert main(["grammar", "show", str(toy / "table"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["extraction"] == {
        "max_length": 8,
        "max_gaps": 1,
        "max_symbols": 4,
        "max_target_words": 3,
        "min_gap": 2,
        "tight": False,
        "adjacent_gaps": True,
        "count": "unit",
        "orientation": "word",
        "orientation_smoothing": 1.0,
        "smoothing": "kneser-ney",
        "max_sentence_length": 99,
        "max_plain": 0,
        "word_forms": True,
    }
    assert not list(toy.glob("isogloss-*"))  # the scratch folder is gone


def test_old_options_still_work(toy, capsys):
    old = ["--loose", "--no-adjacent-gaps"]
    assert main(["extract", *arguments(toy)[2:], *old]) == 0
    err = capsys.readouterr().err
    assert "--loose is now called --no-tight" in err
    assert "--no-adjacent-gaps is the default" in err
    assert main(["grammar", "show", str(toy / "table"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["extraction"]["tight"] is False


def test_defaults_depend_on_the_grammar(toy, capsys):
    assert main(arguments(toy, "--grammar", "phrase", "--set", "smoothing=kneser-ney")) == 0
    assert main(["grammar", "show", str(toy / "table"), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)["extraction"]
    assert (made["max_length"], made["max_gaps"], made["tight"]) == (7, 0, False)
    assert (made["count"], made["smoothing"]) == ("unit", "kneser-ney")
    assert "grammar" not in made


def test_whole_way_through_text_formats(toy, capsys):
    table, copy = str(toy / "table"), str(toy / "copy")
    assert main(arguments(toy, "--grammar", "phrase")) == 0
    phrases, order = str(toy / "phrases.gz"), str(toy / "order.zst")
    assert main(["--quiet", "grammar", "export", table, phrases, "--reordering", order]) == 0
    assert main(["--quiet", "grammar", "import", phrases, copy, "--reordering", order, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["left_out"] == 0
    (toy / "text").write_text("das buch\n")
    small = str(toy / "small")
    assert main(["--quiet", "grammar", "filter", copy, small, "--for", str(toy / "text"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"rules": 4, "sides": 3}
    files = ["--source", str(toy / "source"), "--target", str(toy / "target")]
    assert main(["--quiet", "grammar", "prune", table, small, *files, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sides"] > 0


def test_left_out_pairs_are_warned_about(toy, capsys):
    assert main(arguments(toy, "--max-sentence-length", "4")) == 0
    assert "2 sentence pairs have more than 4 words" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--grammar", "tree"], "--grammar must be one of hiero, phrase, got 'tree'"),
        (["--grammar", "phrase", "--max-gaps", "1"], "--max-gaps applies to the grammar hiero only"),
        (["--memory-limit", "lots"], "--memory-limit must be a size such as 512M or 4G, got 'lots'"),
        (["--memory-limit", "1K"], "--memory-limit must be at least 64M"),
        (["--significance", "much"], "--significance must be alpha+epsilon, alpha-epsilon or a -log p"),
        (["--smoothing", "laplace"], "--smoothing must be one of none, kneser-ney, good-turing"),
        (["--max-symbols", "0"], "--max-symbols must be between 1 and 100, got 0"),
    ],
)
def test_wrong_options_exit_with_2(toy, capsys, more, message):
    assert main(arguments(toy, *more)) == 2
    assert message in capsys.readouterr().err
    assert not (toy / "table").exists()


def test_wrong_files_exit_with_2(toy, capsys):
    (toy / "links").write_text("0-0\n0-7\n\n\n\n")
    assert main(arguments(toy)) == 2
    assert "links:2: the link 0-7 points outside the sentence pair of 5 source and 4 target" in (
        capsys.readouterr().err
    )
    (toy / "links").unlink()
    assert main(arguments(toy)) == 2
    assert "links: No such file" in capsys.readouterr().err
    assert main(["grammar", "show", str(toy)]) == 2
    assert main(["grammar", "import", str(toy / "source"), str(toy / "out")]) == 2
    assert "source:1: at least 3 fields" in capsys.readouterr().err


@pytest.mark.parametrize("limit", [1000, 60_000, 200_000])
def test_full_disk_leaves_the_old_table(tmp_path, limit, fork_server):
    write_corpus(tmp_path, TOY)
    assert main(arguments(tmp_path)) == 0
    before = stored_bytes(tmp_path / "table")
    write_corpus(tmp_path, many_lines(500))
    done = fork_server.run(*arguments(tmp_path, "--scratch", str(tmp_path)), largest_file=limit)
    assert done.returncode == 2, done.stderr
    assert "error:" in done.stderr
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert stored_bytes(tmp_path / "table") == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_full_device_is_told(toy, capsys):
    assert main(arguments(toy, "--grammar", "phrase")) == 0
    assert main(["--quiet", "grammar", "export", str(toy / "table"), "/dev/full"]) == 2
    assert "/dev/full: No space left on device" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("more", [[], ["--significance", "alpha+epsilon"]], ids=["plain", "pruned"])
def test_killed_at_any_change_of_the_file_system_leaves_the_old_table_or_the_new(tmp_path, fork_server, more):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = arguments(tmp_path, "--scratch", str(scratch), *more)
    write_corpus(tmp_path, TOY[1:])
    assert main(command) == 0
    old = stored_bytes(tmp_path / "table")
    write_corpus(tmp_path, TOY)
    for change in itertools.count(1):
        if not fork_server.killed(command, change=change):
            break
        table = RuleTable.open(tmp_path / "table")
        found = {name: array.tobytes() for name, array in table.arrays.items()}
        if found != old:  # then it is the new one
            assert main(command) == 0
            assert found == stored_bytes(tmp_path / "table")
            old = found
    assert change > 20
    assert list(scratch.iterdir()) == []  # what the killed ones left has been cleared away by the last
    assert stored_bytes(tmp_path / "table") == old


@pytest.mark.slow
def test_killed_at_any_moment_leaves_the_old_table_or_the_new(tmp_path, fork_server):
    write_corpus(tmp_path, many_lines(400))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = arguments(tmp_path, "--scratch", str(scratch), "--threads", "2")
    begun = time.monotonic()
    assert main(command) == 0
    duration = time.monotonic() - begun
    new = stored_bytes(tmp_path / "table")
    write_corpus(tmp_path, TOY)
    assert main(command) == 0
    old = stored_bytes(tmp_path / "table")
    write_corpus(tmp_path, many_lines(400))
    for moment in range(8):
        fork_server.killed(command, seconds=duration * moment / 8)
        table = RuleTable.open(tmp_path / "table")
        found = {name: array.tobytes() for name, array in table.arrays.items()}
        assert found in (old, new)
    assert not [file for file in scratch.rglob("*") if file.is_file()]
    assert main(command) == 0
    assert list(scratch.iterdir()) == []
    assert stored_bytes(tmp_path / "table") == new
