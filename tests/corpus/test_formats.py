from __future__ import annotations

import gzip
import sys
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from isogloss.corpus import po
from isogloss.corpus.formats import (
    FORMATS,
    Conversion,
    FormatName,
    PairFiles,
    detect_format,
    plan_conversion,
)
from isogloss.corpus.pairs import Reading, ReadOptions, SentencePair
from isogloss.io import streams
from isogloss.io.errors import ConfigError, DataFormatError, InputFileError, MissingExtraError, OutputError
from isogloss.io.streams import read_lines
from support.properties import examples

# What XML 1.0 can hold; the other formats hold it too.
characters = st.characters(
    exclude_categories=["Cs"],
    exclude_characters="".join(map(chr, {*range(32)} - {9, 10, 13})) + "\ufffe\uffff",
)
texts = st.text(characters, max_size=30)
spiky = st.sampled_from(
    ['"', "\\", "\\n", "a\nb", "\r", "a\r\nb", "\t", " x ", "&amp;", "]]>", "<b>", "\u2028"]
)
filled = st.text(characters, min_size=1, max_size=30) | spiky
pairs_of_text = st.builds(SentencePair, filled, filled, st.just("") | filled, st.just("") | filled)
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def files_of(folder: Path, name: str) -> PairFiles:
    format = FORMATS[name]
    return PairFiles(format, tuple(folder / f"{name}.{number}" for number in range(format.files)))


def write_all(files: PairFiles, pairs: list[SentencePair]) -> None:
    with files.write(("en", "de")) as (write, _):
        for pair in pairs:
            write(pair)


def read_text(folder: Path, name: str, text: str, **options: object) -> list[SentencePair]:
    path = folder / f"read.{name}"
    path.write_text(text, encoding="utf-8", newline="")
    return list(FORMATS[name].read([path], ReadOptions(**options)))  # type: ignore[arg-type]


def tmx(body: str, header: str = 'srclang="en"') -> str:
    return f'{DECLARATION}<tmx version="1.4"><header {header}/><body>{body}</body></tmx>'


def tu(attributes: str = "", **segments: str) -> str:
    inside = "".join(f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>' for code, text in segments.items())
    return f"<tu {attributes}>{inside}</tu>"


@examples(40)
@given(pairs=st.lists(pairs_of_text, max_size=5), name=st.sampled_from(["tmx", "xliff", "xliff2"]))
def test_xml_round_trip(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[SentencePair], name: str
) -> None:
    files = files_of(tmp_path_factory.mktemp("xml"), name)
    write_all(files, pairs)
    reading = Reading()
    read = list(files.read(reading=reading))
    assert [(p.source, p.target, p.context) for p in read] == [(p.source, p.target, p.context) for p in pairs]
    for number, (pair, again) in enumerate(zip(pairs, read, strict=True), start=1):
        assert again.id == (pair.id or ("" if name == "tmx" else str(number)))
    if pairs:
        assert (reading.source_language, reading.target_language) == ("en", "de")
    assert not reading.skipped


@examples(40)
@given(pairs=st.lists(pairs_of_text, max_size=5, unique_by=lambda pair: (pair.source, pair.context)))
@example(pairs=[SentencePair("a" * 100 + " " + "b" * 100, "x\\\ty " * 40)])
def test_po_round_trip(tmp_path_factory: pytest.TempPathFactory, pairs: list[SentencePair]) -> None:
    files = files_of(tmp_path_factory.mktemp("po"), "po")
    write_all(files, pairs)
    assert [(p.source, p.target, p.context) for p in files.read()] == [
        (p.source, p.target, p.context) for p in pairs
    ]


@examples(40)
@given(pairs=st.lists(pairs_of_text, max_size=5), name=st.sampled_from(["plain", "tsv"]))
def test_line_formats_round_trip(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[SentencePair], name: str
) -> None:
    def flat(text: str) -> str:
        lines = text.replace("\r", "\n")
        while "\n\n" in lines:
            lines = lines.replace("\n\n", "\n")
        return lines.replace("\n", " ").replace("\t", " " if name == "tsv" else "\t")

    if pairs and pairs[0].source.startswith("\ufeff"):
        return
    files = files_of(tmp_path_factory.mktemp("lines"), name)
    pairs = [SentencePair(*map(flat, (p.source, p.target, p.id, p.context))) for p in pairs]
    write_all(files, pairs)
    if name == "plain":
        pairs = [SentencePair(pair.source, pair.target) for pair in pairs]
    assert list(files.read()) == pairs


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_may_be_packed(tmp_path: Path, name: str, suffix: str) -> None:
    format = FORMATS[name]
    files = PairFiles(format, tuple(tmp_path / f"x.{number}{suffix}" for number in range(format.files)))
    pairs = [SentencePair("Hello, world", "Hallo Welt"), SentencePair("It's Grün", "Ünïcödé")]
    write_all(files, pairs)
    assert [(p.source, p.target) for p in files.read()] == [(p.source, p.target) for p in pairs]
    assert [p.line > 0 for p in files.read()] == [True, True]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("x.tmx", b"", "tmx"),
        ("x.TMX.gz", b"", "tmx"),
        ("x.po.zst", b"", "po"),
        ("x.xlf", b"", "xliff"),
        ("x.tsv", b"", "tsv"),
        ("x.txt", b"msgid nothing\n", "plain"),
        ("x.txt", tmx("").encode(), "tmx"),
        ("x.txt", tmx("").replace("UTF-8", "UTF-16").encode("utf-16"), "tmx"),
        ("x", b"\xef\xbb\xbf <xliff version='1.2'>", "xliff"),
        ("x", b'# comment\nmsgid ""\nmsgstr ""\n', "po"),
        ("x", gzip.compress(b'msgid ""\nmsgstr ""\n', mtime=0), "po"),
    ],
)
def test_formats_are_recognized(tmp_path: Path, name: str, content: bytes, expected: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert detect_format(tmp_path / name, look_inside=True).name == expected


def test_plans_take_one_or_two_files_on_each_side(tmp_path: Path) -> None:
    for name in ("a.en", "a.de"):
        (tmp_path / name).write_text("x\n")
    plan = plan_conversion([tmp_path / "a.en", tmp_path / "a.de", "out.tmx"])
    assert (plan.source.format.name, plan.target.format.name) == ("plain", "tmx")
    assert plan.languages() == ("en", "de")
    plan = plan_conversion(["in.tmx", "out.en.gz", "out.de.gz"])
    assert plan.target.paths == ("out.en.gz", "out.de.gz")
    for files, message in (
        ([], "a bilingual file is missing"),
        (["in.tmx"], "the file to write is missing"),
        (
            ["in.tmx", "out.en"],
            "'out.en' is taken as plain text, and the file with its translation is missing",
        ),
        (["in.tmx", "out.tsv", "more.tsv"], "one file too many: reading in.tmx .tmx. and writing out.tsv"),
    ):
        with pytest.raises(ConfigError, match=message):
            plan_conversion(files)
    with pytest.raises(ConfigError, match="unknown format 'docx'; known are plain, tsv, po"):
        plan_conversion(["a", "b"], from_format="docx")
    with pytest.raises(InputFileError, match="No such file"):
        plan_conversion(["missing.en", "missing.de", "out.tsv"])


def convert(*files: Path, **options: object) -> Conversion:
    conversion = plan_conversion(files, options=ReadOptions(**options))  # type: ignore[arg-type]
    conversion.run()
    return conversion


def test_what_is_lost_is_known_before_anything_is_written(tmp_path: Path) -> None:
    def losses(*files: str, **options: object) -> str:
        conversion = plan_conversion(files, options=ReadOptions(**options))  # type: ignore[arg-type]
        return "; ".join(conversion.losses())

    assert losses("a.tmx", "b.tmx") == "notes and properties; inline tags"
    assert losses("a.tmx", "b.tmx", keep_markup=True) == "notes and properties"
    assert losses("a.tsv", "b.tmx") == ""
    assert losses("a.tsv", "b.en", "b.de") == "contexts of the pairs; ids of the pairs"
    assert "further translations of the same source" in losses("a.tsv", "b.po")
    assert "line breaks inside a sentence" in losses("a.po", "b.tsv")
    assert not list(tmp_path.iterdir())


def test_a_long_way_round(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text('one\nsay "two"\nthree & four\n')
    (tmp_path / "a.de").write_text("eins\n<zwei>\ndrei\\n\n")
    way = ["a.tmx", "a.xlf", "a.po", "a.tsv", "b.xlf", "b.tmx"]
    convert(tmp_path / "a.en", tmp_path / "a.de", tmp_path / way[0])
    for before, after in pairwise(way):
        convert(tmp_path / before, tmp_path / after, source_language="en", target_language="de")
    convert(tmp_path / way[-1], tmp_path / "b.en", tmp_path / "b.de")
    assert (tmp_path / "b.en").read_text() == (tmp_path / "a.en").read_text()
    assert (tmp_path / "b.de").read_text() == (tmp_path / "a.de").read_text()


def test_a_failed_conversion_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("one\ntwo\n")
    (tmp_path / "a.de").write_text("eins\n")
    with pytest.raises(DataFormatError, match=r"a\.de:2: the file has 1 lines, but .*a\.en has more"):
        convert(tmp_path / "a.en", tmp_path / "a.de", tmp_path / "b.en", tmp_path / "b.de")
    with pytest.raises(ConfigError, match="two outputs have the same name"):
        convert(tmp_path / "a.en", tmp_path / "a.en", tmp_path / "b.en", tmp_path / "b.en")
    (tmp_path / "a.en").write_text("one\n\x01two\n")
    with pytest.raises(OutputError, match=r"b\.tmx: XML cannot hold the character U\+0001 in"):
        convert(tmp_path / "a.en", tmp_path / "a.en", tmp_path / "b.tmx", target_language="de")
    (tmp_path / "c").write_text("one\n")
    with pytest.raises(ConfigError, match="TMX files name their languages: give source_language and target"):
        convert(tmp_path / "c", tmp_path / "c", tmp_path / "b.tmx")
    assert {path.name for path in tmp_path.iterdir()} == {"a.en", "a.de", "c"}


def test_tsv_fields(tmp_path: Path) -> None:
    with pytest.raises(DataFormatError, match=r":2: 2 to 4 tab-separated fields expected .*, found 1"):
        read_text(tmp_path, "tsv", "a\tb\nno tab here\n")
    with pytest.raises(DataFormatError, match=r":1: 2 to 4 .*, found 5; name the columns .* --columns"):
        read_text(tmp_path, "tsv", "1\t2\t3\t4\t5\n")
    pairs = read_text(tmp_path, "tsv", "1\t2\t3\t4\t5\n", columns=(5, 2))
    assert pairs == [SentencePair("5", "2")]
    with pytest.raises(DataFormatError, match=":1: at least 5 tab-separated fields expected, found 2"):
        read_text(tmp_path, "tsv", "1\t2\n", columns=(5, 2))
    with pytest.raises(ConfigError, match="two different numbers"):
        ReadOptions(columns=(1, 1))


CATALOG = r"""
# header
msgid ""
msgstr ""
"Language: sl\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=3; plural=...\n"

#: src/a.c:1
#, c-format
msgctxt "menu"
msgid "Open \"%s\""
msgstr ""
"Odpri "
"\"%s\"\n"

#, fuzzy
msgid "fuzzy"
msgstr "mehko"

msgid "untranslated"
msgstr ""

msgid "file"
msgid_plural "%d files"
msgstr[0] "datoteka"
msgstr[1] "datoteki"
msgstr[2] "datotek"

msgid "one"
msgid_plural "many"
msgstr[0] "x"
msgstr[1] ""

#~ msgid "obsolete"
#~ msgstr "zastarelo"

msgid "last"
msgstr "zadnji"
"""


def test_po_takes_finished_translations(tmp_path: Path) -> None:
    path = tmp_path / "sl.po"
    path.write_text(CATALOG.lstrip())
    reading = Reading()
    assert list(FORMATS["po"].read([path], None, reading)) == [
        SentencePair('Open "%s"', 'Odpri "%s"\n', context="menu"),
        SentencePair("file", "datoteka"),
        SentencePair("%d files", "datoteki"),
        SentencePair("%d files", "datotek"),
        SentencePair("last", "zadnji"),
    ]
    assert [pair.line for pair in FORMATS["po"].read([path])] == [8, 23, 23, 23, 37]
    assert reading.skipped == {"fuzzy": 1, "untranslated": 2, "obsolete": 1}
    assert reading.target_language == "sl"


@pytest.mark.parametrize(
    "charset",
    [
        "CHARSET",
        "utf-16",
        "utf-7",
        "idna",
        "punycode",
        "undefined",
        "unicode_escape",
        "rot13",
        "hex",
        "cp037",
    ],
)
def test_po_with_a_charset_that_cannot_be_is_read_as_utf_8(tmp_path: Path, charset: str) -> None:
    header = f'msgid ""\nmsgstr "Content-Type: text/plain; charset={charset}\\n"\n\n'
    assert read_text(tmp_path, "po", header + 'msgid "a"\nmsgstr "é\\\\u"\n') == [SentencePair("a", "é\\u")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-7", "idna", "hex", "undefined", "utf-32", "nonsense"])
def test_xml_in_an_encoding_that_it_is_not_in(tmp_path: Path, encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?><tmx version="1.4"><body></body></tmx>'
    with pytest.raises(DataFormatError, match="XML"):
        read_text(tmp_path, "tmx", text)


def test_xml_that_ends_within_a_character(tmp_path: Path) -> None:
    path = tmp_path / "a.tmx"
    whole = '<?xml version="1.0" encoding="utf-16"?><tmx version="1.4"><body></body></tmx>'.encode("utf-16")
    for cut in (1, 2, 3, 7):
        path.write_bytes(whole[:-cut])
        with pytest.raises(DataFormatError, match=r"a\.tmx:1: not well-formed XML"):
            list(FORMATS["tmx"].read([path]))


def test_xml_with_a_huge_text_in_a_small_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.corpus.markup._LONGEST_TEXT", 1 << 20)
    path = tmp_path / "a.tmx.zst"
    text = b'<tmx version="1.4"><body><tu><tuv xml:lang="en"><seg>' + b"a" * (8 << 20)
    path.write_bytes(zstandard.compress(text))
    with pytest.raises(DataFormatError, match="a text or tag has more than 1 MiB"):
        list(FORMATS["tmx"].read([path]))


def test_po_of_a_language_without_plurals(tmp_path: Path) -> None:
    text = 'msgid "file"\nmsgid_plural "files"\nmsgstr[0] "ファイル"\n'
    assert read_text(tmp_path, "po", text) == [SentencePair("files", "ファイル")]


def test_po_is_read_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = '# note\n#, fuzzy\n\nmsgid "f"\nmsgstr "f"\n\n#, c-format\n\nmsgid "{0}"\n\nmsgstr "t{0}"\n\n'
    text = "".join(entry.replace("{0}", str(number)) for number in range(50))
    whole = read_text(tmp_path, "po", text)
    assert whole == [SentencePair(str(number), f"t{number}") for number in range(50)]
    lines = [pair.line for pair in whole]
    for size in (1, 5, 37):
        monkeypatch.setattr(po, "_BLOCK", size)
        pieces = read_text(tmp_path, "po", text)
        assert pieces == whole
        # polib counts from the entry's first comment, unless a blank line hides it from our cut.
        assert all(abs(a - b) <= 2 for a, b in zip(lines, [pair.line for pair in pieces], strict=True))


def test_po_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "old.po"
    text = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n\nmsgid "for"\nmsgstr "für"\n'
    path.write_bytes(text.encode("latin-1"))
    assert list(FORMATS["po"].read([path])) == [SentencePair("for", "für")]
    path.write_bytes(text.replace("ISO-8859-1", "UTF-8").encode("latin-1"))
    with pytest.raises(DataFormatError, match=r"old\.po:5: byte 0xfc at column 10 is not valid UTF-8"):
        list(FORMATS["po"].read([path]))
    path.write_text(text.replace("ISO-8859-1", "CHARSET"))
    assert list(FORMATS["po"].read([path])) == [SentencePair("for", "für")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('msgid "a"\nmsgstr "b\n', r':2: found \'msgstr "b\' where PO expects'),
        ('msgid "a"\nmsgstr "b"c"\n', ":2: found"),
        ('msgid "a"\nhello\n', ":2: found 'hello' where PO expects a comment or a keyword"),
        ("/etc/passwd", ":1: found '/etc/passwd'"),
        ('msgstr "b"\n', ":1: not PO: this does not follow from the lines before it"),
        ('msgid "a"\n\n"b"\nmsgstr "x"\nmsgstr "b"\n', ":5: not PO"),
        ('msgid "a"\nmsgid_plural "b"\nmsgstr[x] "c"\n', ":3: found"),
    ],
)
def test_broken_po_is_named_by_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataFormatError, match=r"read\.po" + message):
        read_text(tmp_path, "po", text)


def test_po_holds_one_translation_of_a_source(tmp_path: Path) -> None:
    rows = ["a\tx", "a\ty", "\tz", "a\tx\tid\tmenu", "b\tx"]
    (tmp_path / "a.tsv").write_text("".join(f"{row}\n" for row in rows))
    assert plan_conversion([tmp_path / "a.tsv", tmp_path / "a.po"]).run() == 3
    pairs = list(FORMATS["po"].read([tmp_path / "a.po"]))
    assert pairs == [SentencePair("a", "x"), SentencePair("a", "x", context="menu"), SentencePair("b", "x")]


def test_tmx_languages(tmp_path: Path) -> None:
    two = (
        tu(en="one", de="eins") + tu(de="zwei", en="two") + tu('tuid="7"', **{"en-GB": "three", "de": "drei"})
    )
    expected = [SentencePair("one", "eins"), SentencePair("two", "zwei"), SentencePair("three", "drei", "7")]
    assert read_text(tmp_path, "tmx", tmx(two)) == expected
    assert read_text(tmp_path, "tmx", tmx(two, 'srclang="*all*"')) == expected
    assert read_text(tmp_path, "tmx", tmx(two), source_language="de") == [
        SentencePair(pair.target, pair.source, pair.id) for pair in expected
    ]
    three = tu(en="one", de="eins", fr="un") + tu(en="two", fr="deux")
    with pytest.raises(DataFormatError, match=r":2: the unit is in 3 languages \(en, de, fr\); choose two"):
        read_text(tmp_path, "tmx", tmx(three))
    french = read_text(tmp_path, "tmx", tmx(three), target_language="fr")
    assert french == [SentencePair("one", "un"), SentencePair("two", "deux")]
    reading = Reading()
    options = ReadOptions(source_language="EN", target_language="DE")
    path = tmp_path / "read.tmx"
    assert list(FORMATS["tmx"].read([path], options, reading)) == [SentencePair("one", "eins")]
    assert reading.skipped == {"not in both languages": 1}
    old = tmx(tu(en="one", de="eins")).replace("xml:lang", "lang")
    assert read_text(tmp_path, "tmx", old) == [SentencePair("one", "eins")]


@pytest.mark.parametrize("header", ['srclang="*all*"', 'srclang="en"', 'srclang="en-US"'])
def test_a_language_that_is_asked_for_has_regional_forms(tmp_path: Path, header: str) -> None:
    units = [{"en-US": "color", "de-DE": "Farbe"}, {"en-GB": "colour", "de-AT": "Farbe"}]
    units += [{"en-GB": "lift", "en-US": "elevator", "de": "Aufzug"}, {"fr": "un", "de": "eins"}]
    text = tmx("".join(tu(**unit) for unit in units), header)
    found = read_text(tmp_path, "tmx", text, source_language="en", target_language="de")
    assert [(pair.source, pair.target) for pair in found] == [
        ("color", "Farbe"),
        ("colour", "Farbe"),
        ("elevator", "Aufzug"),  # in the form that came first
    ]
    british = read_text(tmp_path, "tmx", text, source_language="en-GB", target_language="de")
    assert [pair.source for pair in british] == ["colour", "lift"]


def test_tmx_as_windows_tools_write_it(tmp_path: Path) -> None:
    path = tmp_path / "x.tmx"
    text = '<?xml version="1.0" encoding="UTF-16"?>\r\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\r\n' + tmx(
        tu(en="grün", de="一")
    ).removeprefix(DECLARATION)
    path.write_bytes(text.encode("utf-16"))
    assert list(FORMATS["tmx"].read([path])) == [SentencePair("grün", "一")]


@pytest.mark.parametrize(
    ("segment", "dropped", "kept"),
    [
        ('a<bpt i="1">&lt;b></bpt>c<ept i="1">&lt;/b></ept>', "ac", "a<b>c</b>"),
        ('a <ph x="1"/> c', "a  c", 'a <ph x="1"/> c'),
        ("<ph>x<sub>y</sub>z</ph>t", "t", "xyzt"),
        ("<hi>a</hi>b", "ab", "<hi>a</hi>b"),
    ],
)
def test_inline_tags_of_tmx(tmp_path: Path, segment: str, dropped: str, kept: str) -> None:
    body = tmx(tu(en=segment, de="x"))
    assert read_text(tmp_path, "tmx", body)[0].source == dropped
    assert read_text(tmp_path, "tmx", body, keep_markup=True)[0].source == kept


XLIFF1 = """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:o="urn:other">
<file source-language="en" target-language="fr-FR" original="x" datatype="plaintext"><header/><body>
<trans-unit id="a"><source>Save <g id="1">now</g><x id="2"/></source><seg-source>no</seg-source>
  <target>Sauver <g id="1">ici</g></target>
  <alt-trans><source>no</source><target>no</target></alt-trans><note>no</note></trans-unit>
<group><trans-unit id="b"><source>untranslated</source></trans-unit></group>
<trans-unit id="c"><source>empty</source><target/></trans-unit>
<trans-unit id="d"><source>review</source><target state="needs-review-translation">re</target></trans-unit>
<trans-unit id="e" resname="real.name"><source>last</source><target state="final">fin</target>
  <o:extra><o:source>no</o:source></o:extra></trans-unit>
</body></file></xliff>"""

XLIFF2 = """<xliff version="2.1" srcLang="en" trgLang="fr" xmlns="urn:oasis:names:tc:xliff:document:2.0"
 xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0">
<file id="f"><unit id="u1"><mtc:matches><mtc:match ref="#1"><source>no</source><target>no</target></mtc:match>
</mtc:matches><notes><note category="x-context">menu</note><note>no</note></notes>
<segment id="s1"><source>One <pc id="1">two</pc><ph id="2"/><cp hex="001A"/>.</source>
<target>Un.</target></segment>
<ignorable><source> </source></ignorable>
<segment id="s2"><source>Two.</source><target>Deux.</target></segment></unit>
<unit id="u2"><segment><source>three</source></segment></unit>
<unit id="u3"><segment state="final"><source>four</source><target>quatre</target></segment></unit>
</file></xliff>"""


def test_xliff_1(tmp_path: Path) -> None:
    assert read_text(tmp_path, "xliff", XLIFF1) == [
        SentencePair("Save now", "Sauver ici", "a"),
        SentencePair("last", "fin", "real.name"),
    ]
    assert read_text(tmp_path, "xliff", XLIFF1, keep_markup=True)[0].source == (
        'Save <g id="1">now</g><x id="2"/>'
    )
    reading = Reading()
    assert [p.line for p in FORMATS["xliff"].read([tmp_path / "read.xliff"], None, reading)] == [3, 9]
    assert reading.skipped == {"untranslated": 2, "marked 'needs-review-translation'": 1}
    assert (reading.source_language, reading.target_language) == ("en", "fr-FR")


def test_xliff_2(tmp_path: Path) -> None:
    assert read_text(tmp_path, "xliff", XLIFF2) == [
        SentencePair("One two\x1a.", "Un.", "u1/s1", "menu"),
        SentencePair("Two.", "Deux.", "u1/s2", "menu"),
        SentencePair("four", "quatre", "u3"),
    ]


BOMB = (
    '<!DOCTYPE tmx [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]>'
)
OUTSIDE = '<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
PARAMETER = '<!DOCTYPE tmx [<!ENTITY % a SYSTEM "http://localhost/x.dtd"> %a;]>'


@pytest.mark.parametrize("doctype", [BOMB, OUTSIDE, PARAMETER])
@pytest.mark.parametrize("name", ["tmx", "xliff"])
def test_entities_are_refused(tmp_path: Path, name: str, doctype: str) -> None:
    body = tmx(tu(en="&a;", de="x")) if name == "tmx" else DECLARATION + XLIFF1.replace("Save", "&a;")
    with pytest.raises(DataFormatError, match="declares or uses the XML entity 'a'; entities are refused"):
        read_text(tmp_path, name, body.replace(DECLARATION, DECLARATION + doctype))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("tmx", "", r":1: not well-formed XML \(no element found at column 1\); is the file complete\?"),
        ("tmx", "plain text\n", r":1: not well-formed XML \(syntax error at column 1\)"),
        ("tmx", tmx(tu(en="a", de="b"))[:-30], r":2: not well-formed XML"),
        ("tmx", tmx(tu(en="a & b", de="b")), r":2: not well-formed XML \(not well-formed"),
        ("tmx", tmx(tu(en="&nbsp;", de="b")), r":2: not well-formed XML \(undefined entity"),
        ("tmx", "<html/>", ":1: found <html> where TMX begins with <tmx>"),
        ("tmx", tmx("").replace("UTF-8", "klingon"), ":1: "),
        ("tmx", tmx("").replace("UTF-8", "big5"), ":1: "),
        ("tmx", tmx("").replace("UTF-8", "UTF-16"), ":1: "),
        ("xliff", "<tmx/>", ":1: found <tmx> where XLIFF 1.2 or 2.0 begins"),
        ("xliff", '<xliff version="3.0"/>', r":1: found <xliff version='3\.0'>"),
        ("xliff", XLIFF1[:700], r":9: not well-formed XML"),
        ("xliff", XLIFF1.replace("</body>", "</bodi>"), ":11: not well-formed XML .mismatched tag"),
    ],
)
def test_broken_xml_is_named_by_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(DataFormatError, match=rf"read\.{name}{message}"):
        read_text(tmp_path, name, text)


def test_invalid_utf8_in_xml(tmp_path: Path) -> None:
    path = tmp_path / "x.tmx"
    path.write_bytes(tmx(tu(en="für", de="x")).encode("latin-1"))
    with pytest.raises(DataFormatError, match=r"x\.tmx:2: not well-formed XML \(not well-formed .invalid"):
        list(FORMATS["tmx"].read([path]))


def test_strange_but_well_formed_xml_does_no_harm(tmp_path: Path) -> None:
    for text in (
        "<tmx>" * 30_000 + "</tmx>" * 30_000,
        tmx("<tu><tu/><tuv/><seg>x</seg></tu><seg>y</seg><prop type='x-context'>z</prop>"),
        tmx('<tu><tuv xml:lang="en"><seg>a<seg>b</seg>c</seg></tuv></tu>'),
        "<tmx><tu><tuv><seg><ph><ph></ph></ph></seg></tuv></tu></tmx>",
    ):
        read_text(tmp_path, "tmx", text)
    for text in (
        '<xliff version="1.2"><source>x</source><target/><trans-unit/><segment/></xliff>',
        '<xliff version="2.0"><unit><segment/><trans-unit><source/></trans-unit></unit></xliff>',
        '<xliff version="2.0"><unit><segment><target><cp hex="D800"/><cp/><cp hex="FFFFFFFFFF"/></target>'
        "</segment></unit></xliff>",
        '<xliff version="1.2"><trans-unit><source><source>a</source></source><context/></trans-unit></xliff>',
    ):
        read_text(tmp_path, "xliff", text)


@pytest.mark.parametrize("name", ["tsv", "plain", "po", "tmx", "xliff", "xliff2"])
def test_a_corpus_is_never_held_in_memory(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_CHUNK", 1 << 16)
    monkeypatch.setattr(po, "_BLOCK", 100)

    def many() -> Iterator[SentencePair]:
        for number in range(2200):
            yield SentencePair(f"{number} " + "word " * 150, f"{number} " + "Wort " * 150)

    files = files_of(tmp_path, name)
    write_all(files, [SentencePair("a", "b")])
    assert len(list(files.read())) == 1  # modules are loaded now
    tracemalloc.start()
    try:
        source = PairFiles(FORMATS["tsv"], ("unused",))
        options = ReadOptions(source_language="en", target_language="de")
        written = Conversion(source=source, target=files, options=options).run(many())
        count = sum(1 for _ in files.read())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert written == count == 2200
    assert peak < 3 << 20  # the files have more


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("polib", "defusedxml", "defusedxml.common", "defusedxml.ElementTree"):
        monkeypatch.setitem(sys.modules, module, None)
    for name, text in (("po", CATALOG), ("tmx", tmx("")), ("xliff", XLIFF1)):
        with pytest.raises(MissingExtraError, match=rf"reading {name.upper()} files .*isogloss\[formats\]"):
            read_text(tmp_path, name, text)


def test_plain_text_written_by_hand(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_bytes(b"one\r\ntwo\r\n")
    (tmp_path / "a.de").write_bytes(b"eins\nzwei")
    pairs = list(FORMATS["plain"].read([tmp_path / "a.en", tmp_path / "a.de"]))
    assert [(p.source, p.target, p.line) for p in pairs] == [("one", "eins", 1), ("two", "zwei", 2)]
    assert list(read_lines(tmp_path / "a.de")) == ["eins", "zwei"]


def test_the_names_on_the_command_line_are_those_of_all_formats() -> None:
    assert get_args(FormatName) == tuple(FORMATS)
