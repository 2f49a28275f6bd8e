from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.corpus.synthetic.text import as_text, make_corpus
from isogloss.corpus.tokenizer import TOKENIZERS, Tokenizer, tokenizer, usual_tokenizer
from isogloss.io.errors import ConfigError, MissingExtraError
from support.properties import examples

ORDINARY = [
    "Hello, world!",
    "It's the King's dog; isn't it?",
    'He said: "Come in" and left.',
    "Prices rose by 3.5 % (from $1,250 to $1,300).",
    "Mr. Smith met Dr. Jones at 5 p.m. in Washington, D.C., on the 3rd.",
    "A well-known half-truth - or not...",
    "Fish & chips <3 [sic]",
    "one/two",
]


def needs(package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        importlib.util.find_spec(package) is None, reason=f"{package} is an extra and not installed"
    )


def test_moses_splits_as_the_scripts_do() -> None:
    assert tokenizer("moses", "en").tokenize("It's 3.5 %, isn't it (Mr. X)?") == [
        *("It", "'s", "3.5", "%", ",", "isn", "'t", "it", "(", "Mr.", "X", ")", "?")
    ]
    assert tokenizer("moses", "fr").tokenize("C'est l'été.") == ["C'", "est", "l'", "été", "."]


def test_nothing_is_escaped() -> None:
    text = "a & b | c < d [e] 'f' \"g\""
    tokens = tokenizer("moses", "en").tokenize(text)
    assert set("".join(tokens)) <= set(text)
    assert tokenizer("moses", "en").detokenize(["&amp;", "x"]) == "&amp; x"


@pytest.mark.parametrize("text", ORDINARY)
def test_moses_round_trip(text: str) -> None:
    tool = tokenizer("moses", "en")
    again = tool.detokenize(tool.tokenize(text))
    assert tool.tokenize(again) == tool.tokenize(text)
    if text not in ("Fish & chips <3 [sic]", "one/two", "Prices rose by 3.5 % (from $1,250 to $1,300)."):
        assert again == text


def test_moses_round_trip_on_a_corpus() -> None:
    corpus = make_corpus(pairs=500, seed=3)
    tool = tokenizer("moses", "en")
    for tokens in corpus.source:
        text = as_text(tokens)
        assert tool.detokenize(tool.tokenize(text)) == text
        assert [token.lower() for token in tool.tokenize(text)] == [token.lower() for token in tokens]


def test_hyphens_are_cut_and_joined() -> None:
    tool = tokenizer("moses-hyphens", "de")
    tokens = ["TCP", "@-@", "Port", "von", "ǁ0ǁ", "-Typ", "-", "und", "neu", "@-@", "alt", "."]
    assert tool.tokenize("TCP-Port von ǁ0ǁ -Typ - und neu-alt.") == tokens
    assert tool.detokenize(tokens) == "TCP-Port von ǁ0ǁ -Typ - und neu-alt."


@pytest.mark.parametrize("name", ["words", "moses", "moses-hyphens", "none", "characters", "syllables"])
@examples(80)
@given(text=st.text())
def test_tokens_can_be_written_with_spaces_between(name: str, text: str) -> None:
    tokens = tokenizer(name, "en").tokenize(text)
    assert " ".join(tokens).split() == tokens


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("km", "ឈ្មោះ និង a b ។", "ឈ្មោះ និ ង a b ។"),
        ("th", "ใส่ชื่อ 5 ครั้ง, เก่า และ", "ใส่ ชื่ อ 5 ค รั้ ง , เก่า และ"),
        ("my", "ကျေးဇူး", "ကျေး ဇူး"),
        ("lo", "ກະລຸນາ", "ກະ ລຸ ນາ"),
    ],
)
def test_vowels_and_tones_stay_with_their_consonant(language: str, text: str, expected: str) -> None:
    assert usual_tokenizer(language) == "syllables"
    tokens = tokenizer("syllables", language).tokenize(text)
    assert " ".join(tokens) == expected
    assert "".join(tokens) == text.replace(" ", "")


def test_characters() -> None:
    tool = tokenizer("characters", "zh")
    tokens = tool.tokenize("我在GitHub 2024上，很好 very good。")
    assert tokens == ["我", "在", "GitHub", "2024", "上", "，", "很", "好", "very", "good", "。"]
    assert tool.detokenize(tokens) == "我在GitHub 2024上，很好very good。"


@needs("jieba")
@pytest.mark.filterwarnings("ignore")
def test_jieba(capfd: pytest.CaptureFixture[str]) -> None:
    tool = tokenizer("jieba", "zh")
    tokens = tool.tokenize("我来到北京清华大学 ǁ0ǁ hello world。")
    assert tokens == ["我", "来到", "北京", "清华大学", "ǁ0ǁ", "hello", "world", "。"]
    assert tool.detokenize(["我", "来到", "北京"]) == "我来到北京"
    assert capfd.readouterr().err == ""


@needs("fugashi")
def test_fugashi() -> None:
    tool = tokenizer("fugashi", "ja")
    tokens = tool.tokenize("東京に住む ǁ12ǁ。")
    assert tokens == ["東京", "に", "住む", "ǁ12ǁ", "。"]
    assert tool.detokenize(tokens) == "東京に住む ǁ12ǁ。".replace(" ", "")


@pytest.mark.parametrize(
    ("name", "package", "extra"), [("jieba", "jieba", "zh"), ("fugashi", "fugashi", "ja")]
)
def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, package: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"isogloss\[{extra}\]"):
        tokenizer(name, "xx")


def test_ones_own_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    class Letters:
        def __init__(self, language: str) -> None:
            self.language = language

        def tokenize(self, text: str) -> list[str]:
            return [letter for letter in text if not letter.isspace()]

        def detokenize(self, tokens: Sequence[str]) -> str:
            return "".join(tokens)

    def use(tool: Tokenizer) -> str:
        return tool.detokenize(tool.tokenize("a b"))

    monkeypatch.setitem(TOKENIZERS, "letters", Letters)
    assert use(tokenizer("letters", "en")) == "ab"
    with pytest.raises(ConfigError, match="unknown tokenizer 'other'; known are words, moses, moses-hyphens"):
        tokenizer("other", "en")


@pytest.mark.corpora
@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_real_text_comes_back(corpora: Path, language: str) -> None:
    lines = (corpora / "multi30k" / f"val.{language}").read_text(encoding="utf-8").splitlines()
    tool = tokenizer("moses", language)
    same = sum(tool.detokenize(tool.tokenize(line)) == " ".join(line.split()) for line in lines)
    assert same / len(lines) > 0.985


@pytest.mark.parametrize("name", ["characters", "syllables", "fugashi", "jieba"])
def test_latin_names_and_numbers_stay_whole_in_scripts_without_spaces(name: str) -> None:
    if name in ("fugashi", "jieba"):
        pytest.importorskip(name)
    tokens = tokenizer(name, "ja").tokenize("例contact_page.html、3.5字 http://a.b/c")
    assert [token for token in tokens if token.isascii()] == ["contact_page.html", "3.5", "http://a.b/c"]
