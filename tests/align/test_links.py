from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align import Alignments, symmetrize
from isogloss.align.options import LinkMethod
from isogloss.io.errors import ConfigError, DataFormatError
from support import align_oracles
from support.properties import examples

METHODS: list[LinkMethod] = [
    "grow-diag-final-and",
    "grow-diag-final",
    "grow-diag",
    "intersection",
    "union",
    "forward",
    "backward",
]
points = st.tuples(st.integers(0, 6), st.integers(0, 5))
links = st.lists(points, unique=True, max_size=14).map(sorted)


@examples(200)
@given(links, links, st.sampled_from(METHODS))
def test_symmetrization_equals_the_published_procedure(
    forward: list, backward: list, method: LinkMethod
) -> None:
    found = symmetrize(Alignments.from_links([forward]), Alignments.from_links([backward]), method)
    expected = align_oracles.slow_symmetrize(set(forward), set(backward), method, 7, 6)
    assert found[0] == sorted(expected)


def test_grow_diag_final_and_by_hand() -> None:
    forward = Alignments.from_links([[(0, 0), (1, 1), (2, 1), (4, 4)], []])
    backward = Alignments.from_links([[(0, 0), (1, 2), (3, 3)], [(0, 0)]])
    # From 0-0 to its neighbor 1-1, on to 1-2 (target 2 is free) and 2-1; 3-3 joins as a neighbor of
    # nothing but with both words free, and so does 4-4.
    assert list(symmetrize(forward, backward)) == [[(0, 0), (1, 1), (1, 2), (2, 1), (3, 3), (4, 4)], [(0, 0)]]
    absurd = Alignments.from_links([[(4_000_000_000, 4_000_000_000)]])
    with pytest.raises(ConfigError, match="sentence 1 has links at positions beyond any sentence"):
        symmetrize(absurd, absurd)
    with pytest.raises(ConfigError, match="2 forward alignments, but 1 backward"):
        symmetrize(forward, backward[:1])


@examples(25)
@given(st.lists(links, max_size=8))
def test_pharaoh_round_trip(pairs: list[list[tuple[int, int]]]) -> None:
    alignments = Alignments.from_links(pairs)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("links", "links.gz", "links.zst"):
            path = Path(folder) / name
            alignments.write(path)
            again = Alignments.read(path)
            assert again == alignments
            assert list(again) == pairs


def test_reading_takes_any_blanks_and_a_missing_last_line_end(tmp_path: Path) -> None:
    path = tmp_path / "links"
    path.write_bytes(b"  0-0\t10-200 \r\n\n3-4")
    assert list(Alignments.read(path)) == [[(0, 0), (10, 200)], [], [(3, 4)]]
    path.write_bytes(gzip.compress(b""))
    assert len(Alignments.read(path)) == 0


@pytest.mark.parametrize("point", ["1", "1-", "-1", "a-b", "1-2-3", "1--2", "1?2", "99999999999-1", "1.0-2"])
def test_malformed_points_are_named(point: str, tmp_path: Path) -> None:
    path = tmp_path / "links"
    path.write_text(f"0-0\n0-0 {point} 1-1\n")
    with pytest.raises(DataFormatError) as error:
        Alignments.read(path)
    assert str(error.value).startswith(f"{path}:2: '{point}' is not an alignment point; write points as i-j")


def test_points_outside_the_sentences_are_named(tmp_path: Path) -> None:
    path = tmp_path / "links"
    path.write_text("0-0\n1-2\n")
    lengths = np.array([1, 2])
    with pytest.raises(DataFormatError, match=r"links:2: point '1-2' is outside the target sentence of 2"):
        Alignments.read(path, source_lengths=lengths, target_lengths=lengths)
    path.write_text("1-0\n")
    with pytest.raises(DataFormatError, match=r"links:1: point '1-0' is outside the source sentence of 1"):
        Alignments.read(path, source_lengths=lengths, target_lengths=lengths)
    path.write_text("0-0\n")
    with pytest.raises(DataFormatError, match="1 lines, 2 expected"):
        Alignments.read(path, source_lengths=lengths, target_lengths=lengths)
    path.write_text("0-0\n1-1\n\n")
    with pytest.raises(DataFormatError, match="links:3: more lines than sentence pairs"):
        Alignments.read(path, source_lengths=lengths, target_lengths=lengths)
    with pytest.raises(DataFormatError, match="more lines"):
        Alignments.read(path, source_lengths=lengths[:0], target_lengths=lengths[:0])
    with pytest.raises(ConfigError, match="both sides"):
        Alignments.read(path, source_lengths=lengths)


def test_line_numbers_go_on_across_blocks(tmp_path: Path) -> None:
    path = tmp_path / "links"
    path.write_text("0-0 1-1 2-2 3-3\n" * 200_000 + "oops\n")
    with pytest.raises(DataFormatError, match="links:200001: 'oops'"):
        Alignments.read(path)


def test_slices_and_positions() -> None:
    alignments = Alignments.from_links([[(0, 1)], [], [(2, 2), (3, 0)]])
    assert alignments[1:] == Alignments.from_links([[], [(2, 2), (3, 0)]])
    assert alignments[-1] == [(2, 2), (3, 0)]
    assert len(alignments[5:]) == 0
    assert alignments != [1]
    with pytest.raises(IndexError, match="no sentence pair 3"):
        alignments[3]
    with pytest.raises(ConfigError, match="with step 1"):
        alignments[::2]
    with pytest.raises(ConfigError, match="negative"):
        Alignments.from_links([[(-1, 0)]])
