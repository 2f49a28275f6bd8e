"""Templates written in Python against the engine's of the same meaning."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

from isogloss import _engine
from isogloss.features import SparseModel, SparseOptions, SparseWeights
from isogloss.features.options import PythonTemplate
from isogloss.io.errors import ConfigError
from isogloss.nbest import NbestStore
from support.engine_search import (
    dense_weights,
    engine_source,
    make_decoder,
    make_model,
    make_table,
    search_all,
)
from support.random_cases import number, random_case, with_links
from support.small_search import fired
from support.small_search import make_decoder as make_small_decoder

Links = Sequence[tuple[int, int]]
SURFACE = ("surface",)


def listed(*words: str) -> str:
    return " ".join(words)


class Pairs:
    """``pair`` and ``pair_bigram``."""

    def rule(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterable[str]:
        pairs = [listed(target[t], source[s]) for s, t in links]
        return [*pairs, *(listed(*two) for two in itertools.pairwise(pairs))]

    def border(
        self,
        last_word: str,
        last_pair: tuple[str, str],
        source: Sequence[str],
        target: Sequence[str],
        links: Links,
    ) -> Iterable[str]:
        if links:
            s, t = links[0]
            yield listed(last_pair[1], last_pair[0], target[t], source[s])


class TargetBigrams:
    """``target_bigram``."""

    def rule(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterable[str]:
        return map(listed, target, target[1:])

    def border(
        self,
        last_word: str,
        last_pair: tuple[str, str],
        source: Sequence[str],
        target: Sequence[str],
        links: Links,
    ) -> Iterable[str]:
        yield listed(last_word, target[0])


class SourcePhrases:
    """``source_phrase``, without ``border``."""

    def rule(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterable[str]:
        return [listed(*source)]


def translated(name: str) -> str:
    """The name that the templates above give a feature of the engine's."""
    template, _, rest = name.partition(":")
    ours = {"pair": "pairs", "pair_bigram": "pairs", "target_bigram": "bigrams", "source_phrase": "phrases"}
    return f"{ours[template]}:#{rest.strip('()').replace('|', ' ').replace('_', ' ')}"


@pytest.mark.parametrize("hierarchical", [True, False], ids=["hierarchical", "phrase"])
@pytest.mark.parametrize("seed", range(4))
def test_scores_are_those_of_the_engine(seed: int, hierarchical: bool, tmp_path: Path) -> None:
    rng = random.Random(seed)
    case = with_links(rng, random_case(rng, hierarchical=hierarchical, length=5, most=60), {})
    templates = ("pair", "pair_bigram", "target_bigram", "source_phrase")
    engine = SparseModel(SparseOptions(templates=templates, source_types=SURFACE, target_types=SURFACE))
    python = SparseModel(
        SparseOptions(templates=()),
        python_templates={"pairs": Pairs(), "bigrams": TargetBigrams(), "phrases": SourcePhrases()},
    )
    table, model = make_table(case.grammar, tmp_path), make_model(case.arpa, tmp_path)
    source = engine_source(case.source)
    scores = []
    weights: dict[str, float] = {}
    for features in (engine, python):
        decoder = make_decoder(case, table, model, features.engine(table))
        dense = dense_weights(case, decoder)
        if not weights:
            given = weights = {name: number(rng, -1, 1) for name in names_of(decoder, dense, source)}
        else:
            given = {translated(name): weight for name, weight in weights.items()}
            assert set(names_of(decoder, dense, source)) == set(given)
        decoder.set_weights(dense, SparseWeights.from_names(given).engine)
        for threads in (1, 2):
            columns = decoder.translate([source] * 3, nbest=1000, distinct=False, threads=threads)
            scores.append(NbestStore.from_columns(columns).scores)
    for other in scores[1:]:
        assert np.allclose(scores[0], other, atol=1e-4)


def names_of(decoder: _engine.Decoder, dense: list[float], source: object) -> list[str]:
    """Of all features that any derivation has."""
    decoder.set_weights(dense)
    searched = search_all(decoder, source)
    rows = range(searched.store.num_candidates)
    return list(searched.names(0, rows, searched.sparse(0, rows).features).values())


class Gives:
    """The same whatever it is told."""

    def __init__(self, given: object) -> None:
        self.given = given

    def rule(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterable[str]:
        return self.given  # type: ignore[return-value]


class Fails:
    def rule(self, source: Sequence[str], target: Sequence[str], links: Links) -> Iterable[str]:
        raise KeyError("no key")


def python_model(template: object) -> SparseModel:
    templates: dict[str, PythonTemplate] = {"mine": template}  # type: ignore[dict-item]
    return SparseModel(SparseOptions(templates=()), python_templates=templates)


def test_features_count_as_often_as_they_are_given_and_may_have_any_name(tmp_path: Path) -> None:
    names = ["twice", "twice", "a|b", "\\", "", "(_)", "tab\tline\n", "#", "😀"]
    decoder = make_small_decoder(tmp_path, ["a ||| x ||| "], python_model(Gives(names)))
    [(_, features)] = fired(decoder, ["a"])
    assert features == {
        "mine:#twice": 2.0,
        **dict.fromkeys(
            [
                "mine:#a\\|b",
                "mine:#\\\\",
                "mine:#",
                "mine:#(_)",
                "mine:#tab\\tline\\n",
                "mine:##",
                "mine:#😀",
            ],
            1.0,
        ),
    }


@pytest.mark.parametrize("threads", [1, 2])
def test_the_error_of_a_template_is_raised(threads: int, tmp_path: Path) -> None:
    decoder = make_small_decoder(tmp_path, ["a ||| x ||| "], python_model(Fails()))
    decoder.set_weights(decoder.weights, SparseWeights.from_names({"mine:#x": 1.0}))
    with pytest.raises(ConfigError, match=r"rule\(\) of the template 'mine' failed: KeyError: 'no key'"):
        decoder.nbest(["a", "a a", "a"], threads=threads)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([1], "returned 1, a string is expected"),
        (["x", b"y"], "returned b'y', a string is expected"),
        (None, "failed: TypeError"),
    ],
)
def test_a_template_must_give_names(given: object, problem: str, tmp_path: Path) -> None:
    decoder = make_small_decoder(tmp_path, ["a ||| x ||| "], python_model(Gives(given)))
    decoder.set_weights(decoder.weights, SparseWeights.from_names({"mine:#x": 1.0}))
    with pytest.raises(ConfigError, match=f"the template 'mine' {problem}"):
        decoder.nbest(["a"])


def test_a_template_must_have_a_method() -> None:
    with pytest.raises(ConfigError, match="the template 'mine' has neither of the methods rule and border"):
        python_model(object())


@pytest.mark.parametrize("name", ["pair", "my template", "", "a:b"])
def test_names_of_templates(name: str) -> None:
    with pytest.raises(ConfigError, match="cannot be the name of a template written in Python"):
        SparseModel(SparseOptions(templates=("pair",)), python_templates={name: Gives([])})


def test_a_model_with_code_is_not_stored(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be stored"):
        python_model(Gives([])).save(tmp_path / "model")
