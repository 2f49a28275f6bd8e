"""Codes of languages: as files and people write them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.corpus.filters import detokenize_file, tokenize_file
from isogloss.corpus.languages import (
    base_language,
    checked_language,
    is_known,
    language_in_name,
    language_of_script,
    language_tag,
)
from isogloss.corpus.processing import SideOptions
from isogloss.io.errors import ConfigError
from support.properties import examples


@pytest.mark.parametrize(
    ("written", "tag"),
    [
        ("EN", "en"),
        ("zh_CN", "zh-CN"),
        ("zh_Hant_TW", "zh-Hant-TW"),
        ("ca@valencia", "ca-valencia"),
        ("uz@cyrillic", "uz-Cyrl"),
        ("de_DE.UTF-8@euro", "de-DE"),
        ("es-419", "es-419"),
        ("de-CH-1996", "de-CH-1996"),
        ("en-US-x-ours", "en-US-x-ours"),
        ("x-klingon", "x-klingon"),
        ("iw", "he"),
        ("", ""),
        ("e", ""),
        ("Turkish", ""),
        ("en--US", ""),
        ("en-", ""),
    ],
)
def test_tags(written: str, tag: str) -> None:
    assert language_tag(written) == tag


@examples(100)
@given(text=st.text(max_size=12) | st.from_regex(r"[a-z]{2,3}([-_][A-Za-z]{2,4}){0,2}", fullmatch=True))
def test_a_tag_stays_what_it_is(text: str) -> None:
    tag = language_tag(text)
    assert language_tag(tag) == tag
    if tag:
        assert checked_language(text, "language") == tag
        assert base_language(tag) == tag.split("-")[0]


@pytest.mark.parametrize(
    ("name", "code"),
    [("turkish", "tr"), ("Français", "fr"), ("Norwegian Bokmal", "nb"), ("Scottish gaelic", "gd")],
)
def test_names_are_known(name: str, code: str) -> None:
    with pytest.raises(ConfigError, match=f"for '{name}', give {code}"):
        checked_language(name, "language")
    assert is_known(code)


def test_filters_refuse_names_too(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("Merhaba!\n")
    options = SideOptions(tokenizer="words", language="Turkish")
    for work in (tokenize_file, detokenize_file):
        with pytest.raises(ConfigError, match="for 'Turkish', give tr"):
            work(tmp_path / "text", tmp_path / "out", options)
    tokenize_file(tmp_path / "text", tmp_path / "out", replace(options, language="tr_TR"))
    assert (tmp_path / "out").read_text() == "Merhaba !\n"


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("train.de", "de"),
        ("train.en.0", "en"),
        ("train.pt_BR.zst", "pt-BR"),
        ("de", ""),
        ("a.txt", ""),
        ("a.src", ""),
        ("a.po", ""),
        ("it.po", "it"),
        ("app-it.po", "it"),
        ("locale/uk/LC_MESSAGES/app.po", "uk"),
        ("memory.tmx", ""),
        ("a.und", ""),
    ],
)
def test_languages_in_names(path: str, language: str) -> None:
    assert language_in_name(path) == language


def test_a_script_tells_a_language_or_does_not() -> None:
    assert language_of_script(["안녕하세요 World"]) == "ko"
    assert language_of_script(["גן", "בית"]) == "he"
    assert language_of_script(["Привет"]) == language_of_script([]) == ""
