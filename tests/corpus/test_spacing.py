"""Spaces between tokens: what is learned from text, and that nothing else is changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.corpus import spacing_learning
from isogloss.corpus.placeholders import ALL_KINDS
from isogloss.corpus.processing import SideOptions, TextProcessing, TextSide
from isogloss.corpus.spacing import (
    SpacedLine,
    Spacing,
    learn_spacing,
    observed_spaces,
    parse_kind,
    parse_spacing,
    usual_spacing,
)
from isogloss.corpus.spacing_learning import learn_weights
from isogloss.corpus.spacing_templates import BETWEEN_WORDS, FIELDS, combined
from isogloss.corpus.spacing_tokens import EDGE, PROPERTIES, Beside, TokenTypes, encode, hashed, space_code
from isogloss.corpus.words import word_tokens
from isogloss.io.errors import DataFormatError, ModelFormatError
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
    loose, touching = Beside(1, " ", " "), Beside(1, " ", "w")
    words = ("of", "in", "at", "to", "up", "by")
    lines = [SpacedLine(["n", "%s", word], [" ", ""], [None, touching, None]) for word in words]
    lines += [SpacedLine(["n", "%s", word], [" ", " "], [None, loose, None]) for word in words]
    spacing = learn_spacing(lines * 5)
    assert spacing.join(["x", "%s", "go"], [None, touching, None]) == "x %sgo"
    assert spacing.join(["x", "%s", "go"], [None, loose, None]) == "x %s go"


def test_a_placeholder_is_known_by_its_name() -> None:
    units = ("hours", "days", "weeks", "years", "months")
    lines = [SpacedLine(["in", "%(count)s", unit], [" ", "\u00a0"]) for unit in units]
    lines += [SpacedLine(["by", "%(name)s", word], [" ", " "]) for word in ("at", "on", "from", "with", "to")]
    lines += [SpacedLine(["%(from)s", "-", "%(to)s", "link"], ["", "", " "])]
    spacing = learn_spacing(lines * 3)
    assert spacing.join(["in", "%(count)s", "minutes"]) == "in %(count)s\u00a0minutes"
    assert spacing.join(["in", "%(name)s", "minutes"]) == "in %(name)s minutes"
    assert spacing.join(["%(from)s", "-", "%(to)s", "links"]) == "%(from)s-%(to)s links"


@pytest.mark.parametrize(
    "line",
    [
        "See {link_start} our guide {link_end} .",
        "( %(open_tag)s here %(close_tag)s )",
        "load it with `` async `` here",
        "the folder /usr/lib and ( /usr/share )",
        "go to Edit -> Preferences",
    ],
)
def test_usual_spacing_of_names_paths_and_doubled_marks(line: str) -> None:
    expected = {
        "See": "See {link_start}our guide{link_end}.",
        "(": "(%(open_tag)shere%(close_tag)s)",
        "load": "load it with ``async`` here",
        "the": "the folder /usr/lib and (/usr/share)",
        "go": "go to Edit -> Preferences",
    }
    tokens = [part for token in line.split() for part in (["`", "`"] if token == "``" else [token])]
    tokens = [part for token in tokens for part in (["-", ">"] if token == "->" else [token])]
    assert usual_spacing().join(tokens) == expected[tokens[0]]


def test_spacing_is_learned_from_the_tokens_that_an_engine_sees() -> None:
    text = TextProcessing(
        source=TextSide(SideOptions(tokenizer="words")),
        target=TextSide(SideOptions(tokenizer="words")),
        placeholders=ALL_KINDS,
    )
    shared = text.spaced_line("Siehe main.py hier", "See main.py here")
    assert shared is not None
    assert shared.tokens == ["Siehe", "main.py", "hier"]
    own = text.spaced_line("Siehe /usr/lib hier", "See it here")  # not in the source, so it is translated
    assert own is not None
    assert own.tokens == text.target.split(text.protect_pair("See it here", "Siehe /usr/lib hier")[1])


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
    assert Spacing.restored(spacing.arrays(), spacing.attributes(), "stored").join(tokens) == text


TOKENS = st.lists(
    st.lists(
        st.sampled_from(["a", "B", "7", "字", ".", ",", '"', "'", "(", ")", "%s", "<b>", "/", "«"]),
        max_size=9,
    ),
    max_size=4,
)


@examples(40)
@given(lines=TOKENS)
def test_the_engine_decides_as_the_definition_says(lines: list[list[str]]) -> None:
    spacing = learned(FRENCH, "fr")
    weights = dict(zip(spacing.arrays()["keys"].tolist(), spacing.arrays()["weights"].tolist(), strict=True))
    assert spacing.join_all(lines) == [slowly_joined(tokens, weights, spacing) for tokens in lines]
    assert spacing.join_all(lines) == [spacing.join(tokens) for tokens in lines]


def slowly_joined(tokens: list[str], weights: dict[int, list[float]], spacing: Spacing) -> str:
    """Join from left to right, with features by their definition and weights from a dictionary."""
    stored = spacing.attributes()
    kinds = [parse_kind(code) for code in stored["kinds"]]
    types = TokenTypes()
    encoded = encode([tokens], [], types)
    fields = [name for name in FIELDS if len(name) == 2]
    text = "".join(tokens[:1])
    gaps: list[tuple[int, int, int]] = []  # type before, type after, decision
    for at in range(len(tokens) - 1):
        window = [
            int(encoded.tokens[place]) if 0 <= place < len(tokens) else 0 for place in range(at - 2, at + 4)
        ]
        values = dict(
            zip(fields, np.concatenate([encoded.properties[w] for w in window]).tolist(), strict=True)
        )
        code = {number: hashed(space_code(kind)) for number, kind in enumerate(kinds)} | {-1: hashed(EDGE)}
        first, second = window[2], window[3]

        def latest(want: Callable[[int, int], bool], gaps: list[tuple[int, int, int]] = gaps) -> int:
            return next((decision for a, b, decision in reversed(gaps) if want(a, b)), -1)

        like = encoded.properties[:, PROPERTIES.index("l")], encoded.properties[:, PROPERTIES.index("f")]
        values |= {
            "style": int(encoded.styles[0]),
            "touch": 0,
            "last": code[gaps[-1][2] if gaps else -1],
            "after": code[latest(lambda a, b, first=first: a == first)],
            "before": code[latest(lambda a, b, second=second: b == second)],
            "like": code[
                latest(lambda a, b, f=first, s=second, k=like: k[0][a] == k[0][f] and k[1][b] == k[1][s])
            ],
        }
        ends, begins = int(encoded.flags[first]), int(encoded.flags[second])
        words = bool(ends & 1 and begins & 2)
        decision = 0
        if not (stored["words_apart"] and words and not ends & 4 and not begins & 8):
            sums = np.zeros(len(kinds))
            for name, template in stored["templates"].items():
                used = [values[field] for field in template.split()]
                if all(used) and (not words or name in BETWEEN_WORDS):
                    sums += np.array(weights.get(combined(hashed(name), used), [0.0] * len(kinds)))
            decision = int(sums.argmax())
        gaps.append((first, second, decision))
        text += kinds[decision] + tokens[at + 1]
    return text


def test_a_table_of_the_first_version() -> None:
    lines = [
        "20 - a0",
        "ww\t1\t0\t0",
        "as ? LATI\t0\t0\t3",
        "b ,\t0\t2\t0",
        "ab - a\t0\t4\t0",
        "s LATI ?\t0\t0\t3",
    ]
    spacing = parse_spacing(lines, "stored")
    assert (
        spacing.join(["to", "be", ",", "or", "not", "?", "x", "-", "a"]) == "to be, or not\u00a0?\u00a0x -a"
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("keys", np.array([2, 1], np.uint64)),
        ("weights", np.zeros((3, 2), np.float32)),
        ("weights", np.zeros(4, np.float32)),
        ("kinds", ["20", "zz"]),
        ("kinds", []),
        ("templates", {"a": "xx"}),
        ("templates", ["a"]),
    ],
)
def test_broken_arrays(name: str, value: Any) -> None:
    arrays = {"keys": np.array([1, 2], np.uint64), "weights": np.zeros((2, 2), np.float32)}
    attributes = {"kinds": ["20", "-"], "words_apart": True, "templates": {"a": "aw"}}
    Spacing.restored(arrays, attributes, "stored")
    changed = {**arrays, **attributes, name: value}
    with pytest.raises(ModelFormatError, match="stored"):
        Spacing.restored(changed, changed, "stored")


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


def test_like_gaps_are_learned_from_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["a b, c (d).", "a b, c (d).", "e (f), g.", "5 % a", "a b, c (d)."]
    lines = [SpacedLine(tokens := word_tokens(text), observed_spaces(text, tokens) or []) for text in texts]
    once = learn_weights(lines)
    monkeypatch.setattr(
        spacing_learning, "_distinct", lambda groups, labels: (groups, labels, np.ones(len(labels)))
    )
    each = learn_weights(lines)
    np.testing.assert_array_equal(once.keys, each.keys)
    np.testing.assert_allclose(once.weights, each.weights, atol=1e-5)
