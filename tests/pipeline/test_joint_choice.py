"""The joint model is trained by default, and kept only where held-out text is translated better with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from isogloss.corpus.synthetic import write_corpus
from isogloss.decoder import System, load
from isogloss.metric import Bleu, References
from isogloss.metric.interface import Statistics
from isogloss.pipeline import TrainOptions, joint_choice
from isogloss.pipeline.train import train
from isogloss.tuning import choice

SMALL = {"window": 3, "history": 2, "embedding": 16, "hidden": 16, "epochs": 2, "noise": 16, "batch": 32}


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(joint_choice, "FEWEST", 10)
    monkeypatch.setattr(choice, "_BLOCK", 3)
    corpus = tmp_path / "corpus"
    write_corpus(corpus, pairs=120, seed=3, references=1, dev=16, test=1)
    return {
        "source": corpus / "train.src",
        "target": corpus / "train.tgt",
        "dev_source": corpus / "dev.src",
        "dev_target": [corpus / "dev.tgt.0"],
        "tokenizer": "none",
        "classes": {"classes": 5, "restarts": 0},
        "tune": {"iterations": 1, "dense_first": 1, "nbest": 10, "online": {"nbest": 10}},
        "joint": SMALL,
    }


def judged(found: dict[str, Any]) -> list[str]:
    return [one["name"] for one in found["candidates"]]


@pytest.mark.parametrize("helps", [True, False])
def test_a_joint_model_is_kept_if_it_helps(
    tmp_path: Path, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch, helps: bool
) -> None:
    real = joint_choice.translated_unseen

    def translated(system: System, sources: list[str], references: References, *rest: Any) -> Statistics:
        found = real(system, sources, references, *rest)
        assert len(found) == len(sources)
        good = (system.decoder.joint is not None) == helps
        lines = [references.of(number)[0] if good else "nothing" for number in range(len(references))]
        return Bleu().statistics(lines, references)

    monkeypatch.setattr(joint_choice, "translated_unseen", translated)
    engine, told = tmp_path / "engine", list[str]()
    made = train(engine, note=told.append, **settings)
    found = json.loads((engine / "work" / "joint.json").read_text())
    assert judged(found) == [joint_choice.WITHOUT, joint_choice.WITH]
    assert found["chosen"] == (joint_choice.WITH if helps else joint_choice.WITHOUT)
    assert found["reason"] in told
    system = load(engine)
    assert (system.decoder.joint is not None) == helps
    assert ("joint" in system.weights) == helps
    again = train(engine, **settings)
    assert [record.key for record in again.records] == [record.key for record in made.records]


def test_too_few_sentences_train_no_joint_model(
    tmp_path: Path, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joint_choice, "FEWEST", 100)
    engine = tmp_path / "engine"
    train(engine, **settings)
    found = json.loads((engine / "work" / "joint.json").read_text())
    assert not judged(found)
    assert "16 sentences are too few" in found["reason"]
    assert load(engine).decoder.joint is None


def test_when_a_joint_model_is_trained() -> None:
    def trains(**more: object) -> bool:
        return TrainOptions.from_settings({"source": "a.de", "target": "a.en", **more}).trains_joint

    assert trains()
    assert trains(effort="thorough")
    assert not trains(effort="quick")
    assert not trains(method="mert")
    assert trains(method="mert", neural=True)
    assert trains(effort="quick", neural=True)
    assert not trains(neural=False)
