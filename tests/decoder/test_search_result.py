"""Posteriors, oracles and forced derivations from the search graph, against plain enumeration."""

from __future__ import annotations

import io
import json
import math
import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.cli.main import main
from isogloss.decoder import Arc, Decoder, Lattice, Searched, SearchOptions, Source, load
from isogloss.features import ALL_TEMPLATES, SparseModel, SparseOptions
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import read_lines
from isogloss.learn.mbr import expected_utility, posterior
from isogloss.metric import SENTENCE_BLEU, Bleu, BleuOptions, References
from isogloss.metric.bleu import bleu_scores
from isogloss.nbest.edit import highest_rows
from support import exhaustive
from support.engine_search import EXHAUSTIVE, make_model, make_table
from support.exhaustive import Derivation, Words, derivations
from support.random_cases import TARGET_WORDS, Case, random_case, with_links

SEEDS = pytest.mark.parametrize("seed", range(24))


def case_of(seed: int) -> tuple[Case, random.Random]:
    """Hierarchical and phrase search, sentences and lattices in turn."""
    rng = random.Random(seed)
    return random_case(rng, hierarchical=seed % 2 == 0, lattice=seed % 4 > 1, most=400), rng


def decoder_of(case: Case, folder: Path, sparse: SparseModel | None = None) -> Decoder:
    options = case.options
    decoder = Decoder(
        make_table(case.grammar, folder),
        make_model(case.arpa, folder),
        SearchOptions(
            **EXHAUSTIVE,
            hierarchical=options.hierarchical,
            max_span=options.max_span,
            distortion_limit=options.distortion_limit,
            gap_rules=options.gap_rules,
            reordering_glue=options.reordering_glue,
            phrase_order=options.phrase_order,  # type: ignore[arg-type]
        ),
        sparse=sparse,
    )
    decoder.set_weights({name: case.weights.get(name, 0.0) for name in decoder.names})
    return decoder


def source_of(case: Case) -> Source:
    if isinstance(case.source, exhaustive.Lattice):
        return Lattice(
            case.source.last + 1, tuple(Arc(a.begin, a.end, a.word, a.score) for a in case.source.arcs)
        )
    return " ".join(case.source)


def all_derivations(case: Case) -> list[Derivation]:
    return derivations(case.grammar, case.lm, case.source, case.options, case.weights)


def rounded(target: Words, features: dict[str, float]) -> tuple[Any, ...]:
    values = {name: round(value, 2) + 0.0 for name, value in features.items()}
    return (target, *sorted((name, value) for name, value in values.items() if value))


# Posteriors ----------------------------------------------------------------------------------------------


@SEEDS
def test_posteriors_are_sums_over_all_derivations(seed: int, tmp_path: Path) -> None:
    case, rng = case_of(seed)
    scale, order = rng.choice((0.0, 0.3, 1.0)), rng.randint(1, 4)
    all_of_them = all_derivations(case)
    searched = decoder_of(case, tmp_path).search([source_of(case)])
    found = searched.posteriors(0, scale=scale, order=order)
    if not all_of_them:
        assert found.log_total == -math.inf
        assert not found.rules
        assert not found.ngrams
        return
    highest = max(scale * d.score for d in all_of_them)
    total = math.fsum(math.exp(scale * d.score - highest) for d in all_of_them)
    assert found.log_total == pytest.approx(highest + math.log(total), abs=2e-3)
    ngrams: dict[Words, float] = defaultdict(float)
    rules: dict[tuple[Any, ...], float] = defaultdict(float)
    for derivation in all_of_them:
        probability = math.exp(scale * derivation.score - highest) / total
        for size in range(1, order + 1):
            for i in range(len(derivation.target) - size + 1):
                ngrams[derivation.target[i : i + size]] += probability
        for step in derivation.steps:
            alone = step.kind == "phrase"
            span = (step.match.begin, step.match.end) if alone else step.span
            opened = () if alone else step.opened
            rules["rule" if alone else step.kind, span, opened, step.match.rule.target] += probability
    assert found.ngrams == pytest.approx(dict(ngrams), rel=5e-3, abs=1e-6)
    assert len({step for step, _ in found.rules}) == len(found.rules)
    assert [p for _, p in found.rules] == sorted((p for _, p in found.rules), reverse=True)
    ours: dict[tuple[Any, ...], float] = defaultdict(float)
    for step, probability in found.rules:
        target = tuple(word for word in step.target.split() if not word.startswith("[X,"))
        ours[step.kind, step.source_span, step.gaps, target] += probability
    assert ours == pytest.approx(rules, rel=5e-3, abs=1e-6)


def test_posteriors_need_sense(systems: Path) -> None:
    searched = load(systems / "phrase").decoder.search([""])
    assert searched.posteriors(0).ngrams == {}
    for wrong in ({"scale": math.inf}, {"scale": math.nan}, {"order": 0}, {"order": 99}):
        with pytest.raises(ConfigError):
            searched.posteriors(0, **wrong)  # type: ignore[arg-type]
    with pytest.raises(IndexError):
        searched.posteriors(1)


# Oracles -------------------------------------------------------------------------------------------------


def random_references(rng: random.Random, targets: list[Words]) -> list[str]:
    """Some like what can be reached, some not."""
    texts = []
    for _ in range(rng.randint(1, 3)):
        words = list(rng.choice(targets)) if targets and rng.random() < 0.8 else []
        for _ in range(rng.randint(0, 3)):
            words.insert(rng.randint(0, len(words)), rng.choice((*TARGET_WORDS, "7", "other")))
        texts.append(" ".join(words) or "w")
    return texts


def sentence_bleu(targets: list[Words], texts: list[str], options: BleuOptions) -> list[float]:
    references = References([[text] for text in texts])
    rows = Bleu(options).statistics([" ".join(words) for words in targets], references, [0] * len(targets))
    return bleu_scores(rows, options).tolist()


@SEEDS
def test_oracles_are_the_best_of_all_translations(seed: int, tmp_path: Path) -> None:
    case, rng = case_of(seed)
    found = all_derivations(case)
    targets = sorted({d.target for d in found})
    texts = random_references(rng, targets)
    options = SENTENCE_BLEU
    if seed % 3 == 0:
        options = BleuOptions(
            order=rng.randint(1, 5),
            length=rng.choice(("closest", "shortest", "average")),
            smoothing=rng.choice(("add-k", "floor", "exp", "none")),
        )
    nbest = rng.choice((1, 5, 1000))
    decoder = decoder_of(case, tmp_path)
    searched = decoder.oracle([source_of(case)], [texts], nbest=nbest, bleu=options)
    store = searched.store
    expected = dict(zip(targets, sentence_bleu(targets, texts, options), strict=True)) if targets else {}
    assert store.num_candidates == min(nbest, len(targets)) == len(searched.derivations)
    assert np.allclose(store.scores, sorted(expected.values(), reverse=True)[:nbest], atol=1e-5)
    ours = [tuple(text.split()) for text in store.texts()]
    assert len(set(ours)) == len(ours)
    assert np.allclose(store.scores, [expected[words] for words in ours], atol=1e-12)
    features = {rounded(d.target, dict(d.features)) for d in found}
    for row, words in enumerate(ours):
        dense = dict(zip(store.dense_names, store.dense[row].tolist(), strict=True))
        assert rounded(words, dense) in features


@pytest.mark.parametrize("search", ["hierarchical", "phrase"])
def test_oracles_under_a_beam(systems: Path, search: str) -> None:
    system = load(systems / search)
    lines = list(read_lines(systems / "corpus" / "test.src"))[:20]
    texts = [[line] for line in list(read_lines(systems / "corpus" / "test.tgt.0"))[:20]]
    one, two = (system.oracle(lines, texts, nbest=5, threads=threads).store for threads in (1, 2))
    assert one.equals(two)
    list_ = system.nbest(lines, nbest=50)
    rows = Bleu(SENTENCE_BLEU).statistics(
        list(list_.texts()), References([[t[0] for t in texts]]), list_.sentence_of_row().tolist()
    )
    values = bleu_scores(rows, SENTENCE_BLEU)
    best = [one.scores[one.rows_of(i)].max() for i in range(20)]
    best_of_list = [values[list_.rows_of(i)].max() for i in range(20)]
    assert np.mean(best) >= np.mean(best_of_list) - 1e-9
    assert np.mean(best) > 0.5


# Forced derivations --------------------------------------------------------------------------------------


@SEEDS
def test_forced_derivations_are_all_those_of_the_references(seed: int, tmp_path: Path) -> None:
    case, rng = case_of(seed)
    found = all_derivations(case)
    texts = random_references(rng, [d.target for d in found])
    if found and seed % 3:
        texts.append(" ".join(rng.choice(found).target))
    wanted = [d for d in found if " ".join(d.target) in texts]
    searched = decoder_of(case, tmp_path).force([source_of(case)], [texts], nbest=10_000)
    store = searched.store
    assert store.num_candidates == len(wanted) == len(searched.derivations)
    assert store.num_sentences == bool(wanted)
    assert np.allclose(store.scores, [d.score for d in wanted], atol=2e-3)
    ours = Counter(
        rounded(tuple(text.split()), dict(zip(store.dense_names, store.dense[row].tolist(), strict=True)))
        for row, text in enumerate(store.texts())
    )
    assert ours == Counter(rounded(d.target, dict(d.features)) for d in wanted)


@pytest.mark.parametrize("search", ["hierarchical", "phrase"])
def test_what_was_translated_can_be_forced(systems: Path, search: str) -> None:
    system = load(systems / search)
    lines = [*list(read_lines(systems / "corpus" / "test.src"))[:20], "", "unheard-of", "x"]
    store = system.nbest(lines, nbest=1)
    texts = [[text, "something else"] for text in store.lines(np.arange(len(lines)))]
    texts[-1] = ["out of reach", "unseen"]
    found = system.force(lines, texts, threads=2)
    assert found.store.sentence_ids.tolist() == list(range(len(lines) - 1))
    assert list(found.store.texts()) == list(store.texts())[:-1]
    assert np.all(found.store.scores >= store.scores[:-1] - 1e-3)
    weights = np.array([system.weights[name] for name in store.dense_names])
    assert np.allclose(found.store.dense @ weights, found.store.scores, atol=1e-2)


def test_references_must_fit(systems: Path) -> None:
    decoder = load(systems / "phrase").decoder
    for search in (decoder.oracle, decoder.force):
        with pytest.raises(ConfigError, match="2 lists of references for 1 inputs"):
            search(["a"], [["b"], ["c"]])
        with pytest.raises(ConfigError, match="got a single string"):
            search(["a"], ["b"])
        with pytest.raises(ConfigError, match="nbest must be at least 1"):
            search(["a"], [["b"]], nbest=0)
        with pytest.raises(DataFormatError, match="a reference of sentence 1"):
            search(["a"], [["b \ud800"]])
    with pytest.raises(ConfigError, match="input 2 has no reference"):
        decoder.oracle(["a", "b"], [["c"], []])
    assert decoder.force(["a"], [[]]).store.num_candidates == 0
    assert decoder.force([""], [[]]).store.num_candidates == 0
    assert decoder.force([""], [[""]]).store.num_candidates == 1


def test_command_line(systems: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = list(read_lines(systems / "corpus" / "test.src"))[:3]
    texts = list(read_lines(systems / "corpus" / "test.tgt.0"))[:2]
    (tmp_path / "source").write_text("".join(line + "\n" for line in lines))
    (tmp_path / "reference").write_text("".join(line + "\n" for line in [*texts, "out of reach"]))
    call = ["oracle", str(systems / "phrase"), str(tmp_path / "source")]
    given = ["--reference", str(tmp_path / "reference")]
    assert main([*call, *given]) == 0
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 3
    assert "BLEU of the best translations as a document" in captured.err
    assert main([*call, *given, "--format", "jsonl", "--nbest", "2", "--beam-size", "50"]) == 0
    entries = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {entry["sentence"] for entry in entries} == {0, 1, 2}
    assert all(0 <= entry["score"] <= 1 and entry["derivation"] for entry in entries)
    assert main([*call, *given, "--force"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[2] == ""
    assert "of 3 sentences reach a reference" in captured.err
    (tmp_path / "reference").write_text("too short\n")
    assert main([*call, *given]) == 2
    assert main([*call, *given, "--nbest", "2"]) == 2


@pytest.mark.parametrize("seed", range(8))
def test_oracles_have_their_sparse_features(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    case = with_links(rng, random_case(rng, hierarchical=seed % 2 == 0, lattice=False, length=5, most=60))
    sparse = SparseModel(SparseOptions(templates=ALL_TEMPLATES, source_types=(), target_types=()))
    decoder = decoder_of(case, tmp_path, sparse)

    def rows(found: Searched) -> set[tuple[Any, ...]]:
        texts = list(found.store.texts())
        sparse_rows = found.sparse(0, range(len(texts)))
        features = [tuple(sparse_rows.row(i).features.tolist()) for i in range(len(texts))]
        return {
            (text, row, *np.round(dense, 3).tolist())
            for text, row, dense in zip(texts, features, found.store.dense, strict=True)
        }

    everything = rows(decoder._search([source_of(case)], nbest=10_000, threads=1, distinct=False))
    texts = sorted({row[0] for row in everything}) or ["w"]
    oracles = decoder.oracle([source_of(case)], [rng.sample(texts, 1)], nbest=10_000)
    assert oracles.store.num_candidates == len({row[0] for row in everything})
    assert rows(oracles) <= everything
    assert rows(decoder.force([source_of(case)], [texts], nbest=10_000)) == everything


# Minimum Bayes risk --------------------------------------------------------------------------------------


def test_translate_by_consensus(
    systems: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [*list(read_lines(systems / "corpus" / "test.src"))[:4], ""]
    call = ["translate", str(systems / "phrase")]

    def translated(*options: str) -> list[str]:
        stream = io.TextIOWrapper(io.BytesIO("".join(line + "\n" for line in lines).encode()))
        monkeypatch.setattr("sys.stdin", stream)
        assert main([*call, *options]) == 0
        return capsys.readouterr().out.splitlines()

    store = load(systems / "phrase").nbest(lines, nbest=20)
    offsets = store.sentence_offsets
    for utility in ("bleu", "chrf"):
        values = expected_utility(store, posterior(0.5 * store.scores, offsets), utility=utility)
        texts = list(store.texts(highest_rows(store, values).tolist()))
        assert translated("--mbr", utility, "--mbr-list", "20", "--mbr-scale", "0.5") == texts
    assert translated("--mbr", "bleu", "--mbr-list", "1") == translated()
    assert main([*call, "--mbr", "bleu", "--format", "moses"]) == 2
    assert main([*call, "--mbr", "bleu", "--mbr-list", "0"]) == 2
