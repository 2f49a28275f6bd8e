"""What the experiment of the NTT system is run on; a TOML file, names of files relative to it::

source = "train.it"              # all bitext there is
target = "train.en"
in_domain = ["task.it", "task.en"]         # what is close to the task (optional)

[sets.dev]                       # what decoder and reranker are estimated on
source = "dev.it"                # correct transcripts
references = ["dev.en.0", "dev.en.1"]
hypotheses = "dev.nbest"         # n-best list of a recognizer (optional)
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
from typing import Annotated, Any

from isogloss.experiments.presets import PRESETS, Preset
from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, DefaultText, Options

__all__ = ["NttOptions", "NttPreset", "NttSet"]

DEV, HELD_OUT, TEST = "dev", "held_out", "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class NttPreset:
    """What a preset chooses; whatever the description gives counts instead."""

    train: Mapping[str, Any]
    """Options of ``isogloss train``."""
    types: tuple[str, ...]
    """Token types of sparse features, besides the columns that are given."""
    methods: tuple[str, ...]
    """Methods of the reranker."""


SETTINGS = {
    "paper": NttPreset(
        train={"clean": {"patterns": ["[0-9]"]}, "source_punctuation": "remove", "target_case": "keep"},
        types=("surface", "class", "prefix", "suffix"),
        methods=("voted-perceptron:quality=document,shuffle=no",),
    ),
    "best": NttPreset(train={}, types=("surface", "class"), methods=("voted-perceptron:quality=document",)),
}
"""The slides' own choices, and those that work better. Decoders are tuned with the same preset."""
assert SETTINGS.keys() == PRESETS.keys()


@dataclass(frozen=True, slots=True, kw_only=True)
class NttSet(Options):
    """Sentences with references and the output of a recognizer."""

    source: Path
    """Correct transcripts."""
    references: tuple[Path, ...]
    """Their translations, one file per translator."""
    hypotheses: Path | None = None
    """N-best list of a recognizer."""
    lattices: Path | None = None
    """Word lattices (PLF), one per line; without ``hypotheses``, their best strings are the hypotheses."""

    @property
    def heard(self) -> bool:
        """Whether there is output of a recognizer."""
        return self.hypotheses is not None or self.lattices is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class NttOptions(Options):
    """The data and the settings. The defaults are those of the slides; smaller numbers take less time."""

    preset: Preset = "paper"
    """Settings of preprocessing, decoder training and reranking: of the slides (``paper``), or those that
    win on held-out text (``best``)."""
    source: Path
    """Source side of all bitext."""
    target: Path
    """Target side of all bitext."""
    sets: Mapping[str, NttSet]
    """The sets dev, test and optionally held_out: tables [sets.NAME] with source, references, hypotheses,
    lattices."""
    in_domain: Annotated[tuple[Path, ...], DefaultText("all bitext")] = ()
    """Source and target side of the pairs that the post-evaluation system is trained on."""
    sample: Mapping[str, Any] = field(default_factory=dict)
    """Data selection for the primary system: a table with options of 'isogloss select'."""
    templates: tuple[str, ...] = (
        "pair",
        "pair_bigram",
        "target_bigram",
        "insertion",
        "deletion",
        "hierarchical",
    )
    """Sparse features of the decoder."""
    iterations: Annotated[int, AtLeast(1)] = 200
    """Tuning iterations of the primary system; maximum number of iterations for the post-evaluation
    system."""
    patience: Annotated[int, AtLeast(1)] = 10
    """Stop tuning the post-evaluation system after this many iterations without a gain on the held-out
    set."""
    nbest: Annotated[int, AtLeast(1)] = 1000
    """Candidates per sentence for the reranker."""
    num_hypotheses: Annotated[int, AtLeast(1)] = 20
    """Hypotheses of each utterance; they share the candidates."""
    folds: int = 5
    """Number of folds of these training sentences; each is decoded by models trained without it."""
    fold_sentences: Annotated[int, AtLeast(0)] = 20_000
    """Number of training sentences that the reranker learns from too; 0 for none."""
    features: tuple[str, ...] = ("score", "lengths", "popularity", "consensus:scale=0.5")
    """Feature functions of the reranker in addition to the columns of the lists."""
    methods: Annotated[tuple[str, ...], DefaultText("voted-perceptron, as the preset has it")] = ()
    """Methods to train the reranker; each is a row."""
    sparse: bool = True
    """Give the reranker the sparse features of the decoder too; every method then has a second row without
    them."""
    source_lm_order: Annotated[int, AtLeast(1)] = 4
    """Order of the source language model, which scores hypotheses."""
    extra_from: str = ""
    """Set to extract additional rules from, for a third system, ``post-evaluation-as-in-the-slides``. The
    slides take ``held_out``, whose score then no longer says when to stop."""
    train: Mapping[str, Any] = field(default_factory=dict)
    """Options of both systems: a table with options of 'isogloss train'."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed for every stage."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        for name in (DEV, TEST):
            if name not in self.sets:
                raise ConfigError(f"the set '{name}' is missing; add a table [sets.{name}]")
        for name in self.sets:
            if name not in (DEV, HELD_OUT, TEST):
                raise ConfigError(f"no set is called '{name}'; there are {DEV}, {HELD_OUT} and {TEST}")
        if self.sets[DEV].heard != self.sets[TEST].heard:
            raise ConfigError("give the output of a recognizer for both dev and test, or for neither")
        if len(self.in_domain) not in (0, 2):
            raise ConfigError(f"in_domain must be two files, source and target, got {len(self.in_domain)}")
        if self.fold_sentences and not 2 <= self.folds <= self.fold_sentences:
            raise ConfigError(f"folds must be between 2 and fold_sentences, got {self.folds}")
        if self.extra_from and self.extra_from not in self.sets:
            raise ConfigError(f"extra_from names '{self.extra_from}', which is not one of the sets")
        if not self.methods:
            object.__setattr__(self, "methods", self.chosen.methods)

    @property
    def chosen(self) -> NttPreset:
        """What the preset chooses."""
        return SETTINGS[self.preset]
