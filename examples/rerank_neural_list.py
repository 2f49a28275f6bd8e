"""Rerank the n-best lists of a neural system (Marian, fairseq, …) with features it does not have.

    marian-decoder … --n-best --beam-size 50 < dev.src > dev.nbest      # and the same for the test set
    python examples/rerank_neural_list.py dev.nbest dev.src dev.ref test.nbest test.src > test.out

Marian, fairseq logs, sockeye, Moses and JSON lines are recognised. Without arguments, lists are made up.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from isogloss.corpus.synthetic.text import write_corpus
from isogloss.learn import Problem
from isogloss.metric import References
from isogloss.nbest import read_nbest, write_nbest
from isogloss.nbest.synthetic import make_nbest
from isogloss.rerank import method_named, parse_features, prepare, train_model


def words(path):
    return [line.split() for line in Path(path).read_text("utf-8").splitlines()]


def rerank(dev_list, dev_source, dev_reference, test_list, test_source):
    # Lengths find lost words, consensus what most candidates agree on. With models of your own text, add
    # "lm:MODEL" and "model1:MODEL": a neural system that skips half a sentence is found out by these.
    functions = parse_features(["lengths:label=Words", "consensus:scale=0.5"])
    store = prepare(read_nbest(dev_list), functions, source=words(dev_source))
    problem = Problem.of(store, References.read([dev_reference]))
    reranker = train_model(problem, method_named("expected-bleu"), functions).model
    for name, weight in reranker.weights().items():
        print(f"{weight:>8.3f}  {name}", file=sys.stderr)
    best = reranker.rerank(read_nbest(test_list), words(test_source))
    return [best.text(row) for row in best.sentence_offsets[:-1].tolist()]


def made_up(folder):
    write_corpus(folder, pairs=200, seed=1, dev=60, test=30)
    for part in ("dev", "test"):
        made = make_nbest(words(folder / f"{part}.tgt.0"), candidates=20, seed=1)
        write_nbest(made, folder / f"{part}.nbest", format="marian")
    return [folder / name for name in ("dev.nbest", "dev.src", "dev.tgt.0", "test.nbest", "test.src")]


with TemporaryDirectory() as scratch:
    files = sys.argv[1:] or made_up(Path(scratch) / "made-up")
    print(*rerank(*files), sep="\n")
