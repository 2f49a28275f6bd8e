"""Reranking against other tools in one run: minimum Bayes risk, statistics of metrics, learners.

    pip install 'isogloss[peers]'
    python benchmarks/rerank_peers.py [mbr] [statistics] [learners]

CPU time of all threads, on synthetic lists (seeded). The peers: ``fastchrf``, the fast backend of ``mbrs``,
for minimum Bayes risk with chrF, sacreBLEU for the statistics of chrF and TER, scikit-learn for pairwise
ranking (PRO). Peers that take long are measured on a part, and the time is scaled up; the table says so.
Statistics must agree.
"""

from __future__ import annotations

import argparse
import logging
import random
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from unit import unit

from isogloss.learn import Problem
from isogloss.learn.metrics import list_statistics
from isogloss.learn.registry import make_learner
from isogloss.metric import References, metric_named
from isogloss.nbest import NbestList, make_nbest
from isogloss.rerank import mbr

T = TypeVar("T")


def cpu(work: Callable[[], T]) -> tuple[float, T]:
    begun = time.process_time()
    found = work()
    return time.process_time() - begun, found


def english(count: int, seed: int) -> list[str]:
    """Lines of about 12 words; the n-th most frequent word is about 1/n as often as the first."""
    rng = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgk"
    words = [
        "".join(rng.choices(letters, weights=range(22, 0, -1), k=rng.randrange(2, 9))) for _ in range(5000)
    ]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    return [" ".join(rng.choices(words, weights, k=rng.randrange(6, 19))) for _ in range(count)]


def lists(sentences: int, candidates: int) -> tuple[NbestList, References]:
    lines = english(sentences, 1)
    return NbestList.from_store(make_nbest(lines, candidates=candidates, seed=1)), References([lines])


def report(title: str, rows: list[tuple[str, float, float]]) -> None:
    """Name, CPU seconds, ratio to ours."""
    print(f"\n{title}\n{'':52}{'CPU s':>10}{'units':>10}{'ratio':>8}")
    for name, seconds, ratio in rows:
        print(f"{name:52}{seconds:>10.2f}{seconds / UNIT:>10.1f}{ratio:>8.1f}")


def compare_mbr() -> None:
    for sentences, candidates, own, part in ((1000, 50, 1000, 50), (200, 1000, 20, 1)):
        _compare_mbr(sentences, candidates, own, part)


def _compare_mbr(sentences: int, candidates: int, measured: int, part: int) -> None:
    import fastchrf

    nbest, _ = lists(sentences, candidates)
    ours, chosen = cpu(lambda: mbr(nbest[:measured], "chrf", scale=0))
    ours *= sentences / measured
    fast, quick = cpu(lambda: mbr(nbest, "chrf", scale=0, aggregate=True))
    texts = [[one.text for one in own] for own in nbest[:part]]
    settings = {"char_order": 6, "beta": 2.0, "remove_whitespace": True, "eps_smoothing": False}
    theirs, pairs = cpu(lambda: [fastchrf.pairwise_chrf([own], [own], **settings)[0] for own in texts])
    best = [own[int(np.argmax(np.mean(scores, axis=1)))] for own, scores in zip(texts, pairs, strict=True)]
    same = np.mean([a == b for a, b in zip(best, chosen.best(), strict=False)])
    agree = np.mean([a == b for a, b in zip(quick.best(), chosen.best(), strict=False)])
    theirs *= sentences / part
    report(
        f"minimum Bayes risk with chrF, {sentences:,} x {candidates:,}; same choices as mbrs: {same:.0%}",
        [
            ("isogloss" + (f" (measured on {measured})" if measured < sentences else ""), ours, 1.0),
            (f"isogloss, aggregate ({agree:.0%} the same choices)", fast, fast / ours),
            (f"fastchrf, the backend of mbrs (measured on {part})", theirs, theirs / ours),
        ],
    )


def compare_statistics() -> None:
    from sacrebleu.metrics import CHRF, TER

    from isogloss.metric import SacreMetric

    nbest, references = lists(1000, 50)
    owners = np.repeat(np.arange(1000), 50)
    for name, peer in (("chrf", CHRF()), ("ter", TER())):
        metric = metric_named(name)
        ours, rows = cpu(lambda: list_statistics(nbest.store, references, metric))  # noqa: B023
        texts = nbest.texts()
        lines, _ = cpu(lambda: metric.statistics(texts, references, owners.tolist()))  # noqa: B023
        part = 5000
        theirs, expected = cpu(
            lambda: SacreMetric(peer, name).statistics(texts[:part], references, owners[:part].tolist())  # noqa: B023
        )
        assert np.array_equal(rows[:part], expected), name
        theirs *= len(texts) / part
        report(
            f"statistics of {name}, 1,000 x 50 candidates; equal to sacreBLEU's",
            [
                ("isogloss, words of a list", ours, 1.0),
                ("isogloss, from text", lines, lines / ours),
                (f"sacreBLEU (measured on {part:,})", theirs, theirs / ours),
            ],
        )


def compare_learners() -> None:
    from sklearn.linear_model import LogisticRegression

    nbest, references = lists(1000, 50)
    problem = Problem.of(nbest.store, references)
    rows = []
    for method in ("expected-bleu", "batch-mira", "pro", "mert:restarts=3"):
        seconds, learned = cpu(lambda: make_learner(method).learn(problem, {}))  # noqa: B023
        rows.append((f"{method} (BLEU {100 * learned.score:.2f})", seconds))

    def pro() -> float:
        rng = np.random.default_rng(1)
        quality, dense = problem.sentence_scores(), problem.dense()
        pairs = []
        for begin, end in zip(problem.sentences()[:-1], problem.sentences()[1:], strict=True):
            drawn = rng.integers(begin, end, size=(5000, 2))
            gaps = quality[drawn[:, 0]] - quality[drawn[:, 1]]
            kept = np.flatnonzero(np.abs(gaps) > 0.05)
            order = kept[np.argsort(-np.abs(gaps[kept]), kind="stable")[:50]]
            pairs.append(np.where(gaps[order, np.newaxis] > 0, drawn[order], drawn[order, ::-1]))
        chosen = np.concatenate(pairs)
        difference = dense[chosen[:, 0]] - dense[chosen[:, 1]]
        model = LogisticRegression(fit_intercept=False)
        model.fit(np.concatenate([difference, -difference]), np.repeat([1, 0], len(difference)))
        return problem.score_of_rows(problem.choose(dense @ model.coef_[0]))

    seconds, score = cpu(pro)
    rows.append((f"scikit-learn, PRO in 15 lines (BLEU {100 * score:.2f})", seconds))
    first = rows[0][1]
    report("learners, 1,000 x 50 x 5 dense features", [(name, each, each / first) for name, each in rows])


PARTS = {"mbr": compare_mbr, "statistics": compare_statistics, "learners": compare_learners}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=list(PARTS))
    logging.getLogger().setLevel(logging.ERROR)
    UNIT = unit()
    for part in parser.parse_args().parts or PARTS:
        PARTS[part]()
