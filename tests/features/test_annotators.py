"""Columns that other tools fill, with dictionaries small enough to read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.cli.main import main
from isogloss.corpus.synthetic.text import write_corpus
from isogloss.features import SparseOptions, TokenColumn
from isogloss.features.annotators import ANNOTATORS, annotate, annotator
from isogloss.io.errors import ConfigError, DataFormatError, InputFileError, MissingExtraError
from isogloss.pipeline import TrainOptions
from isogloss.pipeline import train as train_system

NOUNS = """\
  1 lines that begin with blanks are the license
dog n 2 2 @ ~ 2 1 00000011 00000012
man n 1 0 1 0 00000013
saw n 1 1 @ 1 0 00000014
"""
VERBS = "see v 2 0 2 0 00000021 00000022\nsaw v 1 0 1 0 00000023\n"


@pytest.fixture
def wordnet(tmp_path: Path) -> Path:
    folder = tmp_path / "wordnet"
    folder.mkdir()
    (folder / "index.noun").write_text(NOUNS)
    (folder / "index.verb").write_text(VERBS)
    (folder / "verb.exc").write_text("saw see\n")
    return folder


def test_synsets_of_a_folder(wordnet: Path) -> None:
    tool = annotator("synset", "en", wordnet)
    assert tool.annotate(["Dogs", "saw", "men", "zzz", "sees"]) == [
        ("n00000011", "n00000012"),
        ("n00000014", "v00000023", "v00000021", "v00000022"),
        ("n00000013",),
        (),
        ("v00000021", "v00000022"),
    ]
    assert annotator("synset", "nl", wordnet).annotate(["dogs", "dog"])[0] == ()


def test_a_folder_that_is_no_wordnet(wordnet: Path, tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="is not a WordNet folder"):
        annotator("synset", "en", tmp_path)
    (wordnet / "index.adv").write_text("well r 2 0 1 0 00000031\n")
    with pytest.raises(DataFormatError, match=r"index.adv:1: .*not a line of a WordNet index"):
        annotator("synset", "en", wordnet)


LEXICON = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.0.dtd">
<LexicalResource xmlns:dc="http://purl.org/dc/elements/1.1/">
  <Lexicon id="tiny" label="Tiny" language="en" email="a@b.c" license="none" version="1">
    <LexicalEntry id="tiny-dog"><Lemma writtenForm="dog" partOfSpeech="n"/>
      <Sense id="tiny-dog-1" synset="tiny-1-n"/><Sense id="tiny-dog-2" synset="tiny-2-n"/></LexicalEntry>
    <Synset id="tiny-1-n" ili="" partOfSpeech="n"/><Synset id="tiny-2-n" ili="" partOfSpeech="n"/>
  </Lexicon>
</LexicalResource>
"""


def test_synsets_of_wn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wn = pytest.importorskip("wn")
    monkeypatch.setattr(wn.config, "data_directory", tmp_path / "data")
    with pytest.raises(ConfigError, match=r"isogloss does not download it; .* 'python -m wn download NAME'"):
        annotator("synset", "en")
    (tmp_path / "tiny.xml").write_text(LEXICON)
    wn.add(tmp_path / "tiny.xml", progress_handler=None)
    assert annotator("synset", "en").annotate(["dogs", "cat"]) == [("tiny-1-n", "tiny-2-n"), ()]
    with pytest.raises(ConfigError, match="no WordNet for the language 'de'"):
        annotator("synset", "de")


def test_lemmas() -> None:
    pytest.importorskip("simplemma")
    assert annotator("lemma", "de").annotate(["Häuser", "ging"]) == [("Haus",), ("gehen",)]
    with pytest.raises(ConfigError, match="no word list for the language 'xx'"):
        annotator("lemma", "xx")


@pytest.mark.parametrize(
    ("module", "language", "tokens", "tags"),
    [
        ("HanTa", "en", ["the", "dogs", "saw", "it"], ["AT0", "NN2", "VVD", "PNP"]),
        ("HanTa", "de", ["das", "Haus"], ["ART", "NN"]),
        ("fugashi", "ja", ["猫", "が", "走った"], ["名詞", "助詞", "動詞+助動詞"]),
        ("fugashi", "ja", ["猫が走", "った"], None),
        ("jieba", "zh", ["我", "爱", "北京"], ["r", "v", "ns"]),
    ],
)
def test_parts_of_speech(module: str, language: str, tokens: list[str], tags: list[str] | None) -> None:
    pytest.importorskip(module)
    found = annotator("pos", language).annotate(tokens)
    assert len(found) == len(tokens)
    if tags is None:  # cut where the tagger would not
        assert all(found)
    else:
        assert [list(values) for values in found] == [[tag] for tag in tags]


def test_what_cannot_be_annotated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no tagger for the language 'fr'"):
        annotator("pos", "fr")
    with pytest.raises(ConfigError, match="no token type is called 'ner'"):
        annotator("ner", "en")
    for name, language, module, extra in (
        *(
            ("lemma", "en", "simplemma", "lemma"),
            ("pos", "en", "HanTa", "pos"),
            ("pos", "ja", "fugashi", "ja"),
        ),
        *(("pos", "zh", "jieba", "zh"), ("synset", "en", "wn", "synset")),
    ):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(MissingExtraError, match=rf"isogloss\[{extra}\]"):
            annotator(name, language)
    for name in ("lemma", "pos"):
        with pytest.raises(ConfigError, match="do not use a dictionary"):
            annotator(name, "en", tmp_path)


class Turns:
    """Another value every time, and two for ``both``."""

    def __init__(self, *facts: Any) -> None:
        self.count = 0

    def annotate(self, tokens: Sequence[str]) -> Sequence[Sequence[str]]:
        self.count += 1
        return [("x", "y z") if token == "both" else (f"v{min(self.count, 2)}",) for token in tokens]


def test_all_values_are_kept_the_most_frequent_first() -> None:
    text = [["a", "both"], ["a"], ["a", "b"]]
    assert annotate(Turns(), text).values == {"a": ("v2", "v1"), "b": ("v2",), "both": ("x", "y_z")}
    assert annotate(Turns(), text, most=1)["a"] == ("v2",)
    with pytest.raises(ConfigError, match="most must be at least 0"):
        annotate(Turns(), text, most=-1)


def test_a_column_and_a_system_from_the_command_line(
    wordnet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("a dog saw men\n")
    line = "--quiet column text --type synset --dictionary wordnet --output column"
    assert main(line.split()) == 0
    assert TokenColumn.load("column")["dog"] == ("n00000011", "n00000012")


def test_training_with_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ANNOTATORS, "lemma", Turns)
    write_corpus(tmp_path / "c", pairs=60, seed=1, dev=12, test=1)
    (tmp_path / "tags").write_text("the\tT U\n")
    train_system(
        str(tmp_path / "system"),
        source=tmp_path / "c/train.src",
        target=tmp_path / "c/train.tgt",
        dev_source=tmp_path / "c/dev.src",
        dev_target=[tmp_path / "c/dev.tgt.0"],
        tokenizer="none",
        search="phrase",
        tune={"iterations": 1, "online": {"nbest": 5}},
        features={"templates": ["pair"], "source_types": ["tag", "lemma"], "target_types": ["surface"]},
        source_columns={"tag": tmp_path / "tags"},
    )
    system = isogloss.load(str(tmp_path / "system"))
    assert system.decoder.sparse is not None
    columns = system.decoder.sparse.columns
    assert columns["source"]["tag"]["the"] == ("T", "U")
    assert "v2" in columns["source"]["lemma"]["the"]
    with pytest.raises(ConfigError, match="no target token type is called 'tag'"):
        TrainOptions(source="a", features=SparseOptions(target_types=("tag",)), source_columns={"tag": "b"})
