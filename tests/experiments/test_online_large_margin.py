"""The tables of the online large-margin paper on a tiny corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isogloss.experiments import online_large_margin
from isogloss.experiments.online_large_margin import LargeMarginTask, run_online_large_margin
from isogloss.io.config import read_description
from isogloss.io.errors import DataFormatError
from isogloss.io.progress import no_track


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
        'baseline = "kbmira"\nonline = { iterations = 1, nbest = 10 }\n'
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
    assert [row[0] for row in found["1"][1]][:2] == ["baseline (kbmira)", "surface form"]
    assert len(found["1"][1]) == 1 + 5
    assert [row[0] for row in found["2"][1]][-1] == "+ hierarchical"
    assert len(found["3"][1]) == 1 + 5
    assert [row[0] for row in found["4"][1]] == ["baseline", "online"]
    assert found["1"][0][2:] == ["dev NIST", "dev BLEU", "other NIST", "other BLEU"]
    # Rows of one setting are made once, whatever table they stand in: 3 and 2 share the ones with all types.
    different = 1 + 5 + 3 + 5 - 1 + 4
    assert made == 5 + 1 + (different - 5)
    assert json.loads(json.dumps(results)) == results
    types = {row["label"]: row for row in results["tables"]["1"]}
    assert types["all token types"]["features"] > types["surface form"]["features"] > 0


def test_folds_end_where_a_document_ends(described: Path, tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.write_text("1\n5\n11\n")
    task = read_description(LargeMarginTask, described)
    chosen = online_large_margin.replace(task, boundaries=documents)

    def middle(task: LargeMarginTask) -> int:
        return online_large_margin._Experiment(task, tmp_path, 1, print, print, no_track)._middle()

    assert middle(task) == 6
    assert middle(chosen) == 4
    documents.write_text("1\nfive\n")
    with pytest.raises(DataFormatError, match=r"'five' found.*1 to 12"):
        middle(chosen)


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
