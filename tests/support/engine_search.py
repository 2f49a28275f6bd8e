"""The engine's search for the cases of the parity tests, with pruning off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from isogloss import _engine
from isogloss.decoder.search_result import Searched
from isogloss.grammar.formats import import_rules
from isogloss.grammar.table import RuleTable
from isogloss.lm import LanguageModel
from isogloss.nbest import NbestStore
from support.exhaustive import Grammar, Lattice, Rule
from support.random_cases import Case

EXHAUSTIVE = {
    "beam_size": 0,
    "pop_limit": 0,
    "max_options": 0,
    "max_scanned": 0,
    "diversity": False,
}


def make_table(grammar: Grammar, folder: Path) -> RuleTable:
    # A table is never empty: one rule that matches nowhere.
    nowhere = Rule(("nowhere",), ("w",), scores=(0.0,) * len(grammar.columns))
    lines = [printed(rule, grammar.columns) for rule in (nowhere, *grammar.rules)]
    (folder / "grammar").write_text("".join(lines))
    import_rules(folder / "grammar", folder / "table", format="hiero")
    table = RuleTable.open(folder / "table")
    lexicon = make_lexicon(grammar, table)  # which only extraction makes
    table.lexicon = lambda: lexicon  # type: ignore[method-assign]
    return table


def printed(rule: Rule, columns: tuple[str, ...]) -> str:
    """A rule as a line of a Hiero grammar."""
    gaps = iter(range(1, 3))
    source = [f"[X,{next(gaps)}]" if symbol is None else symbol for symbol in rule.source]
    order = [f"[X,{i}]" for i in range(1, rule.gaps + 1)]
    target = [*rule.target, *(reversed(order) if rule.swapped else order)]
    scores = " ".join(f"{name}={value!r}" for name, value in zip(columns, rule.scores, strict=True))
    links = " ".join(f"{s}-{t}" for s, t in rule.links)
    return f"[X] ||| {' '.join(source)} ||| {' '.join(target)} ||| {scores} ||| {links}\n"


def make_model(arpa: str, folder: Path) -> LanguageModel:
    (folder / "model.arpa").write_text(arpa)
    return LanguageModel.load(folder / "model.arpa")


def make_decoder(
    case: Case,
    table: RuleTable,
    model: LanguageModel,
    sparse: _engine.SparseModel | None = None,
    joint: _engine.JointModel | None = None,
) -> _engine.Decoder:
    options = case.options
    return _engine.Decoder(
        table=table.engine,
        source_words=table.source_words,
        target_words=table.target_words,
        language_model=model._engine,
        column_names=list(table.columns),
        options={
            **EXHAUSTIVE,
            "hierarchical": options.hierarchical,
            "max_span": options.max_span,
            "distortion_limit": options.distortion_limit,
            "gap_rules": options.gap_rules,
            "reordering_glue": options.reordering_glue,
            "phrase_order": options.phrase_order,
        },
        sparse=sparse,
        lexicon=table.lexicon(),
        joint=joint,
    )


def make_lexicon(grammar: Grammar, table: RuleTable) -> _engine.LexiconView | None:
    if grammar.lexicon is None:
        return None
    rows: list[list[tuple[int, float]]] = [[] for _ in range(len(table.source_words) + 1)]
    for (source, target), probability in grammar.lexicon.items():
        rows[table.source_words.find(source)].append((table.target_words.find(target), probability))
    flat = [pair for row in rows for pair in sorted(row)]
    return _engine.LexiconView(
        np.cumsum([0, *map(len, rows)], dtype=np.uint64),
        np.array([target for target, _ in flat], dtype=np.uint32),
        np.array([value for _, probability in flat for value in (probability, 0.5)], dtype=np.float32),
    )


def dense_weights(case: Case, decoder: _engine.Decoder) -> list[float]:
    return [case.weights.get(name, 0.0) for name in decoder.feature_names()]


def engine_source(source: list[str] | Lattice) -> Any:
    if isinstance(source, Lattice):
        return source.last + 1, [(a.begin, a.end, a.word, a.score) for a in source.arcs]
    return list(source)


def search_all(decoder: _engine.Decoder, source: Any) -> Searched:
    """All derivations of one sentence or lattice."""
    kept = _engine.SearchResult()
    columns: Any = decoder.translate([source], nbest=100_000, distinct=False, keep=kept)
    return Searched(NbestStore.from_columns(columns), kept)
