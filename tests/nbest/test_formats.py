"""The formats of neural systems: what their files mean, and what is said about files that are not theirs."""

from __future__ import annotations

import contextlib
import itertools
import random
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given

from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import read_chunks
from isogloss.nbest import FORMATS, FormatName, NbestStore, read_nbest, write_nbest
from isogloss.nbest.formats import STORE, losses
from support.nbest_lists import (
    Candidate,
    exact,
    expected,
    moses_text,
    parse_moses,
    plain,
    random_list,
    read_moses,
    scratch,
    seeds,
)
from support.properties import examples


def read(format: str, text: str) -> NbestStore:
    return FORMATS[format].read([text.encode()], "list")


def rows(store: NbestStore) -> list[Candidate]:
    return list(plain(store).rows)


def test_the_command_line_names_all_formats() -> None:
    assert [*FORMATS, STORE] == list(get_args(FormatName))


def test_marian() -> None:
    def words(lowest: float, count: float) -> tuple[tuple[str, tuple[float]], ...]:
        return ("WordScoreMin", (float(lowest),)), ("WordScoreCount", (float(count),))

    store = read(
        "marian",
        "0 ||| a b ||| 0-0 1-1 ||| WordScores= -1 -2 ||| F0= -1.5 F1=2 ||| -0.5\n"
        "0 ||| c ||| 0.5,0.5 ||| F0= -1 F1=3 ||| -1\n",
    )
    assert rows(store) == [
        Candidate(
            0, ("a", "b"), -0.5, (*words(-2, 2), ("F0", (-1.5,)), ("F1", (2.0,))), (), ((0, 0), (1, 1))
        ),
        Candidate(0, ("c",), -1.0, (*words(0, 0), ("F0", (-1.0,)), ("F1", (3.0,)))),
    ]


def test_cdec_and_joshua() -> None:
    store = read("marian", "0 ||| a ||| LanguageModel=-1.5 Glue=2 ||| -0.5\n")
    assert store.dense_names == ["LanguageModel", "Glue"]


def test_fairseq() -> None:
    store = read(
        "fairseq",
        "2024-01-01 | INFO | loaded\n"
        "S-1\tein haus\nT-1\ta house\n"
        "H-1\t-0.5\ta hou@@ se\nD-1\t-0.5\ta house\nP-1\t-0.25 -0.75\nA-1\t0-0 1-1\n"
        "H-1\t-0.75\tthe house\n"
        "S-0\tja\nH-0\tNone\tyes \u00a0 indeed\nD-7\t-1\tof another sentence\n"
        "| Generate test with beam=5: BLEU4 = 1.0\n",
    )
    positional = (("PositionalSum", (-1.0,)), ("PositionalCount", (2.0,)))
    none = (("PositionalSum", (0.0,)), ("PositionalCount", (0.0,)))
    assert rows(store) == [
        Candidate(0, ("yes", "\u00a0", "indeed"), None, none),
        Candidate(1, ("a", "house"), -0.5, positional, (), ((0, 0), (1, 1))),
        Candidate(1, ("the", "house"), -0.75, none),
    ]
    assert store.filled == {"PositionalSum": 2, "PositionalCount": 2}


def test_sockeye() -> None:
    store = read(
        "sockeye",
        '{"sentence_id": 1, "translations": ["a b", ""], "scores": [[0.5, 2], [1, 3]]}\n'
        "\n"
        '{"translation": "c", "score": 0.25}\n'
        '{"translations": []}\n',
    )
    assert rows(store) == [
        Candidate(0, ("a", "b"), -0.5, (("FactorScore", (-2.0,)),)),
        Candidate(0, (), -1.0, (("FactorScore", (-3.0,)),)),
        Candidate(2, ("c",), -0.25, (("FactorScore", (0.0,)),)),
    ]


def test_jsonl() -> None:
    store = read(
        "jsonl",
        '{"sentence": 2, "text": "a  b\\u00a0c", "score": -1, "dense": {"LM": 1, "TM": [2, 3.5]}}\n'
        '\n{"text": "", "sentence": 0, "sparse": {"x=y": 0.5}, "alignment": [[0, 1]], "score": null}\n',
    )
    assert rows(store) == [
        Candidate(0, (), None, (("LM", (0.0,)), ("TM", (0.0, 0.0))), (("x=y", 0.5),), ((0, 1),)),
        Candidate(2, ("a", "b\u00a0c"), -1.0, (("LM", (1.0,)), ("TM", (2.0, 3.5)))),
    ]


# A line that begins with "+" goes on after a sentence and a text.
WRONG = {
    "jsonl": [
        ("[]", "every line must be a JSON object"),
        ("3", "every line must be a JSON object"),
        ('{"sentence": 0', "not JSON (Expecting ',' delimiter at column 15)"),
        ("0 ||| a ||| ||| 1", "not JSON (Extra data at column 3)"),
        ("[" * 100_000, "not a usable JSON object ("),
        ('+"score": NaN}', "not a usable JSON object (NaN is not a number)"),
        ('+"text": "b"}', "not a usable JSON object (the key 'text' occurs twice)"),
        ('+"dense": {"LM": 1, "LM": 2}}', "not a usable JSON object (the key 'LM'"),
        ('{"text": "a"}', "not a candidate: 'sentence' is missing"),
        ('{"sentence": 0}', "not a candidate: 'text' is missing"),
        ('{"sentence": -1, "text": "a"}', "not a candidate: 'sentence' is -1, a whole number from 0 to"),
        ('{"sentence": 1.0, "text": "a"}', "not a candidate: 'sentence' is 1.0, a whole number from 0 to"),
        ('{"sentence": true, "text": "a"}', "not a candidate: 'sentence' is true, a whole number from 0 to"),
        ('{"sentence": 9223372036854775808, "text": "a"}', "not a candidate: 'sentence' is 922337"),
        ('{"sentence": "0", "text": "a"}', "not a candidate: 'sentence' is \"0\", a whole number from 0"),
        ('{"sentence": 0, "text": null}', "not a candidate: the text is null, a string is expected"),
        ('{"sentence": 0, "text": ["a"]}', 'not a candidate: the text is ["a"], a string is expected'),
        ('{"sentence": 0, "text": "a ||| b"}', "the word '|||' contains the field separator '|||'"),
        ('{"sentence": 0, "text": "\\ud800"}', "not a candidate: the text or a name contains a lone"),
        ('{"sentence": 0, "text": "a\\u0000b"}', "the word 'a\\x00b' is not valid UTF-8 text"),
        ('+"score": "1"}', 'not a candidate: the score is "1", a number is'),
        ('+"score": true}', "not a candidate: the score is true, a number is"),
        ('+"score": 1e400}', "the score is inf, a finite number is expected"),
        ('+"score": 1' + "0" * 400 + "}", "not a candidate: the score is too large"),
        ('+"score": 1' + "0" * 5000 + "}", "not a usable JSON object ("),
        ('+"dense": [1]}', "not a candidate: 'dense' is [1], an object of names"),
        ('+"dense": []}', "not a candidate: 'dense' is [], an object of names"),
        ('+"dense": {"LM": "x"}}', "not a candidate: 'LM' is \"x\", a number is"),
        ('+"dense": {"LM": [1, null]}}', "not a candidate: 'LM' is null, a number"),
        ('+"dense": {"LM": []}}', "not a candidate: 'LM' is [], at least one"),
        ('+"dense": {"L M": 1}}', "'L M' is not a valid feature name"),
        ('+"sparse": {"": 1}}', "'' is not a valid feature name"),
        ('+"sparse": {"x": [1]}}', "not a candidate: 'x' is [1], a number is"),
        ('+"sparse": {"x": 1e39}}', "the value of 'x' is too large"),
        ('+"alignment": [0]}', "not a candidate: 'alignment' is [0], a list of"),
        ('+"alignment": [[0, 1, 2]]}', "not a candidate: 'alignment' is [[0, 1, 2]]"),
        ('+"alignment": {"0": 1}}', "not a candidate: 'alignment' is"),
        ('+"alignment": [[0, -1]]}', "not a candidate: a position is -1, a whole"),
        ('+"alignment": [[0, 70000]]}', "not a candidate: a position is 70000"),
        ('+"alignment": [[0, 1' + "0" * 40 + "]]}", "not a candidate: a position is 1"),
    ],
    "sockeye": [
        ("[]", "every line must be a JSON object"),
        ('{"sentence_id": 0}', "the object has neither 'translations' nor 'translation'"),
        ('{"translations": "a"}', "'translations' is not a list"),
        ('{"translations": null}', "'translations' is not a list"),
        ('{"translations": [1]}', "the text is 1, a string is expected"),
        ('{"translation": ["a"]}', 'the text is ["a"], a string is expected'),
        ('{"translations": ["a"], "scores": [1, 2]}', "'scores' must have one entry for each of 1"),
        ('{"translations": ["a"], "scores": 1}', "'scores' must have one entry for each of 1"),
        ('{"translations": ["a"], "scores": ["x"]}', 'a score is "x", a number is expected'),
        ('{"translations": ["a"], "scores": [[true]]}', "a score is true, a number is expected"),
        ('{"translations": ["a"], "scores": [[1, null]]}', "a score is null, a number is expected"),
        ('{"translations": ["a"], "scores": [{}]}', "a score is {}, a number is expected"),
        ('{"translations": ["a"], "scores": [1e999]}', "the score is -inf, a finite number is expected"),
        ('{"translations": ["a"], "scores": [1' + "0" * 400 + "]}", "a score is too large"),
        ('{"translations": ["\\ud800"]}', "the text or a name contains a lone surrogate"),
        ('{"translations": ["|||"]}', "the word '|||' contains the field separator '|||'"),
        ('{"translations": ["a", "b"], "scores": [[1, 2], [1, 2, 3]]}', "feature 'FactorScore' has 2 values"),
    ],
    "fairseq": [
        ("H-0\t-0.5", "damaged H line (a score, a tab and the words are expected)"),
        ("H-0\tx\ta", "damaged H line (could not convert string to float: 'x')"),
        ("H-0\tnan\ta", "damaged H line ('nan' found, a finite number is expected)"),
        ("H-0\t-inf\ta", "damaged H line ('-inf' found, a finite number is expected)"),
        ("H-0\t1\ta |||", "the word '|||' contains the field separator '|||'"),
        ("H-9223372036854775808\t1\ta", "damaged H line (the sentence number 9223372036854775808 is too"),
        ("H-" + "9" * 5000 + "\t1\ta", "damaged H line (the sentence number 999"),
        ("H-0\t1\ta\nD-0\tx\ta", "damaged D line (could not convert string to float: 'x')"),
        ("H-0\t1\ta\nP-0\t1 x", "damaged P line (could not convert string to float: 'x')"),
        ("H-0\t1\ta\nP-0\t1 nan", "damaged P line ('nan' found, a finite number is expected)"),
        ("H-0\t1\ta\nP-0\tinf -inf", "damaged P line ('inf' found, a finite number is expected)"),
        ("H-0\t1\ta\nP-0\t1e308 1e308", "damaged P line ("),
        ("H-0\t1\ta\nA-0\t0--1", "damaged A line ('0--1' is not an alignment link)"),
        ("H-0\t1\ta\nA-0\t0", "damaged A line ('0' is not an alignment link)"),
        ("H-0\t1\ta\nA-0\t0-1" + "0" * 30, "damaged A line ('0-1000"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("format", "line", "message"),
    [(format, *case) for format, cases in WRONG.items() for case in cases],
    ids=itertools.count(),
)
def test_says_what_is_wrong_with_a_line(format: str, line: str, message: str) -> None:
    good = {
        "jsonl": '{"sentence": 0, "text": "a"}\n',
        "sockeye": '{"translations": ["a"]}\n',
        "fairseq": "H-0\t-1\ta\n",
    }[format]
    if line.startswith("+"):
        line = '{"sentence": 0, "text": "a", ' + line[1:]
    with pytest.raises(DataFormatError) as caught:
        read(format, good + line + "\n")
    assert caught.value.line == line.count("\n") + 2
    assert caught.value.problem.startswith(message)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("format", "text", "message"),
    [
        ("fairseq", "S-0\tx\n", "list: no hypotheses found"),
        ("fairseq", "nothing\n", "list: no hypotheses found"),
        ("jsonl", "\n \n", "list: no candidates in the file"),
        ("sockeye", '{"translations": []}\n', "list: no candidates in the file"),
        ("moses", "\n", "list:1: empty line"),
        ("marian", " \t\n", "list:1: empty line"),
    ],
)
def test_files_without_candidates(format: str, text: str, message: str) -> None:
    with pytest.raises(DataFormatError) as caught:
        read(format, text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("format", FORMATS)
def test_binary_files_and_bad_utf8_are_refused(format: str) -> None:
    for content in (b"\x7fELF\0\0\0", b"0 ||| a\0 ||| ||| 1\n"):
        with pytest.raises(DataFormatError, match="not a text file"):
            FORMATS[format].read([content], "list")
    with pytest.raises(DataFormatError, match="list:1: "):
        FORMATS[format].read([b'{"H-0\t1\t\xff ||| \xff ||| ||| 1"}\n'], "list")


def damaged(format: str, rng: random.Random) -> bytes:
    """A file of that format with some pieces removed, exchanged or repeated."""
    store = read_moses(moses_text(random_list(rng)))
    text = "".join(FORMATS[format].write(store)).encode()
    for _ in range(rng.randint(1, 4)):
        begin = rng.randint(0, len(text))
        end = min(len(text), begin + rng.randint(0, 8))
        pieces = [b"1e999", b"null", b"[]", b"{}", b'"', b"-1", b"\t", b"\n", b""]
        new = [*pieces, text[begin:end] * 2, rng.randbytes(2)]
        text = text[:begin] + rng.choice(new) + text[end:]
    return text


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "moses"])
@examples(150)
@given(seed=seeds)
def test_damaged_files_are_read_or_refused(format: str, seed: int) -> None:
    with contextlib.suppress(DataFormatError):
        FORMATS[format].read([damaged(format, random.Random(seed))], "list").check()


def test_unknown_formats(tmp_path: Path) -> None:
    (tmp_path / "list").write_bytes(b"0 ||| a ||| ||| 1\n")
    with pytest.raises(ConfigError, match="no n-best format is called 'bogus'; known are: moses, marian"):
        read_nbest(tmp_path / "list", format="bogus")
    assert read_nbest(tmp_path / "list").equals(read_moses(b"0 ||| a ||| ||| 1\n"))


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("name", "sentences", "candidates"),
    [
        ("nbest/europarl.nbest", 100, 10_000),
        ("fisher/dev.nbest.es", 3977, 22_615),
        ("nbest-nmt-multi30k/val.50best.gz", 1014, 50_667),
        pytest.param("nbest-multi30k/val.100best.gz", 1014, 101_400, marks=pytest.mark.slow),
    ],
)
def test_real_lists(corpora: Path, name: str, sentences: int, candidates: int) -> None:
    store = read_nbest(corpora / name)
    assert (store.num_sentences, store.num_candidates) == (sentences, candidates)
    lines = b"".join(read_chunks(corpora / name)).splitlines(keepends=True)
    some = list(itertools.islice(lines, 3000))
    slow = expected(parse_moses(b"".join(some)))
    assert exact(plain(store.select(range(len(some))))) == exact(slow)
    with scratch() as folder:
        for format in ("moses", "marian", "jsonl", "store"):
            assert losses(store, format) == []
            write_nbest(store, Path(folder) / format, format=format)
            assert read_nbest(Path(folder) / format, format=format).equals(store)
