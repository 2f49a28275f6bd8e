"""What half of the training pairs would give."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from isogloss.corpus.synthetic.text import write_corpus
from isogloss.decoder import load
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


def translated(trained: Path, output: Path) -> list[str]:
    work = trained / "work"
    inputs = {
        "source": work / "tokens/source",
        "target": work / "tokens/target",
        "links": work / "links",
        "system": trained / "system",
        "test_source": work / "held-out/test.source",
    }
    options = {"rules": asdict(ExtractOptions.for_grammar("hiero")), "lm": asdict(LmOptions(order=2))}
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
    tokens = [(trained / "work/tokens" / side).read_text().splitlines() for side in ("source", "target")]
    links = (trained / "work/links").read_text().splitlines()
    everything = list(zip(*tokens, links, strict=True))
    assert 0.4 < len(used[0]) / len(everything) < 0.6
    kept = set(used[0])
    assert [row for row in everything if row[0] in kept] == list(zip(*used, strict=True))
    whole = (trained / "test.translation").read_text().splitlines()
    assert len(lines) == len(whole)
    assert lines != whole
    assert (trained / "work/half/test.translation").read_text().splitlines()
    assert load(trained).weights == load(trained / "system").weights


def test_with_many_pairs_it_is_left_out(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning_curve, "_MOST", 100)
    assert translated(trained, tmp_path / "half") == []
