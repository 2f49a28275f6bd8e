"""A filled catalog, as polib and gettext's own tools read it."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from isogloss.catalog import Draft, FillOptions, fill_catalog
from isogloss.cli.main import main
from isogloss.decoder import System
from isogloss.io.errors import DataFormatError

polib: Any = pytest.importorskip("polib")

HEADER = {
    "Language": "tv",
    "Content-Type": "text/plain; charset=UTF-8",
    "Plural-Forms": "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 ? 1 : 2);",
}


class Turner:
    """Turns words around, which is easy to check; placeholders and escapes stay."""

    target_language = ""

    def translate(self, messages: Sequence[str], **_: Any) -> list[Draft]:
        return [Draft(turned(message), 0.25) for message in messages]


def turned(text: str) -> str:
    """Half of a word changes places with the other half; twice is nothing."""
    return re.sub(r"%[a-z]|\{x\}|[^\W\d_]+", lambda match: _turned(match.group()), text)


def _turned(word: str) -> str:
    return word if word[0] in "%{" else word[::-1]


def fill(source: Path, target: Path, **options: Any) -> Any:
    return fill_catalog(source, target, Turner(), FillOptions(**options))  # type: ignore[arg-type]


def random_catalog(seed: int) -> Any:
    rng = random.Random(seed)
    catalog = polib.POFile(wrapwidth=rng.choice([0, 40, 78]))
    catalog.metadata = HEADER
    texts = ['say "%s"', "tab\tand \\ back", "two\nlines\n", "ö", "a long line " * 9, "{x}", "#, fuzzy"]
    for number in range(40):
        entry = polib.POEntry(msgid=f"{rng.choice(texts)} {number}", comment=rng.choice(["", "for you"]))
        entry.tcomment = rng.choice(["", "of a translator\ntwo lines"])
        entry.occurrences = [("a.py", "3")] if rng.random() < 0.5 else []
        entry.flags = ["python-format"] if rng.random() < 0.3 else []
        entry.msgctxt = rng.choice([None, "menu"])
        entry.previous_msgid = rng.choice([None, "before"])
        translation = rng.choice(["", "", "done"])
        if rng.random() < 0.3:
            entry.msgid_plural = f"many {number}"
            entry.msgstr_plural = {0: translation, 1: translation, 2: rng.choice(["", "done"])}
        else:
            entry.msgstr = translation
            entry.obsolete = rng.random() < 0.1
        catalog.append(entry)
    return catalog


@pytest.mark.parametrize("seed", range(6))
def test_only_what_is_empty_changes(seed: int, tmp_path: Path) -> None:
    source, target = tmp_path / "in.po", tmp_path / "out.po"
    random_catalog(seed).save(str(source))
    result = fill(source, target)
    before, after = polib.pofile(str(source)), polib.pofile(str(target))
    assert [entry.msgid for entry in after] == [entry.msgid for entry in before]
    filled = 0
    for old, new in zip(before, after, strict=True):
        same = ("msgid", "msgid_plural", "msgctxt", "comment", "occurrences", "obsolete", "previous_msgid")
        assert all(getattr(old, name) == getattr(new, name) for name in same)
        strings = {0: old.msgstr} if not old.msgid_plural else old.msgstr_plural
        if old.obsolete or all(strings.values()):
            assert (old.msgstr, old.msgstr_plural, old.flags, old.tcomment) == (
                (new.msgstr, new.msgstr_plural, new.flags, new.tcomment)
            )
            continue
        filled += sum(not text for text in strings.values())
        assert new.flags == [*old.flags, "fuzzy"]
        assert re.sub(
            r"^isogloss: confidence 0.25, draft [0-9a-f]{8}( of [0-9 ]+)?\s*", "", new.tcomment
        ) == (old.tcomment)
        if old.msgid_plural:
            for form, text in old.msgstr_plural.items():
                expected = text or turned(old.msgid if form == 0 else old.msgid_plural)
                assert new.msgstr_plural[form] == expected
        else:
            assert new.msgstr == turned(old.msgid)
    assert filled == len(result.drafts) > 0
    kept = [line for line in source.read_text("utf-8").splitlines() if line.startswith(("#:", "#.", "#~"))]
    assert kept == [
        line for line in target.read_text("utf-8").splitlines() if line.startswith(("#:", "#.", "#~"))
    ]
    if shutil.which("msgfmt"):
        subprocess.run(["msgfmt", "-o", str(tmp_path / "x.mo"), str(target)], check=True)
    assert fill(target, tmp_path / "again.po").drafts == []  # nothing is empty any more
    assert (tmp_path / "again.po").read_bytes() == target.read_bytes()


def plural_catalog(path: Path, forms: str, singular: str, lines: str) -> None:
    header = f'msgid ""\nmsgstr "Plural-Forms: {forms}\\n"\n'
    path.write_text(f'{header}\nmsgid "{singular}"\nmsgid_plural "%d files"\n{lines}\n', encoding="utf-8")


@pytest.mark.parametrize(
    ("forms", "singular", "expected"),
    [
        ("nplurals=2; plural=n != 1;", "%d file", ["%d file", "%d files"]),
        ("nplurals=2; plural=n != 1;", "one file", ["one file", "%d files"]),
        ("nplurals=2; plural=n > 1;", "one file", ["one file", "%d files"]),
        ("nplurals=1; plural=0;", "one file", ["%d files"]),
        (HEADER["Plural-Forms"], "%d file", ["%d file", "%d files", "%d files"]),
        # The first form is also for 21, which "one file" cannot say.
        (HEADER["Plural-Forms"], "one file", ["%d files", "%d files", "%d files"]),
    ],
)
def test_plural_forms_come_from_the_form_that_they_need(
    forms: str, singular: str, expected: list[str], tmp_path: Path
) -> None:
    source = tmp_path / "in.po"
    plural_catalog(source, forms, singular, 'msgstr[0] ""')  # a template has too few forms
    fill(source, tmp_path / "out.po")
    (entry,) = polib.pofile(str(tmp_path / "out.po"))
    assert [turned(text) for _, text in sorted(entry.msgstr_plural.items())] == expected


def test_a_form_beyond_a_gap_does_not_count_without_a_header(tmp_path: Path) -> None:
    source, target, again = tmp_path / "in.po", tmp_path / "out.po", tmp_path / "again.po"
    plural_catalog(source, "", "one file", 'msgstr[0] ""\nmsgstr[5] "x"')
    fill(source, target)
    assert sorted(polib.pofile(str(target))[0].msgstr_plural) == [0, 1, 5]
    fill(target, again)
    assert again.read_bytes() == target.read_bytes()  # nothing is left to fill


def test_forms_may_be_numbered_with_zeros_before(tmp_path: Path) -> None:
    source, target = tmp_path / "in.po", tmp_path / "out.po"
    plural_catalog(source, "", "one file", 'msgstr[00] ""\nmsgstr[01] "x"')
    fill(source, target)
    filled = target.read_text(encoding="utf-8")
    assert re.search(r'\nmsgstr\[0\] ".+"\nmsgstr\[01\] "x"\n', filled)
    plural_catalog(source, "", "one file", 'msgstr[0] "x"\nmsgstr[00] ""')
    with pytest.raises(DataFormatError, match="does not follow"):
        fill(source, target)


def test_what_is_no_catalog_is_refused_with_its_line(tmp_path: Path) -> None:
    source = tmp_path / "in.po"
    source.write_text('msgid "a"\nmsgstr ""\nnonsense\n')
    with pytest.raises(DataFormatError, match=r"in\.po:3: .*nonsense"):
        fill(source, tmp_path / "out.po")
    assert not (tmp_path / "out.po").exists()


def test_command(text_system: System, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target, table = tmp_path / "in.po", tmp_path / "out.po", tmp_path / "confidence.tsv"
    source.write_text(
        'msgid "the man sees %s"\nmsgstr ""\n\nmsgid "zorb"\nmsgstr ""\n\nmsgid "a"\nmsgstr "b"\n'
    )
    system = str(text_system.path)
    command = ["catalog", "fill", system, str(source), "-o", str(target), "--confidence", str(table)]
    assert main(command) == 0
    assert "2 filled as drafts, 1 left as they were" in capsys.readouterr().err
    first, _, last = polib.pofile(str(target))
    assert "%s" in first.msgstr
    assert first.fuzzy
    assert last.msgstr == "b"
    rows = [line.split("\t") for line in table.read_text("utf-8").splitlines()]
    assert [row[2] for row in rows] == ["message", "zorb", "the man sees %s"]  # the least sure first
    assert main(["catalog", "fill", system, str(source)]) == 2
    assert "--output" in capsys.readouterr().err
    again = tmp_path / "again.po"
    assert main(["translate", system, "--po", str(source), "-o", str(again)]) == 0  # its old name
    assert "is now called 'isogloss catalog fill'" in capsys.readouterr().err
    assert again.read_bytes() == target.read_bytes()
