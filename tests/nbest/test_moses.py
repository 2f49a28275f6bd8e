"""The Moses reader against a slow parser, on good lines, on bad ones, and in pieces of any size."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss._engine import LineError, MosesReader, NbestBuilder
from isogloss.io.errors import DataFormatError
from isogloss.nbest import NbestStore, moses
from support.nbest_lists import (
    Candidate,
    RefusedError,
    build,
    candidates,
    exact,
    expected,
    moses_text,
    parse_moses,
    plain,
    random_list,
    random_lists,
    read_moses,
    seeds,
)
from support.properties import examples


def slowly(text: bytes) -> str | None:
    try:
        parsed = parse_moses(text)
        return exact(expected(parsed)) if parsed else None  # a list without candidates is refused
    except ValueError:
        return None


def by_the_engine(text: bytes) -> str | None:
    try:
        store = moses.read([text], "list")
    except DataFormatError:
        return None
    store.check()
    return exact(plain(store))


@examples(60)
@given(st.one_of(random_lists, random_lists, random_lists, candidates()))
def test_reads_what_was_written(given_list: list[Candidate]) -> None:
    store = read_moses(moses_text(given_list))
    assert exact(plain(store)) == exact(expected(given_list))
    assert parse_moses(moses_text(given_list)) == given_list
    rising = [candidate.sentence for candidate in given_list]
    assert store.reordered == (rising != sorted(rising))


@examples(40)
@given(candidates(segmented=False))
def test_builder_gives_what_the_reader_gives(given_list: list[Candidate]) -> None:
    assert exact(plain(build(given_list))) == exact(expected(given_list))
    assert build(given_list).equals(read_moses(moses_text(given_list)))


@given(random_lists, st.data())
def test_the_size_of_the_pieces_does_not_matter(given_list: list[Candidate], data: st.DataObject) -> None:
    text = moses_text(given_list)
    if data.draw(st.booleans()):
        text = text[:-1]  # no end of the last line
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert exact(plain(read_moses(*pieces))) == exact(expected(given_list))


def test_one_byte_at_a_time() -> None:
    text = "0 ||| na\u00efve\u3000a ||| LM= -1 x=2 ||| -3\r\n".encode() * 3
    assert read_moses(*(text[i : i + 1] for i in range(len(text)))).equals(read_moses(text))


_PIECES = [
    *(bytes([byte]) for byte in b"|= \t\v\r\n:-.e+09a\0\xff\xc3"),
    *(b"|||", b" ||| ", b"99999", b"1e400", b"-1e-400", b"1" + b"0" * 400 + b"e-399"),
    *(b"nan", b"inf", b"x=1", b"LM= ", b"0-0", b"0-1=2-2", b"\xef\xbb\xbf"),
    *("\u00a0".encode(), "\u2028".encode()),
]


def mutated(rng: random.Random) -> bytes:
    """A list with some bytes removed, repeated, put in or exchanged."""
    text = moses_text(random_list(rng))
    for _ in range(rng.randint(1, 4)):
        begin = rng.randint(0, len(text))
        end = min(len(text), begin + rng.randint(0, 6))
        kind = rng.choice(["cut", "put", "exchange", "repeat"])
        new = {"cut": b"", "repeat": text[begin:end] * 2}.get(kind, rng.choice(_PIECES))
        text = text[:begin] + new + text[begin if kind == "put" else end :]
    return text


@examples(600)
@given(seeds)
def test_agrees_with_a_slow_parser_on_damaged_lists(seed: int) -> None:
    text = mutated(random.Random(seed))
    if text:
        assert by_the_engine(text) == slowly(text)


@examples(200)
@given(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=12).map(b"".join))
def test_agrees_with_a_slow_parser_on_features(field: bytes) -> None:
    text = b"0 ||| a ||| " + field + b" ||| 1\n"
    assert by_the_engine(text) == slowly(text)


@examples(200)
@given(st.binary(min_size=1, max_size=80))
def test_agrees_with_a_slow_parser_on_any_bytes(text: bytes) -> None:
    assert by_the_engine(text) == slowly(text)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "empty line"),
        ("0 a", "at least 2 fields expected between '|||', found 1"),
        ("0 ||| a ||| ||| 1 ||| ||| ||| ", "at most 6 fields expected between '|||', found 7"),
        ("x ||| a ||| ||| 1", "the sentence number is 'x', a whole number"),
        ("-1 ||| a ||| ||| 1", "the sentence number is '-1', a whole number from 0"),
        ("9223372036854775808 ||| a ||| ||| 1", "the sentence number is '9223372036854775808'"),
        ("0 ||| a b|||c ||| ||| 1", "the word 'b|||c' contains the field separator"),
        ("0 ||| a ||| LM= x ||| 1", "the value of 'LM' is 'x', a number is expected"),
        ("0 ||| a ||| LM= nan ||| 1", "the value of 'LM' is nan, a finite number is expected"),
        ("0 ||| a ||| LM= 1 -inf ||| 1", "the value of 'LM' is -inf, a finite number is expected"),
        ("0 ||| a ||| s=inf ||| 1", "the value of 's' is inf, a finite number is expected"),
        ("0 ||| a ||| s=1e39 ||| 1", "the value of 's' is too large"),
        ("0 ||| a ||| s=3e38 s=3e38 ||| 1", "the value of 's' is too large"),
        ("0 ||| a ||| LM= 1e999 ||| 1", "the value of 'LM' is '1e999', a number is expected"),
        ("0 ||| a ||| -3 ||| 1", "'-3' has no feature name before it"),
        ("0 ||| a ||| LM= 1 s=2 3 ||| 1", "'3' has no feature name before it"),
        ("0 ||| a ||| = 3 ||| 1", "'=' found where a feature name is expected"),
        ("0 ||| a ||| =3 ||| 1", "'' is not a valid feature name"),
        ("0 ||| a ||| x|||y=3 ||| 1", "'x|||y' is not a valid feature name"),
        ("0 ||| a ||| LM= 1 LM= 2 ||| 1", "feature 'LM' occurs twice"),
        ("0 ||| a ||| ||| one", "the score is 'one', a number is expected"),
        ("0 ||| a ||| ||| 1 2", "the score is '1 2', a number is expected"),
        ("0 ||| a ||| ||| nan", "the score is nan, a finite number is expected"),
        ("0 ||| a ||| ||| 1 ||| 0", "'0' is not an alignment link"),
        ("0 ||| a ||| ||| 1 ||| 0-70000", "alignment position 70000 is beyond 65535"),
        ("0 ||| a ||| ||| 1 ||| 0-x=1", "'0-x=1' is not a phrase of a segmentation"),
        ("0 ||| a ||| ||| 1 ||| 2-1=0-0", "a phrase of the segmentation ends before it begins"),
    ],
)
def test_says_what_is_wrong_with_a_line(line: str, message: str) -> None:
    good = "0 ||| a ||| ||| 1\n"
    with pytest.raises(DataFormatError) as caught:
        moses.read([(good + line + "\n" + good).encode()], "dev.nbest")
    assert caught.value.line == 2
    assert str(caught.value).startswith(f"dev.nbest:2: {message}")


def test_groups_must_keep_their_size() -> None:
    with pytest.raises(DataFormatError, match="l:2: feature 'TM' has 3 values here and 2 before"):
        moses.read([b"0 ||| a ||| TM= 1 2 ||| 1\n0 ||| a ||| TM= 1 2 3 ||| 1\n"], "l")


def test_messages_are_text_whatever_the_file_holds() -> None:
    with pytest.raises(
        DataFormatError, match=r"l:1: the word 'a\\xff\\x1b\[31m' is not valid UTF-8"
    ) as caught:
        moses.read([b"0 ||| a\xff\x1b[31m ||| ||| 1\n"], "l")
    assert str(caught.value).isprintable()
    with pytest.raises(DataFormatError) as caught:
        moses.read([b"0 ||| a ||| ||| " + "é".encode() * 100], "l")
    assert "é…'" in str(caught.value)


def test_a_byte_order_mark_is_not_part_of_the_first_number() -> None:
    assert read_moses(b"\xef\xbb\xbf0 ||| a ||| ||| 1\n").equals(read_moses(b"0 ||| a ||| ||| 1\n"))
    with pytest.raises(LineError):
        read_moses(b"0 ||| a ||| ||| 1\n\xef\xbb\xbf0 ||| a ||| ||| 1\n")


def test_older_notation_of_groups() -> None:
    store = read_moses(b"0 ||| a ||| d: 0 -1 lm: -3 ||| 1\n")
    assert [tuple(group) for group in store.dense_groups] == [("d", 2), ("lm", 1)]


def test_a_reader_that_refused_a_line_refuses_everything_after_it() -> None:
    reader = MosesReader()
    with pytest.raises(LineError):
        reader.feed(b"0 ||| a ||| LM= x ||| 1\n")
    with pytest.raises(RuntimeError):
        reader.feed(b"0 ||| a ||| LM= 1 ||| 1\n")
    with pytest.raises(RuntimeError):
        reader.finish()
    builder = NbestBuilder()
    with pytest.raises(LineError):
        builder.add(0, "a |||")
    with pytest.raises(RuntimeError):
        builder.add(0, "a")
    with pytest.raises(RuntimeError):
        builder.finish()


def test_a_reader_begins_anew_after_its_list() -> None:
    reader, builder = MosesReader(), NbestBuilder()
    for text in ("a b", "c"):
        reader.feed(f"1 ||| {text} ||| LM= 1 ||| 2\n0 ||| {text} ||| TM= 2 s=1 ||| 2\n".encode())
        builder.add(0, text, dense=[("LM", [1.0])])
        for columns in (reader.finish(), builder.finish()):
            store = NbestStore.from_columns(columns)
            store.check()
            assert set(store.texts()) == {text}


def test_features_that_every_line_names_anew_are_refused_soon() -> None:
    lines = "".join(f"0 ||| a ||| f{i}= 1 ||| 1\n" for i in range(3000))
    with pytest.raises(DataFormatError, match="l:2001: more than 2000 dense columns"):
        moses.read([lines.encode()], "l")
    store = read_moses("".join(f"0 ||| a ||| f{i}= {i} ||| 1\n" for i in range(60)).encode())
    assert store.dense.tolist() == [[float(i) if i == j else 0.0 for j in range(60)] for i in range(60)]


def test_the_slow_parser_refuses_too() -> None:
    with pytest.raises(RefusedError):
        parse_moses(b"0 a\n")
