"""Train an engine from Python, translate with it, and look at one translation.

    python examples/train_from_python.py [FOLDER]

Your own sentences and translations are two lists, two files of text, or one PO, TMX or XLIFF file.
"""

import sys

import isogloss
from isogloss.corpus.synthetic.text import as_text, make_corpus

folder = sys.argv[1] if len(sys.argv) > 1 else "example-engine"
corpus = make_corpus(700, seed=1)

trained = isogloss.train(
    folder,
    source=map(as_text, corpus.source),
    target=map(as_text, corpus.target),
    method="mert",
    iterations=1,
)
print(f"BLEU {trained.results['dev']['scores']['BLEU']['score']:.1f}; see {trained.report}")

engine = trained.load()
for line in engine.translate(["The miller sees the goats.", "A dog sleeps."]):
    print(line, line.confidence, line.unknown)
print(engine.explain("The king is old.").to_text(strongest=3))
