from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacremoses import MosesDetruecaser, MosesTruecaser

from isogloss.corpus.synthetic.text import make_corpus
from isogloss.corpus.truecase import Truecaser, load_truecaser, train_truecaser, undo_truecase
from isogloss.io.errors import DataFormatError
from support.properties import examples

THEIRS = MosesTruecaser()
forms = st.sampled_from(
    ["the", "The", "THE", "a", "A", "Pope", "pope", "iPhone", "IPHONE", "ß", "ǅ", "3", "e.g."]
)
tokens = forms | st.sampled_from([".", "?", ":", "(", '"', "'", "[", ","])
sentences = st.lists(tokens, max_size=12)


@examples(100)
@given(counts=st.dictionaries(forms, st.integers(1, 9)), sentence=sentences)
def test_it_does_what_sacremoses_does(counts: dict[str, int], sentence: list[str]) -> None:
    ours = Truecaser(counts)
    casing: dict[str, Counter[str]] = defaultdict(Counter)
    for word, form, count in ours._rows():
        casing[word][form] = count
    THEIRS.model = THEIRS._casing_to_model(casing)
    assert ours.truecase(sentence) == THEIRS.truecase(" ".join(sentence), use_known=True)
    assert undo_truecase(sentence) == MosesDetruecaser().detruecase(" ".join(sentence))


@examples(100)
@given(text=st.lists(st.lists(tokens, max_size=8), max_size=8))
def test_counting_agrees_with_sacremoses_inside_sentences(text: list[list[str]]) -> None:
    expected: Counter[str] = Counter()
    for sentence in text:
        for _, form, weight in THEIRS.learn_truecase_weights(["x", *sentence]):
            expected[form] += weight
    del expected["x"]
    counts = Counter(train_truecaser(["X", *sentence] for sentence in text)._counts)
    # We also learn from words that a sentence begins with in lower case.
    assert all(counts[form] == expected[form] for form in expected if not form[0].islower())
    assert all(counts[form] >= expected[form] for form in expected)


def test_save_and_load(tmp_path: Path) -> None:
    corpus = make_corpus(pairs=300, seed=1)
    trained = train_truecaser(corpus.source)
    trained.save(tmp_path / "model.tsv")
    first = (tmp_path / "model.tsv").read_text(encoding="utf-8").splitlines()[0].split("\t")
    assert len(first) == 3
    loaded = load_truecaser(tmp_path / "model.tsv")
    for sentence in corpus.source:
        begun = undo_truecase(sentence)
        assert loaded.truecase(begun) == trained.truecase(begun)
    same = sum(trained.truecase(undo_truecase(sentence)) == sentence for sentence in corpus.source)
    assert same > 0.95 * len(corpus)


@pytest.mark.parametrize(
    "line",
    ["the\tThe", "the\tThe\tmany", "the\tThe\t-1", "the\tother\t3", "", "a\tA\t1\t2", "a\tA\t" + "9" * 5000],
)
def test_a_broken_model(tmp_path: Path, line: str) -> None:
    path = tmp_path / "model.tsv"
    path.write_text(f"dog\tdog\t3\n{line}\n")
    with pytest.raises(DataFormatError, match=r"model\.tsv:2: a word in lower case, a form of it"):
        load_truecaser(path)


@pytest.mark.parametrize("text", [[["The"], [], ["1", "2"]], [["我", "来到", "北京"]], []])
def test_nothing_to_learn_from(tmp_path: Path, text: list[list[str]]) -> None:
    model = train_truecaser(text)
    model.save(tmp_path / "model.tsv")
    for case in (model, load_truecaser(tmp_path / "model.tsv")):
        assert case.truecase(["The", "北京"]) == case.usual(["The", "北京"]) == ["The", "北京"]


def test_marks_have_no_case() -> None:
    model = train_truecaser([["X", "ǁ0ǁ", "Files"], ["ǁ0ǁ", "files", "files"]])
    assert model.truecase(["ǁ0ǁ", "FILES"]) == ["ǁ0ǁ", "files"]
