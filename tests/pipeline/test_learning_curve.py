"""What half of the training pairs would give."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from isogloss.corpus.synthetic.text import write_corpus
from isogloss.decoder import System, load
from isogloss.grammar import ExtractOptions
from isogloss.io.progress import no_track
from isogloss.lm import LmOptions
from isogloss.pipeline import learning_curve
from isogloss.pipeline import train as train_system
from isogloss.pipeline.learning_curve import translate_with_half


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("half")
    write_corpus(folder / "corpus", pairs=400, seed=3, raw=True)
    return train_system(
        folder / "engine",
        source=folder / "corpus/train.src",
        target=folder / "corpus/train.tgt",
        method="none",
        decoder={"beam_size": 10, "pop_limit": 20},
        lm={"order": 2},
    ).folder


def repeated(trained: Path, folder: Path) -> dict[str, Path]:
    """The training text, in which some sources occur twice or three times, with another translation each."""
    work = trained / "work"
    found = {}
    for name, path in (
        ("source", work / "tokens/source"),
        ("target", work / "tokens/target"),
        ("links", work / "links"),
    ):
        lines = path.read_text().splitlines()
        end = " ." if name == "target" else ""
        more = [line + end * time for at, line in enumerate(lines) for time in range(1 + at % 3)]
        found[name] = folder / name
        found[name].write_text("".join(f"{line}\n" for line in more))
    return found


def translated(trained: Path, output: Path) -> list[str]:
    work = trained / "work"
    inputs = {
        **repeated(trained, output.parent),
        "system": trained / "system",
        "test_source": work / "held-out/test.source",
    }
    options = {
        "rules": asdict(ExtractOptions.for_grammar("hiero", word_forms=True)),
        "lm": asdict(LmOptions(order=2)),
    }
    translate_with_half(inputs, {"translation": output}, options, threads=1, memory=1 << 28, track=no_track)
    return output.read_text().splitlines()


def test_half_of_the_pairs_are_used_and_equal_sources_stay_together(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[list[str]] = []
    extract = learning_curve.extract_rules

    def watched(*files: Path, **more: Any) -> Any:
        used.extend(file.read_text().splitlines() for file in files[:3])
        return extract(*files, **more)

    monkeypatch.setattr(learning_curve, "extract_rules", watched)
    lines = translated(trained, tmp_path / "half")
    texts = [(tmp_path / name).read_text().splitlines() for name in ("source", "target", "links")]
    everything = list(zip(*texts, strict=True))
    assert 0.4 < len(used[0]) / len(everything) < 0.6
    kept = set(used[0])
    assert [row for row in everything if row[0] in kept] == list(zip(*used, strict=True))
    whole = (trained / "test.translation").read_text().splitlines()
    assert len(lines) == len(whole)
    assert lines != whole
    assert (trained / "work/half/test.translation").read_text().splitlines()
    assert load(trained).weights == load(trained / "system").weights


def test_the_weights_are_those_of_the_whole_system(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = load(trained / "system")
    whole.decoder.set_weights({name: 2 * weight + 0.125 for name, weight in whole.weights.items()})
    made: list[System] = []

    def watched(*given: Any) -> System:
        made.append(System(*given))
        return made[-1]

    monkeypatch.setattr(learning_curve, "load", lambda path: whole)
    monkeypatch.setattr(learning_curve, "System", watched)
    translated(trained, tmp_path / "half")
    assert [dict(one.weights) for one in made] == [dict(whole.weights)]


def test_with_many_pairs_it_is_left_out(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning_curve, "_MOST", 100)
    assert translated(trained, tmp_path / "half") == []


def test_a_quick_training_leaves_it_out(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", pairs=400, seed=3, raw=True)
    quick = train_system(
        tmp_path / "engine",
        source=tmp_path / "corpus/train.src",
        target=tmp_path / "corpus/train.tgt",
        method="none",
        effort="quick",
        decoder={"beam_size": 10, "pop_limit": 20},
        lm={"order": 2},
    )
    assert "half" not in [record.stage for record in quick.records]
    assert quick.scores("test")["BLEU"] > 0
