"""One decoder used by several threads at once, and machines that refuse to start a thread."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from isogloss import _engine
from isogloss.decoder import System, load
from isogloss.decoder.decoder import Decoder
from isogloss.features import SparseModel, SparseOptions
from isogloss.io.streams import read_lines

SEARCHES = pytest.mark.parametrize("search", ["hierarchical", "phrase"])


@contextmanager
def meanwhile(action: Callable[[], None]) -> Iterator[None]:
    """Repeat an action in another thread for as long as the block takes."""
    stop = threading.Event()
    failures: list[BaseException] = []

    def repeat() -> None:
        try:
            while not stop.is_set():
                action()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    assert not failures


def sparse_decoder(system: System) -> Decoder:
    decoder = system.decoder
    sparse = SparseModel(SparseOptions(templates=("pair", "target_bigram", "orientation")))
    return Decoder(decoder._rules, decoder._lm, decoder.options, decoder.weights, sparse=sparse)


def source_lines(systems: Path, count: int) -> list[str]:
    return list(read_lines(systems / "corpus" / "test.src"))[:count]


@SEARCHES
def test_every_list_is_scored_with_the_weights_of_one_moment(systems: Path, search: str) -> None:
    decoder = load(systems / search).decoder
    lines = source_lines(systems, 20)
    first = decoder.weights
    second = {name: 0.3 * weight if name == "lm" else weight for name, weight in first.items()}
    expected = []
    for weights in (first, second):
        decoder.set_weights(weights)
        expected.append(decoder.nbest(lines, nbest=5))
    assert not expected[0].equals(expected[1])

    def change() -> None:
        decoder.set_weights(first)
        decoder.set_weights(second)

    with meanwhile(change):
        found = [decoder.nbest(lines, nbest=5, threads=2) for _ in range(30)]
    assert all(any(store.equals(one) for one in expected) for store in found)


def test_sparse_weights_may_be_learned_while_others_translate(systems: Path) -> None:
    decoder = sparse_decoder(load(systems / "hierarchical"))
    lines = source_lines(systems, 10)
    learned = _engine.LearnedWeights()
    decoder.set_weights(decoder.weights, learned)
    found = decoder.search(lines, nbest=3)
    features = np.unique(np.concatenate([found.sparse(i, [0, 1]).features for i in range(len(lines))]))
    rng = np.random.default_rng(3)

    def learn() -> None:
        # Far more features than the table has room for, so that it moves again and again.
        numbers = np.concatenate([features, rng.integers(1, 2**63, 500).astype(np.uint64)])
        learned.add(numbers, rng.normal(0, 1e-2, len(numbers)).astype(np.float32))

    with meanwhile(learn):
        for _ in range(10):
            assert decoder.nbest(lines, nbest=3, threads=2).num_sentences == len(lines)
    decoder.set_weights(decoder.weights, learned)
    again = sparse_decoder(load(systems / "hierarchical"))
    again.set_weights(decoder.weights, learned)
    assert decoder.nbest(lines, nbest=3).equals(again.nbest(lines, nbest=3))


def test_weights_learned_since_they_were_set_count(systems: Path) -> None:
    decoder = sparse_decoder(load(systems / "phrase"))
    lines = source_lines(systems, 10)
    learned = _engine.LearnedWeights()
    features = decoder.search(lines, nbest=1).sparse(0, [0]).features
    learned.add(features, np.full(len(features), 0.1, np.float32))
    decoder.set_weights(decoder.weights, learned)
    before = decoder.nbest(lines, nbest=3)  # from now on it remembers scores of rules and events
    learned.add(features, np.full(len(features), -0.2, np.float32))
    after = decoder.nbest(lines, nbest=3)
    assert not after.equals(before)
    decoder.set_weights(decoder.weights, learned)
    assert after.equals(decoder.nbest(lines, nbest=3))


def test_changes_of_changed_weights_add_up(systems: Path) -> None:
    decoder = sparse_decoder(load(systems / "phrase"))
    features = decoder.search(source_lines(systems, 1), nbest=1).sparse(0, [0]).features[:1]
    for base in (None, _engine.LearnedWeights()):
        if base is not None:
            base.add(features, np.float32([0.5]))
        once = _engine.ChangedWeights(base, features, np.float32([1.0]))
        twice = _engine.ChangedWeights(once, features, np.float32([2.0]))
        assert twice.weights(features) - once.weights(features) == 2.0


TRANSLATE = """
import sys
from isogloss.decoder import load
from isogloss.io.streams import read_lines
folder, threads = sys.argv[1:]
lines = list(read_lines(folder + "/corpus/test.src"))[:20]
print(*load(folder + "/phrase").nbest(lines, nbest=3, threads=int(threads)).texts(), sep="\\n")
"""


def no_room_for_a_stack() -> None:
    # The stack of a new thread is as large as this limit, and no machine has so much room.
    resource.setrlimit(resource.RLIMIT_STACK, (1 << 50, resource.getrlimit(resource.RLIMIT_STACK)[1]))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="stacks are as large as the limit on Linux")
def test_where_no_thread_can_be_started_one_does_the_work(systems: Path) -> None:
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        pytest.skip("the limit of stacks cannot be raised here")

    def translate(threads: int, limit: Callable[[], None] | None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", TRANSLATE, str(systems), str(threads)],
            capture_output=True,
            text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            preexec_fn=limit,
        )

    alone = translate(1, None)
    refused = translate(4, no_room_for_a_stack)
    assert refused.returncode == 0, refused.stderr
    assert refused.stdout == alone.stdout != ""
