"""Train an engine from Python, translate with it, and look at one translation.

python examples/train_from_python.py [FOLDER]
"""

import sys
from pathlib import Path

import isogloss
from isogloss.corpus.synthetic.text import write_corpus
from isogloss.decoder import explain

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "example-engine")

# Sentences and translations: yours are two files of text, or one PO, TMX or XLIFF file.
write_corpus(folder / "text", pairs=600, seed=1, references=1, dev=50, test=50, raw=True)

trained = isogloss.train(
    str(folder / "engine"),
    source=folder / "text/train.src",
    target=folder / "text/train.tgt",
    dev_source=folder / "text/dev.src",
    dev_target=[folder / "text/dev.tgt.0"],
    test_source=folder / "text/test.src",
    test_target=[folder / "text/test.tgt.0"],
    method="mert",
    tune={"iterations": 1},
    threads=0,
)
print(f"BLEU {trained.results['test']['scores']['BLEU']['score']:.1f}; see {trained.report}")

engine = trained.load()
print(engine.translate("The miller sees the goats."))

# Many sentences, some at a time, in order.
for line in engine.translate(["A dog sleeps.", "The king is old."], threads=2):
    print(line)

# Why? Rules, and the features that decided.
print(explain(engine, "The king is old.").to_text(strongest=3))
