"""The tables of the online large-margin paper on a tiny corpus."""

from __future__ import annotations

import json
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.corpus.processing import SideOptions, TextProcessing, TextSide
from isogloss.experiments import online_large_margin
from isogloss.experiments.online_large_margin import LargeMarginTask, run_online_large_margin
from isogloss.io.config import read_description
from isogloss.io.errors import DataFormatError
from isogloss.io.progress import no_track
from isogloss.tuning.online import PAPER, OnlineOptions


@pytest.fixture
def described(systems: Path, tmp_path: Path) -> Path:
    for side, name in (("src", "dev.src"), ("ref", "dev.tgt.0")):
        lines = (systems / "corpus" / name).read_text().splitlines()[:12]
        (tmp_path / f"dev.{side}").write_text("".join(f"{line}\n" for line in lines))
    for side in ("src", "tgt"):
        words = sorted({*(systems / "corpus" / f"train.{side}").read_text().split()})
        lines = (f"{word}\t{place % 9}\n" for place, word in enumerate(words))
        (tmp_path / f"classes.{side}").write_text("".join(lines))
    config = tmp_path / "online.toml"
    config.write_text(
        f'system = "{systems / "hierarchical"}"\n'
        'source_classes = "classes.src"\ntarget_classes = "classes.tgt"\n'
        'baseline = "kbmira"\nonline = { iterations = 1, nbest = 10, aggressiveness = 0.01 }\n'
        'dev = { source = "dev.src", references = ["dev.ref"] }\n'
        '[tests.other]\nsource = "dev.src"\nreferences = ["dev.ref", "dev.ref"]\n'
    )
    return config


def test_all_tables_and_going_on_after_a_kill(
    described: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = 0
    tune = online_large_margin.tune

    def dies_after_five(*args: object, **kwargs: object) -> object:
        nonlocal made
        made += 1
        if made == 6:
            raise KeyboardInterrupt
        return tune(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(online_large_margin, "tune", dies_after_five)
    task = read_description(LargeMarginTask, described)
    with pytest.raises(KeyboardInterrupt):
        run_online_large_margin(task, tmp_path / "out")
    done = run_online_large_margin(task, tmp_path / "out")
    results = done.values
    found = {title[0]: (heads, rows) for title, heads, rows in done.tables}
    assert all(title.endswith("(preset paper)") for title, _, _ in done.tables)
    assert [row[0] for row in found["1"][1]][:3] == ["baseline (kbmira)", "start", "surface form"]
    assert len(found["1"][1]) == 2 + 5
    assert [row[0] for row in found["2"][1]][-1] == "+ hierarchical"
    assert [row[0] for row in found["3"][1]][2:] == [
        "1-oracle 1-best",
        "1-oracle 10-best",
        "10-oracle 1-best",
        "10-oracle 10-best",
        "sentence BLEU, 10-oracle 10-best",
    ]
    assert [row[0] for row in found["4"][1]] == ["baseline", "online"]
    assert found["1"][0][2:] == ["dev NIST", "dev BLEU", "other NIST", "other BLEU"]
    # Rows of one setting are made once, whatever table they stand in: all types, templates and constraints
    # is a row of tables 1, 2 and 3.
    different = 1 + 5 + 4 - 1 + 5 - 1 + 4
    assert made == 5 + 1 + (different - 5)
    assert json.loads(json.dumps(results)) == results
    types = {row["label"]: row for row in results["tables"]["1"]}
    assert types["all token types"]["features"] > types["surface form"]["features"] > 0
    compared = [(row["table"], row["label"], row["against"]) for row in results["differences"]]
    assert compared[:1] == [("1", "w/ prefix/suffix", "surface form")]
    assert [pair[1:] for pair in compared if pair[0] == "2"][-1] == ("+ hierarchical", "+ insertion")
    assert compared[-1] == ("3", "sentence BLEU, 10-oracle 10-best", "10-oracle 10-best")
    last, before = results["tables"]["2"][-1], results["tables"]["2"][-2]
    difference = next(row for row in results["differences"] if row["label"] == "+ hierarchical")
    gain = last["scores"]["dev"]["BLEU"] - before["scores"]["dev"]["BLEU"]
    assert difference["scores"]["dev"]["difference"] == pytest.approx(gain)


def test_seeds_are_rows_with_their_mean(described: Path, tmp_path: Path) -> None:
    task = read_description(LargeMarginTask, described)
    online = replace(task.training, shuffle=True)
    task = replace(task, tables=(), seeds=(1, 2), types=("surface",), online=online)
    done = run_online_large_margin(task, tmp_path / "out")
    (table,) = done.tables
    assert [row[0] for row in table.rows] == ["baseline (kbmira)", "start", "seed 1", "seed 2", "mean of 2"]
    first, second, mean = done.values["tables"]["seeds"]
    both = [row["scores"]["other"]["BLEU"] for row in (first, second)]
    assert mean["scores"]["other"]["BLEU"] == pytest.approx(sum(both) / 2)
    assert mean["features"] == (first["features"] + second["features"]) // 2
    kept = [json.loads(path.read_text()) for path in (tmp_path / "out" / "rows").iterdir()]
    assert len(kept) == 4  # other seeds are other rows


def test_the_presets_are_the_letter_of_the_paper_and_the_defaults_of_tuning(described: Path) -> None:
    task = read_description(LargeMarginTask, described)
    assert task.training == replace(PAPER, iterations=1, nbest=10, aggressiveness=0.01)
    assert task.choose_aggressiveness == ()
    described.write_text('preset = "best"\n' + described.read_text())
    best = read_description(LargeMarginTask, described)
    assert best.training == OnlineOptions(iterations=1, nbest=10, aggressiveness=0.01)
    lines = described.read_text().replace(", aggressiveness = 0.01", "").replace('"best"', '"paper"')
    described.write_text(lines)
    assert len(read_description(LargeMarginTask, described).choose_aggressiveness) == 4


def test_the_limit_of_an_update_is_chosen_on_the_second_half(described: Path, tmp_path: Path) -> None:
    task = replace(
        read_description(LargeMarginTask, described),
        tables=(2,),
        choose_aggressiveness=(0.001, 0.1),
        choice_iterations=1,
    )
    values = run_online_large_margin(task, tmp_path / "out").values
    scores = values["choice_of_aggressiveness"]
    assert set(scores) == {"0.001", "0.1"}
    chosen = tomllib.loads(values["online"])["aggressiveness"]
    assert scores[f"{chosen:g}"] == max(scores.values())
    assert tomllib.loads(values["settings"])["preset"] == "paper"


def test_a_changed_file_makes_rows_anew(described: Path, tmp_path: Path) -> None:
    task = replace(read_description(LargeMarginTask, described), tables=(4,))
    made: list[str] = []
    run_online_large_margin(task, tmp_path / "out", say=made.append)
    assert len(made) == 4
    run_online_large_margin(task, tmp_path / "out", say=made.append)
    assert len(made) == 4
    documents = tmp_path / "documents"
    documents.write_text("1\n5\n11\n")
    moved = replace(task, dev=replace(task.dev, boundaries=documents))
    run_online_large_margin(moved, tmp_path / "out", say=made.append)
    assert len(made) == 8
    classes = tmp_path / "classes.src"
    classes.write_text("".join(f"{line[:-1]}1\n" for line in classes.read_text().splitlines()))
    run_online_large_margin(task, tmp_path / "out", say=made.append)
    assert len(made) == 12


def test_folds_pool_several_sets_and_keep_documents_whole(described: Path, tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.write_text("1\n5\n11\n")
    task = read_description(LargeMarginTask, described)
    pooled = replace(
        task, dev=replace(task.dev, boundaries=documents), more_dev={"second": task.dev}, tables=(4,)
    )
    experiment = online_large_margin._Experiment(pooled, tmp_path, 1, print, print, no_track)
    pool, found = experiment._pool()
    assert [len(document) for document in found] == [4, 6, 2, *([1, 1, 1, 1, 2] * 2)]
    assert pool.sources == [*experiment.sets["dev"].sources] * 2
    documents.write_text("1\nfive\n")
    with pytest.raises(DataFormatError, match=r"'five' found.*1 to 12"):
        experiment._pool()


def test_a_system_with_text_processing_gets_ordinary_text(
    systems: Path, described: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "with-text"
    shutil.copytree(systems / "hierarchical", copy)
    TextProcessing(TextSide(SideOptions(case="lowercase")), TextSide(SideOptions(case="lowercase"))).save(
        copy / "text"
    )
    plain = read_description(LargeMarginTask, described)
    for name in ("dev.src", "dev.ref"):
        lines = (tmp_path / name).read_text().splitlines()
        (tmp_path / name).write_text("".join(f"{line.upper()}?\n" for line in lines))
    experiment = online_large_margin._Experiment(
        replace(plain, system=copy), tmp_path, 1, print, print, no_track
    )
    dev = experiment.sets["dev"]
    assert all(source.endswith(" ?") and source == source.lower() for source in dev.sources)
    assert all(str(line).endswith(" ?") for line in dev.references.streams[0])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("online = 3", "online must be a table of options, got 3"),
        ("tables = [5]", "tables must be between 1 and 4, got 5"),
        ("tabels = [1]", "tabels"),
        ("system = 3", "online.toml"),
    ],
)
def test_bad_descriptions(described: Path, line: str, message: str) -> None:
    lines = [text for text in described.read_text().splitlines() if text.split(" ")[0] != line.split(" ")[0]]
    described.write_text("\n".join([line, *lines]))
    with pytest.raises(DataFormatError, match=message):
        read_description(LargeMarginTask, described)
