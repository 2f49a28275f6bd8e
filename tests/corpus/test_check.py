from __future__ import annotations

import random
import tracemalloc
from functools import cache
from pathlib import Path

import pytest

from isogloss.corpus.check import CheckOptions, CheckReport, Examination, check_corpus
from isogloss.corpus.clean import clean_corpus
from isogloss.corpus.formats import FORMATS, PairFiles, plan_conversion
from isogloss.corpus.mojibake import find_mojibake
from isogloss.corpus.profile import Profile, script_of, scripts_in
from isogloss.corpus.synthetic.text import as_text, make_corpus
from isogloss.io.errors import ConfigError, DataFormatError


@cache
def made_sides(pairs: int) -> tuple[list[str], list[str]]:
    made = make_corpus(pairs, seed=11)
    return list(map(as_text, made.source)), list(map(as_text, made.target))


class Corpus:
    """A sound corpus on disk, whose lines can be spoilt."""

    def __init__(self, folder: Path, pairs: int = 1500) -> None:
        self.folder = folder
        self.sides = [list(side) for side in made_sides(pairs)]

    def write(self) -> PairFiles:
        paths = (self.folder / "a.en", self.folder / "a.tv")
        for path, lines in zip(paths, self.sides, strict=True):
            path.write_bytes(
                b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines)
            )
        return PairFiles(FORMATS["plain"], paths)

    def check(self, **options: float) -> CheckReport:
        return check_corpus(Examination(self.write(), CheckOptions(**options)))  # type: ignore[arg-type]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus(tmp_path)


def found(report: CheckReport) -> list[tuple[str, str, int, str]]:
    return [
        (rule, Path(finding.path).name, finding.line, finding.detail)
        for rule, findings in report.examples.items()
        for finding in findings
    ]


def test_a_sound_corpus_has_no_findings(corpus: Corpus) -> None:
    report = corpus.check()
    assert (report.pairs, report.flagged, found(report)) == (1500, 0, [])


SPOILS = [
    (0, "", "empty-side", "a.en", "the source is empty"),
    (1, " \t\u3000", "empty-side", "a.tv", "the target is empty"),
    (1, "va " * 180, "length-ratio", "a.tv", "times longer than usual"),
    (0, "and so on " * 201, "over-long", "a.en", "603 words"),
    (1, "va" * 1500, "over-long", "a.tv", "3,000 characters"),
    (0, "A bell \x07 rings in the house.", "control-character", "a.en", "U+0007 at column 8"),
    (1, "Kasa va\u2028 dormai.", "control-character", "a.tv", "U+2028 at column 8"),
    (0, "Some\ufeff text is here.", "control-character", "a.en", "U+FEFF at column 5"),
    (0, "A field ||| and another.", "separator", "a.en", "at column 9"),
    (1, "MÃ¤rchen va dormai.", "wrong-encoding", "a.tv", "'Ã¤' where 'ä' is meant"),
    (0, "The king\u00e2\u20ac\u2122s dog slept.", "wrong-encoding", "a.en", "where '\u2019' is meant"),
    (0, "The k\ufffdng slept.", "wrong-encoding", "a.en", "a character was lost at column 6"),
    (1, "Король спит в своём доме.", "wrong-script", "a.tv", "20 of 20 letters are Cyrillic"),
    (0, b"The k\xefng sl\xe9pt here.", "invalid-utf8", "a.en", "byte 0xef at column 6"),
]


@pytest.mark.parametrize(("side", "text", "rule", "file", "detail"), SPOILS)
def test_each_spoilt_line_is_named(
    corpus: Corpus, side: int, text: str, rule: str, file: str, detail: str
) -> None:
    corpus.sides[side][700] = text
    found_here = [item for item in found(corpus.check()) if item[0] == rule]
    assert len(found_here) == 1
    assert found_here[0][1:3] == (file, 701)
    assert detail in found_here[0][3]


def test_unequal_lines(corpus: Corpus) -> None:
    del corpus.sides[1][-20:]
    report = corpus.check()
    assert report.pairs == 1480
    (finding,) = report.examples["unequal-lines"]
    assert (Path(finding.path).name, finding.line) == ("a.tv", 1481)
    assert finding.detail == f"1,480 lines, but {corpus.folder / 'a.en'} has 1,500"


def test_duplicates_are_named_with_their_first(corpus: Corpus) -> None:
    for side in corpus.sides:
        side[1200] = side[30]
        side[1300] = side[30]
    corpus.sides[0][40] = corpus.sides[0][41]  # one side alone is no duplicate
    assert found(corpus.check()) == [
        ("duplicate", "a.en", 1201, "the same as line 31"),
        ("duplicate", "a.en", 1301, "the same as line 31"),
    ]


def test_languages(corpus: Corpus) -> None:
    source, target = corpus.sides
    rng = random.Random(5)
    swapped, wrong_target, wrong_source, copied = (rng.sample(range(part, 1500, 4), 10) for part in range(4))
    for line in swapped:
        source[line], target[line] = target[line], source[line]
    for line in wrong_target:
        target[line] = source[line - 1]
    for line in wrong_source:
        source[line] = target[line - 1]
    for line in copied:
        target[line] = source[line]
    report = check_corpus(Examination(corpus.write()), examples=100)

    def lines(rule: str) -> set[int]:
        return {finding.line - 1 for finding in report.examples.get(rule, ())}

    assert len(lines("swapped") & set(swapped)) >= 9
    assert len(lines("wrong-language") & set(wrong_target)) >= 9
    assert len(lines("wrong-language") & set(wrong_source)) >= 9
    assert lines("copied") == set(copied)
    wrong = {*swapped, *wrong_target, *wrong_source, *copied}
    assert not (lines("swapped") | lines("wrong-language")) - wrong


def test_a_third_language_is_unusual(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, 3000)
    text = "zwischen Häusern gingen acht Männer langsam über große Brücken und sprachen nicht"
    lines = range(100, 2000, 400)
    for line in lines:
        corpus.sides[0][line] = text[line // 200 :] + "."
    findings = check_corpus(Examination(corpus.write()), examples=100).examples["unusual"]
    assert {finding.line - 1 for finding in findings} == set(lines)


def test_names_and_numbers_are_not_copies(corpus: Corpus) -> None:
    for side in corpus.sides:
        side[10], side[11] = "Valdor", "1912"
    assert not corpus.check().counts["copied"]


def test_a_byte_order_mark_at_the_start_is_no_finding(corpus: Corpus) -> None:
    corpus.sides[0][0] = "\ufeff" + corpus.sides[0][0]
    assert not corpus.check().counts


def test_limits_are_options(corpus: Corpus) -> None:
    assert corpus.check(max_words=15).counts["over-long"] > 10
    assert corpus.check(max_characters=80).counts["over-long"] > 10
    assert corpus.check(max_ratio=1.3).counts["length-ratio"] > 10
    for wrong in ({"max_ratio": 1.0}, {"max_words": 0}, {"max_characters": 0}):
        with pytest.raises(ConfigError):
            CheckOptions(**wrong)  # type: ignore[arg-type]


def test_empty_and_tiny_corpora(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, 1)
    assert corpus.check().pairs == 1
    corpus.sides = [[], []]
    assert corpus.check().pairs == 0
    corpus.sides = [["", "a"], ["", "b"]]
    assert corpus.check().counts == {"empty-side": 2}


def test_two_sides_in_one_language_are_not_told_apart(corpus: Corpus) -> None:
    corpus.sides[1] = [corpus.sides[0][-1 - line] for line in range(1500)]
    counts = corpus.check().counts
    assert not counts["swapped"] + counts["wrong-language"]


def test_a_scan_of_a_big_corpus_needs_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.corpus.check._SAMPLE", 500)
    files = Corpus(tmp_path, 500).write()
    peaks = []
    for repeats in (3, 9):
        for path in files.paths:
            text = Path(path).read_text(encoding="utf-8").splitlines()[:500]
            Path(path).write_text("".join(f"{line} {n}\n" for n in range(repeats) for line in text))
        tracemalloc.start()
        report = check_corpus(Examination(files))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert report.pairs == 500 * repeats
    assert peaks[1] < 1.3 * peaks[0]


def test_other_formats_are_checked_too(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"the house\tdie h\xe4user\na ||| b\tc\n")
    report = check_corpus(Examination(PairFiles(FORMATS["tsv"], (path,))))
    assert [item[:3] for item in found(report)] == [
        ("invalid-utf8", "a.tsv", 1),
        ("separator", "a.tsv", 2),
    ]
    path = tmp_path / "a.po"
    path.write_text('msgid "a ||| b"\nmsgstr "x"\n\n#, fuzzy\nmsgid "c"\nmsgstr "c"\n')
    report = check_corpus(Examination(PairFiles(FORMATS["po"], (path,))))
    assert [item[:3] for item in found(report)] == [("separator", "a.po", 1)]
    assert report.skipped == {"fuzzy": 1}


def test_clean_keeps_what_is_sound_and_says_what_is_not(corpus: Corpus) -> None:
    sound = [list(side) for side in corpus.sides]
    for line, (side, text, _, _, _) in enumerate(SPOILS, start=100):
        corpus.sides[side][line] = text
    for side in corpus.sides:
        side[1000] = side[999]
    source, target = corpus.write().paths
    outputs = [corpus.folder / name for name in ("clean.en", "clean.tv")]
    conversion = plan_conversion([source, target, *outputs])
    report = clean_corpus(conversion, dropped=corpus.folder / "dropped.tsv")
    bad = {*range(100, 100 + len(SPOILS)), 1000}
    assert (report.kept, report.dropped) == (1500 - len(bad), len(bad))
    for path, lines in zip(outputs, sound, strict=True):
        kept = [line for number, line in enumerate(lines) if number not in bad]
        assert path.read_text(encoding="utf-8").splitlines() == kept
    header, *rows = (corpus.folder / "dropped.tsv").read_text(encoding="utf-8").splitlines()
    assert header == "line\treasons\tdetails"
    assert [int(row.split("\t")[0]) - 1 for row in rows] == sorted(bad)
    for row, spoil in zip(rows, SPOILS, strict=False):
        assert spoil[2] in row.split("\t")[1].split(",")
    assert rows[-1] == "1001\tduplicate\tthe same as line 1000"


def test_clean_can_excuse_rules(corpus: Corpus) -> None:
    corpus.sides[0][5] = corpus.sides[0][5] + " ||| x"
    source, target = corpus.write().paths
    conversion = plan_conversion([source, target, corpus.folder / "c.tsv"])
    assert clean_corpus(conversion, keep=["separator"]).dropped == 0
    assert clean_corpus(conversion).reasons == {"separator": 1}
    for rule in ("nonsense", "invalid-utf8"):
        with pytest.raises(ConfigError, match=f"'{rule}' is not a rule that can be excused; these can: con"):
            clean_corpus(conversion, keep=[rule])


def test_pairs_that_match_a_pattern_are_dropped(corpus: Corpus) -> None:
    corpus.sides[0][5] += " 90210"
    corpus.sides[1][9] += " <b>"
    source, target = corpus.write().paths
    conversion = plan_conversion([source, target, corpus.folder / "c.tsv"])
    options = CheckOptions(patterns=("9021[0-9]", "<b>"))
    assert clean_corpus(conversion, options, dropped=corpus.folder / "d.tsv").reasons == {"pattern": 2}
    rows = (corpus.folder / "d.tsv").read_text(encoding="utf-8").splitlines()
    assert rows[1].startswith("6\tpattern\t'90210' at column")
    assert rows[2].startswith("10\tpattern\t'<b>' at column")
    with pytest.raises(ConfigError, match=r"patterns: '\(' is not a regular expression"):
        CheckOptions(patterns=("(",))


def test_clean_refuses_files_of_different_lengths(corpus: Corpus) -> None:
    corpus.sides[0].append("one more")
    source, target = corpus.write().paths
    outputs = [corpus.folder / name for name in ("clean.en", "clean.tv")]
    with pytest.raises(DataFormatError, match=r"a\.tv:1501: the file has 1500 lines, but .*a\.en has more"):
        clean_corpus(plan_conversion([source, target, *outputs]), dropped=corpus.folder / "dropped.tsv")
    assert {path.name for path in corpus.folder.iterdir()} == {"a.en", "a.tv"}


@pytest.mark.parametrize(
    "text",
    [
        "Grüße aus Köln – schön, naïve, «déjà vu», ÉCOLE",
        "CAFÉ… et “JOSÉ”",
        "VOILÀ»",
        "100 € ± 5 ° §4 ©2020 ½",
        "São Paulo, Ærøskøbing, Łódź",
        "Москва и Київ",
        "日本語の文章",
        "",
    ],
)
def test_sound_text_is_no_mojibake(text: str) -> None:
    assert find_mojibake(text) is None


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
@pytest.mark.parametrize(
    "text", ["Grüße", "déjà vu", "it’s – so", "5 °C", "Москва и Київ", "日本語の文章", "Łódź"]
)
def test_misread_text_is_mojibake(text: str, encoding: str) -> None:
    # Bytes that Windows-1252 leaves out are read as control characters.
    misread = "".join(bytes([byte]).decode(encoding, "ignore") or chr(byte) for byte in text.encode("utf-8"))
    assert find_mojibake(misread) is not None


def test_scripts() -> None:
    assert [script_of(letter) for letter in "aяアあ漢ا한é1 "] == [
        *("LATIN", "CYRILLIC", "KATAKANA", "HIRAGANA", "CJK", "ARABIC", "HANGUL", "LATIN", "", "")
    ]
    assert scripts_in("abc где 123") == {"LATIN": 3, "CYRILLIC": 3}
    profile = Profile(["слово"] * 3, ["a word"] * 3)
    assert profile.scripts == [{"CYRILLIC"}, {"LATIN"}]
    assert profile.ratio == pytest.approx(6 / 5)


@pytest.mark.slow
@pytest.mark.corpora
def test_real_corpora_are_mostly_sound(corpora: Path) -> None:
    for source, target, most in (
        ("multi30k/train.de", "multi30k/train.en", 0.002),
        ("kftt/train.ja", "kftt/train.en", 0.05),
        ("tatoeba-zh/train.zh", "tatoeba-zh/train.en", 0.005),
    ):
        files = PairFiles(FORMATS["plain"], (corpora / source, corpora / target))
        report = check_corpus(Examination(files))
        assert report.flagged < most * report.pairs


def test_unequal_placeholders(tmp_path: Path) -> None:
    rows = ["%s gone\tweg", "<b>a</b> %s\t%s <b>b</b>", "{x}\t{x} {x}", "50 % of it\t50 % davon"]
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    files = PairFiles(FORMATS["tsv"], (path,))
    found = {
        row.pair.line: finding.detail
        for row in Examination(files, CheckOptions(placeholders=("printf", "braces", "tags")))
        for finding in row.findings
        if finding.rule == "placeholders"
    }
    assert found == {1: "'%s' is more often in the source", 3: "'{x}' is more often in the target"}
    assert not any(f.rule == "placeholders" for row in Examination(files) for f in row.findings)
