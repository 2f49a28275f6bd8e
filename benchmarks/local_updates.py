"""Local training: time per sentence, beside decoding and beside what SciPy, the paper and Moses need.

    ISOGLOSS_DATA=... python benchmarks/local_updates.py [--sentences N] [--pairs N]

First both updates alone on made-up lists of the size of the paper's: 100 examples × 100 candidates × 15 dense
features, with the expectation of all examples minimized by SciPy's L-BFGS over NumPy beside it. Then on real
text: a phrase-based system from the first ``--pairs`` pairs of Multi30k, a memory of 5,000 other pairs, and
weights for test sentences. CPU milliseconds per sentence of one thread; Liu et al. (2012) report 600 ms for
retrieval and 300 ms for training; Moses' chart decoder took 142 ms per sentence of this test set at its
default, on a machine whose unit (see unit.py) was 0.125 s.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from enlarged import data_folder
from measure import ISOGLOSS, run
from scipy.optimize import minimize
from unit import unit

from isogloss.adapt import Example, LocalOptions, LocalTranslator, build_memory
from isogloss.adapt.lists import Candidates
from isogloss.adapt.update import local_weights
from isogloss.decoder import load

MOSES_CHART = 142.0 / 0.125  # ms per unit
PAPER = {"retrieval": 600.0, "training": 300.0}
EXAMPLES, CANDIDATES, FEATURES = 100, 100, 15
SETTINGS = [("mbuu", 0.3), ("mbuu", 1.0), ("mbuu", 3.0), ("ebuu", 30.0), ("ebuu", 100.0), ("ebuu", 300.0)]


def each(work: Callable[[int], object], count: int) -> float:
    """CPU milliseconds per call."""
    begun = time.process_time()
    for i in range(count):
        work(i)
    return (time.process_time() - begun) * 1e3 / count


def made_up() -> tuple[Candidates, dict[str, float]]:
    rng = np.random.default_rng(1)
    rows = EXAMPLES * CANDIDATES
    dense = rng.normal(0, 1, (rows, FEATURES)) * np.exp(rng.normal(0, 1, FEATURES))
    truth = rng.normal(0, 1, FEATURES)
    quality = 1 / (1 + np.exp(-0.3 * (dense @ truth) + rng.normal(0, 1, rows)))
    length = rng.integers(8, 14, rows)
    totals = np.stack([length - n for n in range(4)], axis=1)
    matches = (totals * quality[:, np.newaxis] ** np.arange(1, 5)).astype(int)
    statistics = np.column_stack((length, np.full(rows, 11), matches, totals)).astype(np.int32)
    offsets = np.arange(0, rows + 1, CANDIDATES, dtype=np.int64)
    baseline = {f"feature{i}": float(value) for i, value in enumerate(truth + rng.normal(0, 1, FEATURES))}
    return Candidates(offsets=offsets, dense=dense, statistics=statistics), baseline


def with_scipy(lists: Candidates, baseline: np.ndarray, strength: float, sharpness: float) -> object:
    """The expected BLEU of all examples, without the blur and the counts that are added."""
    begin, sizes = lists.offsets[:-1], np.diff(lists.offsets)
    example, counts = np.repeat(np.arange(len(sizes)), sizes), lists.statistics.astype(np.float64)

    def objective(change: np.ndarray) -> tuple[float, np.ndarray]:
        scores = sharpness * (lists.dense @ (baseline + change))
        shares = np.exp(scores - np.maximum.reduceat(scores, begin)[example])
        shares /= np.add.reduceat(shares, begin)[example]
        expected = shares @ counts
        brief = max(0.0, expected[1] / expected[0] - 1)
        bleu = np.exp(np.mean(np.log(expected[2:6] / expected[6:10])) - brief)
        by_count = np.concatenate(([0.0, 0.0], bleu / 4 / expected[2:6], -bleu / 4 / expected[6:10]))
        if brief > 0:
            by_count[0], by_count[1] = bleu * expected[1] / expected[0] ** 2, -bleu / expected[0]
        worth = counts @ by_count
        slopes = sharpness * shares * (worth - np.add.reduceat(shares * worth, begin)[example])
        return change @ change / 2 - strength * bleu, change - strength * (slopes @ lists.dense)

    start = np.zeros(len(baseline))
    return minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 50, "ftol": 1e-7})


def updates_alone() -> None:
    lists, baseline = made_up()
    print(f"{EXAMPLES} examples × {CANDIDATES} candidates × {FEATURES} features, limit 15 ms, paper 300 ms:")
    similar = [0.5] * EXAMPLES
    for method, strength in SETTINGS:
        options = LocalOptions(method=method, strength=strength)  # type: ignore[arg-type]
        ours = each(lambda i, options=options: local_weights(lists, similar, baseline, options), 20)
        beside = ""
        if method == "ebuu":
            weights = np.array(list(baseline.values()))
            spread = float(np.std(lists.dense @ weights))
            facts = (strength, options.sharpness or 1.0)
            peer = each(lambda i, facts=facts: with_scipy(lists, weights / spread, *facts), 5)  # noqa: B023
            beside = f"; SciPy {peer:.1f} ms, {peer / ours:.1f} × as much"
        print(f"  {method.upper()}, λ {strength:g}: {ours:.2f} ms{beside}")


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def make_system(corpus: Path, folder: Path, pairs: int) -> Path:
    for side in ("de", "en"):
        text = "".join(line + "\n" for line in lines(corpus / f"train.{side}")[:pairs])
        (folder / f"train.{side}").write_text(text, encoding="utf-8")
    sides = [str(folder / "train.de"), str(folder / "train.en")]
    models = ["--rules", str(folder / "rules"), "--lm", str(folder / "lm")]
    for command in (
        ["align", *sides, "--output", str(folder / "links")],
        ["extract", *sides, str(folder / "links"), "--grammar", "phrase", "--output", str(folder / "rules")],
        ["lm", "build", sides[1], "--order", "5", "--binary", str(folder / "lm")],
        ["system", "create", str(folder / "system"), "--search", "phrase", *models],
    ):
        if run([*ISOGLOSS, "--quiet", *command]).code != 0:
            raise SystemExit(f"{command[0]} failed")
    return folder / "system"


def on_real_text(corpus: Path, folder: Path, pairs: int, sentences: int) -> None:
    system = load(make_system(corpus, folder, pairs))
    more = zip(lines(corpus / "train.de")[pairs:], lines(corpus / "train.en")[pairs:], strict=True)
    examples = [Example(source=source, references=(target,)) for source, target in list(more)[:5000]]
    begun = time.process_time()
    memory = build_memory(folder / "memory", system, examples)
    print(
        f"memory: {len(memory):,} examples, {memory.nbytes / len(memory) / 1e3:.1f} kB each, "
        f"built in {time.process_time() - begun:.0f} s"
    )
    sources = lines(corpus / "test_2016.de")[:sentences]
    retrieval = each(lambda i: memory.search(sources[i]), len(sources))
    decoding = each(lambda i: system.nbest([sources[i]], nbest=1), len(sources))
    moses = MOSES_CHART * unit()
    for method in ("mbuu", "ebuu"):
        translator = LocalTranslator(system, memory, update=LocalOptions(method=method))  # type: ignore[arg-type]
        translator.weights(sources[0])  # finds its units
        both = each(lambda i: translator.weights(sources[i]), len(sources))  # noqa: B023
        print(
            f"{method}: retrieval {retrieval:.2f} ms + training {both - retrieval:.2f} ms = {both:.2f} ms "
            f"(limit 25; paper {sum(PAPER.values()):g}); {both / decoding:.2f} of our decoding, "
            f"{decoding:.1f} ms; {both / moses:.3f} of Moses' chart decoder, {moses:.0f} ms"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=24_000)
    arguments = parser.parse_args()
    updates_alone()
    with tempfile.TemporaryDirectory() as folder:
        on_real_text(data_folder() / "multi30k-tok", Path(folder), arguments.pairs, arguments.sentences)


if __name__ == "__main__":
    main()
