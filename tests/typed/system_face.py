"""Every public name of systems, as a program that is checked strictly would use it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import isogloss

T = TypeVar("T")

WORDS = {
    "der": "the", "alte": "old", "junge": "young", "müde": "tired", "könig": "king", "hund": "dog",
    "müller": "miller", "bauer": "farmer", "schläft": "sleeps", "lacht": "laughs", "arbeitet": "works",
    "kommt": "comes", "heute": "today", "hier": "here", "oft": "often",
}  # fmt: skip
ARTICLE, ADJECTIVES, NOUNS, VERBS, ADVERBS = (
    list(WORDS)[a:b] for a, b in ((0, 1), (1, 4), (4, 8), (8, 12), (12, 15))
)


def pairs() -> Iterator[tuple[str, str]]:
    for words in product(ARTICLE, ADJECTIVES, NOUNS, VERBS, ADVERBS):
        yield (
            " ".join(words).capitalize() + ".",
            " ".join(WORDS[word] for word in words).capitalize() + ".",
        )


def quiet(items: Iterable[T], description: str, total: int | None = None, /) -> Iterable[T]:
    return items


def best(translator: isogloss.Translator, lines: list[str]) -> list[str]:
    return [line.text for line in translator.translate(lines)]


def main(folder: Path) -> None:
    source = [source for source, _ in pairs()]
    target = [target for _, target in pairs()]
    options = {
        "lm": isogloss.LmOptions(order=2, special_words="unknown"),
        "align": isogloss.AlignOptions(iterations=2),
        "links": isogloss.LinkOptions(),
        "joint": isogloss.JointOptions(hidden=32),
        "classes": isogloss.ClassOptions(classes=4),
        "clean": isogloss.CheckOptions(),
        "sample": isogloss.SampleOptions(),
        "rules": isogloss.ExtractOptions.for_grammar("phrase", tight=False),
        "decoder": isogloss.SearchOptions(hierarchical=False, beam_size=20),
        "features": isogloss.SparseOptions(templates=()),
    }
    trained: isogloss.Trained = isogloss.train(
        folder / "engine",
        source=source[:120],
        target=target[:120],
        dev_source=source[120:],
        dev_target=[[line] for line in target[120:]],
        method="mert:restarts=0",
        iterations=1,
        search="phrase",
        source_language="de",
        options=options,
        threads=1,
        progress=quiet,
    )
    correction: isogloss.Correction = trained.load().correct("Der könig lacht.", "The king laughs.")
    retrained: isogloss.Retrained = isogloss.retrain(folder / "engine", threads=1)
    assert (correction.number, retrained.folded, retrained.held_out) == (1, 1, 0)
    trained.load().undo_correction(correction.number)
    scores: Mapping[str, float] = trained.scores("dev")
    assert scores["BLEU"] > 0
    given: isogloss.TrainOptions = trained.options
    again = isogloss.train(folder / "engine", options=given, threads=1)
    assert again.scores("dev") == scores
    assert trained.to_dict()["folder"] == str(folder / "engine")

    system: isogloss.System = isogloss.load(
        folder / "engine", options=isogloss.SearchOptions(hierarchical=False)
    )
    found: isogloss.Translation = system.translate("Der alte König schläft heute.")
    score: float = found.score
    links: tuple[tuple[int, int], ...] = found.alignment
    print(found, score, links, found.features["lm"], found.unknown, found.confidence)  # noqa: T201
    explained: isogloss.Explanation = system.explain(found.source)
    assert explained.text == found
    assert best(system, source[:2]) == [str(line) for line in system.translate(source[:2])]

    tuning = isogloss.TuneOptions(
        nbest=10,
        dense_first=0,
        online=isogloss.OnlineOptions(nbest=10),
        relevant=isogloss.RelevantSetOptions(iterations=1),
    )
    tuned: isogloss.TuneResult = isogloss.tune(
        system, source[120:], target[120:], method="batch-mira", iterations=1, options=tuning, save=True
    )
    weights: dict[str, float] = tuned.dense
    assert dict(system.weights) == weights

    memory: isogloss.Memory = isogloss.Memory.build(
        folder / "memory", system, source[:20], target[:20], options=isogloss.MemoryOptions(nbest=5)
    )
    number: int = memory.add("Der müde Hund lacht oft.", "The tired dog often laughs.")
    retrieval = isogloss.RetrievalOptions(size=5)
    assert memory.search("Der müde Hund lacht oft.", retrieval)[0].number == number
    local = isogloss.LocalOptions(method="mbuu", strength=0.5)
    adapted = isogloss.load(folder / "engine", memory=memory, local=local, retrieval=retrieval)
    assert best(adapted, source[:1])
    memory.remove(number)

    copying = (
        "import sys\nfor n, line in enumerate(sys.stdin): print(n, line.strip(), 'w= 1', 1, sep=' ||| ')"
    )
    command = [sys.executable, "-c", copying, "{weights}"]
    other = isogloss.ExternalDecoder(command, isogloss.CommandOptions(timeout=60), weights={"w": 1.0})
    assert best(other, ["as it is"]) == ["as it is"]
    failures()


def failures() -> None:
    """Every error has a place in the tree."""
    by_user: list[type[isogloss.UserError]] = [
        isogloss.ClusterError,
        isogloss.ConfigError,
        isogloss.DataFormatError,
        isogloss.ExternalCommandError,
        isogloss.InputFileError,
        isogloss.MissingExtraError,
        isogloss.ModelFormatError,
        isogloss.NotTrainedError,
        isogloss.OutputError,
        isogloss.TrainingError,
    ]
    every: list[type[isogloss.IsoglossError]] = [*by_user, isogloss.StageError, isogloss.InternalError]
    assert len(set(every)) == len(every)
    with suppress(isogloss.InputFileError):
        isogloss.load("no-such-engine")


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        main(Path(scratch))
