"""ICU messages: the texts of a choice are translated, its syntax stays."""

from __future__ import annotations

import re

import pytest

from isogloss.catalog import MessageTranslator
from isogloss.catalog.checks import fault
from isogloss.catalog.icu import NUMBER, icu_parts
from isogloss.corpus.placeholders import ALL_KINDS, Protector
from isogloss.decoder import System

MESSAGES = [
    "{n, plural, one {# house} other {# houses}}",
    "the man sees {n, plural, =0 {a house} one {# house} other {# old houses}}.",
    "{who, select, man {the {n, plural, one {house} other {# houses}}} other {a man}} {x}",
    "{n,plural,offset:1 one{the {name} house}other{the man\nsees #}}",
    "{n, selectordinal, one {#st} two {#nd} other {#th house}}",
]


def skeleton(message: str) -> str:
    """A message without its words outside the syntax of choices."""
    kept = re.findall(r"\{\s*\w+,\s*\w+,[^{}]*\{|\}[^{}]*\{|\}|\{\w+\}|#|\n", message)
    return "".join(kept)


@pytest.mark.parametrize("message", MESSAGES)
def test_texts_and_syntax_are_told_apart(message: str) -> None:
    parts = icu_parts(message)
    assert "".join(parts).replace(NUMBER, "#") == message
    assert all(len(part) > 1 and part[-1] in "{}" for part in parts[1::2])
    assert not any("plural" in text or "other" in text for text in parts[::2])


@pytest.mark.parametrize(
    "message",
    [
        "{n, plural, one {# house} other {# houses}",
        "{n, plural, }",
        "'{n, plural, other {a}}'",
        "} {n, plural, other {a}}",
        "{a {n, plural, other {b}}}",
        "{n, plural, one {" * 400 + "}}" * 400,
        "no choice: {n, number} {x}",
    ],
)
def test_what_cannot_be_read_is_left_to_people(message: str) -> None:
    assert icu_parts(message) == []


def test_a_translation_keeps_the_choices(text_system: System) -> None:
    drafts = MessageTranslator(text_system).translate(MESSAGES)
    for message, draft in zip(MESSAGES, drafts, strict=True):
        assert skeleton(draft.text) == skeleton(message)
        assert fault(message, draft.text, Protector(ALL_KINDS)) == ""
    assert "house}" not in drafts[0].text  # the words are translated


def test_a_translation_without_its_choices_is_refused() -> None:
    protector = Protector(ALL_KINDS)
    source = "{n, plural, one {# {x}} other {# {x}}}"
    more = "{n, plural, one {# {x}} few {# {x}} many {# {x}} other {# {x}}}"
    assert fault(source, more, protector) == ""
    for wrong in ("{n, plurel, one {# {x}} other {# {x}}}", "{n, plural, one {# {x}} other {# {x}}", "# {x}"):
        assert fault(source, wrong, protector).startswith("the choices of the message")
    assert fault(source, "{n, plural, other {#}}", protector) == "'{x}' is lost"
