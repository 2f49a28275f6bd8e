"""The search with translations that are given, unknown words in three ways, derivations and time limits."""

from __future__ import annotations

import itertools
import random
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss import _engine
from isogloss.decoder import (
    Arc,
    Decoder,
    Derivation,
    Fixed,
    Lattice,
    SearchOptions,
    Sentence,
    Source,
    System,
    load,
)
from isogloss.features.model import SparseModel
from isogloss.features.options import ALL_TEMPLATES, SparseOptions
from isogloss.features.weights import SparseWeights
from isogloss.io.errors import ConfigError
from isogloss.io.streams import read_lines
from isogloss.nbest import NbestStore

SEARCHES = pytest.mark.parametrize("search", ["hierarchical", "phrase"])


def sentences(systems: Path, count: int) -> list[list[str]]:
    return [line.split() for line in read_lines(systems / "corpus" / "test.src")][:count]


def lists(store: NbestStore) -> list[list[str]]:
    texts = list(store.texts())
    return [[texts[row] for row in store.rows_of(i)] for i in range(store.num_sentences)]


# Given translations --------------------------------------------------------------------------------------


@SEARCHES
def test_a_given_translation_is_one_word_that_nothing_else_translates(systems: Path, search: str) -> None:
    """It is searched like an unknown word in its place, but does not count as one."""
    system = load(systems / search)
    rng = random.Random(1)
    fixed, plain = [], []
    for words in sentences(systems, 25):
        begin = rng.randrange(len(words))
        end = rng.randint(begin + 1, min(len(words), begin + 4))
        fixed.append(Sentence.of(words, fixed=[Fixed(begin, end, ("zzz",))]))
        plain.append(" ".join([*words[:begin], "zzz", *words[end:]]))
    found, expected = system.nbest(fixed, nbest=5), system.nbest(plain, nbest=5)
    for sentence, (ours, theirs) in enumerate(zip(lists(found), lists(expected), strict=True)):
        own = found.scores[list(found.rows_of(sentence))]
        # Candidates with the same score have no order.
        clear = [rank for rank, score in enumerate(own) if (abs(own - score) < 1e-3).sum() == 1]
        assert [ours[rank] for rank in clear if rank < 4] == [theirs[rank] for rank in clear if rank < 4]
    assert np.allclose(found.scores, expected.scores - system.weights["unknown"], atol=1e-3)
    weights = np.array([system.weights[name] for name in found.dense_names])
    assert np.allclose(found.dense @ weights, found.scores, atol=1e-2)


@SEARCHES
def test_given_words_stay_together_and_in_order(systems: Path, search: str) -> None:
    system = load(systems / search)
    given = ("mala", "never_seen", "nu", "|||")  # some are in the table, some are not
    inputs: list[Source] = [
        Sentence.of(words, fixed=[Fixed(0, 2, given), Fixed(2, 3, ("qqq",)), Fixed(3, 4, ())])
        for words in sentences(systems, 20)
        if len(words) >= 4
    ]
    for texts in lists(system.nbest(inputs, nbest=4)):
        for text in texts:
            assert "mala never_seen nu &#124;&#124;&#124;" in text
            assert text.split().count("qqq") == 1
    for line in system.translate(inputs):
        assert "mala never_seen nu |||" in line


def test_a_whole_sentence_is_given(systems: Path) -> None:
    system = load(systems / "hierarchical")
    assert system.translate(Sentence.of("a b", fixed=[Fixed(0, 2, ("x", "y", "z"))])) == "x y z"
    assert system.translate(Sentence.of("a b", fixed=[Fixed(0, 2, ())])) == ""
    assert system.translate(Sentence(())) == ""


def test_windows_do_not_cut_given_translations(systems: Path) -> None:
    system = load(systems / "phrase")
    words = [f"u{i}" for i in range(40)]
    fixed = [Fixed(i, i + 4, (f"g{i}", "h")) for i in range(2, 36, 5)]
    store, derivations = system.explained([Sentence.of(words, fixed=fixed)], nbest=3, max_words=5)
    for row in range(store.num_candidates):
        text = store.text(row)
        assert all(f"g{part.begin} h" in text for part in fixed)
        check(derivations[row], words, store, row)


# Unknown words -------------------------------------------------------------------------------------------


@SEARCHES
def test_unknown_words(systems: Path, search: str) -> None:
    def system(**options: Any) -> System:
        return load(systems / search, options=SearchOptions(hierarchical=search == "hierarchical", **options))

    lines: list[Source] = [" ".join([*words[:3], "qqq|||", *words[3:]]) for words in sentences(systems, 10)]
    passed = list(system().translate(lines))
    marked = list(system(unknown="mark").translate(lines))
    assert all("<unk:qqq|||>" in line for line in marked)
    assert [re.sub(r"<unk:([^ ]+)>", r"\1", line) for line in marked] == passed
    other = system(unknown="mark", unknown_mark="{word}?").translate("qqq www")
    assert sorted(other.split()) == ["qqq?", "www?"]
    dropped = list(system(unknown="drop").translate(lines))
    assert all("qqq" not in line and line for line in dropped)
    assert system(unknown="drop").translate("qqq www") == ""
    assert system(unknown="drop").nbest(["qqq www"]).dense_names.index("unknown") > 0
    assert system(unknown="drop").translate(Lattice(2, (Arc(0, 1, "qqq"),))) == ""


@pytest.mark.parametrize(
    "options",
    [
        {"unknown": "keep"},
        {"unknown_mark": "<unk>"},
        {"unknown_mark": "{word} !"},
        {"unknown_mark": "{word}{word}"},
    ],
)
def test_options_for_unknown_words(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="unknown"):
        SearchOptions(**options)


# Derivations ---------------------------------------------------------------------------------------------


def check(derivation: Derivation, words: list[str], store: NbestStore, row: int) -> None:
    """Every source word and every target word belongs to one rule, and links stay inside rules."""
    target = store.text(row).split(" ") if store.text(row) else []
    position = 0
    covered: list[int] = []
    for step in derivation:
        assert step.target_span[0] == position
        position = step.target_span[1]
        assert (
            step.target.split(" ")[: position - step.target_span[0]] == target[step.target_span[0] : position]
        )
        gaps = {i for begin, end in step.gaps for i in range(begin, end)}
        places = [i for i in range(*step.source_span) if i not in gaps]
        covered += places
        assert [word for word in step.source.split(" ") if not word.startswith("[X,")] == [
            words[i] for i in places
        ]
        assert step.source.count("[X,") == step.target.count("[X,") == len(step.gaps)
    assert position == len(target)
    assert sorted(covered) == list(range(len(words)))
    assert store.alignment is not None
    for source, place in store.alignment.row(row).tolist():
        (step,) = [s for s in derivation if s.target_span[0] <= place < s.target_span[1]]
        assert step.source_span[0] <= source < step.source_span[1]
        assert not any(begin <= source < end for begin, end in step.gaps)


@SEARCHES
def test_derivations_cover_everything_once(systems: Path, search: str) -> None:
    system = load(systems / search)
    plain = sentences(systems, 15)
    plain[3] = ["zzz", *plain[3], "yyy"]
    inputs: list[Source] = [
        Sentence.of(words, fixed=[Fixed(1, 3, ("x", "y", "z"))] if len(words) > 4 else []) for words in plain
    ]
    store, derivations = system.explained(inputs, nbest=5)
    assert store.num_candidates == len(derivations)
    for sentence in range(store.num_sentences):
        for row in store.rows_of(sentence):
            check(derivations[row], plain[sentence], store, row)
    kinds = {step.kind for steps in derivations for step in steps}
    assert {step.origin for steps in derivations for step in steps} == {"table", "unknown", "fixed"}
    assert "rule" in kinds
    assert ("glue_phrase_gap" in kinds) == (search == "hierarchical")
    unexplained = system.nbest(inputs, nbest=5)
    assert lists(unexplained) == lists(store)
    assert unexplained.alignment is None


def test_rules_in_derivations_are_those_of_the_table(systems: Path) -> None:
    system = load(systems / "hierarchical")
    _, derivations = system.explained([" ".join(words) for words in sentences(systems, 20)])
    table = system.decoder._rules
    seen = 0
    for step in itertools.chain.from_iterable(derivations):
        if step.kind == "rule" and step.origin == "table":
            rules = table.lookup(step.source.split(" "))
            assert step.target in [" ".join(rule.target) for rule in rules]
            seen += bool(step.gaps)
    assert seen > 5


def test_a_lattice_with_one_path_is_explained_like_a_sentence(systems: Path) -> None:
    system = load(systems / "hierarchical")
    words = sentences(systems, 1)[0]
    sentence, lattice = (system.explained([item]) for item in (" ".join(words), Lattice.from_words(words)))
    assert sentence[1] == lattice[1]
    assert sentence[0].equals(lattice[0])


# Time ----------------------------------------------------------------------------------------------------


@SEARCHES
def test_a_time_limit_drops_nothing(systems: Path, search: str) -> None:
    options = SearchOptions(hierarchical=search == "hierarchical", beam_size=5000, pop_limit=50_000)
    system = load(systems / search, options=options)
    words = [word for line in sentences(systems, 9) for word in line][:80]
    begun = time.process_time()
    limited = system.nbest([" ".join(words), ""], nbest=1000, time_limit=0.02)
    assert time.process_time() - begun < 60  # of the processor; one second as a rule, and minutes without it
    assert limited.num_sentences == 2
    assert len(limited.text(0).split()) > 40
    usual = load(systems / search)
    lines: list[Source] = [" ".join(line) for line in sentences(systems, 10)]
    assert usual.nbest(lines, time_limit=1000).equals(usual.nbest(lines))
    with pytest.raises(ConfigError, match="time_limit must be above 0, got 0"):
        usual.nbest(lines, time_limit=0)


# Sparse features -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("unknown", ["pass", "drop"])
def test_sparse_features_of_words_that_are_in_no_rule(systems: Path, unknown: Any) -> None:
    base = load(systems / "hierarchical")
    options = SearchOptions(unknown=unknown)
    sparse = SparseModel(SparseOptions(templates=ALL_TEMPLATES))
    decoder = Decoder(base.decoder._rules, base.decoder._lm, options, base.weights, sparse=sparse)
    given = [Fixed(1, 3, ("mala", "zzz")), Fixed(3, 4, ())]
    units = [Sentence.of(["qqq", *words], fixed=given).units() for words in sentences(systems, 8)]

    def rows() -> list[tuple[float, np.ndarray, dict[str, float]]]:
        """Score, dense and named sparse features of the candidates."""
        searched = _engine.SearchResult()
        found = NbestStore.from_columns(decoder._engine.translate(units, nbest=3, keep=searched))
        out = []
        for sentence in range(found.num_sentences):
            for rank, row in enumerate(found.rows_of(sentence)):
                _, features, counts = searched.sparse(sentence, [rank])
                names = searched.names(sentence, [rank], features)
                named = {names[int(f)]: float(c) for f, c in zip(features, counts, strict=True)}
                out.append((float(found.scores[row]), found.dense[row], named))
        return out

    rng = random.Random(3)
    weights = {name: rng.uniform(-0.3, 0.3) for *_, named in rows() for name in named}
    assert any("zzz" in name for name in weights)
    decoder.set_weights(base.weights, SparseWeights.from_names(weights))
    dense = np.array([base.weights[name] for name in decoder.names])
    for score, values, named in rows():
        total = values @ dense + sum(weights.get(name, 0.0) * count for name, count in named.items())
        assert total == pytest.approx(score, abs=0.02)
