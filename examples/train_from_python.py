"""Train an engine, translate with it, and explain a translation.

    python examples/train_from_python.py

The sentences here are synthetic. Use your own: two lists, two text files, or one PO, TMX or XLIFF file.
"""

import isogloss
from isogloss.corpus.synthetic import as_text, make_corpus

corpus = make_corpus(700, seed=1)
source, target = map(as_text, corpus.source), map(as_text, corpus.target)
trained = isogloss.train("example-engine", source=source, target=target, method="mert", iterations=1)
print(f"BLEU {trained.results['dev']['scores']['BLEU']['score']:.1f}; see {trained.report}")

engine = trained.load()
for line in engine.translate(["The miller sees the goats.", "A dog sleeps."]):
    print(line, line.confidence, line.unknown)
print(engine.explain("The king is old.").to_text(strongest=3))
