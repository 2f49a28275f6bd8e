"""Lists that real systems wrote."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from isogloss.io.streams import read_chunks
from isogloss.nbest import read_nbest, write_nbest
from isogloss.nbest.formats import losses
from support.nbest_lists import exact, expected, parse_moses, plain, scratch

pytestmark = pytest.mark.corpora


@pytest.mark.parametrize(
    ("name", "sentences", "candidates"),
    [
        ("nbest/europarl.nbest", 100, 10_000),
        ("fisher/dev.nbest.es", 3977, 22_615),
        ("nbest-nmt-multi30k/val.50best.gz", 1014, 50_667),
        ("nbest-multi30k/val.100best.gz", 1014, 101_400),
    ],
)
def test_real_lists(corpora: Path, name: str, sentences: int, candidates: int) -> None:
    store = read_nbest(corpora / name)
    assert (store.num_sentences, store.num_candidates) == (sentences, candidates)
    lines = b"".join(read_chunks(corpora / name)).splitlines(keepends=True)
    some = list(itertools.islice(lines, 3000))
    slow = expected(parse_moses(b"".join(some)))
    assert exact(plain(store.select(range(len(some))))) == exact(slow)
    with scratch() as folder:
        for format in ("moses", "marian", "jsonl", "store"):
            assert losses(store, format) == []
            write_nbest(store, Path(folder) / format, format=format)
            assert read_nbest(Path(folder) / format, format=format).equals(store)
