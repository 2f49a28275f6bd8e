from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.align import AlignmentModel
from isogloss.align.lexicon import read_lexicon, write_lexicon
from isogloss.io.errors import DataFormatError, InputFileError
from support import align_oracles


def test_a_table_read_back_has_the_same_probabilities(tmp_path: Path) -> None:
    model = AlignmentModel.train(align_oracles.toy_corpus(60)[0])
    write_lexicon(model, tmp_path / "lex")
    again = read_lexicon(tmp_path / "lex", lowercase=True)
    for source, target, forward, backward in model.lexical_entries():
        assert again.probability(source, target) == pytest.approx((forward, backward), rel=1e-6)
    assert len(again.table) == len(model.table)
    nulls = dict(zip(model.encoder.target.words(), model.target_null.tolist(), strict=True))
    for word, null in zip(again.encoder.target.words(), again.target_null.tolist(), strict=True):
        assert null == pytest.approx(nulls[word], rel=1e-6)
    assert again.align("s1 s2", "t2 t1") == [(0, 1), (1, 0)]


def test_the_columns_are_those_of_moses(tmp_path: Path) -> None:
    (tmp_path / "lex.f2e").write_text("europe europa 0.9\nthe NULL 0.3\n")
    (tmp_path / "lex.e2f").write_text("europa europe 0.8\n")
    model = read_lexicon(tmp_path / "lex")
    assert model.probability("europa", "europe") == pytest.approx((0.9, 0.8))
    assert model.probability("europa", "the") == (0.0, 0.0)
    assert model.align("europa", "europe") == [(0, 0)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a b", "2 fields, 3 expected"),
        ("a b 0.5 c", "4 fields"),
        ("a  0.5", "3 fields, 3 expected"),
        ("a b x", "'x' is not a probability"),
        ("a b 1.5", "'1.5' is not a probability"),
        ("a b nan", "'nan' is not a probability"),
    ],
)
def test_bad_lines_are_named(line: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "lex.f2e").write_text(f"a b 0.5\n{line}\n")
    (tmp_path / "lex.e2f").write_text("")
    with pytest.raises(DataFormatError, match=f"lex.f2e:2: {message}"):
        read_lexicon(tmp_path / "lex")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match=r"lex\.f2e"):
        read_lexicon(tmp_path / "lex")
