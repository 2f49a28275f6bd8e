"""Minimum Bayes risk with a metric that scores batches, such as COMET: a cheap one prunes, it decides.

    pip install unbabel-comet
    python examples/mbr_with_neural_metric.py samples.jsonl source.txt > best.txt

Without arguments, a small function takes the place of COMET, so that you can see how it is called.
"""

import sys

import isogloss


def comet_utility():
    """A function of sources, candidates and references: lists of strings, all of the same length."""
    from comet import download_model, load_from_checkpoint

    model = load_from_checkpoint(download_model("Unbabel/wmt22-comet-da"))

    def utility(sources, candidates, references):
        rows = [
            {"src": s, "mt": c, "ref": r} for s, c, r in zip(sources, candidates, references, strict=True)
        ]
        return model.predict(rows, batch_size=64).scores

    return utility


def word_overlap(sources, candidates, references):
    """The same interface without a model."""
    pairs = [(set(c.split()), set(r.split())) for c, r in zip(candidates, references, strict=True)]
    return [2 * len(c & r) / max(len(c) + len(r), 1) for c, r in pairs]


if len(sys.argv) > 1:
    nbest, utility = isogloss.NbestList.read(sys.argv[1], source=sys.argv[2]), comet_utility()
else:
    samples = [["the big house", "a big house", "the big house", "house", "a tree"]]
    nbest, utility = isogloss.NbestList.from_outputs(samples, source=["das große Haus"]), word_overlap

# chrF keeps the 8 best of each sentence; the expensive metric sees 8 × 8 pairs instead of all.
best = isogloss.mbr(nbest, utility, scale=0, prune=8, batch_size=64)
print(*best.best(), sep="\n")
