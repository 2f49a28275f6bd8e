"""The score of a neural joint model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.align import AlignmentModel
from isogloss.io.errors import ConfigError
from isogloss.metric.interface import FloatArray
from isogloss.neural import JointModel
from isogloss.neural.reading import JointReading
from isogloss.rerank.features import FeatureContext, FeatureFunction

__all__ = ["JointModelScore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JointModelScore(FeatureFunction):
    """Natural log probability of the candidate under a neural joint model; if the model predicts the source,
    that of the source."""

    name: ClassVar[str] = "joint"
    needs_source: ClassVar[bool] = True

    path: str
    """A stored joint model: a folder of ``isogloss rerank joint``, or ``system/joint`` of an engine trained
    with ``neural``."""
    aligner: str = ""
    """A stored alignment model, such as the folder ``aligner`` of an engine, for lists without word
    alignments."""
    label: str = "Joint"

    def resources(self) -> dict[str, str]:
        """The model, and the aligner if there is one."""
        return {"path": self.path} | ({"aligner": self.aligner} if self.aligner else {})

    def compute(self, context: FeatureContext) -> FloatArray:
        """The end of the sentence is scored too."""
        assert context.source is not None
        model = JointModel.open(self.path)
        sentences = context.store.sentence_of_row().tolist()
        texts = list(context.store.texts())
        links = self._links(context, sentences, texts)
        reading = JointReading.of_facts(model.facts, self.path)
        source = context.source
        return np.array(
            [
                sum(model.score(*reading.arranged(source[sentence], text.split(), points)))
                for sentence, text, points in zip(sentences, texts, links, strict=True)
            ]
        )

    def _links(
        self, context: FeatureContext, sentences: Sequence[int], texts: Sequence[str]
    ) -> Sequence[list[tuple[int, int]]]:
        alignment = context.store.alignment
        if self.aligner:
            assert context.source is not None
            sources = [" ".join(words) for words in context.source]
            pairs = [(sources[at], text) for at, text in zip(sentences, texts, strict=True)]
            return AlignmentModel.load(self.aligner).align_pairs(pairs, threads=context.threads)
        if alignment is None:
            raise ConfigError(
                f"the feature '{self.written()}' needs word alignments, which the list does not have: give "
                "an alignment model (aligner=FOLDER)"
            )
        return [
            [(int(source), int(target)) for source, target in alignment.row(row).reshape(-1, 2)]
            for row in range(context.store.num_candidates)
        ]
