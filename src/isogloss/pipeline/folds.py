"""N-best lists of training sentences, decoded by systems trained without them.

A reranker that learns from lists of the training text trusts the rules and the language model too much,
because they were made from the same sentences. So some training pairs are divided into folds; for each fold,
rules and language model are made without its pairs (and without others with the same source sentence), and
the fold is translated with the weights of the whole system. Word alignments and word classes are those of all
pairs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from isogloss.decoder.stored_system import load
from isogloss.decoder.system import System
from isogloss.io.errors import ConfigError
from isogloss.io.streams import read_lines
from isogloss.nbest.edit import merge
from isogloss.nbest.store import NbestStore
from isogloss.pipeline.fold_models import FoldText, decoder_without
from isogloss.pipeline.train import Trained

__all__ = ["UnseenLists", "unseen_lists"]

Lines = list[str]
_MOST_WORDS = 60


@dataclass(frozen=True, slots=True)
class UnseenLists:
    """Lists of training sentences; sentence n of the list is line n of both sides, tokenized."""

    store: NbestStore
    sources: Lines
    targets: Lines


def unseen_lists(
    trained: Trained,
    translate: Callable[[System, Sequence[str]], NbestStore],
    *,
    folds: int,
    sentences: int,
    seed: int = 1,
    threads: int = 1,
    memory: int = 1 << 30,
    say: Callable[[str], None] = lambda message: None,
) -> UnseenLists:
    """Lists of this many random training sentences; ``translate`` decodes tokenized lines."""
    if folds < 2 or sentences < folds:
        raise ConfigError(
            f"cross-validation needs at least 2 folds and a sentence in each, got {folds} folds and "
            f"{sentences} sentences"
        )
    files = trained.training_text
    source, target, links = (list(read_lines(path)) for path in files)
    usable = [
        i for i, line in enumerate(source[: trained.training_pairs]) if 1 <= len(line.split()) <= _MOST_WORDS
    ]
    drawn = np.random.default_rng(seed).permutation(np.array(usable, np.int64))[:sentences].tolist()
    parts = []
    chosen: list[int] = []
    whole, options = load(trained.folder).decoder, trained.options
    for fold in range(folds):
        own = sorted(drawn[fold::folds])
        if not own:
            continue
        say(f"fold {fold + 1} of {folds}: {len(own):,} sentences")
        hidden = {source[i] for i in own}
        with tempfile.TemporaryDirectory(prefix="isogloss-fold-") as folder:
            text = FoldText((source, target, links), trained.lm_text, options.extraction, options.lm)
            decoder = decoder_without(text, hidden, whole, Path(folder), threads=threads, memory=memory)
            part = translate(System(decoder, Path(folder)), [source[i] for i in own])
        parts.append(replace(part, sentence_ids=part.sentence_ids + len(chosen)))
        chosen += own
    return UnseenLists(merge(parts), [source[i] for i in chosen], [target[i] for i in chosen])
