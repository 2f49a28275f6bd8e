"""Text to tokens and back, and how that is stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.corpus.processing import SideOptions, TextProcessing, TextSide
from isogloss.io.errors import ConfigError, ModelFormatError


def test_case_is_learned_stored_and_undone(tmp_path: Path) -> None:
    text = ["The dog saw the Pope.", "Dogs bark: the Pope slept.", "A dog barks at dogs."]
    sides = []
    for _ in range(2):
        side = TextSide(SideOptions(case="truecase"))
        sides.append(side.learn_case(side.split_lines(text)))
    made = TextProcessing(*sides)
    assert made.changes
    made.save(tmp_path / "text")
    stored = TextProcessing.open(tmp_path / "text")
    for processing in (made, stored):
        tokens = processing.tokenize("Dogs saw the Pope.")
        assert tokens == "dogs saw the Pope ."
        assert processing.detokenize(tokens) == "Dogs saw the Pope."
    assert stored.tokenize("") == stored.detokenize("") == ""


def test_every_word_in_its_usual_form(tmp_path: Path) -> None:
    text = ["Add a user to the group.", "The group has an IP.", "Add User to Group", "Every user has an IP."]
    side = TextSide(SideOptions(case="usual"))
    made = TextProcessing(side.learn_case(side.split_lines(text)))
    made.save(tmp_path / "text")
    for processing in (made, TextProcessing.open(tmp_path / "text")):
        assert processing.tokenize("Group of the User: IP HBSD") == "group of the user : IP HBSD"


def test_tokens_are_taken_as_they_are() -> None:
    plain = TextProcessing(*(TextSide(SideOptions(tokenizer="none")) for _ in range(2)))
    assert not plain.changes
    assert plain.tokenize(" a\u00a0b  c\t, ") == "a\u00a0b c ,"
    assert plain.detokenize("a , b") == "a , b"


def test_punctuation_is_removed() -> None:
    side = TextSide(SideOptions(punctuation="remove", case="lowercase"))
    assert side.tokenize("Well, isn't it -- 5 % of $10?") == [
        "well",
        "isn",
        "'t",
        "it",
        "5",
        "%",
        "of",
        "$",
        "10",
    ]
    assert TextProcessing(TextSide(SideOptions(tokenizer="none", punctuation="remove"))).changes


def test_a_script_is_isolated() -> None:
    side = TextSide(SideOptions(tokenizer="none", isolate="Arabic"))
    assert side.split("قالIBM2007، كِتَاب abc") == ["قال", "IBM2007،", "كِتَاب", "abc"]
    assert TextSide(SideOptions(isolate="cjk")).options.isolate == "cjk"
    with pytest.raises(ConfigError, match="'runes' is not the name of a script"):
        SideOptions(isolate="runes")


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"tokenizer must be one of words, moses, .*, got 'luck'"):
        SideOptions(tokenizer="luck")
    with pytest.raises(ConfigError, match="case must be one of keep, lowercase, truecase"):
        SideOptions(case="luck")  # type: ignore[arg-type]
    TextProcessing().save(tmp_path)
    manifest = tmp_path / "manifest.json"
    manifest.write_text(manifest.read_text().replace("moses", "luck!"))
    with pytest.raises(ModelFormatError):
        TextProcessing.open(tmp_path)


@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("tab", ["\t", " \t", "\t\t", "\t  "])
def test_white_space_beside_tabs_is_that_of_the_source(tab: str, learned: bool) -> None:
    side = TextSide(SideOptions(tokenizer="words"))
    text = TextProcessing(side, side, ("escapes",))
    if learned:
        lines = [text.spaced_line(line, "") for line in ("Regal und Buch", "ein altes Buch")]
        spaced = side.learn_spacing(line for line in lines if line is not None)
        text = TextProcessing(side, spaced, ("escapes",))
    source = f"shelf{tab}old book"
    translated = text.tokenize(source).replace("shelf", "Regal").replace("old book", "altes Buch")
    assert text.detokenize(translated, source) == f"Regal{tab}altes Buch"
    assert text.detokenize("Regal", source) == "Regal"  # a translation that lost it stays as it is
