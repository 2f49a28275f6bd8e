from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacremoses import MosesDetruecaser, MosesTruecaser

from isogloss import _engine
from isogloss.corpus.case import lowered
from isogloss.corpus.placeholders import MARK
from isogloss.corpus.synthetic.text import make_corpus
from isogloss.corpus.truecase import (
    Truecaser,
    load_truecaser,
    parse_truecaser,
    train_truecaser,
    undo_truecase,
)
from isogloss.io.errors import DataFormatError, ModelFormatError
from support.properties import examples
from support.unicode_properties import agrees

THEIRS = MosesTruecaser()
forms = st.sampled_from(
    ["the", "The", "THE", "a", "A", "Pope", "pope", "iPhone", "IPHONE", "ß", "ǅ", "3", "e.g."]
)
tokens = forms | st.sampled_from([".", "?", ":", "(", '"', "'", "[", ","])
sentences = st.lists(tokens, max_size=12)


@examples(100)
@given(counts=st.dictionaries(forms, st.integers(1, 9)), sentence=sentences)
def test_it_does_what_sacremoses_does(counts: dict[str, int], sentence: list[str]) -> None:
    ours = parse_truecaser((f"{form.lower()}\t{form}\t{count}" for form, count in counts.items()), "counts")
    casing: dict[str, Counter[str]] = defaultdict(Counter)
    for word, form, count in ours.rows():
        casing[word][form] = count
    THEIRS.model = THEIRS._casing_to_model(casing)
    assert ours.truecase(sentence) == THEIRS.truecase(" ".join(sentence), use_known=True)
    if "ß" not in sentence:  # to us, its title case is Ss
        assert undo_truecase(sentence) == MosesDetruecaser().detruecase(" ".join(sentence))


@examples(100)
@given(text=st.lists(st.lists(tokens, max_size=8), max_size=8))
def test_counting_agrees_with_sacremoses_inside_sentences(text: list[list[str]]) -> None:
    expected: Counter[str] = Counter()
    for sentence in text:
        for _, form, weight in THEIRS.learn_truecase_weights(["x", *sentence]):
            expected[form] += weight
    del expected["x"]
    trained = train_truecaser(" ".join(["X", *sentence]) for sentence in text)
    counts = Counter({form: count for _, form, count in trained.rows()})
    # We also learn from words that a sentence begins with in lower case.
    assert all(counts[form] == expected[form] for form in expected if not form[0].islower())
    assert all(counts[form] >= expected[form] for form in expected)


def test_save_and_load(tmp_path: Path) -> None:
    corpus = make_corpus(pairs=300, seed=1)
    trained = train_truecaser(map(" ".join, corpus.source))
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


@pytest.mark.parametrize("text", [["The", "", "1 2"], ["我 来到 北京"], []])
def test_nothing_to_learn_from(tmp_path: Path, text: list[str]) -> None:
    model = train_truecaser(text)
    model.save(tmp_path / "model.tsv")
    for case in (model, load_truecaser(tmp_path / "model.tsv")):
        assert case.truecase(["The", "北京"]) == case.usual(["The", "北京"]) == ["The", "北京"]


def test_marks_have_no_case() -> None:
    model = train_truecaser(["X ǁ0ǁ Files", "ǁ0ǁ files files"])
    assert model.truecase(["ǁ0ǁ", "FILES"]) == ["ǁ0ǁ", "files"]


words = st.text(st.characters(exclude_categories=["Cn"]), max_size=6).filter(lambda word: " " not in word)
words |= st.text("ΑΣσςΆ.'\u0301İIıiǅß", max_size=6)


@examples(200)
@given(text=st.text() | words, dotted=st.booleans())
def test_lower_case_is_that_of_python(text: str, dotted: bool) -> None:
    text = "".join(c for c in text if agrees(c))
    assert _engine.lowered(text, dotted) == lowered(text, "tr" if dotted else "en")


@examples(200)
@given(
    text=st.lists(st.lists(tokens | words, max_size=8), max_size=8), language=st.sampled_from(["en", "tr"])
)
def test_the_engine_counts_and_cases_as_the_rules_say(text: list[list[str]], language: str) -> None:
    text = [["".join(filter(agrees, token)) for token in sentence] for sentence in text]
    lines = [" ".join(sentence) for sentence in text]
    model = train_truecaser(lines, language)
    counts = counted(lines)
    best: dict[str, str] = {}
    for form in sorted(counts, key=lambda form: (lowered(form, language), -counts[form], form)):
        best.setdefault(lowered(form, language), form)
    rows = {form: count for _, form, count in model.rows()}
    assert rows == counts
    for line in lines:
        sentence = line.split(" ") if line else []
        usual = [best.get(lowered(token, language), token) for token in sentence]
        assert model.usual(sentence) == usual
        assert model.truecase(sentence) == [
            form if begins or not counts.get(token) else token
            for token, form, begins in zip(sentence, usual, beginnings(sentence), strict=True)
        ]
        for token, form in zip(sentence, usual, strict=True):
            assert model.usual_form(token) == (form if counts.get(form) else None)
    assert model.usual_lines(lines * 600, threads=4) == model.usual_lines(lines * 600)


def counted(lines: list[str]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for line in lines:
        begins = True
        for token in line.split(" "):
            if not MARK.fullmatch(token) and any(c.title() != c or c.lower() != c for c in token):
                counts[token] += not begins or token[:1].islower()
            if token not in ("(", "[", '"', "'", "&apos;", "&quot;", "&#91;", "&#93;"):
                begins = not begins and token in (".", ":", "?", "!")
    return dict(counts)


def beginnings(sentence: list[str]) -> list[bool]:
    """Whether a sentence begins at each token, for a text that may have several."""
    found = []
    begins = True
    for token in sentence:
        found.append(begins)
        if token not in ("(", "[", '"', "'", "&apos;", "&quot;", "&#91;", "&#93;"):
            begins = token in (".", ":", "?", "!")
    return found


@pytest.mark.parametrize("name", ["slots", "word_ends", "word_forms", "form_ends", "counts"])
def test_wrong_arrays_give_an_error_or_wrong_case(name: str) -> None:
    arrays = train_truecaser(["x the user", "x the User", "x IP"]).arrays
    for value in (0, 1, 2, 3, 2**31, 2**32 - 1):
        wrong = arrays | {name: np.full_like(arrays[name], value)}
        model = Truecaser(wrong)
        model.truecase(["User", "the", "IP", "x"])
        model.usual(["User", "the", "IP", "x"])
    with pytest.raises(ValueError, match="same size"):
        Truecaser(arrays | {name: arrays[name][: len(arrays[name]) - 1]})


def test_a_form_that_is_no_text_is_named() -> None:
    arrays = dict(train_truecaser(["x the Pope", "x the Pope"]).arrays)
    arrays["form_bytes"] = np.full_like(arrays["form_bytes"], 0xFF)
    damaged = Truecaser(arrays, path="engine/text")
    for use in (damaged.truecase, damaged.usual):
        with pytest.raises(ModelFormatError, match=r"engine/text: the table of case is damaged"):
            use(["the", "pope", "Pope"])
    with pytest.raises(ModelFormatError, match="damaged"):
        damaged.rows()
