"""Every kind of broken ARPA file is an error with its line; what other tools write is read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
import zstandard

from isogloss.io.errors import DataFormatError, ModelFormatError
from isogloss.lm import LanguageModel

GOOD = """\\data\\
ngram 1=5
ngram 2=3
ngram 3=1

\\1-grams:
-2\t<unk>\t0
-99\t<s>\t-0.5
-1\t</s>\t0
-0.7\ta\t-0.3
-0.8\tb\t-0.1

\\2-grams:
-0.4\t<s> a\t-0.2
-0.25\ta b\t-0.15
-0.35\tb </s>

\\3-grams:
-0.05\t<s> a b

\\end\\
"""


def load(tmp_path: Path, text: str) -> LanguageModel:
    path = tmp_path / "model.arpa"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return LanguageModel.load(path)


def edited(old: str, new: str) -> str:
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def test_a_good_file(tmp_path: Path) -> None:
    model = load(tmp_path, GOOD)
    assert (model.order, model.counts, model.has_unknown) == (3, (5, 3, 1), True)
    assert [round(w.log10, 6) for w in model.score_words("a b")] == [-0.4, -0.05, -0.5]
    assert [w.matched for w in model.score_words("a b")] == [2, 3, 2]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "ends before"),
        ("\n\n", 2, "ends before"),
        ("Hello\n", 1, "expected, found 'Hello'; is this an ARPA file?"),
        (edited("ngram 2=3", "ngram 2 3"), 3, "a line like 'ngram 1=5000' expected"),
        (edited("ngram 2=3", "ngram 2=-3"), 3, "a line like"),
        (edited("ngram 2=3", "ngram 3=3"), 3, "the count of 2-grams expected, found that of 3-grams"),
        (edited("ngram 2=3", "ngram 8=3"), 3, "order 8; at most 7"),
        (edited("ngram 2=3", "ngram 2=99999999999"), 3, "more than"),
        (edited("ngram 2=3", "ngram 2=4"), 17, "announces 4 2-grams, the section has 3"),
        (edited("ngram 2=3", "ngram 2=2"), 16, "announces 2 2-grams, the section has more"),
        (edited("ngram 1=5", "ngram 1=6"), 12, "announces 6 1-grams, the section has 5"),
        (edited("ngram 3=1", "ngram 3=0"), 19, "announces 0 3-grams, the section has more"),
        (edited("ngram 3=1\n", "ngram 3=1\nngram 4=1\n"), 22, "announces 4 orders, the file ends after 3"),
        (edited("ngram 3=1\n", ""), 13, "an n-gram of the highest order has a back-off weight, '-0.2'"),
        (
            GOOD.replace("ngram 3=1\n", "").replace("-0.2\n", "0\n").replace("\t-0.15", ""),
            17,
            "'\\end\\' expected, found '\\3-grams:'",
        ),
        ("\\data\\\n\\1-grams:\n", 2, "no 'ngram 1"),
        (edited("\\2-grams:", "\\3-grams:"), 13, "'\\2-grams:' expected, found '\\3-grams:'"),
        (edited("\\2-grams:", "2-grams:"), 13, "a section's n-grams end at an empty line, found '2-grams:'"),
        (edited("\\1-grams:", "nonsense"), 6, "'\\1-grams:' expected, found 'nonsense'"),
        (edited("-0.25\ta b\t-0.15", "-0.25\ta b\t-0.15\tmore"), 15, "2 words and perhaps a back-off"),
        (edited("-0.25\ta b\t-0.15", "-0.25\ta"), 15, "found 2 fields"),
        (edited("-0.7\ta\t-0.3", "-0.7"), 10, "1 word and perhaps a back-off weight expected, found 1 field"),
        (edited("-0.7\ta", "x\ta"), 10, "log probability 'x' is not a finite number"),
        (edited("-0.7\ta", "nan\ta"), 10, "log probability 'nan' is not a finite number"),
        (edited("-0.7\ta", "-inf\ta"), 10, "log probability '-inf' is not a finite number"),
        (edited("-0.7\ta", "-1e99\ta"), 10, "log probability '-1e99' is not a finite number"),
        (edited("-0.7\ta", "0.1\ta"), 10, "log probability '0.1' is positive"),
        (edited("a\t-0.3", "a\tnan"), 10, "back-off weight 'nan' is not a finite number"),
        (edited("<s> a b", "<s> a b\t-1"), 19, "an n-gram of the highest order has a back-off weight, '-1'"),
        (edited("-0.8\tb", "-0.8\ta"), 11, "the word 'a' occurs twice among the 1-grams"),
        (
            edited("-0.25\ta b\t-0.15", "-0.25\t<s> a\t-0.15"),
            15,
            "this 2-gram occurs twice",
        ),
        (edited("-0.25\ta b", "-0.25\ta c"), 15, "the word 'c' is not among the 1-grams"),
        (edited("-99\t<s>", "-99\tx"), 12, "the 1-grams have no <s>"),
        (edited("-1\t</s>", "-1\tx"), 12, "the 1-grams have no </s>"),
        (edited("\\end\\\n", ""), 20, "ends without '\\end\\'"),
        (edited("<s> a b\n\n\\end\\\n", "<s> a b"), 19, "ends without '\\end\\'"),
        (GOOD + "more\n", 22, "nothing is expected after"),
        (edited("-0.7\ta", "-0.7\t\udcff"), 10, "not valid UTF-8"),
        (edited("-0.7\ta", "-0.7\t" + "a" * (1 << 20)), 10, "longer than a million bytes"),
    ],
    ids=range(39),
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    with pytest.raises(DataFormatError) as caught:
        load(tmp_path, text)
    assert message in str(caught.value)
    assert caught.value.line == line


def test_duplicates_are_found_at_their_own_line(tmp_path: Path) -> None:
    text = edited("ngram 2=3", "ngram 2=4").replace("-0.35\tb </s>\n", "-0.35\tb </s>\n-1\t<s> a\n")
    with pytest.raises(DataFormatError) as caught:
        load(tmp_path, text)
    assert caught.value.line == 17


def test_a_model_without_an_unknown_word(tmp_path: Path) -> None:
    model = load(tmp_path, edited("-2\t<unk>\t0\n", "").replace("ngram 1=5", "ngram 1=4"))
    assert not model.has_unknown
    assert model.score_words("zzz")[0].log10 == pytest.approx(-100.5)
    model.save(tmp_path / "binary")
    assert not LanguageModel.load(tmp_path / "binary").has_unknown


def test_forms_that_other_tools_write(tmp_path: Path) -> None:
    expected = load(tmp_path, GOOD).score("a b a zzz b")
    variants = [
        GOOD.replace("\n", "\r\n"),
        GOOD.replace("\t", " "),
        "\n\n" + GOOD,
        "\ufeff" + GOOD,
        GOOD.replace("<unk>", "<UNK>"),
        GOOD.replace("ngram 1=5", "ngram  1=  5"),
        GOOD.replace("<s> a b", "<s> a b\t0"),
        GOOD.replace("\n\n\\", "\n\n\n\\"),
        GOOD.replace("\n\n\\", "\n\\"),
        GOOD.replace("-0.7\t", "-7.0e-1\t"),
        GOOD + "\n\n",
        GOOD.rstrip(),
    ]
    for text in variants:
        assert load(tmp_path, text).score("a b a zzz b") == expected


def test_packed_files_and_files_that_are_cut_off(tmp_path: Path) -> None:
    expected = load(tmp_path, GOOD).score("a b")
    data = GOOD.encode()
    for packed in (gzip.compress(data), zstandard.compress(data)):
        (tmp_path / "packed").write_bytes(packed)
        assert LanguageModel.load(tmp_path / "packed").score("a b") == expected
        (tmp_path / "packed").write_bytes(packed[:-9])
        with pytest.raises(DataFormatError):
            LanguageModel.load(tmp_path / "packed")
    for end in range(len(data) - 6):
        (tmp_path / "cut").write_bytes(data[:end])
        with pytest.raises(DataFormatError):
            LanguageModel.load(tmp_path / "cut")


def test_an_order_without_n_grams(tmp_path: Path) -> None:
    text = GOOD.replace("ngram 3=1", "ngram 3=0").replace("-0.05\t<s> a b\n", "")
    assert load(tmp_path, text).score_words("a b")[1].log10 == pytest.approx(-0.45)


def test_only_words(tmp_path: Path) -> None:
    text = "\\data\\\nngram 1=3\n\n\\1-grams:\n-1 <s>\n-0.5 </s>\n-0.25 a\n\n\\end\\\n"
    model = load(tmp_path, text)
    assert model.score("a a") == pytest.approx(-1.0)
    model.save(tmp_path / "binary")
    assert LanguageModel.load(tmp_path / "binary").score("a a") == pytest.approx(-1.0)


def test_back_off_weights_that_make_probabilities_above_1(tmp_path: Path) -> None:
    text = (
        "\\data\\\nngram 1=4\nngram 2=1\n\n\\1-grams:\n-1\t<unk>\n-9\t<s>\t0\n-0.5\ta\t5\n-0.7\t</s>\n\n"
        "\\2-grams:\n-0.1\t<s> a\n\n\\end\\\n"
    )
    model = load(tmp_path, text)
    assert model.score_words("a")[-1].log10 == pytest.approx(4.3)
    with pytest.raises(ModelFormatError, match="gives sentence 2 a probability above 1; its back-off"):
        model.perplexity(["", "a"])
