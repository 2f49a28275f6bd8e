"""The stage that indexes the training text for near matches and learns when to use them.

Some training sentences that have a similar one are hidden in folds. The sentences of a fold are taken out of
rules and language model, translated with the weights of the system, and edited from their examples. What is
learned from most of them is tested on the others: unless near matches gain there, they are disabled. If the
first fold shows that they will not, the others are left out.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.align.links import parse_links
from isogloss.decoder.decoder import DEFAULT_MAX_WORDS
from isogloss.decoder.near_examples import AlignedPair, NearExamples, example_columns
from isogloss.decoder.near_matches import (
    FEATURES,
    NearCandidate,
    NearChoice,
    near_candidates,
    write_examples,
)
from isogloss.decoder.stored_system import load
from isogloss.decoder.system import System
from isogloss.grammar import ExtractOptions
from isogloss.io.config import from_settings
from isogloss.io.lbfgs import minimize
from isogloss.io.progress import Track
from isogloss.io.streams import read_lines
from isogloss.lm import LmOptions
from isogloss.metric import Bleu, References
from isogloss.metric.bleu import SENTENCE_BLEU, bleu_scores
from isogloss.metric.interface import Statistics
from isogloss.metric.significance import bootstrap_comparison, bootstrap_scores
from isogloss.nbest.edit import best_rows
from isogloss.pipeline.fold_models import FoldText, quick_decoder_without

__all__ = ["HeldOut", "held_out_candidates", "learn_choice", "near_matches"]

Paths = Mapping[str, Path]
Options = Mapping[str, Any]
Floats = npt.NDArray[np.float64]

_SENTENCES = 1000  # to learn from
_FEWEST = 20
_MOST_PAIRS = 200_000  # with more, the models of a fold would take long, and near matches are disabled
_FOLDS = 5
_LEAST_SIMILAR = 0.5  # the nearest example of a sentence to learn from
_SURE = 0.1  # p-value of the gain on sentences that were not learned from
_LEAST_GAIN = 0.5  # BLEU; for less, every translation would take several times as long
_PILOT = 100  # sentences of the first fold, so that it can tell
_CHANCE = 0.05  # of stopping after the first fold though near matches gain enough
_SEED = 1  # of resampled sentences
_REGULARIZATION = 1.0
_BOUNDS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # of similarities, to report scores for


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """A hidden sentence: the decoder's translation, candidates, and statistics of all of them."""

    similarity: float
    candidates: list[NearCandidate]
    statistics: Statistics
    """A row for the decoder's translation, one for that of the nearest example, then the candidates'."""

    def gains(self) -> Floats:
        """How much better each candidate is than the decoder's translation, in matched words."""
        scores = bleu_scores(self.statistics, SENTENCE_BLEU)
        gains: Floats = (scores[2:] - scores[0]) * float(self.statistics[0, 1])
        return gains


def near_matches(
    inputs: Paths, outputs: Paths, options: Options, *, threads: int, memory: int, track: Track
) -> None:
    """Store the examples of near matches and the weights that choose among them."""
    if sum(1 for _ in read_lines(inputs["source"])) > _MOST_PAIRS:
        write_examples(outputs["examples"], {}, NearChoice(enabled=False), {"bleu": {}})
        return
    lines = [list(read_lines(inputs[name])) for name in ("source", "target", "links")]
    pairs = [
        AlignedPair(tuple(source.split()), tuple(target.split()), parse_links(links))
        for source, target, links in zip(*lines, strict=True)
    ]
    columns = example_columns(pairs)
    text = FoldText(
        lines,
        (inputs["lm_source"], inputs["lm_target"]),
        ExtractOptions(**options["extraction"]),
        from_settings(LmOptions, options["lm"]),
    )
    examples, system = NearExamples(columns, inputs["source"]), load(inputs["system"])
    held_out = held_out_candidates(text, examples, system, threads=threads, memory=memory, track=track)
    choice, facts = learn_choice(held_out)
    write_examples(outputs["examples"], columns if choice.enabled else {}, choice, facts)


def held_out_candidates(
    text: FoldText, examples: NearExamples, system: System, *, threads: int, memory: int, track: Track
) -> list[HeldOut]:
    """Candidates of training sentences, made without these sentences."""
    targets: dict[str, str] = {}
    for source, target in zip(*text.lines[:2], strict=True):
        if target:
            targets.setdefault(source, target)
    size = max(1, min(_SENTENCES // _FOLDS, len(targets) // _FOLDS))
    drawn = (
        line
        for line in sorted(targets, key=_drawn)[: 4 * _SENTENCES]
        if 1 <= len(line.split()) <= DEFAULT_MAX_WORDS
        and examples.find(line.split(), most=1, at_least=_LEAST_SIMILAR, skip_identical=True)
    )
    found: list[HeldOut] = []
    for fold in track(range(_FOLDS), "held-out folds", _FOLDS):
        hidden = list(islice(drawn, size))
        if not hidden or (fold == 0 and len(hidden) < min(size, _FEWEST)):
            break
        with contextlib.ExitStack() as opened:
            folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="isogloss-fold-"))
            decoder = opened.enter_context(
                quick_decoder_without(text, set(hidden), system, Path(folder), threads=threads, memory=memory)
            )
            sentences = [tuple(line.split()) for line in hidden]
            store = decoder.nbest(hidden, threads=threads)
            rows = best_rows(store).tolist()
            known = examples.without(set(hidden))
            made = near_candidates(decoder, [known], sentences, store, rows, threads=threads)
            for line, row, candidates in zip(hidden, rows, made, strict=True):
                if candidates:
                    nearest = max((one.example for one in candidates), key=lambda one: one.similarity)
                    example = " ".join(nearest.pair.target)
                    lines = [store.text(row), example, *(one.line for one in candidates)]
                    statistics = _METRIC.statistics(lines, References([[targets[line]] * len(lines)]))
                    found.append(HeldOut(nearest.similarity, candidates, statistics))
        if fold == 0 and hopeless(found):
            break
    return found


_METRIC = Bleu()


def _drawn(line: str) -> bytes:
    return blake2b(line.encode(errors="surrogatepass"), digest_size=8).digest()


def learn_choice(held_out: Sequence[HeldOut]) -> tuple[NearChoice, dict[str, Any]]:
    """Learn weights, and test what is learned from four fifths of the sentences on the last fifth."""
    if len(held_out) < _FEWEST:
        return NearChoice(enabled=False), {"bleu": {}}
    tables, (before, after) = _compared(tuple(held_out))
    runs = [tables["decoder"]], [tables["chosen"]]
    compared = bootstrap_comparison(_METRIC, *runs, before, after, _SEED)
    enabled = compared.difference >= _LEAST_GAIN and compared.p_value <= _SURE
    similar = np.array([one.similarity for one in held_out])
    facts: dict[str, Any] = {"p_value": compared.p_value, "bleu": {}}
    for low, high in ((0.0, 1.0), *pairwise(_BOUNDS)):
        part = (similar >= low) & (similar <= high if high == 1 else similar < high)
        if part.any():
            scores = {name: _METRIC.score(table[part].sum(axis=0)) for name, table in tables.items()}
            facts["bleu"][f"{low:g} to {high:g}"] = {"sentences": int(part.sum()), **scores}
    return NearChoice(weights=_learned(held_out).weights, enabled=enabled), facts


def hopeless(held_out: Sequence[HeldOut]) -> bool:
    """Whether near matches would hardly gain enough on more sentences like these."""
    if len(held_out) < _PILOT:
        return False
    decoder, chosen = _compared(tuple(held_out))[1]
    return float(np.quantile(chosen - decoder, 1 - _CHANCE)) < _LEAST_GAIN


@lru_cache(maxsize=1)  # asked again where the first fold was enough
def _compared(held_out: tuple[HeldOut, ...]) -> tuple[dict[str, Statistics], tuple[Floats, Floats]]:
    """Statistics of what decoder, memory and weights learned from other sentences choose; and the scores of
    the first and the last on resampled sentences."""
    chosen = np.zeros(len(held_out), np.int64)
    for fold in range(_FOLDS):
        tested = range(fold, len(held_out), _FOLDS)
        learned = _learned([one for at, one in enumerate(held_out) if at % _FOLDS != fold])
        for at in tested:
            best = learned.best(held_out[at].candidates)
            chosen[at] = 0 if best is None else 2 + held_out[at].candidates.index(best)
    tables = {
        "decoder": np.stack([one.statistics[0] for one in held_out]),
        "memory": np.stack([one.statistics[1] for one in held_out]),
        "chosen": np.stack([one.statistics[row] for one, row in zip(held_out, chosen.tolist(), strict=True)]),
    }
    systems = [[tables["decoder"]], [tables["chosen"]]]
    resampled = bootstrap_scores(_METRIC, systems, samples=1000, seed=_SEED)
    return tables, (resampled[:, 0], resampled[:, 1])


def _learned(held_out: Sequence[HeldOut]) -> NearChoice:
    """The weights with the greatest expected gain, P(candidate) ∝ exp(score); the decoder's scores 0."""
    features = np.array([one.features for item in held_out for one in item.candidates])
    gains = np.concatenate([item.gains() for item in held_out])
    starts = np.cumsum([0, *(len(item.candidates) for item in held_out)])[:-1]
    owner = np.repeat(np.arange(len(held_out)), [len(item.candidates) for item in held_out])
    deviations = features.std(axis=0)
    scale = np.where(deviations > 0, deviations, 1.0)
    scaled = features / scale
    prior = np.array([NearChoice().weights.get(name, 0.0) for name in FEATURES]) * scale
    words = float(sum(item.statistics[0, 1] for item in held_out))

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = scaled @ weights
        top = np.maximum(np.maximum.reduceat(scores, starts), 0.0)
        raised = np.exp(scores - top[owner])
        share = raised / (np.add.reduceat(raised, starts) + np.exp(-top))[owner]
        expected = np.add.reduceat(share * gains, starts)
        slope = (share * (gains - expected[owner])) @ scaled
        away = weights - prior
        # The fewer sentences there are, the more the prior counts.
        strength = _REGULARIZATION / len(held_out)
        return (
            strength * float(away @ away) - float(expected.sum()) / words,
            2 * strength * away - slope / words,
        )

    points = [prior, *(point for point, _ in minimize(loss, prior, iterations=200))]
    return NearChoice(weights=dict(zip(FEATURES, (points[-1] / scale).tolist(), strict=True)))
