"""Draws the picture of the search in this folder: ``python docs/draw.py``. It trains a small engine first."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import isogloss
from isogloss.corpus.synthetic import write_corpus
from isogloss.report import derivation_plot

SENTENCE = "The goats of the hungry miller saw that the king is old."


def main() -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_corpus(folder / "text", pairs=1000, seed=7, references=1, dev=100, test=100, raw=True)
        trained = isogloss.train(
            str(folder / "engine"),
            source=folder / "text/train.src",
            target=folder / "text/train.tgt",
            dev_source=folder / "text/dev.src",
            dev_target=[folder / "text/dev.tgt.0"],
            tuner="mert",
            tune={"iterations": 2},
        )
        system = trained.load()
        assert system.text is not None
        tokens = system.text.tokenize(SENTENCE)
        _, (steps,) = system.explained([tokens])
    picture = Path(__file__).parent / "pictures" / "search.svg"
    picture.write_text(derivation_plot(tokens.split(" "), steps) + "\n", encoding="utf-8")
    print(picture)


if __name__ == "__main__":
    main()
