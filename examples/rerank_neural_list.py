"""Rerank the n-best lists of a neural system with features that it does not have.

    marian-decoder … --n-best --beam-size 50 < dev.src > dev.nbest      # and the same for the test set
    python examples/rerank_neural_list.py dev.nbest dev.src dev.ref test.nbest test.src > test.out

The formats of Marian, fairseq, sockeye, Moses and JSON lines are detected. Without arguments, the script
makes synthetic lists.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import isogloss
from isogloss.corpus.synthetic import write_corpus
from isogloss.nbest import make_nbest


def rerank(dev_list, dev_source, dev_reference, test_list, test_source):
    # Lengths detect dropped words; consensus prefers what most candidates agree on. If you have models of
    # your own text, add "lm:MODEL" and "model1:MODEL": they detect a neural system that skips half a
    # sentence.
    reranker = isogloss.Reranker(features=["lengths:label=Words", "consensus:scale=0.5"])
    reranker.fit(dev_list, dev_reference, source=dev_source)
    print(reranker.weights, file=sys.stderr)
    return reranker.rerank(test_list, source=test_source).best()


def synthetic_files(folder):
    write_corpus(folder, pairs=200, seed=1, dev=60, test=30)
    for part in ("dev", "test"):
        lines = (folder / f"{part}.tgt.0").read_text("utf-8").splitlines()
        made = make_nbest([line.split() for line in lines], candidates=20, seed=1)
        isogloss.NbestList.from_store(made).write(folder / f"{part}.nbest", format="marian")
    return [folder / name for name in ("dev.nbest", "dev.src", "dev.tgt.0", "test.nbest", "test.src")]


with TemporaryDirectory() as scratch:
    files = sys.argv[1:] or synthetic_files(Path(scratch) / "synthetic")
    print(*rerank(*files), sep="\n")
