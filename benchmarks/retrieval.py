"""Retrieval of similar examples: time per query and growth, against comparing with every example.

    ISOGLOSS_DATA=... python benchmarks/retrieval.py [--queries N] [--largest N]

The corpus is the Japanese side of tanaka (50,000 sentences) and larger ones made from it (see enlarged.py).
The queries are its test sentences; K = 100, with a share of 0.1 for the edit distance. Milliseconds are CPU
time of one thread. Two comparisons with all examples run too: the engine's own exact similarity, which must
give the same answers (checked), and, if RapidFuzz is installed, RapidFuzz's edit similarity alone.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from enlarged import data_folder, enlarge

from isogloss.adapt.options import RetrievalOptions
from isogloss.adapt.segment import Example, Segment, segment_columns
from isogloss.decoder.example_index import Frequencies, QueryTerms

SIZES = (12_500, 50_000, 200_000, 1_000_000)
LIMITS = {50_000: 10.0, 1_000_000: 60.0}
OPTIONS = RetrievalOptions(size=100)


def each(work: Callable[[int], object], count: int) -> float:
    """Milliseconds per call."""
    begun = time.process_time()
    for i in range(count):
        work(i)
    return (time.process_time() - begun) * 1e3 / count


def best_of_all(segment: Segment, query: QueryTerms) -> list[int]:
    every = segment.similarities(query, OPTIONS.edit_share)
    order = np.lexsort((-np.arange(len(every)), -every))[: OPTIONS.size]
    return [int(i) for i in order if every[i] > 0]


def rapidfuzz_all(sentences: Sequence[list[str]], queries: Sequence[list[str]]) -> float | None:
    try:
        from rapidfuzz.distance import Levenshtein
        from rapidfuzz.process import cdist
    except ImportError:
        return None
    return each(
        lambda i: cdist([queries[i]], sentences, scorer=Levenshtein.normalized_similarity, processor=None),
        min(3, len(queries)),
    )


def measure(path: Path, queries: Sequence[str]) -> None:
    sentences = [line.split() for line in path.read_text(encoding="utf-8").splitlines()]
    begun = time.process_time()
    frequencies = Frequencies.count(sentences)
    examples = [Example(source=" ".join(words), references=()) for words in sentences]
    segment = Segment(segment_columns(examples, range(len(examples)), frequencies), path)
    indexing = time.process_time() - begun
    terms = [QueryTerms.of(query, frequencies) for query in queries]
    segment.search(terms[0], OPTIONS, 0.0)
    ours = each(lambda i: segment.search(QueryTerms.of(queries[i], frequencies), OPTIONS, 0.0), len(queries))
    few = max(1, min(len(queries), 3_000_000 // len(sentences)))
    slow = each(lambda i: best_of_all(segment, terms[i]), few)
    for i in range(few):
        found = segment.search(terms[i], OPTIONS, 0.0)[0].tolist()
        if found != best_of_all(segment, terms[i]):
            raise SystemExit(f"query {i} found something else than a comparison with all")
    fuzz = (
        rapidfuzz_all(sentences, [query.split() for query in queries]) if len(sentences) <= 50_000 else None
    )
    limit = LIMITS.get(len(sentences))
    print(
        f"{len(sentences):>9,} examples: {ours:7.2f} ms per query"
        + (f" (limit {limit:g})" if limit else "")
        + f"; all compared {slow:8.1f} ms, {slow / ours:5.1f} times as long, same answers to {few} queries"
        + (f"; RapidFuzz, edit distance alone, {fuzz:.1f} ms, {fuzz / ours:.1f} times" if fuzz else "")
        + f"; indexing {indexing:.1f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    arguments = parser.parse_args()
    tanaka = data_folder() / "tanaka"
    queries = (tanaka / "test.ja").read_text(encoding="utf-8").splitlines()[: arguments.queries]
    with tempfile.TemporaryDirectory() as scratch:
        for size in SIZES:
            if size <= arguments.largest:
                larger, _ = enlarge(tanaka / "train.ja", tanaka / "train.en", Path(scratch), size)
                real = tanaka / "train.ja"
                measure(real if size == 50_000 else larger, queries)


if __name__ == "__main__":
    main()
