"""A search over a handful of rules, whose candidates show their sparse features by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from isogloss import _engine
from isogloss.decoder import Decoder, SearchOptions
from isogloss.features import SparseModel
from isogloss.grammar.formats import import_rules
from isogloss.grammar.table import RuleTable
from isogloss.lm import LanguageModel
from support.engine_search import search_all

ARPA = "\\data\\\nngram 1=3\n\n\\1-grams:\n-1\t<s>\n-1\t</s>\n-1\t<unk>\n\n\\end\\\n"


def make_decoder(
    folder: Path, rules: Iterable[str], sparse: SparseModel | None, options: SearchOptions | None = None
) -> Decoder:
    """With rules as ``source ||| target ||| links``, all of which score 0."""
    lines = []
    for rule in rules:
        source, target, links = rule.split(" ||| ")
        lines.append(f"[X] ||| {source} ||| {target} ||| p=0 ||| {links}\n")
    (folder / "grammar").write_text("".join(lines))
    (folder / "model.arpa").write_text(ARPA)
    import_rules(folder / "grammar", folder / "table", format="hiero")
    decoder = Decoder(
        RuleTable.open(folder / "table"),
        LanguageModel.load(folder / "model.arpa"),
        options or SearchOptions(beam_size=0, pop_limit=0),
        sparse=sparse,
    )
    decoder.set_weights(dict.fromkeys(decoder.names, 0.0))
    return decoder


def fired(decoder: Decoder, sentence: Sequence[str]) -> list[tuple[str, dict[str, float]]]:
    """The translation and the features of every candidate."""
    searched = search_all(decoder._engine, list(sentence))
    found = []
    for row, text in enumerate(searched.store.texts()):
        rows = searched.sparse(0, [row])
        features, counts = rows.features, rows.counts
        names = searched.names(0, [row], features)
        assert all(_engine.feature_number(name) == number for number, name in names.items())
        assert len(set(names.values())) == len(names) == len(features)
        assert np.all(features[1:] > features[:-1])
        found.append((text, {names[int(f)]: float(c) for f, c in zip(features, counts, strict=True)}))
    return found


def of_template(features: dict[str, float], template: str) -> dict[str, float]:
    """Without the template's name."""
    return {name.split(":", 1)[1]: c for name, c in features.items() if name.startswith(f"{template}:")}
