"""Train a neural joint model for reranking, from parallel text and an alignment model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from isogloss.align import AlignmentModel, Alignments
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.io.text_lines import TextLines
from isogloss.neural import Epoch, JointModel, JointOptions, train_joint
from isogloss.neural.reading import JointReading, Order, Predicted
from isogloss.rerank.training_text import both_sides

__all__ = ["JointFeatureOptions", "train_joint_feature"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JointFeatureOptions(JointOptions):
    """What a joint model for reranking predicts, its sizes and its training."""

    predict: Predicted = "target"
    """The side that is predicted, word by word: the ``target``, or the ``source`` from the target, which
    detects what a translation leaves out. Use one model of each."""
    order: Order = "left-to-right"
    """The order in which words are predicted."""


def train_joint_feature(
    source: TextLines,
    target: TextLines,
    aligner: StrPath,
    options: JointFeatureOptions | None = None,
    *,
    threads: int = 1,
    track: Track = no_track,
    report: Callable[[Epoch], None] = lambda epoch: None,
) -> JointModel:
    """Train on tokenized parallel text: files or lists of sentences, aligned by a stored alignment model."""
    options = options or JointFeatureOptions()
    sides = both_sides(source, target)
    reading = JointReading(predict=options.predict, order=options.order)
    links = AlignmentModel.load(aligner).align_pairs(zip(*sides, strict=True), threads=threads)
    arranged = [
        reading.arranged(given.split(), wanted.split(), points)
        for given, wanted, points in zip(*sides, links, strict=True)
    ]
    model = train_joint(
        [given for given, _, _ in arranged],
        [wanted for _, wanted, _ in arranged],
        Alignments.from_links(points for _, _, points in arranged),
        JointOptions(**{field.name: getattr(options, field.name) for field in fields(JointOptions)}),
        threads=threads,
        track=track,
        report=report,
    )
    model.facts.update(reading.to_facts())
    return model
