from __future__ import annotations

import numpy as np
import pytest

from isogloss._engine import NbestBuilder
from isogloss.learn import Problem
from isogloss.learn.quality import candidate_quality, document_quality
from isogloss.metric import Bleu, References
from isogloss.metric.interface import FloatArray
from isogloss.nbest import NbestStore

LINES = ["the cat sat on the mat", "a big old dog ran", "the moon", "old cat under moon"]


def one_at_a_time(problem: Problem, texts: list[str]) -> FloatArray:
    """Puts every candidate into the document of the others' best candidates, as text."""
    metric, references = Bleu(), References([LINES])

    def bleu(lines: list[str]) -> float:
        return float(metric.score(metric.statistics(lines, references).sum(axis=0))) / 100

    owners = problem.store.sentence_of_row().tolist()
    quality = problem.sentence_scores()
    for _ in range(2):
        best = [texts[row] for row in problem.choose(quality).tolist()]
        changed = [
            [*best[:owner], text, *best[owner + 1 :]] for owner, text in zip(owners, texts, strict=True)
        ]
        quality = np.array([len(LINES) * (bleu(lines) - bleu(best)) for lines in changed])
    return quality


def damaged_lists(seed: int) -> NbestStore:
    """Candidates that are the references with words left out, doubled or moved."""
    random, builder = np.random.default_rng(seed), NbestBuilder()
    for sentence, line in enumerate(LINES):
        for _ in range(5):
            words = [word for word in line.split() for _ in range(random.choice([0, 1, 1, 1, 1, 2]))]
            at = int(random.integers(len(words) + 1))
            builder.add(sentence, " ".join([*words[at:], *words[:at]]) or "a", score=0.0)
    return NbestStore.from_columns(builder.finish())


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_document_quality_is_the_gain_of_the_document(seed: int) -> None:
    store = damaged_lists(seed)
    problem = Problem.of(store, References([LINES]), Bleu())
    expected, found = one_at_a_time(problem, list(store.texts())), document_quality(problem)
    assert np.ptp(expected) > 0.1
    assert found == pytest.approx(expected)
    assert candidate_quality(problem, "document") == pytest.approx(found)
    assert candidate_quality(problem, "sentence") == pytest.approx(problem.sentence_scores())
