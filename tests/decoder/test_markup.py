from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.decoder import Fixed, Sentence, escape_markup, parse_markup
from isogloss.io.errors import DataFormatError


@pytest.mark.parametrize(
    ("line", "words", "fixed"),
    [
        ("", "", []),
        ("  ", "", []),
        ("a b", "a b", []),
        ('a <t translation="x y">b c</t> d', "a b c d", [Fixed(1, 3, ("x", "y"))]),
        ("a <t>b c</t>", "a b c", [Fixed(1, 3, ("b", "c"))]),
        ("(<t>b</t>)<t\ttranslation='x' > c</t >", "( b ) c", [Fixed(1, 2, ("b",)), Fixed(3, 4, ("x",))]),
        ("<t translation=''>a</t>", "a", [Fixed(0, 1, ())]),
        ("R & D &amp; a&b; &lt;t&gt; &#124;&#x41; &amp;lt; &", None, []),
        ('<t translation="a&quot;\'&lt; >">b</t>', "b", [Fixed(0, 1, ("a\"'<", ">"))]),
        ("\u00a0a\u3000b", "\u00a0a\u3000b", []),
    ],
)
def test_what_is_meant(line: str, words: str | None, fixed: list[Fixed]) -> None:
    if words is None:
        line, words = line.replace("a&b; ", ""), "R & D & <t> |A &lt; &"
    found = parse_markup(line)
    assert found.words == tuple(words.split(" ") if words else ())
    assert list(found.fixed) == fixed


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a <b> c", r"f:7: '<' does not begin a tag at column 3; write &lt; for the character itself"),
        ("x <", r"f:7: '<' does not begin a tag at column 3"),
        ("<t", r"'<' does not begin a tag at column 1; tags are <t translation="),
        ('<t translation="a>b</t>', r"'<' does not begin a tag at column 1; tags are"),
        ('<t translate="a">b</t>', r"'<' does not begin a tag at column 1; tags are"),
        ("<T>b</T>", r"'<' does not begin a tag at column 1"),
        ("a <t>b", r"'<t' is never closed at column 3; close it with </t>"),
        ("a</t>", r"'</t>' without a matching '<t' at column 2"),
        ("<t>a <t>b</t></t>", r"'<t' is inside another '<t' at column 6"),
        ("<t translation='x'> </t>", r"'</t>' closes a span without words at column 21"),
        (
            "a &nbsp; b",
            r"'&nbsp;' is not a known character reference at column 3; known .*; write &amp; for '&'",
        ),
        ("a &#0; b", r"'&#0;' is not a character at column 3"),
        ("a &#xd800; b", r"'&#xd800;' is not a character at column 3"),
        ("ab a&#32;b", r"a word contains whitespace written as a character reference at column 4"),
        (f"<t translation='{'x ' * 1001}'>b</t>", r"a given translation has more than 1000 words"),
    ],
)
def test_broken_markup_is_named_with_its_column(line: str, message: str) -> None:
    with pytest.raises(DataFormatError, match=message):
        parse_markup(line, path="f", number=7)


def test_factors_inside_markup() -> None:
    found = parse_markup("das|ART <t translation='x'>alte|ADJ Haus&#124;|N</t>", factor_names=["pos"])
    assert found.words == ("das", "alte", "Haus|")
    assert found.factor("pos") == ("ART", "ADJ", "N")
    assert found.fixed == (Fixed(1, 3, ("x",)),)
    with pytest.raises(DataFormatError, match=r"'b' has 0 factors, 1 expected at column 9"):
        parse_markup("a|N <t> b</t>", factor_names=["pos"])


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30))
def test_escaped_text_is_read_as_it_was(text: str) -> None:
    assert parse_markup(escape_markup(text)) == Sentence.of(text)
    inside = parse_markup(f'<t translation="{escape_markup(text)}">a</t>')
    assert inside.fixed == (Fixed(0, 1, Sentence.of(text).words),)


@given(st.text("<>t/ =\"'&;a#1translation", max_size=30))
def test_whatever_is_typed_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(DataFormatError):
        parse_markup(text)
