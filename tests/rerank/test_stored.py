"""Folders that an earlier version wrote, before packages and classes were renamed, open and mean the same.

``stored/`` was written before the renames: a list of five sentences with four candidates each, and a reranker
that the voted perceptron learned from it.
"""

from __future__ import annotations

from pathlib import Path

from isogloss.nbest import NbestList
from isogloss.rerank import Reranker

STORED = Path(__file__).parent / "stored"
LINES = [
    "the cat sees a red house",
    "a dog runs here now",
    "the old tree has a cat",
    "big dogs see the house",
    "now the cat runs",
]
SCORES = [2.0, -0.125, -0.25, -0.375, 1.0, 0.75, -0.375, -0.125, 1.0, -0.375]
SCORES += [-0.125, 0.75, 2.0, -0.25, -0.125, -0.375, 2.0, -0.375, -0.125, -0.25]


def test_an_old_reranker_gives_the_scores_it_gave() -> None:
    nbest = NbestList.read(STORED / "nbest", source=[line.upper() for line in LINES])
    assert nbest.feature_names == ["Missing", "Doubled", "Order", "Choice", "Length"]
    reranker = Reranker.load(STORED / "reranker")
    assert reranker.scores(nbest).tolist() == SCORES
    assert reranker.feature_names[-2:] == ("Consensus1", "Consensus2")
    assert len(reranker.rerank(nbest).best()) == 5


def test_what_is_stored_again_has_the_same_kind_and_arrays(tmp_path: Path) -> None:
    Reranker.load(STORED / "reranker").save(tmp_path / "reranker")
    NbestList.read(STORED / "nbest").write(tmp_path / "nbest", format="store")
    for kind in ("reranker", "nbest"):
        names = {path.name.rpartition("-")[0] for path in (STORED / kind).glob("*.bin")}
        assert {path.name.rpartition("-")[0] for path in (tmp_path / kind).glob("*.bin")} == names
        assert f'"kind": "{kind}"' in (tmp_path / kind / "manifest.json").read_text()
