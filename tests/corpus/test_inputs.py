"""Training from what people have: several files, folders, patterns, a handful of strings."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from isogloss.cli.main import main
from isogloss.corpus.inputs import bilingual_files, several_files
from isogloss.io.errors import ConfigError, InputFileError
from isogloss.pipeline.text_stages import hold_out

pytest.importorskip("polib")
pytest.importorskip("defusedxml")

NOUNS = {"file": "Datei", "folder": "Ordner", "user": "Benutzer", "page": "Seite", "image": "Bild"}
VERBS = {
    "Open": "öffnen",
    "Delete": "löschen",
    "Rename": "umbenennen",
    "Show": "anzeigen",
    "Copy": "kopieren",
}
KINDS = {"new": "neu", "old": "alt", "last": "letzt", "first": "erst", "large": "groß", "small": "klein"}


def strings(count: int) -> list[tuple[str, str]]:
    """Messages of a program and their translations."""
    every = [
        (f"{verb} the {kind} {noun} of %s now", f"{NOUNS[noun]} {KINDS[kind]} von %s jetzt {VERBS[verb]}")
        for noun in NOUNS
        for verb in VERBS
        for kind in KINDS
    ]
    return random.Random(2).sample(every, count)


def po(path: Path, pairs: list[tuple[str, str]], language: str = "de") -> Path:
    header = f'msgid ""\nmsgstr "Language: {language}\\nContent-Type: text/plain; charset=UTF-8\\n"\n'
    entries = "".join(f'\nmsgid "{source}"\nmsgstr "{target}"\n' for source, target in pairs)
    path.write_text(header + entries, encoding="utf-8")
    return path


def tmx(path: Path, pairs: list[tuple[str, str]]) -> Path:
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{a}</seg></tuv><tuv xml:lang="de"><seg>{b}</seg></tuv></tu>\n'
        for a, b in pairs
    )
    path.write_text(f'<tmx version="1.4"><header srclang="en"/><body>{units}</body></tmx>', encoding="utf-8")
    return path


def test_files_folders_and_patterns(tmp_path: Path) -> None:
    (tmp_path / "locale" / "de").mkdir(parents=True)
    pairs = strings(9)
    files = [
        po(tmp_path / "a.po", pairs[:2]),
        po(tmp_path / "locale" / "de" / "b.po", pairs[2:4]),
        tmx(tmp_path / "locale" / "c.tmx", pairs[4:6]),
        po(tmp_path / "x1.po", pairs[6:8]),
    ]
    (tmp_path / "locale" / "readme.txt").write_text("no catalog")
    names = [tmp_path / "a.po", tmp_path / "locale", tmp_path / "x*.po", tmp_path / "a.po"]
    found = bilingual_files(names)
    assert sorted(map(str, found)) == sorted(map(str, files))
    read = [(pair.source, pair.target) for pair in several_files(found).read()]
    assert sorted(read) == sorted(pairs[:8])
    (tmp_path / "empty").mkdir()
    for name, message in (("empty", "no bilingual files"), ("y*.po", "no file fits")):
        with pytest.raises(InputFileError, match=message):
            bilingual_files([tmp_path / name])
    po(tmp_path / "french.po", pairs[:1], "fr")
    with pytest.raises(ConfigError, match=r"into 'fr', and .*a.po one into 'de'"):
        list(several_files([tmp_path / "a.po", tmp_path / "french.po"]).read())


def test_sets_are_a_sample_that_does_not_depend_on_the_order(tmp_path: Path) -> None:
    pairs = [(f"s{i}", f"t{i}") for i in range(400)] + [(f"s{i}", f"other {i}") for i in range(0, 400, 3)]
    drawn = []
    for seed, order in ((1, 1), (1, 2), (2, 1)):
        random.Random(order).shuffle(pairs)
        folder = tmp_path / f"{seed}-{order}"
        folder.mkdir()
        for name, side in (("source", 0), ("target", 1)):
            (folder / name).write_text("".join(pair[side] + "\n" for pair in pairs))
        names = ("source", "target", "dev_source", "dev_target_000", "test_source", "test_target_000")
        outputs = {name: folder / f"out.{name}" for name in names}
        inputs = {"source": folder / "source", "target": folder / "target"}
        hold_out(inputs, outputs, {"dev": "usual", "test": "usual", "seed": seed}, warn=pytest.fail)
        train, dev, test = (
            set(outputs[f"{name}source"].read_text().split()) for name in ("", "dev_", "test_")
        )
        assert (len(dev), len(test)) == (40, 20)
        assert not dev & test
        assert not train & (dev | test)
        assert train | dev | test == {source for source, _ in pairs}
        places = [int(line[1:]) for line in dev]
        assert min(places) < 100
        assert max(places) > 300  # not the last tenth
        drawn.append((dev, test))
    assert drawn[0] == drawn[1] != drawn[2]


def run(*words: object) -> int:
    return main([str(word) for word in words])


FAST = (
    "--search",
    "phrase",
    "--method",
    "mert",
    "--tune.iterations",
    "1",
    "--tune.nbest",
    "20",
    "--threads",
    "1",
)


def test_one_command_for_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = strings(150)
    (tmp_path / "more").mkdir()
    po(tmp_path / "a.po", pairs[:60])
    po(tmp_path / "more" / "b.po", pairs[60:100])
    tmx(tmp_path / "memory.tmx", pairs[100:])
    engine = tmp_path / "engine"
    files = [tmp_path / "a.po", tmp_path / "more", tmp_path / "mem*.tmx"]
    assert run("train", engine, "--source", *files, *FAST, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["cleaning"]["kept"] == 150
    assert (found["results"]["dev"]["sentences"], found["results"]["test"]["sentences"]) == (15, 7)
    parts = found["results"]["test"]["by_similarity"]
    assert sum(part["sentences"] for part in parts.values()) == 7 or not parts  # all are alike, or none is
    assert run("train", engine, "--source", *files, *FAST) == 0
    shown = capsys.readouterr()
    assert ("test, similar" in shown.out) == (len(parts) > 1)
    assert "up to date" in shown.err
    assert run("train", engine, "--source", files[0], "--source", files[1], *FAST, "--json") == 0
    assert json.loads(capsys.readouterr().out)["cleaning"]["kept"] == 100  # a repeated option adds files
    assert run("train", engine, "--source", files[0], *FAST, "--seed", "1", "--seed", "2") == 2
    assert "multiple times" in capsys.readouterr().err


@pytest.mark.parametrize("count", [8, 30, 50])
def test_a_handful_of_strings_trains_and_says_what_is_missing(
    count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine, source = tmp_path / "engine", po(tmp_path / "a.po", strings(count))
    assert run("train", engine, "--source", source, "--threads", "1") == 0
    told = capsys.readouterr().err
    assert f"{count} different sentence pairs are too few to tune on" in told
    assert "From 100 pairs on" in told
    (tmp_path / "b.po").write_text('msgid "Open the new file of %s now"\nmsgstr ""\n')
    assert run("catalog", "fill", engine, tmp_path / "b.po", "-o", tmp_path / "c.po") == 0
    assert "%s" in (tmp_path / "c.po").read_text("utf-8").rpartition("msgstr")[2]
    capsys.readouterr()
    assert run("inspect", engine) == 0
    assert "rules/" in capsys.readouterr().out
