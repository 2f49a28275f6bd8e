"""Lattice decoding against decoding every path of the lattice as a sentence."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.decoder import Arc, Lattice, System, load

DISTANCES = ("backtrack", "distance_rule", "distance_glue")
UNPRUNED = {"beam_size": 0, "pop_limit": 0, "max_options": 0, "max_scanned": 0}


def paths(lattice: Lattice, place: int = 0) -> Iterator[tuple[list[str], float]]:
    if place == lattice.places - 1:
        yield [], 0.0
    for arc in lattice.arcs:
        if arc.begin == place:
            for words, score in paths(lattice, arc.end):
                yield [arc.word, *words], arc.score + score


def random_lattice(rng: random.Random, words: list[str], *, even: bool) -> Lattice:
    """With ``even``, arcs lead to the next place only, so that all ways between places are equally long."""
    places = rng.randint(2, 4)
    arcs = [Arc(i, i + 1, rng.choice(words), -rng.random()) for i in range(places - 1)]
    for _ in range(rng.randint(1, 3)):
        begin = rng.randrange(places - 1)
        end = begin + 1 if even else rng.randint(begin + 1, places - 1)
        arcs.append(Arc(begin, end, rng.choice(words), -3 * rng.random()))
    return Lattice(places, tuple(sorted(arcs)))


def opened(systems: Path, search: str, *, distances: bool) -> System:
    system = load(systems / search)
    options = replace(system.options, **UNPRUNED)
    weights = dict(system.weights)
    if not distances:
        # Along a lattice a distance is that of the shortest way, on a path that of the path.
        weights |= {name: 0.0 for name in DISTANCES if name in weights}
        options = replace(options, distortion_limit=50, max_span=50)
    return load(systems / search, options=options, weights=weights)


@pytest.mark.parametrize("search", ["hierarchical", "phrase"])
@pytest.mark.parametrize("even", [True, False])
def test_without_pruning_it_is_the_best_of_all_paths(systems: Path, search: str, even: bool) -> None:
    system = opened(systems, search, distances=even)
    rng = random.Random(f"{search}{even}")
    lines = (systems / "corpus" / "test.src").read_text().splitlines()
    weight = system.weights["arcs"]
    assert weight > 0
    for _ in range(15):
        lattice = random_lattice(rng, [*rng.choice(lines).split()[:5], "zzz"], even=even)
        every = list(paths(lattice))
        alone = system.nbest([" ".join(words) for words, _ in every], nbest=20)
        arcs = np.array([score for _, score in every])[alone.sentence_of_row()]
        scores = alone.scores + weight * arcs
        found = system.nbest([lattice], nbest=1)
        assert found.scores[0] == pytest.approx(scores.max(), abs=1e-4)
        assert found.text(0) in set(alone.texts(np.flatnonzero(scores > scores.max() - 1e-4)))


@pytest.mark.parametrize("search", ["hierarchical", "phrase"])
def test_with_one_path_it_is_decoding_text(systems: Path, search: str) -> None:
    system = load(systems / search)
    lines = [*(systems / "corpus" / "test.src").read_text().splitlines()[:20], "", "zzz"]
    lattices = [Lattice.from_words(line.split()) for line in lines]
    assert system.nbest(lattices, nbest=5).equals(system.nbest(lines, nbest=5))


@pytest.mark.parametrize("search", ["hierarchical", "phrase"])
def test_a_time_limit_holds_for_a_lattice_with_many_ways(systems: Path, search: str) -> None:
    """Thousands of arcs without a node that all paths share, so that it cannot be cut."""
    words = (systems / "corpus" / "test.src").read_text().split()[:40]
    places = 1500
    arcs = [
        Arc(begin, begin + step, words[(begin * 7 + step) % len(words)], -0.1 * step)
        for begin in range(places - 1)
        for step in range(1, 5)
        if begin + step < places
    ]
    begun = time.process_time()
    found = load(systems / search).translate(Lattice(places, tuple(arcs)), time_limit=0.5)
    assert time.process_time() - begun < 30  # without a limit minutes, and gigabytes
    assert len(found.split()) > 100
