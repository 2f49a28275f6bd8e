"""The tour that ``isogloss demo`` gives: commands a user would type, on files it makes itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Stop", "tour"]


@dataclass(frozen=True, slots=True)
class Stop:
    """One command of the tour and what it is for."""

    purpose: str
    arguments: list[str]


def tour(folder: Path) -> Iterator[Stop]:
    """The commands in the order in which they build on each other; all files go into ``folder``."""
    corpus, test = folder / "corpus", folder / "corpus" / "test.tgt.0"
    references = [f"--reference={corpus / f'test.tgt.{i}'}" for i in range(2)]
    first, second = folder / "first.nbest.gz", folder / "second.nbest.gz"

    yield Stop(
        "A bilingual corpus: simple English and an invented language, two references for the test set",
        ["corpus", "synthetic", str(corpus), "--pairs=2000", "--references=2"],
    )
    for path, seed in ((first, 1), (second, 2)):
        yield Stop(
            "An n-best list as a translation system would write it",
            ["nbest", "synthetic", str(test), "--candidates=50", f"--seed={seed}", f"--output={path}"],
        )
    yield Stop("What is in it", ["nbest", "info", str(first)])
    yield Stop("How far its own choice is from the best one", ["nbest", "oracle", str(first), *references])
    both = folder / "both.store"
    yield Stop(
        "Both lists as one, stored for instant opening",
        ["nbest", "merge", str(first), str(second), f"--output={both}", "--to=store"],
    )
    best = folder / "oracle.txt"
    yield Stop(
        "The two lists together hold better translations",
        ["nbest", "oracle", str(both), *references, f"--output={best}"],
    )
    own = folder / "first.txt"
    yield Stop("The first system's own choice, as text", ["nbest", "best", str(first), f"--output={own}"])
    yield Stop(
        "By how much is the oracle better? Scores with signatures, intervals and a paired test",
        ["evaluate", str(own), str(best), *references, "--tokenize=none"],
    )
