"""With more effort, the development set also chooses the search."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from isogloss.corpus.synthetic import write_corpus
from isogloss.decoder import load
from isogloss.pipeline import TrainOptions, search_choice
from isogloss.pipeline.train import train
from isogloss.tuning import choice


def test_both_searches_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (choice, search_choice):
        monkeypatch.setattr(module, "FEWEST", 10)
    monkeypatch.setattr(choice, "_BLOCK", 3)
    monkeypatch.setitem(choice.REPEATS, "thorough", 2)
    corpus = tmp_path / "corpus"
    write_corpus(corpus, pairs=150, seed=3, references=1, dev=16, test=1)
    told: list[str] = []
    settings = {
        "source": corpus / "train.src",
        "target": corpus / "train.tgt",
        "dev_source": corpus / "dev.src",
        "dev_target": [corpus / "dev.tgt.0"],
        "tokenizer": "none",
        "effort": "thorough",
        "method": "auto:p_value=1.0",
        "classes": {"classes": 5, "restarts": 0},
        "tune": {"iterations": 1, "dense_first": 1, "nbest": 10, "online": {"nbest": 10}},
    }
    engine = tmp_path / "engine"
    made = train(engine, note=told.append, **settings)
    found = json.loads((engine / "work" / "search.json").read_text())
    assert [one["name"] for one in found["candidates"]] == ["the search hiero", "the search phrase"]
    assert found["search"] in ("hiero", "phrase")
    assert made.options.search == found["search"]
    assert load(engine).options.hierarchical == (found["search"] == "hiero")
    assert told[-2:] == [found["reason"], made.history["choice"]["reason"]]
    assert made.history["notes"][0][1:] in (engine / "report.html").read_text()
    again = train(engine, **settings)
    assert again.records[-1].key == made.records[-1].key


def test_what_is_chosen_only_with_more_effort() -> None:
    def options(**more: object) -> TrainOptions:
        return TrainOptions.from_settings({"source": "a.de", "target": "a.en", **more})

    assert options().search == "hiero"
    assert options(effort="thorough").chooses_search
    for more in ({"search": "phrase"}, {"method": "mert"}, {"decoder": {"beam_size": 10}}, {"rules": {}}):
        assert not options(effort="thorough", **more).chooses_search
    assert not options(effort="quick").sparse_features.templates
    with pytest.raises(Exception, match="quick tunes dense features only"):
        options(effort="quick", features={"templates": ["pair"]})
