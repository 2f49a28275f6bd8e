from __future__ import annotations

from pathlib import Path

import numpy as np

from isogloss.corpus.synthetic.text import write_corpus
from isogloss.decoder import load
from isogloss.neural import JointModel, JointOptions
from isogloss.pipeline import TrainOptions, train


def test_a_joint_model_is_trained_tuned_and_stored_with_the_system(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    write_corpus(corpus, pairs=300, seed=5, dev=20, test=10, raw=True)
    options = TrainOptions(
        source=(corpus / "train.src",),
        target=(corpus / "train.tgt",),
        method="batch-mira:iterations=1",
        neural=True,
        joint=JointOptions(window=5, embedding=16, hidden=16, epochs=3),
    )
    train(tmp_path / "engine", options)
    measured, finished = load(tmp_path / "engine/work/system"), load(tmp_path / "engine")
    sentence = (corpus / "test.src").read_text().splitlines()[0]
    for system in (measured, finished):
        # Tuning has moved the weight from where it starts.
        assert system.weights["joint"] not in (0.0, 0.2)
        found = system.translate(sentence)
        assert found.features["joint"] != 0
        assert np.isclose(
            sum(system.weights[name] * value for name, value in found.features.items()),
            found.score,
            atol=1e-2,
        )
        explained = system.explain(sentence)
        words = explained.predicted
        assert [one.word for one in words] == [*explained.translation.split(), ""]
        # The search knows alignments of unaligned words inside rules only.
        assert np.isclose(sum(one.score for one in words), found.features["joint"], rtol=0.3)
        assert f"{words[0].word}  (most likely: {words[0].likely[0]}" in explained.to_text()
        assert "neural joint model" in explained.groups()
    assert JointModel.open(tmp_path / "engine/system/joint").facts["sentences"] < 300


def test_entries_of_a_dictionary_are_rules_and_known_to_the_language_model(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    write_corpus(corpus, pairs=200, seed=5, dev=20, test=10, raw=True)
    (tmp_path / "words.tsv").write_text("qwortzu\tnewword\tother newword\nzwei qwort\ttwo newwords\n")
    options = TrainOptions(
        source=(corpus / "train.src",),
        target=(corpus / "train.tgt",),
        dictionary=tmp_path / "words.tsv",
        method="batch-mira:iterations=1",
    )
    train(tmp_path / "engine", options)
    links = (tmp_path / "engine/work/dictionary/links").read_text().splitlines()
    assert len(links) == 3
    assert links[0] == "0-0"
    for system in (load(tmp_path / "engine/work/system"), load(tmp_path / "engine")):
        texts = {str(text).lower() for text in system.nbest(["qwortzu"], nbest=20).texts()}
        assert {"newword", "other newword"} <= texts
        assert system.decoder.unknown_words is not None
        assert system.decoder.unknown_words.translates("qwortzu")
        assert "newword" in system.decoder.language_model.vocabulary.words()
