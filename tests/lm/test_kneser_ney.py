"""Estimation against a literal implementation of the equations."""

from __future__ import annotations

import gzip
import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from isogloss._engine import Vocabulary
from isogloss.io.errors import ConfigError, DataFormatError, OutputError
from isogloss.lm import LanguageModel, LmOptions, build
from isogloss.lm import counts as counts_module
from isogloss.lm.arpa import write_arpa
from isogloss.lm.counts import count_ngrams
from isogloss.lm.estimation import estimate_model
from isogloss.lm.kneser_ney import discounts_of, estimate
from isogloss.lm.scratch import Scratch
from support.lm_oracles import BackoffModel, kneser_ney
from support.properties import examples

WORDS = [*"abcdefg", "ärger", "日本"]
sentences = st.lists(st.lists(st.sampled_from(WORDS), max_size=9), min_size=1, max_size=25).filter(any)
SHARED_FOLDER = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
relaxed = examples(60, suppress_health_check=SHARED_FOLDER)


def write(path: Path, lines: Sequence[Sequence[str]]) -> Path:
    path.write_text("".join(" ".join(line) + "\n" for line in lines), encoding="utf-8")
    return path


def assert_same(found: BackoffModel, expected: BackoffModel) -> None:
    assert found.probs.keys() == expected.probs.keys()
    for ngram, prob in expected.probs.items():
        assert found.probs[ngram] == pytest.approx(prob, abs=2e-6), ngram
        assert found.backoffs.get(ngram, 0.0) == pytest.approx(expected.backoffs.get(ngram, 0.0), abs=2e-6)


def built(tmp_path: Path, lines: Sequence[Sequence[str]], **options: object) -> BackoffModel:
    arpa = tmp_path / "model.arpa"
    build([write(tmp_path / "text", lines)], options=LmOptions(**options), arpa=arpa)  # type: ignore[arg-type]
    return BackoffModel.parse(arpa.read_text("utf-8"))


@relaxed
@given(lines=sentences, order=st.integers(1, 6), prune=st.lists(st.integers(0, 3), min_size=1, max_size=3))
def test_every_weight_is_the_literal_one(
    tmp_path: Path, lines: list[list[str]], order: int, prune: list[int]
) -> None:
    prune = sorted(prune)[:order]
    found = built(tmp_path, lines, order=order, prune=tuple(prune))
    assert_same(found, kneser_ney(lines, order, prune))


def test_discounts_are_estimated_where_counts_allow(tmp_path: Path) -> None:
    choose = random.Random(3)
    words = [f"w{i}" for i in range(40)]
    weights = [1 / (i + 1) for i in range(40)]
    lines = [choose.choices(words, weights, k=choose.randint(1, 12)) for _ in range(400)]
    report = build([write(tmp_path / "text", lines)], options=LmOptions(order=3), arpa=tmp_path / "a")
    assert [d.fallback for d in report.discounts][1:] == [None, None]
    assert report.sentences == 400
    assert report.words == sum(map(len, lines))
    found = BackoffModel.parse((tmp_path / "a").read_text())
    assert_same(found, kneser_ney(lines, 3))
    assert report.counts == tuple(sum(len(g) == k for g in found.probs) for k in (1, 2, 3))


@relaxed
@given(lines=sentences, order=st.integers(1, 4))
def test_probabilities_of_every_context_sum_to_one(
    tmp_path: Path, lines: list[list[str]], order: int
) -> None:
    model = built(tmp_path, lines, order=order, prune=(0, 1)[:order])
    words = [g[0] for g in model.probs if len(g) == 1 and g != ("<s>",)]
    for context in [(), *(g for g in model.backoffs if g[-1] != "</s>")][:20]:
        total = math.fsum(10 ** model.score(context, word)[0] for word in words)
        assert total == pytest.approx(1.0, abs=1e-5)


@examples(25, suppress_health_check=SHARED_FOLDER)
@given(
    files=st.lists(sentences, min_size=1, max_size=6), order=st.integers(1, 5), memory=st.integers(1, 3000)
)
def test_runs_on_disk_change_nothing(
    tmp_path: Path, files: list[list[list[str]]], order: int, memory: int
) -> None:
    corpus = [write(tmp_path / f"text{i}", lines) for i, lines in enumerate(files)]
    texts = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts_module, "_LEAST_BLOCK", 1)
        patch.setattr(counts_module, "_STEP", 7)
        for bound in (1 << 30, memory):
            scratch = Scratch(bound, tmp_path)
            counts = count_ngrams(
                corpus,
                order=order,
                prune=(0,),
                special_as_unknown=False,
                vocabulary=None,
                scratch=scratch,
                threads=2,
            )
            model = estimate(counts, fallback=(0.5, 1.0, 1.5), scratch=scratch, threads=1)
            write_arpa(tmp_path / "out", model, scratch=scratch, threads=1)
            texts.append((tmp_path / "out").read_bytes())
    assert texts[0] == texts[1]
    assert {p.name for p in tmp_path.iterdir()} <= {"out", *(f"text{i}" for i in range(6))}


def test_the_model_does_not_depend_on_threads_or_memory(tmp_path: Path) -> None:
    choose = random.Random(1)
    words = [f"w{i}" for i in range(300)]
    corpus = write(tmp_path / "text", [choose.choices(words, k=12) for _ in range(9000)])
    outputs = []
    for threads, memory in ((1, 1 << 30), (3, 1 << 30), (2, 1 << 20)):
        report = build(
            [corpus],
            options=LmOptions(order=4),
            arpa=tmp_path / "arpa",
            binary=tmp_path / "binary",
            threads=threads,
            memory_limit=memory,
            scratch=tmp_path,
        )
        assert (report.spilled_bytes > 0) == (memory == 1 << 20)
        outputs.append(((tmp_path / "arpa").read_bytes(), binary_content(tmp_path / "binary")))
    assert outputs[0] == outputs[1] == outputs[2]


def binary_content(folder: Path) -> dict[str, bytes]:
    return {file.name.rpartition("-")[0]: file.read_bytes() for file in folder.glob("*.bin")}


@examples(12, suppress_health_check=SHARED_FOLDER)
@given(lines=sentences, order=st.integers(1, 5), prune=st.sampled_from([(0,), (0, 1), (1,)]))
def test_binary_and_arpa_of_one_estimate_are_the_same_model(
    tmp_path: Path, lines: list[list[str]], order: int, prune: tuple[int, ...]
) -> None:
    corpus = write(tmp_path / "text", lines)
    build(
        [corpus],
        options=LmOptions(order=order, prune=prune[:order]),
        arpa=tmp_path / "arpa",
        binary=tmp_path / "built",
    )
    LanguageModel.load(tmp_path / "arpa").save(tmp_path / "read")
    one, other = LanguageModel.load(tmp_path / "built"), LanguageModel.load(tmp_path / "read")
    text = [" ".join(line) for line in lines] + ["a b zzz c", "g f e d c b a a"]
    assert one.score_sentences(text).tolist() == other.score_sentences(text).tolist()
    assert one.counts == other.counts
    if prune == (0,):  # then both number the words in the same way, and the tables are the same bytes
        assert binary_content(tmp_path / "built") == binary_content(tmp_path / "read")


def test_a_given_vocabulary_keeps_its_numbers(tmp_path: Path) -> None:
    vocabulary = Vocabulary()
    for word in ("never", "b", "also-never", "a"):
        vocabulary.add(word)
    corpus = write(tmp_path / "text", [["a", "b", "c"], ["b", "a"]])
    build([corpus], options=LmOptions(order=3), binary=tmp_path / "given", vocabulary=vocabulary)
    build([corpus], options=LmOptions(order=3), binary=tmp_path / "own", arpa=tmp_path / "arpa")
    given, own = LanguageModel.load(tmp_path / "given"), LanguageModel.load(tmp_path / "own")
    assert [given.engine.find(w) for w in ("b", "a")] == [1, 3]
    assert not given.engine.known(0)
    assert given.word_ids(vocabulary).tolist()[:4] == [given.engine.unknown, 1, given.engine.unknown, 3]
    text = ["a b c", "never a also-never b", "c c"]
    assert given.score_sentences(text).tolist() == own.score_sentences(text).tolist()
    assert given.counts == own.counts == (6, 7, 5)
    again = Vocabulary()
    for word in ("x", "b"):
        again.add(word)
    read = LanguageModel.load(tmp_path / "arpa", vocabulary=again)
    assert read.engine.find("b") == 1
    assert read.score_sentences(text).tolist() == own.score_sentences(text).tolist()


def test_special_words_in_the_text(tmp_path: Path) -> None:
    corpus = write(tmp_path / "text", [["a", "b"], ["a", "<unk>", "b"], ["</s>", "a"]])
    with pytest.raises(DataFormatError, match=r"text:2: the word '<unk>' is reserved.*--special-words"):
        build([corpus], arpa=tmp_path / "arpa")
    assert not (tmp_path / "arpa").exists()
    build(
        [corpus],
        options=LmOptions(order=2, special_words="unknown"),
        arpa=tmp_path / "arpa",
        binary=tmp_path / "binary",
    )
    found = BackoffModel.parse((tmp_path / "arpa").read_text())
    expected = kneser_ney([["a", "b"], ["a", "<unk>", "b"], ["<unk>", "a"]], 2)
    assert_same(found, expected)
    model = LanguageModel.load(tmp_path / "binary")
    assert model.score("a zzz b") == pytest.approx(
        sum(s for s, _ in expected.score_words(["a", "?", "b"])), abs=1e-5
    )


def test_an_empty_corpus_is_an_error_and_one_word_is_enough(tmp_path: Path) -> None:
    for content in (b"", b"\n\n", b" \t\n"):
        (tmp_path / "empty").write_bytes(content)
        with pytest.raises(DataFormatError, match="no words"):
            build([tmp_path / "empty"], arpa=tmp_path / "arpa")
    report = build([write(tmp_path / "text", [["word"]])], arpa=tmp_path / "arpa", binary=tmp_path / "binary")
    assert report.counts == (4, 2, 1, 0, 0)
    assert all(d.fallback is not None for d in report.discounts)
    for path in (tmp_path / "arpa", tmp_path / "binary"):
        model = LanguageModel.load(path)
        assert model.score("word") == pytest.approx(
            sum(s for s, _ in kneser_ney([["word"]], 5).score_words(["word"])), abs=1e-5
        )


def test_a_very_long_line(tmp_path: Path) -> None:
    line = [f"w{i % 97}" for i in range(10_000)]
    report = build([write(tmp_path / "text", [line])], options=LmOptions(order=3), arpa=tmp_path / "arpa")
    assert report.words == 10_000
    assert_same(BackoffModel.parse((tmp_path / "arpa").read_text()), kneser_ney([line], 3))


def test_packed_corpora_and_arpa_files(tmp_path: Path) -> None:
    lines = [["a", "b", "c"], ["b", "c"]]
    plain = write(tmp_path / "text", lines)
    packed = tmp_path / "text.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    texts = []
    for corpus in (plain, packed):
        for suffix in ("arpa", "arpa.gz", "arpa.zst"):
            build([corpus], options=LmOptions(order=2), arpa=tmp_path / suffix)
            texts.append(LanguageModel.load(tmp_path / suffix).score("a b a"))
    assert len(set(texts)) == 1


def test_not_text_is_refused_with_its_line(tmp_path: Path) -> None:
    bad = tmp_path / "text"
    bad.write_bytes(b"a b\nc \xff\xfe d\n")
    with pytest.raises(DataFormatError, match="text:2: a word is not valid UTF-8"):
        build([bad], arpa=tmp_path / "arpa")
    bad.write_bytes(b"a\0b")
    with pytest.raises(DataFormatError, match="NUL bytes"):
        build([bad], arpa=tmp_path / "arpa")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 0}, "order must be between 1 and 7, got 0"),
        ({"order": 8}, "order must be between 1 and 7, got 8"),
        ({"prune": ()}, "prune must have 1 to 5 values"),
        ({"prune": (0, 2, 1)}, "must not decrease"),
        ({"prune": (-1,)}, "prune must be at least 0, got -1"),
        ({"order": 1, "prune": (0, 0)}, "prune must have 1 to 1 values"),
        ({"special_words": "drop"}, "special_words must be one of error, unknown, got 'drop'"),
        ({"discount_fallback": (0.5, 1.0, 3.5)}, "discount_fallback 3 must be at most 3, got 3.5"),
    ],
)
def test_options_that_cannot_work(options: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        LmOptions(**options)  # type: ignore[arg-type]


def test_discounts_out_of_range_say_so() -> None:
    assert discounts_of([0, 10, 1, 5, 9], (0.5, 1, 1.5)).fallback == "the discount of count 2 would be -10.5"
    assert discounts_of([0, 10, 3, 1, 9], (0.5, 1, 1.5)).amounts == (0.5, 1, 1.5)


def test_resources_that_cannot_work(tmp_path: Path) -> None:
    corpus = write(tmp_path / "text", [["a"]])
    with pytest.raises(ConfigError, match="memory_limit must be at least 1M, got 1000 bytes"):
        build([corpus], arpa=tmp_path / "arpa", memory_limit=1000)
    with pytest.raises(ConfigError, match="threads must be at least 0, got -1"):
        build([corpus], arpa=tmp_path / "arpa", threads=-1)
    with pytest.raises(ConfigError, match="the text is empty"):
        build([], arpa=tmp_path / "arpa")


def test_nothing_to_write_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nothing to write"):
        build([write(tmp_path / "text", [["a"]])])


def test_outputs_that_cannot_be_written_are_refused_before_the_work(tmp_path: Path) -> None:
    missing = tmp_path / "no corpus is read"
    (tmp_path / "file").write_text("")
    for outputs, message in (
        ({"arpa": tmp_path}, "is a folder"),
        ({"arpa": tmp_path / "missing" / "arpa"}, "does not exist"),
        ({"binary": tmp_path / "file"}, "is a file"),
    ):
        with pytest.raises(OutputError, match=message):
            build([missing], **outputs)


def test_a_scratch_folder_that_cannot_be_written(tmp_path: Path) -> None:
    corpus = write(tmp_path / "text", [[f"w{i}" for i in range(200)] for _ in range(400)])
    with pytest.raises(OutputError, match=r"missing: cannot write temporary files here.*--scratch"):
        build([corpus], memory_limit=1 << 20, scratch=tmp_path / "missing", arpa=tmp_path / "arpa")


def test_estimates_can_be_used_without_writing(tmp_path: Path) -> None:
    model = estimate_model([write(tmp_path / "text", [["a", "b"]])], options=LmOptions(order=2))
    assert model.counts.kept == (5, 3)
    assert len(model.log_probs[1]) == 3
