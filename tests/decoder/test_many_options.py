"""Source sides with more target sides, and coverages with more hypotheses, than sixteen bits can number."""

from __future__ import annotations

import pytest

from isogloss import _engine
from isogloss.grammar.formats import import_rules
from isogloss.grammar.table import RuleTable
from isogloss.lm import LanguageModel
from isogloss.nbest import NbestStore
from support.engine_search import EXHAUSTIVE

MANY = 2**16 + 1000

ARPA = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\n-1\t</s>\n-1\tend\n\n\\end\\\n"


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> _engine.Decoder:
    folder = tmp_path_factory.mktemp("many")
    sides = [("many", f"w{i}") for i in range(MANY)] + [("one", "end")]
    lines = [f"[X] ||| {source} ||| {target} ||| p={-1.0!r} ||| 0-0\n" for source, target in sides]
    (folder / "grammar").write_text("".join(lines))
    import_rules(folder / "grammar", folder / "table", format="hiero")
    (folder / "model.arpa").write_text(ARPA)
    table, model = RuleTable.open(folder / "table"), LanguageModel.load(folder / "model.arpa")
    return _engine.Decoder(
        table=table.engine,
        source_words=table.source_words,
        target_words=table.target_words,
        language_model=model.engine,
        column_names=list(table.columns),
        options={**EXHAUSTIVE, "hierarchical": False, "phrase_order": "monotone"},
    )


# With weights of orientation the last rule is a part of every state: different words are different states.
@pytest.mark.parametrize("source", [["many"], ["many", "one"]], ids=["options", "hypotheses"])
def test_all_are_tried_once(decoder: _engine.Decoder, source: list[str]) -> None:
    decoder.set_weights([float(name == "next_monotone") for name in decoder.feature_names()])
    columns = decoder.translate([source], nbest=2 * MANY, distinct=False)
    store = NbestStore.from_columns(columns)
    rest = "" if len(source) == 1 else " end"
    assert sorted(store.texts()) == sorted(f"w{i}{rest}" for i in range(MANY))
    assert columns["hypotheses"] == MANY * len(source)
    assert columns["recombined"] == (MANY - 1) * (len(source) - 1)
