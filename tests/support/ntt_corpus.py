"""A tiny task for the experiment of the NTT system: the invented corpus, and what is heard of it."""

from __future__ import annotations

import random
from pathlib import Path

from isogloss.corpus.synthetic.text import write_corpus
from isogloss.decoder import Arc, Lattice, format_plf
from isogloss.nbest import write_nbest
from isogloss.speech import best_strings, strings_store

DESCRIPTION = """
source = "corpus/train.src"
target = "corpus/train.tgt"
iterations = 2
patience = 1
nbest = 12
num_hypotheses = 3
folds = 2
fold_sentences = 20
templates = ["pair", "target_bigram"]
features = ["score", "lengths", "consensus:scale=0.5"]
methods = ["voted:quality=document,iterations=20", "expected"]
source_lm_order = 2
sample = { coverage = 1, size = 150 }

[train]
tokenizer = "none"
lm = { order = 2 }
decoder = { beam_size = 10, pop_limit = 20 }
classes = { classes = 4, restarts = 0 }
tune = { online = { nbest = 20 } }

[sets.dev]
source = "dev.src"
references = ["dev.tgt"]
lattices = "dev.plf"

[sets.held_out]
source = "held.src"
references = ["held.tgt"]

[sets.test]
source = "test.src"
references = ["test.tgt"]
lattices = "test.plf"
hypotheses = "test.nbest"
"""


def write_task(folder: Path) -> Path:
    """Write all files and the description; give the description."""
    corpus = folder / "corpus"
    write_corpus(corpus, pairs=250, seed=3, dev=32, test=20)
    rng = random.Random(1)
    words = sorted({word for line in lines(corpus / "train.src") for word in line.split()})
    for name, origin, part in (
        ("dev", "dev", slice(0, 20)),
        ("held", "dev", slice(20, 32)),
        ("test", "test", slice(0, 20)),
    ):
        sources = lines(corpus / f"{origin}.src")[part]
        write(folder / f"{name}.src", sources)
        write(folder / f"{name}.tgt", lines(corpus / f"{origin}.tgt.0")[part])
        lattices = [_misheard(line.split(), words, rng) for line in sources]
        lattices[3] = Lattice(1, ())  # nothing was heard
        write(folder / f"{name}.plf", [format_plf(lattice) for lattice in lattices])
        store = strings_store(best_strings(lattice, 4) for lattice in lattices)
        write_nbest(store, folder / f"{name}.nbest", format="moses")
    (folder / "task.toml").write_text(DESCRIPTION)
    return folder / "task.toml"


def _misheard(said: list[str], words: list[str], rng: random.Random) -> Lattice:
    arcs = []
    for place, word in enumerate(said):
        arcs.append(Arc(place, place + 1, word, -0.2))
        if rng.random() < 0.4:
            arcs.append(Arc(place, place + 1, rng.choice(words), -rng.random()))
    return Lattice(len(said) + 1, tuple(arcs))


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def write(path: Path, text: list[str]) -> None:
    path.write_text("".join(line + "\n" for line in text))
