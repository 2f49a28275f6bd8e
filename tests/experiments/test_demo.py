"""The journey of a new user, offline and small; where it downloads, the parts that need no network."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from isogloss.cli.main import main
from isogloss.corpus.placeholders import Protector
from isogloss.experiments.demo import packages
from isogloss.experiments.demo.catalogs import (
    PARTS,
    DemoCorpus,
    languages_in,
    make_demo_corpus,
    normalized,
    read_wheels,
)
from isogloss.experiments.demo.journey import Journey
from isogloss.io.errors import ConfigError
from isogloss.io.streams import read_lines


def interrupt(_: Journey) -> None:
    raise KeyboardInterrupt


def test_the_whole_journey(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "demo"
    command = ["demo", "--synthetic", "--pairs=250", f"--folder={folder}"]
    with monkeypatch.context() as patched:
        patched.setattr(Journey, "write_catalog", interrupt)
        assert main(command) == 130
    assert (folder / "test" / "default.txt").exists()
    capsys.readouterr()
    served: list[str] = []
    monkeypatch.setattr("isogloss.serve.serve", lambda engines, say: served.extend(engines), raising=False)
    assert main([*command, "--serve"]) == 0
    assert served == [f"demo={folder / 'system'}"]
    captured = capsys.readouterr()
    assert captured.err.count("done before\n") == 3  # it went on where it stopped
    rows = re.findall(r"^ (copying|nearest|MERT|the default).*?(\d+\.\d)", captured.out, re.MULTILINE)
    scores = dict(zip(("copy", "nearest", "mert", "default"), rows, strict=True))
    assert all(float(scores[name][1]) > float(scores["copy"][1]) for name in ("mert", "default"))
    commands = captured.err.split("Next, try:\n")[1].strip().splitlines()
    assert len(commands) == 4
    assert f"isogloss serve {folder / 'system'}" in commands[1]
    report = (folder / "report.html").read_text("utf-8")
    assert all(text in report for text in ("the default", "BLEU on the development set", "$ isogloss train"))
    assert "http" not in report.replace("http://www.w3.org", "")  # a page that loads nothing
    assert "fuzzy" in (folder / "drafts.po").read_text("utf-8")
    # What it says that one can do next is true.
    done = subprocess.run(
        ["bash", "-c", commands[0].replace("isogloss translate", f"{sys.executable} -m isogloss translate")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=600,
    )
    assert done.returncode == 0
    assert done.stdout.strip()
    (folder / ".isogloss-demo").unlink()
    assert main(["demo", "--synthetic", f"--folder={folder}"]) == 2  # not ours any more
    assert (folder / "report.html").exists()


def test_a_folder_that_cannot_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thing").write_text("mine")
    for name, problem in (
        ("file", "Not a directory"),
        ("file/below", "Not a directory"),
        ("full", "the folder contains other files"),
    ):
        assert main(["demo", "--synthetic", f"--folder={tmp_path / name}"]) == 2
        assert f"{tmp_path / name}: {problem}; choose another one" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == (tmp_path / "full" / "thing").read_text() == "mine"


def make_wheel(path: Path) -> Path:
    """A package with a catalog, and one that keeps messages as JSON."""
    messages = "".join(f'msgid "Delete the volume {i} of %s"\nmsgstr "Lösche %s {i}"\n\n' for i in range(300))
    header = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    odd = '#, fuzzy\nmsgid "unsure"\nmsgstr "unsicher"\n\nmsgid "<br/>"\nmsgstr "<br/>"\n\n'
    broken = 'msgid "Lost %s"\nmsgstr "Verloren"\n\nmsgid "Empty"\nmsgstr ""\n'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("app/locale/de/LC_MESSAGES/app.po", header + messages + odd + broken)
        archive.writestr("app/locale/fr/LC_MESSAGES/app.po", header)
        for language, text in (("en", "Open the door"), ("de", "Öffne die Tür")):
            tree = {"a": {"b": text}, "only": {language: "x"}}
            archive.writestr(f"app/translations/{language}.json", json.dumps(tree))
    return path


def test_corpus_of_catalogs(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path / "app.whl")
    assert languages_in([wheel]) == ["de", "fr"]
    pairs = list(read_wheels([wheel], "de", tmp_path / "catalogs"))
    assert len(pairs) == 303
    assert ("Open the door", "Öffne die Tür") in pairs
    corpus = make_demo_corpus(pairs, tmp_path / "corpus", ("en", "de"))
    seen: dict[str, str] = {}
    kept = []
    for part in PARTS:
        sources, targets = (list(read_lines(file)) for file in (corpus.source(part), corpus.target(part)))
        assert len(sources) == len(targets) == corpus.pairs[part]
        kept += sources
        for source in sources:
            assert seen.setdefault(normalized(source, Protector()), part) == part
    # All the numbered ones are the same for a reader: they stay together, and count once outside of training.
    assert not {"<br/>", "Lost %s", "unsure", "Empty"} & set(kept)
    with pytest.raises(ConfigError, match=r"'xx'; choose one of de, fr"):
        list(read_wheels([wheel], "xx", tmp_path / "catalogs"))


@pytest.mark.parametrize(
    ("language", "words"), [("pt_BR", ["--target-language=pt"]), ("th", ["--target-tokenizer=syllables"])]
)
def test_languages_are_split_as_they_need(language: str, words: list[str], tmp_path: Path) -> None:
    corpus = DemoCorpus(folder=tmp_path, languages=("en", language), pairs={}, found=0)
    arguments = Journey(tmp_path, corpus).train("mert").arguments
    assert set(words) <= set(arguments)


def test_without_network_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    assert main(["demo", f"--folder={tmp_path / 'demo'}"]) == 2
    said = capsys.readouterr().err
    assert "isogloss demo --synthetic" in said
    assert "isogloss train" in said
    assert main(["demo", "--synthetic", "--large"]) == 2


def test_a_changed_file_is_not_taken_from_the_cache(tmp_path: Path) -> None:
    package = packages.PACKAGES[0]
    (tmp_path / package.wheel).write_bytes(b"something else")
    assert not package.is_in(tmp_path)


@pytest.mark.network
def test_download(tmp_path: Path) -> None:
    """The smallest package, its hash and its catalogs."""
    package = next(item for item in packages.PACKAGES if item.name == "glance")
    try:
        (wheel,) = packages.fetch([package], tmp_path)
    except packages.DownloadError as error:
        pytest.skip(f"no package index answers: {error}")
    assert package.is_in(tmp_path)
    assert "de" in languages_in([wheel])
    assert len(list(read_wheels([wheel], "de", tmp_path / "catalogs"))) > 400
