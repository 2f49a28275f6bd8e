"""Training without options, whatever the language and the format of the text."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from isogloss.cli import console
from isogloss.cli.main import main
from isogloss.corpus import tokenizer as tokenizers
from isogloss.corpus.processing import SideOptions
from isogloss.decoder import load
from isogloss.io.errors import ConfigError
from isogloss.pipeline import TrainOptions
from isogloss.pipeline.text_choices import chosen_sides
from support.small_languages import ENGLISH, LANGUAGES, write_pair

HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'


@pytest.fixture(autouse=True)
def _not_quiet_afterwards() -> Iterator[None]:
    yield
    console.set_quiet(False)


def sides(options: TrainOptions) -> tuple[SideOptions, SideOptions, list[str]]:
    notes: list[str] = []
    source, target = chosen_sides(options, notes.append)
    return source, target, notes


def translated(
    folder: Path, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"{line}\n".encode()), encoding="utf-8"))
    capsys.readouterr()
    assert main(["translate", str(folder)]) == 0
    return capsys.readouterr().out.rstrip("\n")


@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("into", [True, False])
def test_every_script_trains_without_options(
    language: str,
    into: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pair = ("en", language) if into else (language, "en")
    source, target = write_pair(tmp_path, *pair, endings=False)
    engine = tmp_path / "engine"
    assert main(["--quiet", "train", str(engine), f"--source={source}", f"--target={target}"]) == 0
    text = {"en": ENGLISH, **LANGUAGES}
    known, right = text[pair[0]].lines()[100], text[pair[1]].lines()[100]
    assert translated(engine, known, monkeypatch, capsys) == right


def test_lists_of_words_train_without_options(tmp_path: Path) -> None:
    words = {
        "کتاب": "book",
        "گھر": "house",
        "خط": "letter",
        "باغ": "garden",
        "دوست": "friend",
        "پل": "bridge",
    }
    pairs = [*permutations(words.items(), 2), *permutations(words.items(), 3)]
    for name, side in (("source", 0), ("target", 1)):
        lines = [" ".join(pair[side] for pair in chosen) for chosen in pairs]
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    given = [f"--source={tmp_path}/source.txt", f"--target={tmp_path}/target.txt"]
    assert main(["--quiet", "train", str(tmp_path / "engine"), *given]) == 0


@pytest.mark.parametrize(
    ("name", "header", "expected"),
    [
        ("a.po", '"Language: fr\\n"', ("en", "fr")),
        ("a.po", '"Language: pt_BR\\n"\n"X-Source-Language: de_DE\\n"', ("de-DE", "pt-BR")),
        ("a.po", '"X-Poedit-Language: Turkish\\n"', ("en", "tr")),
        ("tr.po", '"Language: \\n"', ("en", "tr")),
        ("django-ca.po", "", ("en", "ca")),
    ],
)
def test_languages_of_a_catalog(tmp_path: Path, name: str, header: str, expected: tuple[str, str]) -> None:
    path = tmp_path / name
    path.write_text(f'{HEADER}{header}\n\nmsgid "Open"\nmsgstr "Ouvrir"\n', encoding="utf-8")
    source, target, notes = sides(TrainOptions(source=path))
    assert (source.language, target.language, notes) == (*expected, [])


def test_languages_of_xliff_and_tmx(tmp_path: Path) -> None:
    files = {
        "a.xlf": '<xliff version="1.2"><file source-language="en-US" target-language="it"><body>'
        '<trans-unit id="1"><source>Open</source><target>Apri</target></trans-unit></body></file></xliff>',
        "b.xlf": '<xliff version="2.0" srcLang="de" trgLang="it-CH"><file id="f"><unit id="1"><segment>'
        "<source>Offen</source><target>Aperto</target></segment></unit></file></xliff>",
        "c.tmx": '<tmx version="1.4"><header srclang="EN-GB"/><body><tu><tuv xml:lang="EN-GB">'
        '<seg>Open</seg></tuv><tuv xml:lang="nl-BE"><seg>Openen</seg></tuv></tu></body></tmx>',
    }
    found = {}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        source, target, _ = sides(TrainOptions(source=tmp_path / name))
        found[name] = source.language, target.language
    assert found == {"a.xlf": ("en-US", "it"), "b.xlf": ("de", "it-CH"), "c.tmx": ("en-GB", "nl-BE")}


def test_options_come_before_files_and_names_before_letters(tmp_path: Path) -> None:
    source, target = write_pair(tmp_path, "ja", "zh")
    first, second, _ = sides(TrainOptions(source=source, target=target, target_language="yue"))
    assert (first.language, second.language, second.tokenizer) == ("ja", "yue", "characters")
    source, target = write_pair(tmp_path, "ja", "zh", endings=False)
    first, second, _ = sides(TrainOptions(source=source, target=target))
    assert (first.language, second.language) == ("ja", "zh")


def test_names_are_refused_and_unknown_codes_are_not(tmp_path: Path) -> None:
    source, target = write_pair(tmp_path, "he", "en")
    with pytest.raises(ConfigError, match="target_language is a code, not a name: for 'Turkish', give tr"):
        TrainOptions(source=source, target=target, target_language="Turkish")
    with pytest.raises(ConfigError, match="'Quux language' is not the code of a language"):
        TrainOptions(source=source, target=target, source_language="Quux language")
    first, _, notes = sides(TrainOptions(source=source, target=target, source_language="qqx_ZZ"))
    assert first.language == "qqx-ZZ"
    assert notes == ["the source language 'qqx-ZZ' is unknown; rules for all languages are used"]


def test_what_to_install_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target = write_pair(tmp_path, "ja", "en")
    for installed in (False, True):
        monkeypatch.setattr(tokenizers, "_works", lambda *names, there=installed: there)
        side, _, notes = sides(TrainOptions(source=source, target=target))
        assert side.tokenizer == ("fugashi" if installed else "characters")
        assert any("pip install 'isogloss[ja]'" in note for note in notes) is not installed


def test_the_languages_are_stored(tmp_path: Path) -> None:
    lines = zip(ENGLISH.lines(), LANGUAGES["he"].lines(), strict=True)
    entries = "".join(f'\nmsgid "{source}"\nmsgstr "{target}"\n' for source, target in lines)
    path = tmp_path / "catalog.po"
    path.write_text(f'{HEADER}"Language: he\\n"\n{entries}', encoding="utf-8")
    assert main(["--quiet", "train", str(tmp_path / "engine"), f"--source={path}", "--method=none"]) == 0
    text = load(tmp_path / "engine").text
    assert text is not None
    assert (text.source.options.language, text.target.options.language) == ("en", "he")
