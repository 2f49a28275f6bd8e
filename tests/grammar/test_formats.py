from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.grammar import ExtractOptions, RuleTable
from isogloss.grammar.formats import export_rules, import_rules
from isogloss.io.errors import ConfigError, DataFormatError
from support.properties import examples
from support.rule_corpora import TOY, diagonal_pairs, extracted, many_lines


def by_sides(table: RuleTable) -> dict:
    return {(rule.source, rule.target): rule for rule in table.rules()}


def assert_same_rules(a: RuleTable, b: RuleTable, *, counts: bool) -> None:
    ours, theirs = by_sides(a), by_sides(b)
    assert list(ours) == list(theirs) or set(ours) == set(theirs)
    for key, rule in ours.items():
        other = theirs[key]
        assert other.links == rule.links
        assert other.scores == pytest.approx(rule.scores, abs=1e-5)
        assert other.orientation == pytest.approx(rule.orientation, abs=1e-5)
        if counts:
            assert other.counts[:3] == pytest.approx(rule.counts[:3], rel=1e-6)


def test_moses_table_as_it_is_written(tmp_path):
    extracted(tmp_path, TOY, ExtractOptions.for_grammar("phrase", orientation="word"))
    export_rules(tmp_path / "table", tmp_path / "phrases", reordering=tmp_path / "reordering")
    lines = (tmp_path / "phrases").read_text().splitlines()
    # das: four times "the", once "that"; p(source|target) first, as Moses has it.
    assert "das ||| the ||| 1 1 0.8 0.8 ||| 0-0 ||| 4 5 4" in lines
    # read: half of habe's third and all of gelesen; the book: 0.8 and 1.
    assert (
        "habe das buch gelesen ||| read the book ||| 1 0.25 1 0.533333 ||| 0-0 1-1 2-2 3-0 ||| 1 1 1" in lines
    )
    orientations = (tmp_path / "reordering").read_text().splitlines()
    assert len(orientations) == len(lines)
    # "ja" opens its sentence and "ich" follows it.
    (ja,) = [line for line in orientations if line.startswith("ja ||| yes ||| ")]
    values = [float(value) for value in ja.split(" ||| ")[2].split()]
    assert values == pytest.approx([0.6, 0.2, 0.2, 0.6, 0.2, 0.2])


def test_hiero_grammar_as_it_is_written(tmp_path):
    extracted(tmp_path, TOY[:1], ExtractOptions(orientation="none"))
    export_rules(tmp_path / "table", tmp_path / "grammar", format="hiero")
    lines = (tmp_path / "grammar").read_text().splitlines()
    quarter = next(line for line in lines if "habe [X,1] gelesen ||| read [X,1]" in line)
    assert quarter.startswith("[X] ||| habe [X,1] gelesen ||| read [X,1] ||| target_given_source=0 ")
    assert quarter.endswith(" ||| 0-0 2-0")


@given(
    lines=st.lists(diagonal_pairs(), min_size=1, max_size=4), orientation=st.sampled_from(["hier", "none"])
)
@examples(15)
def test_hiero_round_trip(tmp_path_factory, lines, orientation):
    folder = tmp_path_factory.mktemp("hiero")
    table = extracted(folder, lines, ExtractOptions(adjacent_gaps=True, orientation=orientation))
    if len(table) == 0:
        return
    export_rules(folder / "table", folder / "grammar.zst", format="hiero")
    report = import_rules(folder / "grammar.zst", folder / "again", format="hiero")
    assert (report.rules, report.left_out) == (len(table), 0)
    again = RuleTable.open(folder / "again")
    assert again.columns == table.columns
    assert_same_rules(table, again, counts=False)


def test_moses_round_trip_in_any_order(tmp_path):
    table = extracted(tmp_path, many_lines(200), ExtractOptions.for_grammar("phrase"))
    export_rules(tmp_path / "table", tmp_path / "phrases.gz", reordering=tmp_path / "reordering")
    lines = gzip.decompress((tmp_path / "phrases.gz").read_bytes()).decode().splitlines()
    (tmp_path / "shuffled").write_text("\n".join(sorted(lines, key=lambda line: line[::-1])) + "\n")
    report = import_rules(
        tmp_path / "shuffled", tmp_path / "again", reordering=tmp_path / "reordering", memory_limit=1 << 18
    )
    again = RuleTable.open(tmp_path / "again")
    assert (report.rules, report.without_orientation) == (len(table), 0)
    assert_same_rules(table, again, counts=True)
    export_rules(tmp_path / "again", tmp_path / "twice")
    assert sorted((tmp_path / "twice").read_text().splitlines()) == sorted(lines)


def test_other_tools_tables_are_read(tmp_path):
    (tmp_path / "moses").write_text(
        "das haus ||| the house ||| 0.5 0.25 0 1e-3 2.718 ||| 0-0 1-1 ||| 4 2 1 ||| |||\n"
        "a|||b ||| c\t d ||| 1 1 1 1 2.718\n"
    )
    import_rules(tmp_path / "moses", tmp_path / "table")
    table = RuleTable.open(tmp_path / "table")
    (rule,) = table.lookup(["das", "haus"])
    assert list(rule.scores.values()) == pytest.approx(
        [math.log(0.5), math.log(0.25), -100, math.log(1e-3), math.log(2.718)], abs=1e-5
    )
    assert rule.counts == (1, 2, 4, 1)
    assert table.columns[-1] == "score_4"
    assert table.lookup(["a|||b"])[0].target == ("c", "d")
    assert not table.has_orientation


def test_cdec_grammar_is_read(tmp_path):
    (tmp_path / "grammar").write_text(
        "[X] ||| der [X,1] ||| the [1] ||| EgivenF=0.5 Lex=1e-2 ||| 0-0\n"
        "[X] ||| [X,1] von [X,2] ||| of [X,2] [X,1] ||| Lex=3\n"
        "[X] ||| [X,1] von [X,2] ||| [X,1] of [X,2] ||| EgivenF=1\n"  # not in target normal form
        "[S] ||| [S,1] [X,2] ||| [1] [2] ||| Glue=1\n"
        "[X] ||| [X,1] ||| [X,1] ||| EgivenF=1\n"  # no word
        "[X] ||| [NP,1] hund ||| dog [NP,1] ||| EgivenF=1\n"
    )
    report = import_rules(tmp_path / "grammar", tmp_path / "table", format="hiero")
    assert (report.rules, report.left_out) == (2, 4)
    table = RuleTable.open(tmp_path / "table")
    assert table.columns == ("EgivenF", "Lex")
    (swapped,) = table.lookup(["[X,1]", "von", "[X,2]"])
    assert swapped.target == ("of", "[X,2]", "[X,1]")
    assert swapped.scores == {"EgivenF": 0, "Lex": 3}
    (rule,) = table.lookup(["der", "[X,1]"])
    assert rule.links == ((0, 0),)


def test_values_without_names(tmp_path):
    (tmp_path / "grammar").write_text("[X] ||| a ||| b ||| 0.5 0.25 ||| \n")
    import_rules(tmp_path / "grammar", tmp_path / "table", format="hiero")
    assert RuleTable.open(tmp_path / "table").columns == ("score_0", "score_1")


@pytest.mark.parametrize(
    ("format", "text", "message"),
    [
        ("moses", "a ||| b\n", r"file:1: at least 3 fields expected between ' \|\|\| ', found 2"),
        ("moses", "a ||| b ||| 1\na ||| c ||| x\n", r"file:2: 'x' is not a number"),
        ("moses", "a ||| b ||| 1\na ||| c ||| nan\n", r"file:2: 'nan' is not a number"),
        ("moses", "a ||| b ||| 1\na ||| c ||| 1 1\n", r"file:2: 1 values expected .*, found 2"),
        ("moses", "a ||| b ||| -1\n", r"file:1: a negative probability"),
        ("moses", "a ||| b ||| 1 ||| 0-1\n", r"file:1: '0-1' is not a link between words of the rule"),
        ("moses", "a ||| b ||| 1 ||| 0\n", r"file:1: '0' is not a link"),
        ("moses", " ||| b ||| 1\n", r"file:1: the source side is empty"),
        ("moses", "a ||| ||| 1\n", r"file:1: the target side is empty"),
        ("moses", "a ||| b ||| 1\nc ||| d ||| 1\na ||| b ||| 2\n", r"file:3: the rule occurs twice"),
        ("moses", "a ||| b ||| 1\na ||| b ||| 1\n", r"file:2: the rule occurs twice"),
        ("moses", "a [X][X] [X] ||| b [X][X] [X] ||| 1\n", r"'\[X\]\[X\]' is a non-terminal"),
        ("moses", "", "file: the file is empty"),
        ("hiero", "a ||| b ||| 1 ||| 0-0\n", r"file:1: the left-hand side 'a' is not a non-terminal"),
        ("hiero", "[X] ||| a [X,1] [X,1] ||| b [X,1] ||| 1\n", r"\[X,1\] occurs twice on the source side"),
        ("hiero", "[X] ||| a [X,1] ||| b [X,2] ||| 1\n", r"\[X,2\] of the target side is missing"),
        ("hiero", "[X] ||| a [X,1] ||| b ||| 1\n", r"the two sides have 1 and 0 gaps"),
        (
            "hiero",
            "[X] ||| a ||| b ||| p=1\n[X] ||| c ||| d ||| q=1\n",
            r":2: the value 'q' is missing",
        ),
        (
            "hiero",
            "[X] ||| a ||| b ||| p=1\n[X] ||| c ||| d ||| 1\n",
            r":2: values with and without",
        ),
        ("hiero", f"[X] ||| {'a ' * 300} ||| b ||| 1\n", r"the source side has 300 symbols, at most 255"),
    ],
)
def test_malformed_lines_are_named(tmp_path: Path, format, text, message):
    (tmp_path / "file").write_text(text)
    with pytest.raises(DataFormatError, match=message):
        import_rules(tmp_path / "file", tmp_path / "table", format=format)
    assert not (tmp_path / "table").exists()


def test_malformed_reordering_tables_are_named(tmp_path):
    (tmp_path / "rules").write_text("a ||| b ||| 1\nc ||| d ||| 1\n")
    (tmp_path / "order").write_text("a ||| b ||| 0.5 0.5 0\n")
    with pytest.raises(DataFormatError, match="order:1: 6 probabilities expected, found 3"):
        import_rules(tmp_path / "rules", tmp_path / "table", reordering=tmp_path / "order")
    line = "a ||| b ||| 0.5 0.25 0.25 0.5 0.25 0.25\n"
    (tmp_path / "order").write_text(line * 2)
    with pytest.raises(DataFormatError, match="order:2: the rule occurs twice"):
        import_rules(tmp_path / "rules", tmp_path / "table", reordering=tmp_path / "order")
    (tmp_path / "order").write_text(line + line.replace("b", "not in the table"))
    report = import_rules(tmp_path / "rules", tmp_path / "table", reordering=tmp_path / "order")
    assert (report.rules, report.without_orientation) == (2, 1)
    table = RuleTable.open(tmp_path / "table")
    assert table.lookup(["a"])[0].orientation[0] == pytest.approx(math.log(0.5))
    assert table.lookup(["c"])[0].orientation == pytest.approx([math.log(1 / 3)] * 6)


def test_what_a_format_cannot_say_is_refused(tmp_path):
    extracted(tmp_path, TOY)
    with pytest.raises(ConfigError, match="cannot hold rules with non-terminals"):
        export_rules(tmp_path / "table", tmp_path / "out")
    with pytest.raises(ConfigError, match="format must be one of moses, hiero"):
        export_rules(tmp_path / "table", tmp_path / "out", format="xml")
    with pytest.raises(ConfigError, match="can only be exported with a Moses phrase table"):
        export_rules(tmp_path / "table", tmp_path / "out", format="hiero", reordering=tmp_path / "r")
    extracted(tmp_path, [("a |||", "b c", "0-0 1-1")])
    with pytest.raises(ConfigError, match=r"the word '\|\|\|' has a special meaning"):
        export_rules(tmp_path / "table", tmp_path / "out", format="hiero")
    extracted(tmp_path, [("a [X,2]", "b c", "0-0 1-1")])
    with pytest.raises(ConfigError, match=r"the word '\[X,2\]' has a special meaning"):
        export_rules(tmp_path / "table", tmp_path / "out", format="hiero")
    assert not (tmp_path / "out").exists()
    extracted(tmp_path, TOY, ExtractOptions.for_grammar("phrase", orientation="none"))
    with pytest.raises(ConfigError, match="no orientation probabilities"):
        export_rules(tmp_path / "table", tmp_path / "out", reordering=tmp_path / "r")
