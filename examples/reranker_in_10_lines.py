"""Train a reranker from Python lists, with a feature of your own: numbers of the source that a candidate
lacks.

    python examples/reranker_in_10_lines.py

Neural systems get numbers wrong in fluent sentences. Counting them is easy, and so is learning a weight for
the count.
"""

import isogloss


@isogloss.feature
def missing_numbers(source: str, candidate: str) -> float:
    return -float(len({word for word in source.split() if word.isdigit()} - set(candidate.split())))


source = ["he paid 40 dollars", "room 12 is free"]
candidates = [["er zahlte 14 Dollar", "er zahlte 40 Dollar"], ["Zimmer 21 ist frei", "Zimmer 12 ist frei"]]
references = ["er zahlte 40 Dollar", "Zimmer 12 ist frei"]

reranker = isogloss.Reranker(features=[missing_numbers]).fit(candidates, references, source=source)
print(reranker.weights)
print(*reranker.rerank(candidates, source=source).best(), sep="\n")
