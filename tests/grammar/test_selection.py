from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss import _engine
from isogloss.grammar import ExtractOptions, RuleTable, Significance, extract_rules
from isogloss.grammar.selection import filter_table, prune_table, rule_significance
from isogloss.io.errors import ConfigError, OutputError
from support import rule_oracle as oracle
from support.properties import examples
from support.rule_corpora import TOY, diagonal_pairs, extracted, stored_bytes, write_corpus


def rules_by_sides(table: RuleTable) -> dict:
    return {(rule.source, rule.target): rule for rule in table.rules()}


@given(
    lines=st.lists(diagonal_pairs(), min_size=1, max_size=4),
    texts=st.lists(diagonal_pairs().map(lambda pair: pair[0]), min_size=1, max_size=2),
)
@examples(15)
def test_filtered_table_answers_like_the_whole(tmp_path_factory, lines, texts):
    folder = tmp_path_factory.mktemp("filter")
    whole = extracted(folder, lines)
    (folder / "text").write_text("".join(f"{text}\n" for text in texts))
    filter_table(folder / "table", folder / "small", [folder / "text"])
    small = RuleTable.open(folder / "small")
    for text in texts:
        assert small.match(text.split()) == whole.match(text.split())
    needed = {rule.source for text in texts for rule, _, _ in whole.match(text.split())}
    assert {rule.source for rule in small.rules()} == needed
    assert rules_by_sides(small).items() <= rules_by_sides(whole).items()


def test_filtering_keeps_the_lexicon_and_refuses_its_own_input(tmp_path):
    whole = extracted(tmp_path, TOY)
    (tmp_path / "text").write_text("das buch\n")
    filter_table(tmp_path / "table", tmp_path / "small", [tmp_path / "text"])
    small = RuleTable.open(tmp_path / "small")
    assert small.attributes["extraction"] == whole.attributes["extraction"]
    das, the = small.source_words.find("das"), small.target_words.find("the")
    assert small.lexicon().find(das, the) == whole.lexicon().find(das, the)
    with pytest.raises(OutputError, match="the input table itself"):
        filter_table(tmp_path / "table", tmp_path / "table", [tmp_path / "text"])


def tail(both: int, a: int, b: int, n: int) -> float:
    """P(at least `both` in common) by the definition of the hypergeometric distribution."""
    ways = [math.comb(a, k) * math.comb(n - a, b - k) for k in range(both, min(a, b) + 1) if b - k <= n - a]
    return sum(ways) / math.comb(n, b)


@given(data=st.data())
@examples(200)
def test_fisher_equals_the_definition(data):
    n = data.draw(st.integers(1, 300))
    a, b = data.draw(st.integers(0, n)), data.draw(st.integers(0, n))
    both = data.draw(st.integers(max(0, a + b - n), min(a, b)))
    expected = -math.log(tail(both, a, b, n))
    assert _engine.fisher_significance(both, a, b, n) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_fisher_on_large_counts():
    assert _engine.fisher_significance(1, 1, 1, 1_000_000) == pytest.approx(math.log(1_000_000))
    assert _engine.fisher_significance(5000, 5000, 5000, 1_000_000) > 10_000
    assert _engine.fisher_significance(1, 500_000, 500_000, 1_000_000) == 0


@given(lines=st.lists(diagonal_pairs(longest=6), min_size=1, max_size=5), max_length=st.integers(3, 6))
@examples(15)
def test_significance_equals_the_definition(tmp_path_factory, lines, max_length):
    folder = tmp_path_factory.mktemp("significance")
    table = extracted(folder, lines, ExtractOptions(max_length=max_length))
    values, pairs = rule_significance(table, folder / "source", folder / "target", threads=2)
    assert pairs == len(lines)
    corpus = [(source.split(), target.split()) for source, target, _ in lines]
    for rule, value in zip(table.rules(), values, strict=True):
        of_source = [bool(oracle.matches([rule.source], source, max_length)) for source, _ in corpus]
        of_target = [oracle.target_occurs(rule.target, target) for _, target in corpus]
        both = sum(a and b for a, b in zip(of_source, of_target, strict=True))
        expected = -math.log(tail(both, sum(of_source), sum(of_target), pairs))
        assert value == pytest.approx(expected, abs=1e-9), rule


def test_alpha_plus_epsilon_drops_what_was_seen_once(tmp_path):
    lines = [*TOY * 3, ("einmal", "once", "0-0")]
    files = write_corpus(tmp_path, lines)
    for level in ("alpha+epsilon", "alpha-epsilon"):
        report = extract_rules(*files, tmp_path / level, significance=Significance.parse(level))
        table = RuleTable.open(tmp_path / level)
        assert report.rules == len(table)
        assert bool(table.lookup(["einmal"])) == (level == "alpha-epsilon")
        assert table.lookup(["das", "buch"])
    whole = extract_rules(*files, tmp_path / "whole")
    assert report.rules + report.pruned == whole.rules
    prune_table(tmp_path / "whole", tmp_path / "again", *files[:2], Significance.parse("a-e"), threads=2)
    assert stored_bytes(tmp_path / "again") == stored_bytes(tmp_path / "alpha-epsilon")


@pytest.mark.parametrize("text", ["", "alpha", "-1", "nan", "inf"])
def test_significance_levels_are_checked(text):
    with pytest.raises(ConfigError, match="significance must be"):
        Significance.parse(text)


def test_pruning_needs_files(tmp_path):
    files = write_corpus(tmp_path, TOY)
    with pytest.raises(ConfigError, match="reads the corpus twice"):
        extract_rules("-", *files[1:], tmp_path / "table", significance=Significance())
    with pytest.raises(ConfigError, match="only one of source, target and links"):
        extract_rules("-", "-", files[2], tmp_path / "table")


def test_pairs_that_extraction_left_out_do_not_count(tmp_path):
    lines = [*TOY, ("das " * 9, "the " * 9, "")]
    table = extracted(tmp_path, lines, ExtractOptions(max_sentence_length=8))
    _, pairs = rule_significance(table, tmp_path / "source", tmp_path / "target")
    assert pairs == len(TOY)
