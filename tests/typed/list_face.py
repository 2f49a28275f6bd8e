"""Every public name of lists, as a program that is checked strictly would use it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import isogloss

T = TypeVar("T")


@isogloss.feature
def distinct_words(candidate: str) -> float:
    return float(len(set(candidate.split())))


@isogloss.feature(name="SameNumbers")
def same_numbers(source: str, candidate: str) -> float:
    def numbers(text: str) -> list[str]:
        return sorted(word for word in text.split() if word.isdigit())

    return float(numbers(source) == numbers(candidate))


def quiet(items: Iterable[T], description: str, total: int | None = None, /) -> Iterable[T]:
    return items


def overlap(candidate: str, reference: str) -> float:
    return float(len(set(candidate.split()) & set(reference.split())))


source: list[str] = ["er zahlt 40 Euro", "Zimmer 12 ist frei", "Bus 7 kommt um 9"] * 10
references: list[str] = ["he pays 40 euros", "room 12 is free", "bus 7 comes at 9"] * 10
candidates: list[list[str]] = [[line.replace("4", "1").replace("12", "21"), line] for line in references]

nbest = isogloss.NbestList(
    candidates,
    source=source,
    references=references,
    scores=[[-1.0, -1.5]] * 30,
    features={"LM": [-2.0, -2.5] * 30},
)
sizes: list[int] = [len(own) for own in nbest]
first: str = nbest[0][0].text
score: float | None = nbest[0][0].score
half: isogloss.NbestList = nbest[:15]
texts: list[str] = half.best()
names: list[str] = nbest.feature_names

reranker = isogloss.Reranker(features=["lengths:label=L", distinct_words, "SameNumbers"], method="pro")
reranker.fit(nbest, progress=quiet)
weights: dict[str, float] = reranker.weights
best: list[str] = reranker.rerank(
    candidates_only := isogloss.NbestList.from_columns(nbest.to_dict(), source=source)
).best()
best_score: float = max(map(float, reranker.scores(candidates_only)))
html: str = reranker.report().html()
other = isogloss.Reranker(options=isogloss.RerankOptions(start="decoder", held_out_share=0.2))

with TemporaryDirectory() as folder:
    reranker.save(Path(folder) / "model")
    nbest.write(f"{folder}/list.jsonl", format="jsonl")
    loaded: isogloss.Reranker = isogloss.Reranker.load(
        f"{folder}/model", functions={"distinct_words": distinct_words, "SameNumbers": same_numbers}
    )
    read: isogloss.NbestList = isogloss.NbestList.read(Path(folder) / "list.jsonl", source=source)
    again: list[str] = loaded.rerank(read).best()

metric: isogloss.Metric = isogloss.Metric.named("chrf")
evaluation = isogloss.evaluate({"first": nbest.best(), "best": best}, references, metrics=["bleu", metric])
bleu: float = evaluation.score("bleu", "best")
rows: list[dict[str, str | float | int | bool | None]] = evaluation.rows()
options = isogloss.EvaluateOptions(metrics=("bleu",), test="randomization")
folds = isogloss.SweepOptions(folds=3)

tuned = isogloss.tune_nbest(nbest, method="mert:restarts=1", metric="bleu", threads=1)
tune_options = isogloss.NbestTuneOptions(method="pro", metric="chrf", runs=1)
retuned: float = isogloss.tune_nbest(nbest, options=tune_options).score
tuned_weights: dict[str, float] = tuned.weights
consensus: list[str] = isogloss.mbr(nbest, utility="chrf", scale=0.0).best()
agreed: list[str] = isogloss.mbr(candidates, utility=overlap).best()

assert best == again == references
assert bleu > 99
assert len(consensus) == len(agreed) == 30
