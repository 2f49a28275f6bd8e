"""Files come back as they were, byte for byte, but for the entries that are filled."""

from __future__ import annotations

import difflib
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from isogloss.catalog import Draft, FillOptions, fill_catalog
from isogloss.cli.main import main
from isogloss.corpus.po import read_po
from isogloss.corpus.xliff import read_xliff
from isogloss.decoder import System
from isogloss.io.errors import DataFormatError, OutputError

pytest.importorskip("polib")
pytest.importorskip("defusedxml")

PO = """# Übersetzung von José
# isogloss was here
msgid ""
msgstr ""
"Language: tv\\n"
"Content-Type: text/plain; charset=CHARSET_HERE\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

#. extracted
#: a.c:1
#, c-format
msgid "Give charset=UTF-16 to %s"
msgstr "charset=UTF-16 ö %s"
msgid "no blank line above"
msgstr   "yes"

#, fuzzy
#~ msgid "obsolete"
#~ msgstr "gone"

  msgid "indented"
  msgstr "  ü"
msgctxt "menu"
msgid "one file"
msgid_plural "%d files"
msgstr[0] "une"
msgstr[1] "%d ä"
"""
EMPTY_PO = PO.replace('"%d ä"', '""')
XLIFF = """<?xml version='1.0' encoding="CHARSET_HERE" standalone="yes"?>
<!-- Übersetzung --><xliff version="1.2" ><file source-language='en'
   target-language="tv" ><body>
\t<trans-unit id="1" >
\t\t<source>Háló &amp; <x id='1'/>there</source>
\t\t<target >ö</target>
\t</trans-unit></body></file>
</xliff>"""
TMX = """<?xml version="1.0" encoding="CHARSET_HERE" ?><tmx version="1.4" ><header srclang='en' />
<body><tu>
  <tuv xml:lang="en"><seg>Háló</seg></tuv>
  <tuv xml:lang="tv" ><seg>ö</seg></tuv></tu></body></tmx>
"""
FILES = {
    "a.po": (PO, '"%d ä"', '""'),
    "a.xlf": (XLIFF, ">ö</target>", "></target>"),
    "a.tmx": (TMX, ">ö</seg>", "></seg>"),
}


class Fixed:
    """Gives the translations it was made with."""

    target_language = "tv"

    def __init__(self, *texts: str, confidence: float = 0.5) -> None:
        self._texts, self._confidence = texts, confidence

    def translate(self, messages: Sequence[str], **_: Any) -> list[Draft]:
        assert len(messages) == len(self._texts)
        return [Draft(text, self._confidence) for text in self._texts]


def fill(source: Path, target: Path, *texts: str, confidence: float = 0.5, **options: Any) -> Any:
    translator: Any = Fixed(*texts, confidence=confidence)
    return fill_catalog(source, target, translator, FillOptions(**options))


@pytest.fixture(
    params=[(end, charset) for end in ("\n", "\r\n") for charset in ("utf-8", "utf-8-sig", "latin-1")]
)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Writes a text as a file with line ends and encoding of its own."""
    end, charset = request.param
    declared = "ISO-8859-1" if charset == "latin-1" else "UTF-8"

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_bytes(text.replace("CHARSET_HERE", declared).replace("\n", end).encode(charset))
        return path

    return write


@pytest.mark.parametrize("name", FILES)
def test_a_file_without_gaps_comes_back_as_it_was(name: str, written: Any, tmp_path: Path) -> None:
    source = written(name, FILES[name][0])
    assert fill(source, tmp_path / "out").drafts == []
    assert (tmp_path / "out").read_bytes() == source.read_bytes()


@pytest.mark.parametrize("name", FILES)
def test_one_gap_changes_one_entry(name: str, written: Any, tmp_path: Path) -> None:
    text, full, empty = FILES[name]
    source = written(name, text.replace(full, empty))
    draft = "%d ñ" if name == "a.po" else "ñ <ig1/>" if name == "a.xlf" else "ñ"
    assert len(fill(source, tmp_path / "out", draft).drafts) == 1
    before, after = (path.read_bytes().split(b"\n") for path in (source, tmp_path / "out"))
    codes = [
        code for code in difflib.SequenceMatcher(None, before, after).get_opcodes() if code[0] != "equal"
    ]
    first = text[: text.index(full)].rfind(
        "msgctxt" if name == "a.po" else "<source" if name == "a.xlf" else "<tuv"
    )
    begin, end = text[:first].count("\n"), text[: text.index(full)].count("\n") + 1
    assert codes
    assert all(begin <= code[1] <= code[2] <= end for code in codes)
    new = [line for code in codes for line in after[code[3] : code[4]]]
    ends = {line.endswith(b"\r") for line in before[:-1]}
    assert {line.endswith(b"\r") for line in new} <= ends
    charset = "latin-1" if b"8859" in source.read_bytes() else "utf-8"
    assert any("ñ" in line.decode(charset) for line in new)


def test_what_the_encoding_cannot_hold_stays_empty(tmp_path: Path) -> None:
    source = tmp_path / "a.po"
    source.write_bytes(EMPTY_PO.replace("CHARSET_HERE", "ISO-8859-1").encode("latin-1"))
    result = fill(source, tmp_path / "out", "%d ł")
    assert [item.reason for item in result.unfilled] == [
        "'ł' cannot be written in ISO-8859-1, the catalog's encoding"
    ]
    assert (tmp_path / "out").read_bytes() == source.read_bytes()
    source.write_bytes(EMPTY_PO.replace("CHARSET_HERE", "CHARSET").encode())
    fill(source, tmp_path / "out", "%d ł")
    assert "charset=UTF-8" in (tmp_path / "out").read_text("utf-8")  # a template's name of none
    xliff = tmp_path / "a.xlf"
    xliff.write_bytes(
        FILES["a.xlf"][0].replace("CHARSET_HERE", "latin-1").replace(">ö<", "><").encode("latin-1")
    )
    fill(xliff, tmp_path / "out.xlf", "ł <ig1/>")
    assert "&#322; <x id='1'/></target>" in (tmp_path / "out.xlf").read_text("latin-1")


def test_names_above_the_header_are_read_in_any_encoding(tmp_path: Path) -> None:
    source = tmp_path / "a.po"
    for charset, comments in (("ISO-8859-1", "latin-1"), ("UTF-8", "utf-8"), ("UTF-8", "latin-1")):
        head, _, rest = PO.replace("CHARSET_HERE", charset).partition("msgid")
        source.write_bytes(head.encode(comments) + f"msgid{rest}".encode(charset))
        fill(source, tmp_path / "out")
        assert (tmp_path / "out").read_bytes() == source.read_bytes()
        targets = [pair.target for pair in read_po([source])]
        assert targets == ["charset=UTF-16 ö %s", "yes", "  ü", "une", "%d ä"]


def test_escapes_by_number(tmp_path: Path) -> None:
    source = tmp_path / "a.po"
    text = r'msgid "\x41 \101\303\251 \\x41"' + '\nmsgstr "\\x42"\n\nmsgid "\\x43"\nmsgstr ""\n'
    source.write_text(text)
    result = fill(source, tmp_path / "out", "d")
    assert result.messages == ["C"]
    (pair,) = read_po([source])
    assert (pair.source, pair.target) == ("A Aé \\x41", "B")


PLURALS = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\nPlural-Forms: nplurals=2; plural=n != 1;\\n"

msgid "%d file"
msgid_plural "%d files"
msgstr[0] "%d f"
msgid "x"
msgstr ""
msgid "%d dog"
msgid_plural "%d dogs"
msgstr[0] ""
msgstr[1] ""
msgstr[2] ""
"""


def test_forms_stay_together_and_those_beyond_the_header_are_filled(tmp_path: Path) -> None:
    source, target = tmp_path / "a.po", tmp_path / "b.po"
    source.write_text(PLURALS)
    fill(source, target, "%d fs", "X", "%d 0", "%d 1", "%d 2")
    lines = [line for line in target.read_text().splitlines() if not line.startswith("#")]
    assert "\n".join(lines).partition("\n\n")[2].splitlines() == [
        'msgid "%d file"',
        'msgid_plural "%d files"',
        'msgstr[0] "%d f"',
        'msgstr[1] "%d fs"',
        'msgid "x"',
        'msgstr "X"',
        'msgid "%d dog"',
        'msgid_plural "%d dogs"',
        'msgstr[0] "%d 0"',
        'msgstr[1] "%d 1"',
        'msgstr[2] "%d 2"',
    ]
    assert fill(target, tmp_path / "c.po").drafts == []


def test_an_output_that_cannot_be_written_is_refused_before_translating(tmp_path: Path) -> None:
    source, missing = tmp_path / "a.po", tmp_path / "no" / "b"
    source.write_text(PLURALS)
    translator: Any = None  # not asked for anything
    for output, options in ((missing, {}), (tmp_path / "b.po", {"confidence": missing})):
        with pytest.raises(
            OutputError, match=f"b: No such file or directory; make the folder '{tmp_path}/no' first"
        ):
            fill_catalog(source, output, translator, FillOptions(**options))
    with pytest.raises(OutputError, match="is a folder"):
        fill_catalog(source, tmp_path, translator)
    assert list(tmp_path.iterdir()) == [source]


def test_an_empty_message_is_not_filled(tmp_path: Path) -> None:
    source = tmp_path / "a.po"
    source.write_text(PLURALS + '\nmsgctxt "menu"\nmsgid ""\nmsgstr ""\n')
    fill(source, tmp_path / "b.po", "%d fs", "X", "%d 0", "%d 1", "%d 2")
    assert (tmp_path / "b.po").read_text().endswith('2"\n\nmsgctxt "menu"\nmsgid ""\nmsgstr ""\n')


@pytest.mark.parametrize("header", ["n/(n-2)", "n/0", "(((", "1000"])
def test_plural_rules_that_cannot_be_used_are_not_used(header: str, tmp_path: Path) -> None:
    source = tmp_path / "a.po"
    text = PLURALS.replace("n != 1", header)
    source.write_text(text.partition('msgid "x"')[0])
    assert fill(source, tmp_path / "b.po", "%d b").messages == ["%d files"]


def test_a_header_with_plural_forms_stays_as_it_is(tmp_path: Path) -> None:
    source = tmp_path / "a.po"
    header = (
        'msgid ""\nmsgid_plural ""\nmsgstr[0] "Content-Type: text/plain; charset=UTF-8\\n"\nmsgstr[1] "x"\n'
    )
    source.write_text(header + '\nmsgid "file"\nmsgstr ""\n')
    assert fill(source, tmp_path / "b.po", "Datei").messages == ["file"]
    assert (tmp_path / "b.po").read_text().startswith(header)


def test_a_comment_between_plural_forms_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "a.po"
    source.write_text(PLURALS.replace("msgstr[1]", "# strange\nmsgstr[1]"))
    with pytest.raises(DataFormatError, match=r"a\.po:13: this does not follow from the lines before it"):
        fill(source, tmp_path / "b.po")
    source.write_text('msgstr "x"\n')
    with pytest.raises(DataFormatError, match=r"a\.po:1: this does not follow"):
        fill(source, tmp_path / "b.po")


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ('msgid "a"\nmsgid_plural "b"\nmsgstr ""\n', 3),
        ('msgid "a"\nmsgstr[0] ""\n', 2),
        ('msgid "a"\nmsgstr "x"\nmsgstr[0] ""\n', 3),
        ('msgid "a"\nmsgstr ""\nmsgid_plural "b"\n', 3),
        ('msgctxt "m"\nmsgstr ""\n', 2),
    ],
)
def test_forms_that_do_not_fit_their_entry_are_refused(entry: str, line: int, tmp_path: Path) -> None:
    source = tmp_path / "a.po"
    source.write_text(entry)
    with pytest.raises(DataFormatError, match=rf"a\.po:{line}: this does not follow"):
        fill(source, tmp_path / "b.po", "x")


def test_a_key_stands_for_its_default_text(tmp_path: Path) -> None:
    source = tmp_path / "a.po"
    source.write_text(
        '#. Default: "Open the\n#. \\"file\\" %s"\n#: a.py\nmsgid "label_open"\nmsgstr "a %s"\n\n'
        '#. Default: "Close %s"\nmsgid "label_close"\nmsgstr ""\n\n'
        '#. Default: "old text"\nmsgid "new text"\nmsgstr ""\n\n'
        '# Default: "of a translator"\nmsgid "key"\nmsgstr ""\n'
    )
    assert [pair.source for pair in read_po([source])] == ['Open the "file" %s']
    result = fill(source, tmp_path / "b.po", "b %s", "c", "d")
    assert result.messages == ["Close %s", "new text", "key"]
    assert fill(tmp_path / "b.po", tmp_path / "c.po", "x %s", "y", "z", replace_drafts=True).unfilled == []


@pytest.mark.parametrize("name", FILES)
def test_a_file_in_another_language_is_noticed(name: str, written: Any, tmp_path: Path) -> None:
    text, full, empty = FILES[name]
    source = written(name, text.replace(full, empty))
    draft = "%d ñ" if name == "a.po" else "ñ <ig1/>" if name == "a.xlf" else "ñ"
    assert fill(source, tmp_path / "out", draft).other_language == ""
    if name == "a.tmx":
        return  # it has many languages
    source.write_bytes(
        source.read_bytes().replace(b"Language: tv", b"Language: fi").replace(b'"tv"', b'"fi"')
    )
    assert fill(source, tmp_path / "out", draft).other_language == "fi"


def drafts(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line.startswith(("msgstr", "#,"))][1:]


def test_an_engine_refreshes_its_own_drafts_and_nobody_elses(tmp_path: Path) -> None:
    source, once, twice = (tmp_path / f"{name}.po" for name in "abc")
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    entries = "".join(f'#: {name}\nmsgid "{name}"\nmsgstr ""\n\n' for name in ("kept", "edited", "accepted"))
    source.write_text(header + entries + '#, fuzzy\nmsgid "people"\nmsgstr "p"\n')
    fill(source, once, "1", "2", "3")
    text = once.read_text().replace('"2"', '"by hand"')
    before, _, after = text.rpartition('#, fuzzy\nmsgid "accepted"')
    once.write_text(before + 'msgid "accepted"' + after)
    fill(once, twice, "new", replace_drafts=True)
    assert drafts(twice) == [
        "#, fuzzy",
        'msgstr "new"',
        "#, fuzzy",
        'msgstr "by hand"',
        'msgstr "3"',
        "#, fuzzy",
        'msgstr "p"',
    ]
    assert twice.read_text().count("isogloss: confidence") == 3  # the note is replaced, not repeated
    fill(once, twice, "n", "m", "q", replace_fuzzy=True)
    assert [line for line in drafts(twice) if line[0] == "m"] == [
        'msgstr "n"',
        'msgstr "m"',
        'msgstr "3"',
        'msgstr "q"',
    ]


def test_drafts_without_a_flag_are_drafts_still(tmp_path: Path) -> None:
    source, once, twice = (tmp_path / f"{name}.po" for name in "abc")
    source.write_text('#, c-format\nmsgid "a"\nmsgstr ""\n')
    fill(source, once, "1", fuzzy_flag=False)
    assert "fuzzy" not in once.read_text()
    assert list(read_po([once])) == []  # an engine does not learn from itself
    fill(once, twice, "2", replace_drafts=True)
    assert "#, c-format, fuzzy\n" in twice.read_text()
    fill(twice, once, "3", replace_drafts=True, fuzzy_flag=False)
    assert once.read_text().splitlines()[1:] == ["#, c-format", 'msgid "a"', 'msgstr "3"']
    xliff, out, again = (tmp_path / f"{name}.xlf" for name in "abc")
    xliff.write_text(XLIFF.replace("CHARSET_HERE", "utf-8").replace(">ö<", "><"), encoding="utf-8")
    fill(xliff, out, "ä <ig1/>", fuzzy_flag=False)
    assert list(read_xliff([out])) == []
    fill(out, again, "ü <ig1/>", replace_drafts=True)
    assert again.read_text("utf-8").count("<note") == 1
    assert "ü <x id='1'/>" in again.read_text("utf-8")
    again.write_text(again.read_text("utf-8").replace(">ü ", ">our "), encoding="utf-8")
    assert fill(again, out, replace_drafts=True).drafts == []
    tmx, out = tmp_path / "a.tmx", tmp_path / "b.tmx"
    tmx.write_text(TMX.replace("CHARSET_HERE", "utf-8").replace(">ö<", "><"), encoding="utf-8")
    fill(tmx, out, "a")
    assert fill(out, tmx).drafts == []
    fill(out, tmx, "b", replace_drafts=True)
    assert tmx.read_text("utf-8").count("<prop") == 1
    assert "<seg>b</seg>" in tmx.read_text("utf-8")


@pytest.mark.parametrize(
    ("flags", "message", "draft", "reason"),
    [
        ("", "Delete %s?", "Delete?", "'%s' is lost"),
        ("", "Delete?", "Delete %s?", "'%s' is too much"),
        ("", "a\n", "a", "only one of message and translation ends with a line break"),
        ("", "<b>a</b>", "</b>a<b>", "tags are not closed in their order"),
        ("", "a", " ", "the translation is empty"),
        ("c-format", "%s %d", "%d %s", "the directives of the format differ"),
        ("c-format", "a % d b", "a b", "the directives of the format differ"),
        ("c-format", "a", "50% sure", "the directives of the format differ"),
        ("python-format", "%(a)s %(b)d", "%(b)d %(a)s", ""),
        ("c-format", "%1$s %2$s", "%2$s %1$s", ""),
        ("", "100%% of %s", "%s: 100 %%", ""),
    ],
)
def test_what_a_program_would_stumble_over_is_not_written(
    flags: str, message: str, draft: str, reason: str, tmp_path: Path
) -> None:
    source = tmp_path / "a.po"
    escaped = message.replace("\n", "\\n")
    source.write_text(f'#, {flags or "no-wrap"}\nmsgid "{escaped}"\nmsgstr ""\n')
    result = fill(source, tmp_path / "b.po", draft)
    assert [item.reason for item in result.unfilled] == ([reason] if reason else [])
    assert (source.read_bytes() == (tmp_path / "b.po").read_bytes()) == bool(reason)


HARD = [
    "100%%",
    "100%%%s",
    "the man sees %s and %d",
    "%d%% of the man",
    "the man\\n",
    "\\tthe man",
    "v1%s",
    "{} the {} house {0}",
    "<b>the man</b> %1$s",
    'say \\"the man\\"',
]


@pytest.mark.skipif(shutil.which("msgfmt") is None, reason="gettext is not installed")
def test_the_command_writes_catalogs_that_gettext_accepts(
    text_system: System, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "a.po", tmp_path / "b.po"
    header = (
        'msgid ""\nmsgstr ""\n"Project-Id-Version: a\\n"\n"PO-Revision-Date: 2020-01-01 00:00+0000\\n"\n'
        '"Last-Translator: a <a@b.c>\\n"\n"Language-Team: a\\n"\n"Language: tv\\n"\n"MIME-Version: 1.0\\n"\n'
        '"Content-Type: text/plain; charset=UTF-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
        '"Plural-Forms: nplurals=3; plural=n%10==1 ? 0 : n==0 ? 1 : 2;\\n"\n'
    )
    entries = "".join(f'\n#, c-format\nmsgid "{text}"\nmsgstr ""' for text in HARD)
    plural = '\n#, c-format\nmsgid "%d house"\nmsgid_plural "%d houses"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    source.write_text(header + entries + plural)
    assert (
        main(["catalog", "fill", str(text_system.path), str(source), "-o", str(target), "--no-fuzzy-flag"])
        == 0
    )
    done = subprocess.run(
        ["msgfmt", "-c", "-o", str(tmp_path / "x.mo"), str(target)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "c-format" in target.read_text()
    note = capsys.readouterr().err
    assert "not filled" not in note, note


def test_options_of_the_command(
    text_system: System, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "a.po", tmp_path / "b.po"
    source.write_text('msgid "the man sees a house"\nmsgstr ""\n\nmsgid "zorb zarb"\nmsgstr ""\n')
    command = ["catalog", "fill", str(text_system.path), str(source), "-o", str(target)]
    assert main([*command, "--min-confidence", "0.2", "--no-fuzzy-flag"]) == 0
    assert "a.po:4: not filled, confidence 0.00 is below 0.2: 'zorb zarb'" in capsys.readouterr().err
    text = target.read_text()
    assert text.endswith('msgid "zorb zarb"\nmsgstr ""\n')
    assert "fuzzy" not in text
    again = tmp_path / "c.po"
    command = ["catalog", "fill", str(text_system.path), str(target), "-o", str(again)]
    assert main([*command, "--replace-drafts"]) == 0
    assert "2 filled" in capsys.readouterr().err
    assert (
        main(["catalog", "fill", str(text_system.path), str(again), "-o", str(target), "--replace-fuzzy"])
        == 0
    )
    assert target.read_bytes() == again.read_bytes()  # the same engine says the same


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.po", '#, fuzzy\nmsgid "a man"\nmsgstr "x"\n\nmsgid "a house"\nmsgstr "y"\n'),
        (
            "a.xlf",
            '<xliff version="1.2"><file source-language="en" target-language="tv"><body>'
            '<trans-unit id="1"><source>a man</source>'
            '<target state="needs-translation">x</target></trans-unit>'
            '<trans-unit id="2"><source>a house</source><target>y</target></trans-unit>'
            "</body></file></xliff>",
        ),
    ],
)
def test_the_command_names_the_option_for_fuzzy_entries(
    name: str, text: str, text_system: System, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / name, tmp_path / f"new-{name}"
    source.write_text(text)
    command = ["catalog", "fill", str(text_system.path), str(source), "-o", str(target)]
    assert main(command) == 0
    assert "1 of those left are fuzzy or need work; --replace-fuzzy" in capsys.readouterr().err
    assert main([*command, "--replace-fuzzy"]) == 0
    assert "--replace-fuzzy" not in capsys.readouterr().err
    source.write_text(target.read_text())  # the draft of the engine needs no other option
    assert main(command) == 0
    assert "--replace-fuzzy" not in capsys.readouterr().err
