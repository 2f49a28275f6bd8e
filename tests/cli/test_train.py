"""From a catalog to text as people write it: spaces, apostrophes and case of the target language."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from isogloss.cli import console
from isogloss.cli.main import main
from isogloss.corpus.case import capitalized

WORDS = {
    "book": ("livre", "kitap"),
    "house": ("jardin", "ev"),
    "letter": ("papier", "isim"),
    "picture": ("tableau", "resim"),
    "bridge": ("pont", "ısı"),
    "window": ("mur", "pencere"),
    "garden": ("parc", "iş"),
    "table": ("banc", "masa"),
}
FRENCH = {
    "Where is the {}?": "Où est le {}\u202f?",
    "The {} is here!": "Le {} est là\u202f!",
    "the {}": "le {}",
    "The {}": "Le {}",
    "Open: the {}": "Ouvert\u00a0: le {}",
    "There is no “{}” here.": "Il n’y a pas de «\u00a0{}\u00a0» ici.",
    "Delete <b>the {}</b>": "Supprimer <b>le {}</b>",
    "It is a {}; it is here.": "C’est un {}\u202f; c’est ici.",
}
TURKISH = {
    "Where is the {}?": "{} nerede?",
    "the {}": "{}",
    "{} and {}": "{} ile {}",
    "There is a {} here.": "Burada {} var.",
    "a {} (the {})": "bir {} ({})",
    "Django’s {}": "Django’nun {}",
    "See the {} here.": "Burada {} gör.",
}


@pytest.fixture(autouse=True)
def _not_quiet_afterwards() -> Iterator[None]:
    yield
    console.set_quiet(False)


def catalog(folder: Path, language: str, frames: dict[str, str], place: int) -> Path:
    lines = ['msgid ""', 'msgstr ""', rf'"Language: {language}\n"']
    lines.append(r'"Content-Type: text/plain; charset=UTF-8\n"')
    for source, target in frames.items():
        for word, names in WORDS.items():
            text = target.replace("{}", names[place])
            if source[0].isupper():
                text = capitalized(text, language)
            lines += ["", f'msgid "{source.replace("{}", word)}"', f'msgstr "{text}"']
    path = folder / f"{language}.po"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def translate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[Path, str], str]:
    def run(path: Path, line: str) -> str:
        engine = tmp_path / "engine"
        if not engine.exists():
            assert main(["--quiet", "train", str(engine), f"--source={path}", "--method=none"]) == 0
        stdin = io.TextIOWrapper(io.BytesIO(f"{line}\n".encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stdin)
        capsys.readouterr()
        assert main(["translate", str(engine)]) == 0
        return capsys.readouterr().out.rstrip("\n")

    return run


def test_french(tmp_path: Path, translate: Callable[[Path, str], str]) -> None:
    path = catalog(tmp_path, "fr", FRENCH, 0)
    for word, (name, _) in list(WORDS.items())[:3]:
        for source, target in FRENCH.items():
            assert translate(path, source.replace("{}", word)) == target.replace("{}", name)
    assert translate(path, "WHERE IS THE BOOK?") == "OÙ EST LE LIVRE\u202f?"


def test_turkish(tmp_path: Path, translate: Callable[[Path, str], str]) -> None:
    path = catalog(tmp_path, "tr", TURKISH, 1)
    assert translate(path, "the letter") == "isim"
    assert translate(path, "The letter") == "İsim"
    assert translate(path, "The bridge") == "Isı"
    assert translate(path, "(the letter)") == "(isim)"
    assert translate(path, "THE LETTER") == "İSİM"
    assert translate(path, "Django’s book") == "Django’nun kitap"
