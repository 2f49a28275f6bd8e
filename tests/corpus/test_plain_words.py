"""What is split and joined without the tool is what the tool makes of it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.corpus import plain_words
from isogloss.corpus.plain_words import join_plain, split_plain
from isogloss.corpus.synthetic.text import as_text, make_corpus

sacremoses: Any = pytest.importorskip("sacremoses")
LANGUAGES = ["en", "de", "fr", "it", "cs", "fi", "xx"]
TOOLS = {
    language: (sacremoses.MosesTokenizer(lang=language), sacremoses.MosesDetokenizer(lang=language))
    for language in LANGUAGES
}
LETTERS = [chr(code) for code in range(0x250) if chr(code).isalnum()]
words = st.text(st.sampled_from(LETTERS), min_size=1, max_size=6) | st.sampled_from(
    ["Mr", "No", "p", "z", "Nr", "1", "2009", "DOTMULTI", "St", "foo-bar", "a-b-c", "etc", "king"]
)
pieces = st.lists(
    st.tuples(words, st.sampled_from(["", "", "", ",", ";", ":", "!", "?", ".", "..", "'", " "]))
)


@settings(deadline=None, max_examples=200)
@given(pieces, st.sampled_from(LANGUAGES), st.booleans())
def test_plain_sentences_are_split_as_the_tool_does(
    given_words: list[tuple[str, str]], language: str, hyphens: bool
) -> None:
    text = " ".join(word + mark for word, mark in given_words)
    plain = split_plain(text, hyphens=hyphens)
    if plain is not None:
        tool = TOOLS[language][0]
        assert plain == tool.tokenize(text, escape=False, aggressive_dash_splits=hyphens)


@settings(deadline=None, max_examples=200)
@given(
    st.lists(words | st.sampled_from([*",;:!?.", "'", "..", "“", "@-@", "猫"])), st.sampled_from(LANGUAGES)
)
def test_plain_tokens_are_joined_as_the_tool_does(tokens: list[str], language: str) -> None:
    plain = join_plain(tokens, language)
    if plain is not None:
        assert plain == TOOLS[language][1].detokenize(tokens, unescape=False)


def test_every_letter_by_itself() -> None:
    for letter in LETTERS:
        for text in (letter, f"a{letter}b.", f"{letter}, x"):
            plain = split_plain(text)
            if plain is not None:
                assert plain == TOOLS["de"][0].tokenize(text, escape=False)


def test_most_sentences_are_plain() -> None:
    corpus = make_corpus(pairs=300, seed=3)
    plain = [split_plain(as_text(tokens)) for tokens in corpus.source]
    assert sum(tokens is not None for tokens in plain) > 150


def test_a_plain_sentence_needs_no_tool() -> None:
    program = (
        "import sys\nfrom isogloss.corpus.tokenizer import tokenizer\n"
        "tool = tokenizer('moses', 'en')\n"
        "assert tool.detokenize(tool.tokenize('The old king, he sleeps.')) == 'The old king, he sleeps.'\n"
        "print('sacremoses' in sys.modules)\n"
        "assert tool.tokenize('It was Mr.') == ['It', 'was', 'Mr.']\n"
        "print('sacremoses' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_without_a_list_of_abbreviations_a_full_stop_is_not_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_words.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(plain_words, "_abbreviations", plain_words._abbreviations.__wrapped__)
    assert split_plain("The king sleeps.") is None
    assert split_plain("The king sleeps!") == ["The", "king", "sleeps", "!"]
