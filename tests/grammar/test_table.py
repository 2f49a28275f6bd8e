from __future__ import annotations

import itertools
import json
import os
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import _engine
from isogloss.grammar import ExtractOptions, RuleTable
from isogloss.grammar.formats import export_rules
from isogloss.grammar.selection import filter_table
from isogloss.io.errors import ConfigError, ModelFormatError
from isogloss.storage.folder import open_folder, write_folder
from support import rule_oracle as oracle
from support.properties import examples
from support.rule_corpora import TOY, diagonal_pairs, extracted, many_lines, words


def matches_found(table: RuleTable, sentence: list[str], max_span: int) -> list[tuple]:
    ids, _ = table.source_words.encode([sentence], grow=False)
    found = []
    for node, begin, end, gaps in table.engine.match(ids, max_span=max_span):
        names = iter(("[X,1]", "[X,2]"))
        side = tuple(
            next(names) if symbol == _engine.GAP else table.source_words.word(symbol)
            for symbol in table.engine.symbols(node)
        )
        found.append((side, begin, end, gaps))
    return found


@given(
    lines=st.lists(diagonal_pairs(longest=7), min_size=1, max_size=3),
    sentence=st.lists(st.one_of(words, st.just("unknown")), min_size=1, max_size=9),
    max_span=st.integers(1, 9),
    adjacent=st.booleans(),
)
@examples(40)
def test_matches_equal_the_definition(tmp_path_factory, lines, sentence, max_span, adjacent):
    options = ExtractOptions(adjacent_gaps=adjacent, orientation="none")
    table = extracted(tmp_path_factory.mktemp("match"), lines, options)
    found = matches_found(table, sentence, max_span)
    assert len(found) == len(set(found))
    sides = {rule.source for rule in table.rules()}
    assert set(found) == oracle.matches(sides, sentence, max_span)
    assert [match[1:3] for match in found] == sorted(match[1:3] for match in found)


def test_lookup_by_words(tmp_path):
    table = extracted(tmp_path, TOY)
    best, *others = table.lookup(["ich", "habe", "[X,1]", "gelesen"])
    assert (best.target, others) == (("i", "read", "[X,1]"), [])
    assert [rule.target for rule in table.lookup(["das"])] == [("the",), ("that",)]
    assert table.lookup(["gibt", "es", "nicht"]) == table.lookup([]) == table.lookup(["gelesen"]) == []
    assert ("i", "read", "[X,1]") in {rule.target for rule, _, _ in table.match(TOY[0][0].split())}


def test_targets_come_most_probable_first(tmp_path):
    table = extracted(tmp_path, many_lines(300))
    for _, rules in itertools.groupby(table.rules(), key=lambda rule: rule.source):
        scores = [rule.scores["target_given_source"] for rule in rules]
        assert scores == sorted(scores, reverse=True)


def test_lexicon_is_stored(tmp_path):
    table = extracted(tmp_path, [*TOY, ("oh ja", "yes", "1-0")])
    lexicon = table.lexicon()
    source, target = table.source_words.find, table.target_words.find
    assert lexicon.find(source("das"), target("the")) == pytest.approx((4 / 5, 1))
    assert lexicon.find(source("oh"), _engine.NO_WORD) == (1, 1)
    assert lexicon.find(source("oh"), target("the")) == (0, 0)
    assert lexicon.find(len(table.source_words), target("the")) == (0, 0)
    assert lexicon.find(_engine.NO_WORD, target("the")) == (0, 0)


def test_opening_maps_the_arrays_and_does_not_read_them(tmp_path, monkeypatch):
    monkeypatch.setattr("isogloss.storage.folder._COPIED", 0)  # small ones would be copied
    table = extracted(tmp_path, many_lines(200))
    assert all(array.flat[-1] != 7 for array in table.arrays.values())
    for name, array in table.arrays.items():
        (file,) = (tmp_path / "table").glob(f"{name}-*.bin")
        with file.open("r+b") as stream:
            stream.seek(-array.itemsize, os.SEEK_END)
            stream.write(np.array(7, array.dtype).tobytes())
    assert all(array.flat[-1] == 7 for array in table.arrays.values())


def use_everything(table: RuleTable, tmp_path) -> None:
    list(table.rules())
    table.match(["ich", "habe", "das", "buch", "und", "das", "haus", "gesehen"])
    filter_table(tmp_path / "broken", tmp_path / "filtered", [tmp_path / "source"])
    export_rules(tmp_path / "broken", tmp_path / "exported", format="hiero")
    lexicon = table.lexicon()
    for i, j in itertools.product(range(len(table.source_words)), range(len(table.target_words))):
        lexicon.find(i, j)


def test_damaged_arrays_give_errors_not_crashes(tmp_path):
    """A few hundred damaged tables: every one opens or is refused, and answers or complains."""
    extracted(tmp_path, TOY)
    whole = open_folder(tmp_path / "table", kind="rules", version=1)
    random_numbers = random.Random(1)
    refused = 0
    for _ in range(150):
        arrays = {name: np.array(array) for name, array in whole.arrays.items()}
        name = random_numbers.choice(sorted(arrays))
        values = arrays[name].reshape(-1)
        for _ in range(random_numbers.randint(1, 4)):
            if not len(values):
                break
            at = random_numbers.randrange(len(values))
            raw = values[at : at + 1].view(np.uint8)
            raw[random_numbers.randrange(len(raw))] ^= random_numbers.choice([1, 2, 0x80, 0xFF])
        if random_numbers.random() < 0.2:
            arrays[name] = values[: random_numbers.randint(0, len(values))]
        if random_numbers.random() < 0.1:
            arrays[name] = arrays[name].astype(np.int64)
        write_folder(tmp_path / "broken", kind="rules", version=1, arrays=arrays, attributes=whole.attributes)
        try:
            use_everything(RuleTable.open(tmp_path / "broken"), tmp_path)
        except (ModelFormatError, ConfigError):
            refused += 1
    assert 20 < refused < 150


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"columns": 3, "longest_probe": 1},
        {"columns": ["a"], "longest_probe": 1},
        {"columns": ["a", "b", "c", "d"], "longest_probe": 10**6},
        {"columns": ["a", "b", "c", "d"], "longest_probe": -1},
        {"columns": ["a", "b", "c", "d"], "longest_probe": "x"},
    ],
)
def test_damaged_attributes_are_refused(tmp_path, attributes):
    extracted(tmp_path, TOY)
    whole = open_folder(tmp_path / "table", kind="rules", version=1)
    write_folder(tmp_path / "broken", kind="rules", version=1, arrays=whole.arrays, attributes=attributes)
    with pytest.raises(ModelFormatError, match="broken"):
        RuleTable.open(tmp_path / "broken")


def test_a_side_of_gaps_only_is_never_matched(tmp_path):
    """Such a rule would stand for itself for ever; no extractor writes it, a stranger might."""
    extracted(tmp_path, [("a b", "A B", "0-0 1-1")])
    whole = open_folder(tmp_path / "table", kind="rules", version=1)
    arrays = {name: np.array(array) for name, array in whole.arrays.items()}
    nodes = arrays["nodes"]
    gaps = [i for i in range(1, len(nodes) - 1) if nodes[i, 1] == _engine.GAP]
    for node in range(gaps[0] + 1, len(nodes)):  # the rules of the next node become the gap's
        nodes[node, 2] = max(nodes[node, 2], 1)
    write_folder(tmp_path / "broken", kind="rules", version=1, arrays=arrays, attributes=whole.attributes)
    table = RuleTable.open(tmp_path / "broken")
    for side, begin, end, gaps in matches_found(table, ["a", "b"], 15):
        assert not (len(side) == 1 and side[0].startswith("[X")), (begin, end, gaps)


def test_manifest_tells_how_it_was_made(tmp_path):
    extracted(tmp_path, TOY, ExtractOptions(max_symbols=4))
    manifest = json.loads((tmp_path / "table" / "manifest.json").read_text())
    assert manifest["attributes"]["extraction"]["max_symbols"] == 4
    assert manifest["attributes"]["pairs"] == len(TOY)
