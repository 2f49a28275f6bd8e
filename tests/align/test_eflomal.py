from __future__ import annotations

import sys

import pytest

from isogloss.align import LinkOptions, align_corpus
from isogloss.align.eflomal import require_eflomal
from isogloss.io.errors import MissingExtraError
from support import align_oracles


@pytest.mark.peer
def test_eflomal_aligns_all_pairs_in_order() -> None:
    pytest.importorskip("eflomal", reason="eflomal is not installed (extra 'peers')")
    corpus, truth = align_oracles.toy_corpus(200)
    corpus[3] = ("", "x")
    corpus[5] = ("a " * 300, "b")
    truth[3] = truth[5] = []
    result = align_corpus(corpus, backend="eflomal", links=LinkOptions())
    assert result.model is None
    assert align_oracles.share_found(result.alignments, truth) > 0.85


def test_a_missing_eflomal_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "eflomal", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'isogloss\[eflomal\]'"):
        require_eflomal()
