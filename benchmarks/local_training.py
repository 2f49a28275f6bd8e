"""Local training: time per sentence, beside decoding and beside what the paper and Moses need.

    ISOGLOSS_DATA=... python benchmarks/local_training.py [--sentences N] [--pairs N]

First both updates alone on made-up lists of the size of the paper's: 100 examples × 100 candidates × 15 dense
features. Then the whole on real text: a phrase-based system from the first ``--pairs`` pairs of multi30k, a
memory of 5,000 other pairs, test sentences translated with the system's weights and with local ones. CPU
ms per sentence of one thread; Liu et al. (2012) report 600 ms for retrieval, 300 ms for training and
2,000 ms for decoding; Moses' chart decoder needs 142 ms per sentence of this test set at its default.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from enlarged import data_folder
from measure import ISOGLOSS, run

from isogloss import _engine
from isogloss.local import (
    Example,
    LocalTranslator,
    Memory,
    UpdateOptions,
    build_memory,
    local_weights,
)
from isogloss.metric import Bleu, References
from isogloss.search import load

MOSES_CHART = 142.0
PAPER = {"retrieval": 600.0, "training": 300.0}
EXAMPLES, CANDIDATES, FEATURES = 100, 100, 15


def each(work: Callable[[int], object], count: int) -> float:
    """CPU milliseconds per call."""
    begun = time.process_time()
    for i in range(count):
        work(i)
    return (time.process_time() - begun) * 1e3 / count


def updates_alone() -> None:
    rng = np.random.default_rng(1)
    rows = EXAMPLES * CANDIDATES
    dense = rng.normal(0, 1, (rows, FEATURES)) * np.exp(rng.normal(0, 1, FEATURES))
    truth = rng.normal(0, 1, FEATURES)
    quality = 1 / (1 + np.exp(-0.3 * (dense @ truth) + rng.normal(0, 1, rows)))
    baseline = truth + rng.normal(0, 1, FEATURES)
    baseline /= np.abs(baseline).sum()
    offsets = np.arange(0, rows + 1, CANDIDATES, dtype=np.int64)
    lists = _engine.CandidateLists(offsets=offsets, dense=dense)
    print(f"{EXAMPLES} examples × {CANDIDATES} candidates × {FEATURES} features:")
    for strength in (0.01, 0.06, 0.3):
        facts = {"strengths": np.full(EXAMPLES, strength / EXAMPLES), "baseline": baseline}
        margin = each(lambda i, facts=facts: lists.margin_update(gains=quality * 10, **facts), 20)
        error = each(lambda i, facts=facts: lists.error_update(errors=-quality, sharpness=20.0, **facts), 20)
        print(f"  λ {strength:<5g} MBUU {margin:6.2f} ms, EBUU {error:6.2f} ms (limit 15; paper 300)")


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
    references = References([lines(corpus / "test_2016.en")[:sentences]])
    hits = [memory.search(source) for source in sources]
    retrieval = each(lambda i: memory.search(sources[i]), len(sources))
    decoding = each(lambda i: system.nbest([sources[i]], nbest=1), len(sources))
    for method in ("mbuu", "ebuu"):
        options = UpdateOptions(method=method)
        training = each(lambda i: train(memory, hits[i], system.weights, options), len(sources))  # noqa: B023
        translator = LocalTranslator(system, memory, update=options)
        whole = each(lambda i: translator.translate_one(sources[i]), len(sources))  # noqa: B023
        both = retrieval + training
        print(
            f"{method}: retrieval {retrieval:.2f} ms + training {training:.2f} ms = {both:.2f} ms (limit 25; "
            f"paper {sum(PAPER.values()):g}); {both / decoding:.2f} of our decoding, {decoding:.1f} ms; "
            f"{both / MOSES_CHART:.2f} of Moses' chart decoder; all together {whole:.1f} ms"
        )
        texts = [done.text for done in translator.translate(sources)]
        score(method, texts, references)
    score("baseline", list(system.translate(sources)), references)


def train(memory: Memory, hits: Sequence, weights: dict, options: UpdateOptions) -> None:
    local_weights(memory.candidates(hits), [hit.similarity for hit in hits], dict(weights), options)


def score(name: str, texts: list[str], references: References) -> None:
    metric = Bleu()
    print(f"  BLEU of {name}: {metric.score(metric.statistics(texts, references).sum(axis=0)):.2f}, untuned")


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
