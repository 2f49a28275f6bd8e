from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from isogloss.corpus.placeholder_kinds import HINT
from isogloss.corpus.placeholders import DEFAULT_KINDS, KINDS, MARK, Placeholder, Protector, restore
from isogloss.corpus.tokenizer import tokenizer
from isogloss.io.errors import ConfigError
from support.properties import examples

PLACEHOLDERS = [
    *("%(name)s", "%s", "%d", "%1$s", "%-5.2f", "%%", "%ld", "%(count)03d", "%@"),
    *("{x}", "{}", "{0:>8}", "{{x}}", "{{ user.name }}", "${x}", "${{ a b }}", "#{x}", "%{x}"),
    *("{ name }", "{n, number}", "{d,date,short}", "{0:>{width}}", "{when:%d %B %Y}", "{% url x %}"),
    *("<b>", "</b>", "<br/>", '<a href="x?y=1&z=2">', "<ns:tag />", "&nbsp;", "&#160;", "&#xA0;"),
    *("ǁ0ǁ", "ǁ17ǁ", "ǁ000ǁ"),
]
words = st.sampled_from(
    ["Delete", "the", "file", "don't", "3.5", "(", ")", '"', ".", ",", "!", "50%", "über", "ǁ"]
)
spaces = st.sampled_from(["", " ", "  "])
mixed = st.lists(
    st.tuples(st.sampled_from(PLACEHOLDERS) | words | st.text(max_size=4), spaces), max_size=12
).map(lambda parts: "".join(text + space for text, space in parts))


@examples(200)
@given(text=mixed | st.text())
@example(text="%s%s%s")
@example(text="ǁ0ǁǁ1ǁ")
def test_protecting_and_restoring_changes_nothing(text: str) -> None:
    protected, placeholders = Protector(KINDS).protect(text)
    assert restore(protected, placeholders) == text
    assert [int(match.group(1)) for match in MARK.finditer(protected)] == list(range(len(placeholders)))
    # Marks stand by themselves.
    assert sum(MARK.fullmatch(token) is not None for token in protected.split()) == len(placeholders)


@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
def test_each_is_found(placeholder: str) -> None:
    for text in (placeholder, f"a {placeholder} b", f"a{placeholder}b", f"({placeholder})"):
        _, found = Protector().protect(text)
        assert [item.text for item in found] == [placeholder]


@pytest.mark.parametrize(
    "text",
    [
        "50% of it",
        "100%-discount",
        "a < b and c > d",
        "R&D; x",
        "x & y",
        "{not this}",
        "5 %",
        "100%sure",
        "<3",
        "{note: not this}",
        "{a, b}",
        "5%discount, 10%cash%",
    ],
)
def test_ordinary_text_is_not_protected(text: str) -> None:
    assert Protector().protect(text) == (text, [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Copy %1 to %2.", ["%1", "%2"]),
        ("%L1 files, %n more", ["%L1", "%n"]),
        ("%Y-%m-%d %H:%M", ["%Y", "%m", "%d", "%H", "%M"]),
        ("%count% of %total_size%.", ["%count%", "%total_size%"]),
        ("%1$s: %d%% of %2$d", ["%1$s", "%d", "%%", "%2$d"]),
        ("100%%%s", ["%%", "%s"]),
        ("%dx%d", ["%d", "%d"]),
        ("%d%", ["%d"]),
    ],
)
def test_other_ways_to_write_what_a_program_fills_in(text: str, expected: list[str]) -> None:
    assert Protector().found(text) == expected


def test_words_with_accelerators_stay_whole_but_may_be_translated() -> None:
    protector = Protector(KINDS)
    assert protector.found("See &File, (&Edit) and '&View'") == ["&File", "&Edit", "&View"]
    assert protector.found("R&D, Q & A, &nbsp;, a &1 &_b") == ["&nbsp;"]
    assert protector.difference("See &File and &Edit", "&Datei und &Edit") == ("", "")


def test_addresses_are_protected_on_demand() -> None:
    text = "See https://example.org/a{b}?x=%s, or write to a.b@example.org."
    assert [item.text for item in Protector().protect(text)[1]] == ["{b}", "%s"]
    _, found = Protector([*DEFAULT_KINDS, "urls", "emails"]).protect(text)
    assert [item.text for item in found] == ["https://example.org/a{b}?x=%s", "a.b@example.org"]


def test_identifiers_are_protected_on_demand() -> None:
    text = "create_copy: volume_type %(src_id)s {a_b} is no my_2nd_one, _x, y_, 1_2 or snake_"
    assert [item.text for item in Protector().protect(text)[1]] == ["%(src_id)s", "{a_b}"]
    _, found = Protector([*DEFAULT_KINDS, "identifiers"]).protect(text)
    assert [item.text for item in found] == [
        *("create_copy", "volume_type", "%(src_id)s", "{a_b}", "my_2nd_one"),
    ]


def tokenizer_names() -> list[str]:
    return ["moses", "none", "characters", "syllables"]


@pytest.mark.parametrize("name", tokenizer_names())
@examples(80)
@given(text=mixed)
def test_placeholders_survive_tokenizing_exactly(name: str, text: str) -> None:
    tool = tokenizer(name, "en")
    protected, placeholders = Protector().protect(text)
    tokens = tool.tokenize(protected)
    assert [token for token in tokens if MARK.fullmatch(token)] == [
        f"ǁ{number}ǁ" for number in range(len(placeholders))
    ]
    result = restore(tool.detokenize(tokens), placeholders)
    at = 0
    for placeholder in placeholders:
        at = result.index(placeholder.text, at) + len(placeholder.text)


def test_spacing_around_placeholders_comes_back() -> None:
    text = 'Press <b>OK</b> to delete "%(name)s" ({n} of {m}).'
    tool = tokenizer("moses", "en")
    protected, placeholders = Protector().protect(text)
    assert protected == 'Press ǁ0ǁ OK ǁ1ǁ to delete " ǁ2ǁ " ( ǁ3ǁ of ǁ4ǁ ).'
    assert restore(tool.detokenize(tool.tokenize(protected)), placeholders) == text


def test_the_sides_of_a_pair_share_numbers() -> None:
    protector = Protector()
    _, known = protector.protect("Copy %s to %(place)s, %s")
    text, placeholders = protector.protect("%(place)s: %s und %s kopieren {neu}", known)
    assert text == "ǁ1ǁ : ǁ0ǁ und ǁ2ǁ kopieren ǁ3ǁ"
    assert [item.text for item in placeholders] == ["%s", "%(place)s", "%s", "{neu}"]
    assert restore(text, placeholders) == "%(place)s: %s und %s kopieren {neu}"


def test_marks_may_move_be_lost_or_be_invented() -> None:
    placeholders = [Placeholder("<b>", "", "w"), Placeholder("</b>", "w", ".")]
    assert restore("x ǁ0ǁ y ǁ1ǁ z", placeholders) == "x <b>y</b> z"
    assert restore("x ǁ0ǁ y ǁ1ǁ .", placeholders) == "x <b>y</b>."
    assert restore("ǁ1ǁ z ǁ0ǁ", placeholders) == "</b> z <b>"
    assert restore("ǁ0ǁ ǁ0ǁ", placeholders) == "<b> <b>"
    assert restore("ǁ7ǁ and ǁ0ǁ", placeholders) == "ǁ7ǁ and <b>"
    assert restore("ǁ99999999999999999999ǁ", placeholders) == "ǁ99999999999999999999ǁ"


def test_unknown_kinds() -> None:
    with pytest.raises(ConfigError, match="unknown kind of placeholder 'latex'; known are printf, braces"):
        Protector(["latex"])


@pytest.mark.parametrize(
    "text",
    [
        "%(" * 20_000,
        "%000" * 20_000,
        "{" * 50_000,
        "<a " * 20_000,
        "<a" + " " * 50_000,
        "&a" * 20_000,
        "a" * 50_000,
        "a." * 30_000 + "@",
        "a@" + "b." * 30_000,
        "http://" * 10_000,
        "http://" + "." * 50_000,
        "ǁ1" * 20_000,
        "{a:" * 20_000,
        "{a:{b}" * 10_000,
        "{" + " " * 50_000,
        "{a, number," * 10_000,
        "{%" * 20_000,
        "%a." * 20_000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    """A hundredth of the time it is given, or, if time grows with the square of the length, minutes."""
    begun = time.process_time()
    Protector(KINDS).protect(text * 5)
    assert time.process_time() - begun < 20


pieces = st.sampled_from(
    [
        *("http://a.b/c", "a@b.de", "snake_case", "camelCase", "a.call()", "__x__", "/usr/lib", "C:\\x"),
        *("main.py", "v2", "1.2.3", "2.0-rc1", "\\n", "\t", *PLACEHOLDERS),
    ]
)


@examples(300)
@given(text=st.lists(pieces | st.text("aZb1_.%/{}<>&@()\\\t:v;-#$ǁ~h", max_size=6)).map("".join))
def test_every_placeholder_has_the_hint_of_one(text: str) -> None:
    for kind in KINDS:
        for match in re.finditer(KINDS[kind] or MARK.pattern, text):
            assert re.search(HINT, match.group())
