"""The development set chooses the search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from isogloss.corpus.synthetic import write_corpus
from isogloss.decoder import load
from isogloss.pipeline import TrainOptions, model_stages, search_choice
from isogloss.pipeline.run import Run
from isogloss.pipeline.train import train
from isogloss.pipeline.train_recipe import SEARCH_RULES
from isogloss.tuning import choice
from isogloss.tuning.choice import spread_sample


@pytest.mark.parametrize(("effort", "compared"), [("normal", 12), ("thorough", 16)])
def test_both_searches_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effort: str, compared: int
) -> None:
    for module in (choice, search_choice):
        monkeypatch.setattr(module, "FEWEST", 10)
    monkeypatch.setattr(choice, "_BLOCK", 3)
    monkeypatch.setitem(choice.REPEATS, "thorough", 2)
    monkeypatch.setitem(search_choice.LIMITS, "normal", (12, 1))
    translated: list[int] = []

    def watched(system: Any, sources: Any, *rest: Any) -> Any:
        translated.append(len(sources))
        return translated_unseen(system, sources, *rest)

    translated_unseen = search_choice.translated_unseen
    monkeypatch.setattr(search_choice, "translated_unseen", watched)
    extracted: list[int] = []

    def extract(*given: Any, **more: Any) -> Any:
        extracted.append(given[4].max_gaps)
        return extract_rules(*given, **more)

    extract_rules = model_stages.extract_rules
    monkeypatch.setattr(model_stages, "extract_rules", extract)
    corpus = tmp_path / "corpus"
    write_corpus(corpus, pairs=150, seed=3, references=1, dev=16, test=1)
    told: list[str] = []
    settings = {
        "source": corpus / "train.src",
        "target": corpus / "train.tgt",
        "dev_source": corpus / "dev.src",
        "dev_target": [corpus / "dev.tgt.0"],
        "tokenizer": "none",
        "effort": effort,
        "method": "auto:p_value=1.0",
        "classes": {"classes": 5, "restarts": 0},
        "tune": {"iterations": 1, "dense_first": 1, "nbest": 10, "online": {"nbest": 10}},
    }
    engine = tmp_path / "engine"
    made = train(engine, note=told.append, **settings)
    found = json.loads((engine / "work" / "search.json").read_text())
    assert [one["name"] for one in found["candidates"]] == ["the search hiero", "the search phrase"]
    best = max(found["candidates"], key=lambda one: one["bleu"])
    assert found["chosen"] == best["name"] == f"the search {found['search']}"
    assert translated == [compared, compared]
    assert made.options.search == found["search"]
    assert load(engine).options.hierarchical == (found["search"] == "hiero")
    # The rules of the chosen search are used again, and are what that search gets by itself.
    assert extracted == [2, 0]  # gaps of hierarchical and of plain rules
    assert not (engine / SEARCH_RULES).exists()
    (rules,) = [one for one in made.records if one.stage == "rules"]
    train(tmp_path / "given", **settings, search=found["search"])
    (alone,) = [one for one in Run(tmp_path / "given").summary() if one.stage == "rules"]
    assert (rules.key, rules.outputs["rules"].content) == (alone.key, alone.outputs["rules"].content)
    assert told[-2:] == [found["reason"], made.history["choice"]["reason"]]
    assert made.history["notes"][0][1:] in (engine / "report.html").read_text()
    again = train(engine, **settings)
    assert again.records[-1].key == made.records[-1].key


def test_a_sample_is_spread_over_the_text() -> None:
    assert spread_sample(16, 100) == list(range(16))
    assert spread_sample(45, 20) == [*range(10), *range(20, 30)]
    rows = spread_sample(1014, 300)
    assert len(rows) == len(set(rows)) == 300
    assert rows[-1] > 950


def test_when_the_search_is_chosen() -> None:
    def options(**more: object) -> TrainOptions:
        return TrainOptions.from_settings({"source": "a.de", "target": "a.en", **more})

    assert options().chooses_search
    assert options(effort="thorough").chooses_search
    assert options(effort="quick").search == options(method="mert").search == "hiero"
    for more in ({"search": "phrase"}, {"method": "mert"}, {"decoder": {"beam_size": 10}}, {"rules": {}}):
        assert not options(effort="thorough", **more).chooses_search
    assert not options(effort="quick").sparse_features.templates
    with pytest.raises(Exception, match="quick tunes dense features only"):
        options(effort="quick", features={"templates": ["pair"]})
