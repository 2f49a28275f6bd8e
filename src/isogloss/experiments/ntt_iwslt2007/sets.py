"""Read the sets of the experiment: transcripts, references, output of a recognizer."""

from __future__ import annotations

from dataclasses import dataclass

from isogloss.decoder import Lattice, parse_plf
from isogloss.experiments.ntt_iwslt2007.options import NttSet
from isogloss.io.errors import ConfigError
from isogloss.io.streams import read_lines
from isogloss.metric import References
from isogloss.nbest import read_nbest
from isogloss.speech import Utterance, lattice_utterances, list_utterances

__all__ = ["HeardSet"]


@dataclass(frozen=True, slots=True)
class HeardSet:
    """A set of sentences in all its forms."""

    text: list[str]
    references: References
    utterances: list[Utterance]
    lattices: list[Lattice]

    @classmethod
    def read(cls, files: NttSet, hypotheses: int) -> HeardSet:
        """Read the files of a set, with at most this many hypotheses of each utterance."""
        text = list(read_lines(files.source))
        references = References.read(files.references)
        lattices = []
        if files.lattices is not None:
            lines = enumerate(read_lines(files.lattices), start=1)
            lattices = [parse_plf(line, files.lattices, number) for number, line in lines]
        utterances: list[Utterance] = []
        if files.hypotheses is not None:
            utterances = list_utterances(read_nbest(files.hypotheses), hypotheses, len(text))
        elif lattices:
            utterances = lattice_utterances(lattices, hypotheses)
        for what, path, count in (
            ("lines", files.references[0], len(references)),
            ("lattices", files.lattices, len(lattices) or len(text)),
        ):
            if count != len(text):
                raise ConfigError(f"{path} has {count:,} {what}, but {files.source} has {len(text):,} lines")
        return cls(text, references, utterances, lattices)

    @property
    def one_best(self) -> list[str]:
        """The recognizer's best hypotheses; empty if there is none."""
        return [" ".join(utterance[0].words) if utterance else "" for utterance in self.utterances]
