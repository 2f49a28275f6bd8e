from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.align import GoldLinks, read_gold, score_alignments
from isogloss.align.gold import check_gold
from isogloss.io.errors import ConfigError, DataFormatError


def test_scores_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "gold"
    path.write_text("0-0 1?1 2-2\n\n3p3 0-1\n")
    gold = read_gold(path)
    assert gold[0] == GoldLinks(frozenset({(0, 0), (2, 2)}), frozenset({(0, 0), (1, 1), (2, 2)}))
    scores = score_alignments([[(0, 0), (1, 1), (5, 5)], [], [(3, 3)]], gold)
    # 4 links, 3 sure ones; 1 of the links is sure, 3 are possible
    assert scores.error_rate == pytest.approx(1 - (1 + 3) / (4 + 3))
    assert scores.precision == pytest.approx(3 / 4)
    assert scores.recall == pytest.approx(1 / 3)
    assert (scores.links, scores.sure, scores.pairs) == (4, 3, 3)
    assert score_alignments([], []).error_rate == 0
    with pytest.raises(ConfigError, match="1 alignments cannot be compared with 3 lines"):
        score_alignments([[]], gold)


def test_bad_gold_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "gold"
    path.write_text("0-0\n0-0 1!1\n")
    with pytest.raises(DataFormatError, match="gold:2: '1!1' is not a gold link"):
        read_gold(path)
    path.write_text("0-0\n0?2\n")
    gold = read_gold(path)
    check_gold(gold, [1, 1], [1, 3], path)
    with pytest.raises(DataFormatError, match="gold:2: link 0-2 is outside sentences of 1 and 2 words"):
        check_gold(gold, [1, 1], [1, 2], path)
    with pytest.raises(DataFormatError, match="gold: 2 lines for 1 sentence pairs"):
        check_gold(gold, [1], [1], path)
