from __future__ import annotations

import math
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.grammar import ExtractOptions, RuleTable, extract_rules
from isogloss.io.errors import ConfigError, DataFormatError, OutputError
from support import rule_oracle as oracle
from support.properties import examples
from support.rule_corpora import (
    TOY,
    diagonal_pairs,
    extracted,
    many_lines,
    sentence_pairs,
    stored_bytes,
    write_corpus,
)


def parsed(lines):
    return [
        (
            tuple(source.split()),
            tuple(target.split()),
            {tuple(map(int, link.split("-"))) for link in links.split()},
        )
        for source, target, links in lines
    ]


def oracle_settings(options: ExtractOptions) -> oracle.Settings:
    names = {field.name for field in fields(oracle.Settings)}
    return oracle.Settings(**{name: getattr(options, name) for name in names})


def check_against_oracle(table: RuleTable, lines, options: ExtractOptions) -> int:
    corpus, told = parsed(lines), oracle_settings(options)
    expected = oracle.extract(corpus, told)
    found = {(rule.source, rule.target): rule for rule in table.rules()}
    assert set(found) == set(expected)
    assert len(table) == len(expected)
    forward = oracle.probabilities(expected, told, "source")
    backward = oracle.probabilities(expected, told, "target")
    lexical = oracle.lexicon(corpus)
    for key, facts in expected.items():
        rule = found[key]
        assert rule.links == oracle.best_alignment(facts), key
        assert rule.counts[0] == pytest.approx(facts.count, rel=1e-6)
        assert rule.counts[3] == facts.seen
        weights = oracle.lexical_weights(key, rule.links, *lexical)
        assert list(rule.scores.values()) == pytest.approx(
            [math.log(forward[key]), math.log(backward[key]), *weights], abs=2e-6
        ), key
        if options.orientation == "none":
            assert rule.orientation == ()
        else:
            assert list(rule.orientation) == pytest.approx(
                oracle.orientation_scores(facts, told), abs=2e-6
            ), key
    return len(expected)


def test_hand_checked_rules(tmp_path):
    table = extracted(tmp_path, TOY[:1], ExtractOptions())
    rules = {(" ".join(rule.source), " ".join(rule.target)): rule for rule in table.rules()}
    # Initial phrase pairs, by hand: ich|i, das|the, buch|book, "das buch", "habe das buch gelesen" and the
    # whole sentence. "habe .. gelesen" alone is not one: it is not contiguous.
    assert set(rules) == {
        ("ich", "i"),
        ("das", "the"),
        ("buch", "book"),
        ("das buch", "the book"),
        ("das [X,1]", "the [X,1]"),
        ("habe das buch gelesen", "read the book"),
        ("habe das [X,1] gelesen", "read the [X,1]"),
        ("habe [X,1] gelesen", "read [X,1]"),
        ("ich habe das buch gelesen", "i read the book"),
        ("ich habe das [X,1] gelesen", "i read the [X,1]"),
        ("ich habe [X,1] gelesen", "i read [X,1]"),
        ("ich [X,1]", "i [X,1]"),
    }
    # "das buch" gives itself, "das X" and "X buch"; the last is not in normal form but has its share.
    assert rules["das buch", "the book"].counts[0] == pytest.approx(1 / 3)
    assert rules["das [X,1]", "the [X,1]"].counts[0] == pytest.approx(1 / 3)
    # "habe das buch gelesen": itself, with das, buch or both words as a gap. Two gaps would touch.
    assert rules["habe [X,1] gelesen", "read [X,1]"].counts[0] == pytest.approx(1 / 4)
    assert rules["habe [X,1] gelesen", "read [X,1]"].links == ((0, 0), (2, 0))
    # "read" was linked to habe and to gelesen, each linked to it alone.
    assert rules["habe [X,1] gelesen", "read [X,1]"].scores["target_given_source_lexical"] == 0
    assert rules["habe [X,1] gelesen", "read [X,1]"].scores["source_given_target_lexical"] == pytest.approx(
        2 * math.log(1 / 2)
    )


def test_hand_checked_orientation(tmp_path):
    lines = [("a b c", "A C B", "0-0 1-2 2-1")]
    table = extracted(tmp_path, lines, ExtractOptions.for_grammar("phrase", orientation="phrase"))

    def orientation(source: str) -> list[str]:
        (rule,) = table.lookup(source.split())
        names = ("monotone", "swap", "discontinuous")
        return [names[max(range(3), key=lambda i: rule.orientation[3 * k + i])] for k in range(2)]

    assert orientation("a") == ["monotone", "monotone"]  # the sentence begins; then comes C B as a block
    assert orientation("c") == ["discontinuous", "swap"]
    assert orientation("b") == ["swap", "discontinuous"]
    assert orientation("b c") == ["monotone", "monotone"]


@pytest.mark.parametrize("orientation", ["word", "phrase", "hier", "none"])
@pytest.mark.parametrize("kind", ["hiero", "phrase"])
def test_toy_corpus_equals_the_oracle(tmp_path, kind, orientation):
    options = ExtractOptions.for_grammar(kind, orientation=orientation)
    assert check_against_oracle(extracted(tmp_path, TOY, options), TOY, options) > 20


option_sets = st.builds(
    ExtractOptions,
    max_length=st.integers(1, 10),
    max_gaps=st.integers(0, 2),
    max_symbols=st.integers(1, 7),
    max_target_words=st.integers(1, 7),
    min_gap=st.integers(1, 3),
    tight=st.booleans(),
    adjacent_gaps=st.booleans(),
    count=st.sampled_from(["fractional", "unit"]),
    orientation=st.sampled_from(["word", "phrase", "hier", "none"]),
    orientation_smoothing=st.sampled_from([0.5, 1.0]),
    smoothing=st.sampled_from(["none", "kneser-ney", "good-turing"]),
    max_plain=st.sampled_from([0, 0, 6, 12]),
)


@given(
    lines=st.lists(st.one_of(sentence_pairs(), diagonal_pairs()), min_size=1, max_size=4),
    options=option_sets,
)
@examples(50)
def test_random_alignments_equal_the_oracle(tmp_path_factory, lines, options):
    table = extracted(tmp_path_factory.mktemp("random"), lines, options)
    check_against_oracle(table, lines, options)


@given(
    lines=st.lists(diagonal_pairs(), min_size=3, max_size=8),
    smoothing=st.sampled_from(["kneser-ney", "good-turing"]),
)
@examples(10)
def test_smoothing_equals_the_oracle(tmp_path_factory, lines, smoothing):
    options = ExtractOptions.for_grammar("phrase", smoothing=smoothing, max_length=3)
    repeated = lines * 2 + lines[:2] * 2 + lines[:1]
    table = extracted(tmp_path_factory.mktemp("smooth"), repeated, options)
    check_against_oracle(table, repeated, options)


def test_threads_and_memory_do_not_change_a_byte(tmp_path, monkeypatch):
    from isogloss.grammar import counting

    lines = many_lines()
    files = write_corpus(tmp_path, lines)
    extract_rules(*files, tmp_path / "one", ExtractOptions(), threads=1)
    monkeypatch.setattr(counting, "_MOST_BUFFER", 1 << 19)  # dozens of runs
    extract_rules(*files, tmp_path / "three", ExtractOptions(), threads=3)
    one, three = stored_bytes(tmp_path / "one"), stored_bytes(tmp_path / "three")
    assert one == three
    assert set(one) >= {"nodes", "rules", "scores", "orientation", "lexicon_targets"}


def test_packed_files_read_the_same(tmp_path):
    import gzip

    import zstandard

    source, target, links = write_corpus(tmp_path, TOY)
    extract_rules(source, target, links, tmp_path / "plain")
    (tmp_path / "s.gz").write_bytes(gzip.compress(source.read_bytes()))
    (tmp_path / "a.zst").write_bytes(zstandard.compress(links.read_bytes()))
    extract_rules(tmp_path / "s.gz", target, tmp_path / "a.zst", tmp_path / "packed")
    assert stored_bytes(tmp_path / "plain") == stored_bytes(tmp_path / "packed")


def test_long_pairs_are_left_out_and_counted(tmp_path):
    long = " ".join(["x"] * 10_000)
    lines = [*TOY, (long, long, "0-0 9999-9999")]
    files = write_corpus(tmp_path, lines)
    report = extract_rules(*files, tmp_path / "table")
    assert (report.pairs, report.skipped) == (len(TOY), 1)
    options = replace(ExtractOptions.for_grammar("phrase"), max_sentence_length=10_000, orientation="word")
    report = extract_rules(*files, tmp_path / "table", options)
    assert (report.pairs, report.skipped) == (len(TOY) + 1, 0)


def test_only_ascii_white_space_separates_words(tmp_path):
    lines = [("zehn\u00a0km \u3000 \f", "ten\u2028km\tx", "0-0 1-1")]
    table = extracted(tmp_path, lines, ExtractOptions())
    assert [rule.target for rule in table.lookup(["zehn\u00a0km"])] == [("ten\u2028km",)]
    assert [rule.target for rule in table.lookup(["\u3000"])] == [("x",)]


def test_one_word_corpus(tmp_path):
    table = extracted(tmp_path, [("ja", "yes", "0-0")], ExtractOptions())
    (rule,) = table.rules()
    assert (rule.source, rule.target, list(rule.scores.values())) == (("ja",), ("yes",), [0, 0, 0, 0])


def test_corpus_without_links_gives_an_empty_table(tmp_path):
    table = extracted(tmp_path, [("ja", "yes", ""), ("", "", "")], ExtractOptions())
    assert len(table) == 0
    assert table.lookup(["ja"]) == []
    assert table.match(["ja"]) == []


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([("a b", "A", "0-0"), ("a", "A", "0-1")], r"links:2: the link 0-1 points outside the sentence pair"),
        ([("a b", "A", "0-0 1")], r"links:1: '1' is not a link"),
        ([("a b", "A", "0-x")], r"links:1: '0-x' is not a link"),
        ([("a b", "A", "-1-0")], r"links:1: '-1-0' is not a link"),
        ([("a b", "A", "0-99999999999999999999999")], r"links:1: '0-9+' is not a link"),
    ],
)
def test_bad_links_are_named(tmp_path, lines, message):
    files = write_corpus(tmp_path, lines)
    with pytest.raises(DataFormatError, match=message):
        extract_rules(*files, tmp_path / "table")
    assert not (tmp_path / "table").exists()


def test_unequal_files_are_named(tmp_path):
    source, target, links = write_corpus(tmp_path, TOY)
    target.write_text("only one\n")
    with pytest.raises(DataFormatError, match=r"target:2: the file has 1 lines, but .*source has more"):
        extract_rules(source, target, links, tmp_path / "table")


def test_empty_corpus_is_refused(tmp_path):
    files = write_corpus(tmp_path, [("", "", "")])
    for file in files:
        file.write_text("")
    with pytest.raises(DataFormatError, match="holds no lines"):
        extract_rules(*files, tmp_path / "table")


def test_not_utf8_is_named(tmp_path):
    source, target, links = write_corpus(tmp_path, TOY)
    source.write_bytes(b"gut\n\xff\n" + b"x\n" * 3)
    with pytest.raises(DataFormatError, match=r"source:2: byte 0xff"):
        extract_rules(source, target, links, tmp_path / "table")


def test_old_table_survives_a_failure(tmp_path):
    files = write_corpus(tmp_path, TOY)
    extract_rules(*files, tmp_path / "table")
    before = stored_bytes(tmp_path / "table")
    files[2].write_text("0-0\n" * 4 + "9-9\n")
    with pytest.raises(DataFormatError):
        extract_rules(*files, tmp_path / "table")
    assert stored_bytes(tmp_path / "table") == before


def test_scratch_that_cannot_be_written(tmp_path):
    files = write_corpus(tmp_path, TOY)
    with pytest.raises(OutputError, match="--scratch"):
        extract_rules(*files, tmp_path / "table", scratch=tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_gaps": 3}, "max_gaps must be between 0 and 2, got 3"),
        ({"max_length": 0}, "max_length must be between 1 and 100, got 0"),
        ({"count": "double"}, "count must be one of fractional, unit, got 'double'"),
        ({"orientation_smoothing": 0.0}, "orientation_smoothing must be above 0"),
    ],
)
def test_options_are_checked(change, message):
    with pytest.raises(ConfigError, match=message):
        ExtractOptions(**change)


def test_memory_and_threads_are_checked(tmp_path):
    files = write_corpus(tmp_path, TOY)
    with pytest.raises(ConfigError, match="at least 64M"):
        extract_rules(*files, tmp_path / "table", memory_limit=1000)
    with pytest.raises(ConfigError, match="threads"):
        extract_rules(*files, tmp_path / "table", threads=-1)
