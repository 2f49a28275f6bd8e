"""Models of folds have not seen the sentences of their fold."""

from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.decoder import Decoder, SearchOptions
from isogloss.grammar import ExtractOptions
from isogloss.grammar.table import RuleTable
from isogloss.lm import LanguageModel, LmOptions
from isogloss.pipeline import fold_models
from isogloss.pipeline.fold_models import FoldDecoders, FoldText

SOURCES = ["a b", "c d", "a d", "c d", "e b"]
TARGETS = ["A B", "C D", "A D", "c D", "E B"]


def test_a_fold_s_models_have_not_seen_it(
    systems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "source").write_text("".join(f"{line}\n" for line in SOURCES))
    (tmp_path / "target").write_text("".join(f"{line}\n" for line in TARGETS))
    text = FoldText(
        [SOURCES, TARGETS, ["0-0 1-1"] * 5],
        (tmp_path / "source", tmp_path / "target"),
        ExtractOptions.for_grammar("phrase"),
        LmOptions(order=2),
    )
    whole = Decoder(
        RuleTable.open(systems / "phrases"),
        LanguageModel.load(systems / "lm"),
        SearchOptions(hierarchical=False),
    )
    folds = FoldDecoders(text, whole, tmp_path / "folds")
    groups = [SOURCES[:2], SOURCES[4:]]
    first, second = folds(groups)
    # Hiding "c d" hides its other translation too.
    assert {rule.target for rule in first._rules.lookup("a")} == {("A",)}
    assert not first._rules.lookup("c")
    assert not first._rules.lookup("a b")
    assert {rule.target for rule in second._rules.lookup("c")} == {("C",), ("c",)}
    assert not second._rules.lookup("e")
    assert first.language_model.score("C D") < second.language_model.score("C D")
    # Nothing is made twice.
    monkeypatch.setattr(fold_models, "extract_rules", None)
    again = folds(groups)
    assert [len(one._rules) for one in again] == [len(first._rules), len(second._rules)]
