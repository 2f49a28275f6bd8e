"""The same scores as KenLM on the same ARPA file, and lmplz's figures on a real corpus."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from isogloss.lm import LanguageModel, LmOptions, build
from support.lm_oracles import BackoffModel

pytestmark = pytest.mark.peer

TRAIN, TEST = "multi30k-tok/train.en", "multi30k-tok/test_2016.en"


@pytest.fixture(scope="module")
def kenlm() -> Any:
    return pytest.importorskip("kenlm", reason="KenLM is not installed (extra `peers`)")


def peer_of(kenlm: Any, path: Path) -> Any:
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    return kenlm.Model(str(path), config)


def assert_equal(kenlm: Any, path: Path, lines: list[str]) -> None:
    """Every word, with and without the ends of the sentence, and state by state."""
    peer, ours = peer_of(kenlm, path), LanguageModel.load(path)
    ours.save(path.with_suffix(".binary"))
    mapped = LanguageModel.load(path.with_suffix(".binary"))
    engine = mapped.engine
    for line in lines:
        for bos, eos in ((True, True), (False, False)):
            expected = list(peer.full_scores(line, bos=bos, eos=eos))
            for model in (ours, mapped):
                found = model.score_words(line, bos=bos, eos=eos)
                assert [w.log10 for w in found] == pytest.approx([prob for prob, _, _ in expected], abs=1e-5)
                assert [w.known for w in found] == [not oov for _, _, oov in expected]
                assert [w.matched for w in found] == [length for _, length, _ in expected]
        before, after = kenlm.State(), kenlm.State()
        peer.NullContextWrite(before)
        state = engine.begin_sentence()
        peer.BeginSentenceWrite(before)
        for word in line.split():
            score = peer.BaseScore(before, word, after)
            log10, _, _, state = engine.score(state, engine.find(word))
            assert log10 == pytest.approx(score, abs=1e-5)
            before, after = after, before


def made_up(choose: random.Random, lines: int) -> list[str]:
    words = [f"w{i}" for i in range(60)]
    weights = [1 / (i + 1) for i in range(60)]
    return [" ".join(choose.choices(words, weights, k=choose.randint(1, 12))) for _ in range(lines)]


@pytest.mark.parametrize("order", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("prune", [(0,), (0, 1)])
def test_made_up_text(kenlm: Any, tmp_path: Path, order: int, prune: tuple[int, ...]) -> None:
    choose = random.Random(order)
    (tmp_path / "text").write_text("\n".join(made_up(choose, 500)) + "\n")
    path = tmp_path / "model.arpa"
    build([tmp_path / "text"], options=LmOptions(order=order, prune=prune), arpa=path)
    lines = [line + (" unseen w1 w0" if i % 5 == 0 else "") for i, line in enumerate(made_up(choose, 60))]
    assert_equal(kenlm, path, lines)


def test_suffixes_that_were_pruned(kenlm: Any, tmp_path: Path) -> None:
    choose = random.Random(9)
    (tmp_path / "text").write_text("\n".join(made_up(choose, 300)) + "\n")
    path = tmp_path / "model.arpa"
    build([tmp_path / "text"], options=LmOptions(order=4), arpa=path)
    model = BackoffModel.parse(path.read_text())
    contexts = {ngram[:-1] for ngram in model.probs}
    for ngram in sorted(model.probs):
        # KenLM asks for every context to be there, and has little room for what is missing.
        if len(ngram) in (2, 3) and ngram not in contexts and choose.random() < 0.2:
            del model.probs[ngram]
            model.backoffs.pop(ngram, None)
    path.write_text(model.arpa())
    peer, ours = peer_of(kenlm, path), LanguageModel.load(path)
    for line in made_up(choose, 200):
        expected = [prob for prob, _, _ in peer.full_scores(line)]
        assert [w.log10 for w in ours.score_words(line)] == pytest.approx(expected, abs=1e-5)


@pytest.mark.corpora
def test_figures_of_lmplz(corpora: Path, tmp_path: Path) -> None:
    report = build([corpora / TRAIN], binary=tmp_path / "binary")
    assert report.counts == (10_213, 80_002, 174_840, 244_283, 272_048)
    lines = (corpora / TEST).read_text("utf-8").splitlines()
    found = LanguageModel.load(tmp_path / "binary").perplexity(lines)
    assert found.unknown == 144
    assert round(found.including_unknown, 2) == 35.80


@pytest.mark.corpora
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("prune", [(0,), (0, 0, 1)])
def test_real_text(kenlm: Any, corpora: Path, tmp_path: Path, order: int, prune: tuple[int, ...]) -> None:
    path = tmp_path / "model.arpa"
    build([corpora / TRAIN], options=LmOptions(order=order, prune=prune[:order]), arpa=path)
    lines = (corpora / TEST).read_text("utf-8").splitlines()
    if order == 1:  # KenLM itself reads no unigram models: compare with the definition
        model = BackoffModel.parse(path.read_text("utf-8"))
        ours = LanguageModel.load(path)
        for line in lines:
            expected = [score for score, _ in model.score_words(line.split())]
            assert [w.log10 for w in ours.score_words(line)] == pytest.approx(expected, abs=1e-5)
    else:
        assert_equal(kenlm, path, lines)
