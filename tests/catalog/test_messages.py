"""Translations of messages have what their sources have: placeholders, tags, lines, blanks."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.catalog import Draft, MessageTranslator
from isogloss.catalog.checks import fault, hollow_tags, well_nested
from isogloss.catalog.icu import icu_parts
from isogloss.corpus.edges import Edges
from isogloss.corpus.placeholders import Protector
from isogloss.corpus.processing import TextProcessing
from isogloss.decoder import System, load
from isogloss.io.errors import ConfigError

PLACEHOLDERS = ["%s", "%(name)s", "{x}", "{{ a.b }}", "&nbsp;", "<br/>", "%d", "%s"]
WORDS = ["the", "man", "sees", "a", "house", "zorb", ",", "old", "100", "."]


def messages(count: int) -> list[str]:
    """Words, placeholders and pairs of tags in any order."""
    rng = random.Random(3)
    found = []
    for _ in range(count):
        parts = rng.choices(WORDS, k=rng.randint(1, 9)) + rng.sample(PLACEHOLDERS, rng.randint(0, 3))
        rng.shuffle(parts)
        if rng.random() < 0.6:
            begin, end = sorted(rng.sample(range(len(parts) + 1), 2))
            parts = [*parts[:begin], "<b>", *parts[begin:end], "</b>", *parts[end:]]
        blanks = [rng.choice(["", " ", "\n"]) for _ in range(2)]
        found.append(blanks[0] + rng.choice(["", " "]).join(parts) + blanks[1])
    return found


def test_every_placeholder_is_there_as_often_as_in_the_source(text_system: System) -> None:
    sources = messages(150)
    drafts = MessageTranslator(text_system, threads=2).translate(sources)
    found = Protector().found
    for source, draft in zip(sources, drafts, strict=True):
        assert Counter(found(draft.text)) == Counter(found(source))
        assert well_nested(draft.text) or not well_nested(source)
        assert re.findall(r"^\s*|\s*$", draft.text) == re.findall(r"^\s*|\s*$", source)
        assert 0 <= draft.confidence <= 1


def test_a_system_that_breaks_placeholders_is_overruled(text_system: System) -> None:
    """Even one that drops all that it does not know, and knows no mark."""
    system = load(text_system.path, options=replace(text_system.options, unknown="drop"))
    (draft,) = MessageTranslator(system).translate(["the %s sees {x}"])
    assert Counter(Protector().found(draft.text)) == Counter(["%s", "{x}"])


@pytest.mark.parametrize(
    "message",
    [
        "<" + "a" * 50_000,
        "<a" * 20_000,
        "</" + "a:" * 20_000,
        "<a" + " " * 50_000,
        "<a>" + " " * 20_000 + "</b>",
        "<a>" * 20_000 + "</a>" * 20_000,
        "a" * 50_000,
        "{n, plural, one {" * 20_000,
        "&" * 50_000,
        "%(" * 20_000,
        "_a" * 20_000,
    ],
)
def test_no_message_takes_long_to_check(message: str) -> None:
    begun = time.process_time()
    for text in (message, message * 2):
        fault(text, text[::-1], Protector(), {"c-format"})
        well_nested(text)
        hollow_tags(text)
        icu_parts(text)
        Edges.off(text)
    assert time.process_time() - begun < 20  # if time grows with the square of the length, minutes


@pytest.mark.parametrize("unknown", ["pass", "drop"])
@pytest.mark.parametrize(
    "message",
    [
        "100%% of the man",
        "100%%%s",
        "100%%%s sees the house",
        "%d%% of the %s",
        "the 5% house",
        "%",
        "the %Y-%m-%d man",
        "sees {x}{x}<b>%s</b>",
        "<b></b> the house",
        "the {} man {} sees {}",
    ],
)
def test_percents_and_empty_tags_are_neither_lost_nor_spelled(
    message: str, unknown: str, text_system: System
) -> None:
    """A system that loses placeholders is overruled without cutting words into letters."""
    system = load(text_system.path, options=replace(text_system.options, unknown=unknown))
    (draft,) = MessageTranslator(system).translate([message])
    if draft.whole:
        assert Counter(Protector().found(draft.text)) == Counter(Protector().found(message))
    letters = re.findall(r"(?<![\w%])[^\W\d_](?!\w)", draft.text)
    assert letters == re.findall(r"(?<![\w%])[^\W\d_](?!\w)", message) or len(letters) < 2


class Hopeless(MessageTranslator):
    """No translation keeps its placeholders; notes what it was asked for."""

    asked: list[str]

    def _decoded(self, sentences: Sequence[str], *, fixed: bool) -> list[Draft | None]:
        self.asked = [*getattr(self, "asked", []), *sentences]
        return [None] * len(sentences)


@pytest.mark.parametrize("message", ["100%% of the river", "100%%%s", "the river", "<b>the</b> %s river"])
def test_what_cannot_be_translated_is_copied_whole(message: str, text_system: System) -> None:
    translator = Hopeless(text_system)
    (draft,) = translator.translate([message])
    assert (draft.text, draft.whole) == (message, message == "100%%%s")
    assert all(len(text) > 2 for text in getattr(translator, "asked", []))  # no letters by themselves


def test_lines_are_translated_by_themselves(text_system: System) -> None:
    translator = MessageTranslator(text_system)
    whole, first, second = translator.translate(["the man\n\n  a house\n", "the man", "a house"])
    assert whole.text == f"{first.text}\n\n  {second.text}\n"
    assert whole.confidence == min(first.confidence, second.confidence)
    assert [draft.text for draft in translator.translate(["%s: {x}", "", " \n"])] == ["%s: {x}", "", " \n"]


def test_unknown_words_lower_the_confidence(text_system: System) -> None:
    known, unknown = MessageTranslator(text_system).translate(
        ["the man sees a house .", "zorb zarb zirb zurb"]
    )
    assert known.confidence > 2 * unknown.confidence


def test_tokens_are_no_messages(systems: Path) -> None:
    with pytest.raises(ConfigError, match="tokenizer"):
        MessageTranslator(load(systems / "hierarchical"))
    assert TextProcessing(placeholders=("printf",)).changes
