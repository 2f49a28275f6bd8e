"""What is joined without the tool is what the tool makes of it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.corpus.plain_words import join_plain

sacremoses: Any = pytest.importorskip("sacremoses")
LANGUAGES = ["en", "de", "fr", "it", "cs", "fi", "xx"]
TOOLS = {language: sacremoses.MosesDetokenizer(lang=language) for language in LANGUAGES}
LETTERS = [chr(code) for code in range(0x250) if chr(code).isalnum()]
words = st.text(st.sampled_from(LETTERS), min_size=1, max_size=6) | st.sampled_from(
    ["Mr", "No", "p", "z", "Nr", "1", "2009", "DOTMULTI", "St", "foo-bar", "a-b-c", "etc", "king"]
)


@settings(deadline=None, max_examples=200)
@given(
    st.lists(words | st.sampled_from([*",;:!?.", "'", "..", "“", "@-@", "猫"])), st.sampled_from(LANGUAGES)
)
def test_plain_tokens_are_joined_as_the_tool_does(tokens: list[str], language: str) -> None:
    plain = join_plain(tokens, language)
    if plain is not None:
        assert plain == TOOLS[language].detokenize(tokens, unescape=False)


def test_a_plain_sentence_needs_no_tool() -> None:
    program = (
        "import sys\nfrom isogloss.corpus.tokenizer import tokenizer\n"
        "tool = tokenizer('moses', 'en')\n"
        "assert tool.detokenize(tool.tokenize('The old king, he sleeps.')) == 'The old king, he sleeps.'\n"
        "print('sacremoses' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
