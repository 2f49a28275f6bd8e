"""Training a joint model, as long as it predicts held-out text better."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.align import Alignments
from isogloss.io.errors import TrainingError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.neural.aligned_text import JointText
from isogloss.neural.model import JointModel
from isogloss.neural.options import JointOptions
from isogloss.neural.words import END, JointWords
from isogloss.storage.folder import open_folder, write_folder

__all__ = ["Epoch", "train_joint"]

_ENOUGH = 0.998  # a perplexity above this share of the best one is no progress
_PATIENCE = 3  # times without progress
STATE_KIND, STATE_VERSION = "joint-training", 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """One pass over the training text."""

    number: int
    step: float
    perplexity: float
    """Of the held-out text."""
    log_sum: float
    """Mean distance of the logarithm of the sum of all probabilities from 0, on the held-out text."""


def train_joint(
    sources: Sequence[Sequence[str]],
    targets: Sequence[Sequence[str]],
    links: Alignments,
    options: JointOptions,
    *,
    threads: int = 1,
    track: Track = no_track,
    report: Callable[[Epoch], None] = lambda epoch: None,
    note: Callable[[str], None] = lambda message: None,
    work: StrPath | None = None,
) -> JointModel:
    """Train on tokenized, aligned sentence pairs; the result does not depend on the number of threads.

    With ``work``, a folder, the state is stored after every epoch. The same call then goes on from there and
    ends the same.
    """
    if len(sources) < 2:
        raise TrainingError("a joint model needs at least two sentence pairs")
    source_words = JointWords.learn(sources, min_count=options.min_count, most=options.max_words)
    target_words = JointWords.learn(targets, min_count=options.min_count, most=options.max_words)
    text = JointText.of(sources, targets, links, source_words, target_words)
    trainer = _trainer(text, len(source_words), len(target_words), options)
    held_out = np.zeros(len(sources), bool)
    order = np.random.default_rng(options.seed).permutation(len(sources))
    held_out[order[: max(1, min(options.held_out, len(sources) // 10))]] = True
    judged, learned = text.samples(held_out), text.samples(~held_out)
    share = min(len(learned), max(1, options.most_samples // options.epochs))
    if share < len(learned):
        note(
            f"the joint model learns from {share:,} of {len(learned):,} target words in each of "
            f"{options.epochs} passes, to save time (joint.most_samples)"
        )
    state = None if work is None else Path(work) / "joint"
    epochs, best = ([], trainer.parameters()) if state is None else _restored(state, trainer)
    for number in track(range(1, options.epochs + 1), "joint model", options.epochs):
        without_progress, lowest = _progress(epochs)
        if number <= len(epochs) or without_progress == _PATIENCE:
            continue
        # Steps of the last epoch shrink to 0, which averages out what single samples say.
        last_step = 0.0 if number == options.epochs else options.step
        shuffled = np.random.default_rng([options.seed, number]).permutation(learned)
        trainer.train(shuffled[:share], step=options.step, last_step=last_step, threads=threads)
        _, scores, log_sums = trainer.predict(judged, threads=threads)
        epoch = Epoch(
            number=number,
            step=options.step,
            perplexity=float(np.exp((log_sums - scores).mean())),
            log_sum=float(np.abs(log_sums).mean()),
        )
        if epoch.perplexity < lowest:
            best = trainer.parameters()
        epochs.append(epoch)
        report(epoch)
        if state is not None:
            _store(state, trainer, epochs, best)
    facts = {
        "options": asdict(options),
        "sentences": len(sources),
        "held_out": int(held_out.sum()),
        "epochs": [asdict(epoch) for epoch in epochs],
        "perplexity": _progress(epochs)[1],
    }
    return JointModel.of_parameters(options, source_words, target_words, best, facts)


def _progress(epochs: Sequence[Epoch]) -> tuple[int, float]:
    """How many epochs brought no progress, and the lowest perplexity."""
    without_progress, lowest = 0, np.inf
    for epoch in epochs:
        without_progress += epoch.perplexity > lowest * _ENOUGH
        lowest = min(lowest, epoch.perplexity)
    return without_progress, float(lowest)


def _store(
    path: Path, trainer: _engine.JointTrainer, epochs: Sequence[Epoch], best: Mapping[str, Any]
) -> None:
    steps, parameters, squares = trainer.state()
    parts = {"parameters": parameters, "squares": squares, "best": best}
    arrays = {f"{part}_{name}": array for part, values in parts.items() for name, array in values.items()}
    attributes = {"steps": steps, "epochs": [asdict(epoch) for epoch in epochs]}
    write_folder(path, kind=STATE_KIND, version=STATE_VERSION, arrays=arrays, attributes=attributes)


def _restored(path: Path, trainer: _engine.JointTrainer) -> tuple[list[Epoch], dict[str, Any]]:
    """Go on from a stored state, if there is one."""
    names = list(trainer.parameters())
    if not path.exists():
        return [], trainer.parameters()
    folder = open_folder(path, kind=STATE_KIND, version=STATE_VERSION)
    parameters, squares, best = (
        {name: np.array(folder.arrays[f"{part}_{name}"]) for name in names}
        for part in ("parameters", "squares", "best")
    )
    trainer.restore(int(folder.attributes["steps"]), parameters, squares)
    return [Epoch(**epoch) for epoch in folder.attributes["epochs"]], best


def _trainer(
    text: JointText, source_words: int, target_words: int, options: JointOptions
) -> _engine.JointTrainer:
    return _engine.JointTrainer(
        source_words=source_words,
        target_words=target_words,
        window=options.window,
        history=options.history,
        embedding=options.embedding,
        hidden=options.hidden,
        source=text.source,
        target=text.target,
        source_begin=text.source_begin,
        target_begin=text.target_begin,
        position=text.position,
        noise=_noise(text, target_words),
        batch=options.batch,
        noise_words=options.noise,
        penalty=options.penalty,
        hidden_dropout=options.dropout,
        history_dropout=options.history_dropout,
        seed=options.seed,
    )


def _noise(text: JointText, words: int) -> npt.NDArray[np.float64]:
    """How often words occur; those that never do, such as the beginning, get a little as well."""
    counts = np.bincount(text.target, minlength=words).astype(np.float64) + 0.5
    counts[END] += text.sentence_count
    return np.asarray(counts / counts.sum(), np.float64)
