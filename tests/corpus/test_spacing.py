"""Spaces between tokens: what is learned from text, and that nothing else is changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.corpus.placeholders import Placeholder
from isogloss.corpus.processing import SideOptions, TextProcessing, TextSide
from isogloss.corpus.spacing import (
    SpacedLine,
    Spacing,
    learn_spacing,
    observed_spaces,
    parse_spacing,
    usual_spacing,
)
from isogloss.corpus.words import word_tokens
from isogloss.io.errors import DataFormatError
from support.properties import examples

ORDINARY = [
    "Hello, world!",
    'He said: "Come in" and left.',
    "A 'small' thing, ('quoted'), “here” and ‘there’.",
    "One (or two), three [four]: five; six… seven...",
    "((nested) brackets) here",
    "and/or, a - b, c – d — e",
    "Is it? No!",
]
FRENCH = [
    line.format(word)
    for word in ("Jean", "la mer", "l’eau", "%s", "Paris", "le vent", "Lucie", "le pain")
    for line in (
        "Où est {0}\u202f?",
        "Voici {0}\u202f! C’est bien.",
        "C’est {0}\u202f; rien d’autre.",
        "Le nom de {0}\u00a0: «\u00a0{0}\u00a0».",
        "«\u00a0{0}\u00a0» est là\u202f?",
    )
]


def learned(lines: list[str], language: str = "und") -> Spacing:
    found = []
    for line in lines:
        tokens = word_tokens(line, language)
        spaces = observed_spaces(line, tokens)
        assert spaces is not None
        found.append(SpacedLine(tokens, spaces))
    return learn_spacing(found)


@pytest.mark.parametrize("line", ORDINARY)
def test_what_is_usual_needs_no_text(line: str) -> None:
    assert usual_spacing().join(word_tokens(line)) == line


def test_spaces_of_a_language_are_learned() -> None:
    spacing = learned(FRENCH, "fr")
    for line in (
        "Où est l’ami\u202f?",
        "La question de Marc\u00a0: «\u00a0Marie\u00a0».",
        "Ce n’est rien\u202f; ce n’est pas tout.",
    ):
        assert spacing.join(word_tokens(line, "fr")) == line
    assert usual_spacing().join(word_tokens("Où est l’ami\u202f?", "fr")) != "Où est l’ami\u202f?"


@pytest.mark.parametrize(
    ("language", "known", "new"),
    [
        ("en", ["Don’t do it, it’s late.", "She’s here."], "They don’t know she’s late."),
        ("tr", ["Ali’nin evi, Ayşe’nin evi.", "Python'un adı"], "Django'nun evi, Ali'nin adı"),
        ("es", ["¿Qué es? ¡No!", "Hola, ¿quién es?"], "Y tú, ¿cómo estás? ¡Bien!"),
        ("he", ["ג׳ורג׳ בא.", "הוא ב־Python, זה ב־Java."], "היא ב־Ruby, ג׳ורג׳ לא."),
        ("de", ["„Ja“, sagt er.", "Er sagt „nein“."], "Sie sagt: „vielleicht“."),
        ("ur", ["یہ گھر ہے۔", "وہ باغ ہے۔"], "یہ باغ ہے۔"),
        ("el", ["Τι είναι; Ναι."], "Πού είναι; Εδώ."),
    ],
)
def test_marks_of_languages(language: str, known: list[str], new: str) -> None:
    assert learned(known * 5, language).join(word_tokens(new, language)) == new


def test_placeholders_keep_what_they_touch_in_the_source() -> None:
    loose, touching = Placeholder("%s"), Placeholder("%s", "", "w")
    words = ("of", "in", "at", "to", "up", "by")
    lines = [SpacedLine(["n", "%s", word], [" ", ""], [None, touching, None]) for word in words]
    lines += [SpacedLine(["n", "%s", word], [" ", " "], [None, loose, None]) for word in words]
    spacing = learn_spacing(lines * 5)
    assert spacing.join(["x", "%s", "go"], [None, touching, None]) == "x %sgo"
    assert spacing.join(["x", "%s", "go"], [None, loose, None]) == "x %s go"


def test_text_that_is_not_made_of_the_tokens() -> None:
    assert observed_spaces("a b", ["a", "c"]) is None
    assert observed_spaces("a b c", ["a", "b"]) is None
    assert observed_spaces("TCP-Port", ["TCP", "@-@", "Port"]) == ["", ""]
    assert observed_spaces("a   b \u00a0c", ["a", "b", "c"]) == [" ", "\u00a0"]


@examples(60)
@given(tokens=st.lists(st.text("ab1.,'\"()%s«»’字-", min_size=1, max_size=4), max_size=9))
def test_only_white_space_is_added_and_always_the_same(tokens: list[str]) -> None:
    spacing = learned(FRENCH, "fr")
    text = spacing.join(tokens)
    assert "".join(text.split()) == "".join(tokens)
    again = parse_spacing(spacing.lines(), "stored")
    assert again.join(tokens) == text
    assert again.lines() == spacing.lines()


@pytest.mark.parametrize("lines", [["20 -", "a\t1"], ["20 -", "a\tx\ty"], ["zz"], [""]])
def test_a_broken_table(lines: list[str]) -> None:
    with pytest.raises(DataFormatError, match=r"stored:[12]: a feature of spacing"):
        parse_spacing(lines, "stored")


def test_it_is_stored_with_a_system(tmp_path: Path) -> None:
    side = TextSide(SideOptions(tokenizer="words", language="fr"))
    text = TextProcessing(target=side, placeholders=("printf",))
    lines = [text.spaced_line(line, "") for line in FRENCH]
    made = TextProcessing(target=side.learn_spacing(filter(None, lines)), placeholders=("printf",))
    made.save(tmp_path / "text")
    for processing in (made, TextProcessing.open(tmp_path / "text")):
        assert processing.detokenize("où est ǁ0ǁ ?", "where is %s?") == "où est %s\u202f?"
    without = TextProcessing(target=side, placeholders=("printf",))
    without.save(tmp_path / "old")
    assert TextProcessing.open(tmp_path / "old").target.spacing is None
