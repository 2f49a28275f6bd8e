"""Case as languages have it, and the case of a translation after that of its source."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.corpus.case import (
    SourceCase,
    capitalized,
    case_follows,
    case_leads,
    lowered,
    raised,
    recased,
    small_in_titles,
    source_case,
)
from isogloss.corpus.processing import SideOptions, TextProcessing, TextSide
from isogloss.corpus.truecase import train_truecaser
from isogloss.io.errors import ModelFormatError
from isogloss.storage.folder import open_folder, write_folder
from support.properties import examples

SOURCE = ["Delete the file now.", "The file and the user are here.", "See the files of Peter, or of the IDs."]
TARGET = ["Dosyayı şimdi sil.", "İşte dosya ve ısı.", "Dosyalar Peter ile Ali için silindi veya ID."]


@pytest.fixture(scope="module")
def text() -> TextProcessing:
    sides = []
    for lines, language in ((SOURCE, "en"), (TARGET, "tr")):
        side = TextSide(SideOptions(tokenizer="words", language=language, case="truecase"))
        sides.append(side.learn_case(side.split_lines(lines)))
    return TextProcessing(*sides, placeholders=("printf", "tags"))


@pytest.mark.parametrize(
    ("source", "tokens", "expected"),
    [
        ("file", "dosya", "dosya"),
        ("File", "dosya", "Dosya"),
        ("(delete)", "( sil )", "(sil)"),
        ("(Delete)", "( sil )", "(Sil)"),
        ("“delete”", "“ silindi ”", "“silindi”"),
        ("<b>Delete</b> the file", "ǁ0ǁ isim ǁ1ǁ dosya", "<b>İsim</b> dosya"),
        ("<b>delete</b> the file", "ǁ0ǁ isim ǁ1ǁ dosya", "<b>isim</b> dosya"),
        ("%s files", "ǁ0ǁ dosya", "%s dosya"),
        ("%s Files", "ǁ0ǁ dosya", "%s Dosya"),
        ("Delete %s", "ǁ0ǁ silindi", "%s silindi"),
        ("%s was deleted.", "silindi ǁ0ǁ", "Silindi %s"),
        ("%s files", "dosya ǁ0ǁ", "dosya %s"),
        ("label_file", "dosya", "Dosya"),
        ("DELETE ALL FILES", "ısı ile isim sil", "ISI İLE İSİM SİL"),
        ("DELETE %s", "ǁ0ǁ sil", "%s SİL"),
        ("ID", "kimlik", "Kimlik"),
        ("iOS is here", "iOS burada", "iOS burada"),
        ("eBay", "eBay", "eBay"),
        ("peter is here", "Peter burada", "Peter burada"),
        ("the file", "Dosya", "dosya"),
        ("Is it? Yes.", "öyle mi ? evet .", "Öyle mi? Evet."),
        ("see e.g. the file", "bkz . dosya", "bkz. dosya"),
        ("Name: the file", "isim : dosya", "İsim: dosya"),
        ("Name: The file", "isim : dosya", "İsim: Dosya"),
        ("Monday", "pazartesi", "pazartesi"),
        ("Monday is here.", "pazartesi burada .", "Pazartesi burada."),
        ("3 files", "3 dosya", "3 dosya"),
        ("", "isim . dosya", "İsim. Dosya"),
        ("文件", "isim", "İsim"),
        ("კაცი", "isim", "İsim"),
    ],
)
def test_the_source_decides(text: TextProcessing, source: str, tokens: str, expected: str) -> None:
    assert text.detokenize(tokens, source) == expected


def test_names_of_messages_tell_nothing(text: TextProcessing, tmp_path: Path) -> None:
    replace(text, case_follows=False).save(tmp_path / "text")
    stored = TextProcessing.open(tmp_path / "text")
    assert stored.detokenize("dosya", "title") == "Dosya"
    assert case_follows([("a file", "dosya"), ("The file", "Dosya")] * 20)
    assert not case_follows([("title", "Dosya"), ("The file", "Dosya")] * 20)


def test_small_words_that_are_no_words_are_refused(text: TextProcessing, tmp_path: Path) -> None:
    text.save(tmp_path / "text")
    folder = open_folder(tmp_path / "text")
    attributes = {**folder.attributes, "small_in_titles": [["ve"]]}
    write_folder(tmp_path / "other", kind=folder.kind, version=1, arrays=folder.arrays, attributes=attributes)
    with pytest.raises(ModelFormatError, match="not a description of text processing"):
        TextProcessing.open(tmp_path / "other")


def test_titles_follow_where_the_training_text_does(text: TextProcessing, tmp_path: Path) -> None:
    assert text.detokenize("dosya adı ve isim", "File Name and Type") == "Dosya adı ve isim"
    replace(text, small_in_titles=frozenset({"ve"})).save(tmp_path / "text")
    stored = TextProcessing.open(tmp_path / "text")
    for source, expected in (
        ("File Name and Type", "Dosya Adı ve İsim"),
        ("File name and type", "Dosya adı ve isim"),
        ("Name (ID)", "Dosya adı ve isim"),
        ("New File. The name", "Dosya adı ve isim"),
        ("FILE NAME AND EVERYTHING", "DOSYA ADI VE İSİM"),
    ):
        assert stored.detokenize("dosya adı ve isim", source) == expected
    pairs = [("File and Name", "Dosya ve Adı"), ("Old and New", "Eski Ve Yeni"), ("a b c", "x y z")]
    assert small_in_titles([*pairs, *pairs[:1]] * 20) == {"ve"}
    assert small_in_titles(pairs) is None  # too few to know
    assert small_in_titles([*pairs, ("New File", "yeni dosya"), ("Old Name", "Eski soyadı")] * 20) is None


def test_nouns_of_german() -> None:
    case = train_truecaser(["das Haus ist grün"], "de")
    lower = SourceCase(begins=False)
    assert recased(["Haus"], lower, "de", usual=case.usual_form) == ["Haus"]
    assert recased(["Grün"], lower, "de", usual=case.usual_form) == ["grün"]
    assert recased(["Unbekanntes"], lower, "de", usual=case.usual_form) == ["Unbekanntes"]
    assert recased(["Inconnu"], lower, "fr") == ["inconnu"]


@pytest.mark.parametrize(
    ("language", "small", "large", "begun"),
    [
        ("tr", "ışık ile iş", "IŞIK İLE İŞ", "Işık ile iş"),
        ("az", "iki", "İKİ", "İki"),
        ("en", "iris", "IRIS", "Iris"),
        ("nl", "ijs", "IJS", "IJs"),
        ("de", "straße", "STRASSE", "Straße"),
        ("el", "όλος ο κόσμος", "ΟΛΟΣ Ο ΚΟΣΜΟΣ", "Όλος ο κόσμος"),
        ("hr", "ǆep", "ǄEP", "ǅep"),
        ("ka", "კაცი", "კაცი", "კაცი"),
        ("zh", "文件", "文件", "文件"),
    ],
)
def test_letters_of_languages(language: str, small: str, large: str, begun: str) -> None:
    assert (raised(small, language), capitalized(small, language)) == (large, begun)
    assert lowered(begun, language) == small


def test_final_sigma() -> None:
    assert lowered("ΛΟΓΟΣ", "el") == "λογος"


def test_turkish_words_are_counted_together(tmp_path: Path) -> None:
    case = train_truecaser(["x ısı ısı Isı iş iş İş"], "tr")
    assert case.usual(["ISI", "İŞ", "Isı"]) == ["ısı", "iş", "ısı"]
    side = TextSide(SideOptions(tokenizer="words", language="tr", case="truecase"), case)
    TextProcessing(side, side).save(tmp_path / "text")
    assert TextProcessing.open(tmp_path / "text").source.cased(["ISI"]) == ["ısı"]


@examples(150)
@given(
    tokens=st.lists(st.text("abIİiş(.:'ǁ0", min_size=1, max_size=4), max_size=6),
    source=st.text("aB .(:", max_size=8),
)
def test_only_case_changes(tokens: list[str], source: str) -> None:
    found = recased(tokens, source_case(source, lambda word: None), "tr")
    assert [lowered(token, "tr") for token in found] == [lowered(token, "tr") for token in tokens]


@pytest.mark.parametrize(
    ("tokens", "source", "expected"),
    [
        ("例 : / about /", "Example: /about/", "例 : / about /"),
        ("docutils を 使う", "Install docutils", "docutils を 使う"),
        ("бразилски португалски", "Brazilian Portuguese", "бразилски португалски"),
        ("pfad : / about /", "Path: /about/", "Pfad : / about /"),
    ],
)
def test_names_and_paths_keep_their_case(tokens: str, source: str, expected: str) -> None:
    case = source_case(source, lambda word: None)
    assert " ".join(recased(tokens.split(), case)) == expected


def test_the_text_tells_how_a_translation_begins_without_its_placeholder(tmp_path: Path) -> None:
    pairs = [("ǁ0ǁ files selected", "Vybrané soubory: ǁ0ǁ"), ("ǁ0ǁ files", "ǁ0ǁ souborů")] * 3
    assert case_leads(pairs)
    assert not case_leads([(source, target.lower()) for source, target in pairs])
    side = TextSide(SideOptions(case="truecase", tokenizer="words"), train_truecaser([]))
    for leads in (False, True):
        text = TextProcessing(side, side, ("printf",), case_leads=leads)
        text.save(tmp_path / "text")
        text = TextProcessing.open(tmp_path / "text")
        assert text.detokenize("vybrané ǁ0ǁ", "%d selected")[0] == ("V" if leads else "v")
        assert text.detokenize("ǁ0ǁ souborů", "%d files") == "%d souborů"


@examples(200)
@given(st.text(alphabet="ab ABß5ǁ0._-字:'", max_size=12))
def test_sources_that_begin_with_a_word_do_not_tell_how_translations_are_led(source: str) -> None:
    case = source_case(source, lambda word: None)
    assert case_leads([(source, "Word")] * 3) is (case.goes_on is False and case.begins is False)
