"""A feature of your own for reranking, in 20 lines: how many numbers of the source does a candidate lack?

    python examples/feature_in_20_lines.py

Neural systems get numbers wrong in fluent sentences, and a count of them is easy to learn a weight for.
"""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

import numpy as np

from isogloss.learn import Problem
from isogloss.metric import References
from isogloss.nbest import read_nbest
from isogloss.rerank import FeatureFunction, method_named, prepare, train_model


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingNumbers(FeatureFunction):
    """Minus the numbers of the source that a candidate lacks."""

    name: ClassVar[str] = "missing-numbers"
    needs_source: ClassVar[bool] = True
    label: str = "MissingNumbers"

    def compute(self, context):
        found = []
        for row, sentence in enumerate(context.store.sentence_of_row().tolist()):
            wanted = Counter(word for word in context.source[sentence] if word.isdigit())
            found.append(-(wanted - Counter(context.store.text(row).split())).total())
        return np.array(found, dtype=np.float64)


sources = [line.split() for line in ("he paid 40 dollars", "room 12 is free", "bus 7 leaves at 9")]
candidates = [
    ["er zahlte 14 Dollar", "er zahlte 40 Dollar"],
    ["Zimmer 21 ist frei", "Zimmer 12 ist frei"],
    ["Bus 7 fährt um 10", "Bus 7 fährt um 9"],
]
references = ["er zahlte 40 Dollar", "Zimmer 12 ist frei", "Bus 7 fährt um 9"]

with TemporaryDirectory() as folder:
    rows = [{"sentence": i, "text": text} for i, texts in enumerate(candidates) for text in texts]
    path = Path(folder) / "list.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", "utf-8")
    store = read_nbest(path)

functions = [MissingNumbers()]
problem = Problem.of(prepare(store, functions, source=sources), References([references]))
reranker = train_model(problem, method_named("expected-bleu"), functions).model
print(reranker.weights())
best = reranker.rerank(store, sources)
print(*(best.text(row) for row in best.sentence_offsets[:-1].tolist()), sep="\n")
