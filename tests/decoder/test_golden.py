"""What the pruned search reaches, pinned: faster code that finds worse translations must not pass unseen.

Where a change is meant to change the search, look at the difference, then put in what this prints:

    PYTHONPATH=tests python tests/decoder/test_golden.py

A higher mean score at the same number of hypotheses is better; the other numbers only tell that something
changed.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from isogloss.decoder import load
from isogloss.io.streams import read_lines
from isogloss.nbest import NbestStore
from support.small_system import make_systems

SENTENCES = 100


class Golden(NamedTuple):
    """Of the first sentences of the test set."""

    mean_score: float
    """Of the best translations, by the model."""
    hypotheses: int
    """Extensions that were made."""
    recombined: int
    """Those of them that nothing could tell from another."""


GOLDEN = {
    ("hierarchical", 10): Golden(-31.905381, 21124, 5604),
    ("hierarchical", 100): Golden(-30.892985, 191262, 81126),
    ("phrase", 10): Golden(-25.193331, 21570, 7818),
    ("phrase", 100): Golden(-24.941745, 197766, 120162),
}


def measure(systems: Path, search: str, beam_size: int) -> Golden:
    system = load(systems / search)
    options = replace(system.options, beam_size=beam_size, pop_limit=2 * beam_size)
    engine = load(systems / search, options=options).decoder._engine
    lines = list(read_lines(systems / "corpus" / "test.src"))[:SENTENCES]
    columns: Any = engine.translate([line.split() for line in lines])
    store = NbestStore.from_columns(columns)
    assert store.num_candidates == SENTENCES
    return Golden(float(store.scores.mean()), columns["hypotheses"], columns["recombined"])


@pytest.mark.parametrize(("search", "beam_size"), GOLDEN)
def test_the_pruned_search_is_as_good_as_it_was(systems: Path, search: str, beam_size: int) -> None:
    found, expected = measure(systems, search, beam_size), GOLDEN[search, beam_size]
    assert found.mean_score == pytest.approx(expected.mean_score, rel=1e-4)
    assert found[1:] == expected[1:]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        systems = make_systems(Path(folder))
        for search, beam_size in GOLDEN:
            found = measure(systems, search, beam_size)
            sys.stdout.write(f'    ("{search}", {beam_size}): Golden{tuple(found)},\n')


if __name__ == "__main__":
    main()
