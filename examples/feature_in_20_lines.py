"""A reranking feature of your own, from Python lists: how many numbers of the source does a candidate lack?

    python examples/feature_in_20_lines.py

Neural systems get numbers wrong in fluent sentences, and a count of them is easy to learn a weight for.
"""

from collections import Counter

import isogloss


@isogloss.feature
def missing_numbers(source: str, candidate: str) -> float:
    wanted = Counter(word for word in source.split() if word.isdigit())
    return -float((wanted - Counter(candidate.split())).total())


source = ["he paid 40 dollars", "room 12 is free", "bus 7 leaves at 9"]
candidates = [
    ["er zahlte 14 Dollar", "er zahlte 40 Dollar"],
    ["Zimmer 21 ist frei", "Zimmer 12 ist frei"],
    ["Bus 7 fährt um 10", "Bus 7 fährt um 9"],
]
references = ["er zahlte 40 Dollar", "Zimmer 12 ist frei", "Bus 7 fährt um 9"]

reranker = isogloss.Reranker(features=[missing_numbers]).fit(candidates, references, source=source)
print(reranker.weights)
print(*reranker.rerank(candidates, source=source).best(), sep="\n")
