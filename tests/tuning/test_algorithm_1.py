"""The online trainer against Algorithm 1 of its paper in plain Python, weight for weight."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss import _engine
from isogloss.decoder import load
from isogloss.decoder.decoder import Decoder
from isogloss.features import SparseModel, SparseOptions
from isogloss.features.name_log import NameLog
from isogloss.io.streams import read_lines
from isogloss.metric import References
from isogloss.tuning.online import PAPER, OnlineOptions, OnlineTrainer
from support.online_oracle import Candidate, Settings, train

SENTENCES, PASSES = 8, 3
SPARSE = SparseModel(SparseOptions(templates=("pair", "target_bigram")))
LETTER = replace(PAPER, nbest=6, oracles=3, candidates=3, aggressiveness=0.1)


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        (LETTER, Settings(oracles=3, candidates=3, limit=0.1)),
        (
            replace(LETTER, oracles=1, candidates=1, nbest=2, aggressiveness=0.5),
            Settings(oracles=1, candidates=1, limit=0.5),
        ),
        (
            replace(LETTER, loss="sentence", loss_scale=5.0, aggressiveness=0.2),
            Settings(oracles=3, candidates=3, limit=0.2, sentence_loss=True, scale=5.0),
        ),
        (
            replace(LETTER, method="perceptron", learning_rate=1.0),
            Settings(oracles=3, candidates=3, rule="perceptron"),
        ),
        (
            replace(LETTER, method="tillmann-zhang", learning_rate=0.02),
            Settings(oracles=3, candidates=3, rule="tillmann-zhang", rate=0.02),
        ),
    ],
    ids=["10-oracle 10-best", "1-oracle 1-best", "sentence BLEU", "perceptron", "tillmann-zhang"],
)
def test_every_weight_is_that_of_the_algorithm(
    systems: Path, tmp_path: Path, options: OnlineOptions, settings: Settings
) -> None:
    base = load(systems / "phrase")
    sources = list(itertools.islice(read_lines(systems / "corpus/dev.src"), SENTENCES))
    references = list(itertools.islice(read_lines(systems / "corpus/dev.tgt.0"), SENTENCES))

    def decoder() -> Decoder:
        return Decoder(base.decoder._rules, base.decoder._lm, base.options, sparse=SPARSE)

    trainer = OnlineTrainer(
        decoder(), sources, References([references]), base.weights, options, name_log=NameLog(tmp_path)
    )
    trainer._margin = replace(trainer._margin, tolerance=1e-13)
    own = decoder()
    scales = dict(zip(own.names, _spreads(own, sources, base.weights), strict=True))

    def search(number: int, weights: Mapping[str, float]) -> list[Candidate]:
        numbers = [name for name in weights if name.startswith("#")]
        learned = _engine.LearnedWeights()
        if numbers:
            learned.add(
                np.array([int(name[1:]) for name in numbers], np.uint64),
                np.array([weights[name] for name in numbers], np.float32),
            )
        own.set_weights({name: weights[name] / scales[name] for name in own.names}, learned)
        found = own.search([sources[number]], nbest=options.nbest)
        texts = found.store.texts()
        made = []
        for row, text in enumerate(texts):
            dense = zip(own.names, found.store.dense[row].tolist(), strict=True)
            sparse = found.sparse(0, [row])
            counts = zip(sparse.features.tolist(), sparse.counts.tolist(), strict=True)
            made.append(
                Candidate(
                    text,
                    {
                        **{name: value / scales[name] for name, value in dense},
                        **{f"#{feature}": count for feature, count in counts},
                    },
                )
            )
        return made

    start = {name: base.weights[name] * scales[name] for name in own.names}
    expected = train(search, references, start, settings, PASSES)
    for _ in range(PASSES):
        trainer.iterate()
    if settings.sentence_loss:
        assert expected.remembered > 0  # some oracles were not in the list again, and stayed
    assert len(expected.steps) == SENTENCES * PASSES

    def compare(dense: np.ndarray, sparse: np.ndarray, weights: Mapping[str, float]) -> None:
        assert dense == pytest.approx([weights[name] for name in own.names], rel=1e-6, abs=2e-5)
        features = trainer.state.sparse.columns()[0]
        assert sparse == pytest.approx(
            [weights.get(f"#{one}", 0.0) for one in features.tolist()], rel=1e-6, abs=2e-5
        )
        there = {f"#{one}" for one in features.tolist()}
        missing = [w for name, w in weights.items() if name.startswith("#") and name not in there]
        assert missing == pytest.approx([0.0] * len(missing), rel=1e-6, abs=2e-5)

    _, values, sums, _ = trainer.state.sparse.columns()
    assert np.abs(values).max() > 1e-3  # something was learned
    compare(trainer.state.dense, values, expected.weights)
    compare(trainer.state.dense_average(), sums / (SENTENCES * PASSES), expected.average())


def _spreads(decoder: Decoder, sources: list[str], weights: Mapping[str, float]) -> list[float]:
    """The spread of every dense feature within the lists of the first decoding."""
    decoder.set_weights(weights)
    deviations = []
    for source in sources:
        dense = np.array(decoder.search([source], nbest=100).store.dense)
        deviations.append(dense - dense.mean(axis=0))
    spread = np.sqrt((np.concatenate(deviations) ** 2).mean(axis=0))
    return [float(one) if one > 1e-9 else 1.0 for one in spread]
