"""Strings of lattices, what recognizers say about hypotheses, and the union of their translations."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from isogloss.decoder import Arc, Lattice, System, load, parse_plf
from isogloss.decoder.decoder import Decoder
from isogloss.features import SparseModel, SparseOptions
from isogloss.features.weights import SparseWeights
from isogloss.io.errors import ConfigError
from isogloss.nbest import NbestStore, moses, read_nbest
from isogloss.speech import (
    Hypothesis,
    SpeechOptions,
    best_strings,
    lattice_utterances,
    list_utterances,
    strings_store,
    text_utterances,
    translate_speech,
)
from isogloss.speech.hypotheses import confidences


def all_strings(lattice: Lattice) -> dict[tuple[str, ...], float]:
    """Every string with the score of its best path, by walking all paths."""
    found: dict[tuple[str, ...], float] = {}

    def walk(place: int, words: tuple[str, ...], score: float) -> None:
        if place == lattice.places - 1:
            found[words] = max(score, found.get(words, -math.inf))
        for arc in lattice.arcs:
            if arc.begin == place:
                walk(arc.end, (*words, arc.word), score + arc.score)

    walk(0, (), 0.0)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_the_best_different_strings(seed: int) -> None:
    rng = random.Random(seed)
    places = rng.randint(1, 6)
    arcs = [Arc(i, i + 1, rng.choice("ab"), -rng.random()) for i in range(places - 1)]
    for _ in range(rng.randint(0, 9) if places > 1 else 0):
        begin = rng.randrange(places - 1)
        end = rng.randint(begin + 1, places - 1)
        arcs.append(Arc(begin, end, rng.choice("abc"), rng.choice([-1.0, -2.0, 0.5, -rng.random()])))
    lattice = Lattice(places, tuple(arcs))
    every = all_strings(lattice)
    for count in (1, 3, len(every) + 5):
        found = best_strings(lattice, count)
        assert len(found) == len(dict(found)) == min(count, len(every))
        assert [score for _, score in found] == pytest.approx(sorted(every.values(), reverse=True)[:count])
        assert all(score == pytest.approx(every[words]) for words, score in found)


def test_dead_ends_and_lattices_without_words() -> None:
    dead = Lattice(4, (Arc(0, 1, "dead"), Arc(0, 2, "a", -5.0), Arc(2, 3, "b")))
    assert best_strings(dead, 9) == [(("a", "b"), -5.0)]
    assert best_strings(parse_plf("()"), 9) == [((), 0.0)]
    with pytest.raises(ConfigError, match="count must be at least 1"):
        best_strings(dead, 0)


def test_a_path_of_probability_0_is_taken_where_there_is_no_other() -> None:
    assert best_strings(parse_plf("((('a', -inf, 1), ('b', -3, 1)),)"), 2) == [(("b",), -3), (("a",), -100)]
    assert best_strings(parse_plf("((('a', -inf, 1),),)"), 2) == [(("a",), -100)]


def test_a_list_of_strings_names_every_lattice() -> None:
    store = strings_store([[(("a", "b"), -1.0), (("c",), -2.0)], [((), 0.0)], [(("|||",), -3.0)]])
    assert "".join(moses.write(store)) == (
        "0 ||| a b ||| asr= -1 ||| -1\n0 ||| c ||| asr= -2 ||| -2\n1 ||| ||| asr= 0 ||| 0\n"
        "2 ||| &#124;&#124;&#124; ||| asr= -3 ||| -3\n"
    )


def read(text: str) -> NbestStore:
    return moses.read([text.encode()], "list")


def test_hypotheses_of_a_list() -> None:
    store = read(
        "1 ||| b ||| asr= -2 conf= 0.3 ||| -2\n1 ||| a ||| asr= -1 conf= 0.6 ||| -1\n"
        "1 ||| c ||| asr= -3 conf= 0.1 ||| -3\n3 |||  ||| asr= 0 conf= 1 ||| 0\n"
    )
    found = list_utterances(store, 2, 6)
    assert found == [
        [],
        [Hypothesis(("a",), -1.0, {"conf": 0.6}), Hypothesis(("b",), -2.0, {"conf": 0.3})],
        [],
        [Hypothesis((), 0.0, {"conf": 1.0})],
        [],
        [],
    ]
    assert len(list_utterances(store, 2)) == 4
    with pytest.raises(
        ConfigError, match="has hypotheses of utterance 3, counted from 0, but the count is 3"
    ):
        list_utterances(store, 2, 3)


def test_numbers_that_are_missing() -> None:
    store = read(
        "0 ||| a ||| conf= 0.5 ||| -1\n0 ||| b ||| conf= 0.2\n0 ||| c ||| ||| -7\n"
        "1 ||| d ||| conf= 0.9 ||| -2\n2 ||| e |||\n"
    )
    first, second, third = list_utterances(store, 9)
    assert [(h.words, h.score) for h in first] == [(("a",), -1.0), (("b",), -7.0), (("c",), -7.0)]
    assert [h.columns["conf"] for h in first] == [0.5, 0.2, 0.2]
    assert (second[0].score, second[0].columns) == (-2.0, {"conf": 0.9})
    assert third[0].score == pytest.approx(-10 / 3)  # nothing is known of this utterance: what is usual
    assert third[0].columns["conf"] == pytest.approx(1.6 / 3)
    without = list_utterances(read("0 ||| a ||| asr= -4\n0 ||| b ||| asr= -3\n"), 9)
    assert without == [[Hypothesis(("b",), -3.0), Hypothesis(("a",), -4.0)]]


def test_confidences() -> None:
    heard = [
        Hypothesis(("a", "b"), math.log(0.3)),
        Hypothesis(("a", "a"), math.log(0.1)),
        Hypothesis((), math.log(0.1)),
    ]
    found = confidences(heard)
    assert np.exp([row[0] for row in found]) == pytest.approx([0.6, 0.2, 0.2])
    assert np.exp(found[0][2]) == pytest.approx(0.6)
    assert np.exp(found[1][1]) == pytest.approx(math.sqrt(0.8 * 0.2))  # the second a is in one hypothesis
    assert found[2] == (found[2][0],) * 3
    assert [row[0] for row in confidences(heard, 0.0)] == pytest.approx([math.log(1 / 3)] * 3)
    assert confidences([]) == []
    far = confidences([Hypothesis(("a",), 0.0), Hypothesis(("b",), -1e30)])
    assert all(math.isfinite(value) for row in far for value in row)


def test_one_hypothesis_gives_the_list_of_its_translations(systems: Path) -> None:
    system = load(systems / "phrase")
    lines = [*(systems / "corpus" / "test.src").read_text().splitlines()[:20], ""]
    plain = system.nbest(lines, nbest=4)
    union = translate_speech(system, text_utterances(lines), SpeechOptions(nbest=4))
    assert union.scores.tolist() == pytest.approx(plain.scores.tolist())
    assert list(union.texts()) == list(plain.texts())
    own = plain.dense.shape[1]
    assert np.array_equal(union.dense[:, :own], plain.dense)
    names = union.dense_names[own:]
    assert names == [
        "AsrScore", "AsrConfidence", "AsrWords", "AsrLeastWord", "AsrRank", "AsrLength", "AsrSupport",
    ]  # fmt: skip
    assert not np.any(union.dense[:, [own + names.index(name) for name in names if name != "AsrLength"]])


def test_the_union_against_translating_one_by_one(systems: Path) -> None:
    system = load(systems / "phrase")
    lines = (systems / "corpus" / "test.src").read_text().splitlines()
    rng = random.Random(1)
    utterances = []
    for line in lines[:6]:
        words = line.split()
        variants = [words, words[:-1], [rng.choice(lines).split()[0], *words[1:]], words[:-1]]
        utterances.append([Hypothesis(tuple(w), -float(i), {"conf": i / 7}) for i, w in enumerate(variants)])
    utterances.insert(2, [])
    lm = str(systems / "source-lm")
    if not Path(lm).exists():
        from isogloss.lm import LmOptions, build

        build([systems / "corpus" / "train.src"], options=LmOptions(order=2), binary=lm)
    options = SpeechOptions(nbest=3, source_lm=lm)
    union = translate_speech(system, utterances, options, threads=2)
    assert union.sentence_ids.tolist() == list(range(7))
    names = union.dense_names
    for number, utterance in enumerate(utterances):
        rows = union.rows_of(number)
        texts = [union.text(row) for row in rows]
        assert len(set(texts)) == len(texts)
        scores = union.scores[list(rows)]
        assert scores.tolist() == sorted(scores.tolist(), reverse=True)
        expected: dict[str, tuple[float, Hypothesis]] = {}
        mass: dict[str, float] = {}
        for hypothesis, (sure, *_) in zip(utterance, confidences(utterance), strict=True):
            alone = system.nbest([" ".join(hypothesis.words)], nbest=3)
            for row in range(alone.num_candidates):
                text, score = alone.text(row), float(alone.scores[row]) + sure
                mass[text] = mass.get(text, 0.0) + math.exp(sure)
                if text not in expected or score > expected[text][0]:
                    expected[text] = (score, hypothesis)
        if not utterance:
            assert texts == [""]
            continue
        assert set(texts) == set(expected)
        for row, text in zip(rows, texts, strict=True):
            values = dict(zip(names, union.dense[row].tolist(), strict=True))
            score, hypothesis = expected[text]
            assert union.scores[row] == pytest.approx(score)
            assert values["AsrScore"] == hypothesis.score
            assert values["Asr.conf"] == hypothesis.columns["conf"]
            assert values["AsrLength"] == len(hypothesis.words)
            assert math.exp(values["AsrSupport"]) == pytest.approx(min(1, mass[text]))
            assert values["SourceLM"] < 0


def test_sparse_features_and_alignments_are_those_of_the_translation(systems: Path) -> None:
    """Every candidate of the union has what the search says of its own hypothesis, not of the best one."""
    own = load(systems / "phrase").decoder
    sparse = SparseModel(SparseOptions(templates=("pair", "target_bigram"), source_types=("surface",)))
    decoder = Decoder(own.rules, own.language_model, own.options, sparse=sparse)
    system = System(decoder, systems)
    lines = (systems / "corpus" / "test.src").read_text().splitlines()
    words = lines[0].split()
    heard = [Hypothesis(tuple(words), -0.1), Hypothesis(tuple(words[:-1]), -0.3)]
    decoder.set_weights(own.weights)
    texts = [" ".join(one.words) for one in heard]
    alone = decoder.search(texts, nbest=3, aligned=True)
    everything = [alone.sparse(number, range(3)) for number in range(2)]
    names = alone.names(0, range(3), everything[0].features) | alone.names(
        1, range(3), everything[1].features
    )
    pairs = sorted(name for name in names.values() if name.startswith("pair:"))
    left_out = pairs[0]  # has no weight, so it does not travel
    weights = SparseWeights.from_names({name: 1e-9 for name in names.values() if name != left_out})
    decoder.set_weights(own.weights, weights)
    union = translate_speech(system, [heard], SpeechOptions(nbest=3, sparse=True))
    assert union.sparse is not None
    assert union.alignment is not None
    known = union.sparse.names.words()
    assert left_out not in known
    lengths = union.dense[:, union.dense_names.index("AsrLength")]
    assert len(set(lengths.tolist())) == 2
    for row in range(union.num_candidates):
        number = int(lengths[row] < len(words))
        candidates = [alone.store.text(at) for at in alone.store.rows_of(number)]
        rank = candidates.index(union.text(row))
        expected = everything[number].row(rank)
        found = union.sparse.rows(np.array([row]))
        mine = {known[c]: float(v) for c, v in zip(found.columns, found.values, strict=True)}
        theirs = {
            names[f]: float(v) for f, v in zip(expected.features.tolist(), expected.counts, strict=True)
        }
        theirs.pop(left_out, None)
        assert mine == theirs
        links = alone.store.alignment
        assert links is not None
        assert np.array_equal(union.alignment.row(row), links.row(alone.store.rows_of(number)[rank]))
    assert translate_speech(system, [heard], SpeechOptions(nbest=3)).sparse is None


@pytest.mark.slow
@pytest.mark.corpora
def test_strings_of_a_recognizers_lattices(corpora: Path) -> None:
    lines = (corpora / "fisher" / "dev.plf.es").read_text().split("\n")[:-1]
    found = lattice_utterances([parse_plf(line) for line in lines], 10)
    given = list_utterances(read_nbest(corpora / "fisher" / "dev.nbest.es"), 10, len(lines))
    for mine, theirs in zip(found, given, strict=True):
        if theirs:
            assert [h.score for h in mine] == pytest.approx([h.score for h in theirs], abs=1e-5)
            assert {h.words for h in mine if h.score > mine[-1].score + 1e-4} <= {h.words for h in theirs}
