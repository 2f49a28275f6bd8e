"""What the experiment of the NTT system is run on; a TOML file, names of files relative to it::

source = "train.it"              # all bitext there is
target = "train.en"
in_domain = ["task.it", "task.en"]         # what is close to the task (optional)

[sets.dev]                       # what decoder and reranker are estimated on
source = "dev.it"                # correct transcripts
references = ["dev.en.0", "dev.en.1"]
hypotheses = "dev.nbest"         # n-best list of a recogniser (optional)
lattices = "dev.plf"             # and its lattices (optional)

[sets.held_out]                  # decides when the post-evaluation system stops (optional)
source = "dev5b.it"
references = ["dev5b.en.0"]

[sets.test]
…

[train]                          # any options of 'isogloss train'
tokenizer = "none"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isogloss.io.config import read_description
from isogloss.io.errors import ConfigError
from isogloss.io.streams import StrPath

__all__ = ["NttOptions", "NttSet", "read_ntt"]

DEV, HELD_OUT, TEST = "dev", "held_out", "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class NttSet:
    """Sentences with references, and what a recogniser heard of them."""

    source: Path
    """Correct transcripts."""
    references: tuple[Path, ...]
    hypotheses: Path | None = None
    """N-best list of a recogniser."""
    lattices: Path | None = None
    """Word lattices (PLF), a line each. Without ``hypotheses`` these are drawn from the lattices."""

    @property
    def heard(self) -> bool:
        """Whether there is anything of a recogniser."""
        return self.hypotheses is not None or self.lattices is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class NttOptions:
    """What to run on what. The numbers are those of the slides; smaller ones take less time."""

    source: Path
    target: Path
    sets: Mapping[str, NttSet]
    in_domain: tuple[Path, ...] = ()
    """Source and target of the pairs that the post-evaluation system is trained on; else all bitext."""
    sample: Mapping[str, Any] = field(default_factory=dict)
    """How the bitext of the primary system is sampled for dev and test: fields of ``SampleOptions``."""
    templates: tuple[str, ...] = (
        "pair",
        "pair_bigram",
        "target_bigram",
        "insertion",
        "deletion",
        "hierarchical",
    )
    """Sparse features of the decoder."""
    iterations: int = 200
    """Of the primary system, and at most of the post-evaluation system."""
    patience: int = 10
    """The post-evaluation system stops after so many iterations without a gain on the held-out set."""
    nbest: int = 1000
    """Candidates of each sentence that the reranker sees."""
    num_hypotheses: int = 20
    """Strings of each utterance; they share the candidates."""
    folds: int = 5
    fold_sentences: int = 20_000
    """Training sentences from which the reranker learns too, decoded by models that did not see them."""
    features: tuple[str, ...] = ("score", "lengths", "popularity", "consensus:scale=0.5")
    """Feature functions of the reranker beside the columns of the lists."""
    methods: tuple[str, ...] = ("voted-perceptron",)
    """How the reranker learns; each method is a row."""
    source_lm_order: int = 4
    """Of the language model of the source language that judges hypotheses."""
    extra_from: str = HELD_OUT
    """Set from which the post-evaluation system extracts rules too; empty for none."""
    train: Mapping[str, Any] = field(default_factory=dict)
    """Further options of ``isogloss train``, for all systems."""
    seed: int = 1

    def __post_init__(self) -> None:
        for name in (DEV, TEST):
            if name not in self.sets:
                raise ConfigError(f"the set '{name}' is missing: describe it as [sets.{name}]")
        for name in self.sets:
            if name not in (DEV, HELD_OUT, TEST):
                raise ConfigError(f"no set is called '{name}'; there are {DEV}, {HELD_OUT} and {TEST}")
        if self.sets[DEV].heard != self.sets[TEST].heard:
            raise ConfigError("what a recogniser heard is needed of both dev and test, or of neither")
        if len(self.in_domain) not in (0, 2):
            raise ConfigError(f"in_domain is two files, source and target, got {len(self.in_domain)}")
        for name in ("iterations", "patience", "nbest", "num_hypotheses", "source_lm_order"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.fold_sentences and not 2 <= self.folds <= self.fold_sentences:
            raise ConfigError(f"folds must be between 2 and fold_sentences, got {self.folds}")
        if not self.methods:
            raise ConfigError("methods: at least one is expected")


def read_ntt(path: StrPath) -> NttOptions:
    """Read a description; what it does not know or lacks is an error."""
    return read_description(NttOptions, path)
