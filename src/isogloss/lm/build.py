"""Estimating a language model from text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from isogloss._engine import LM_MAX_ORDER, Vocabulary
from isogloss.io.errors import ConfigError, OutputError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.lm.arpa import write_arpa
from isogloss.lm.counts import count_ngrams
from isogloss.lm.kneser_ney import Discounts, Estimate, estimate
from isogloss.lm.scratch import Scratch
from isogloss.lm.stored import write_estimate

__all__ = ["BuildReport", "LmOptions", "build", "estimate_model"]

SpecialWords = Literal["error", "unknown"]

_LEAST_MEMORY = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class LmOptions:
    """How a model is estimated.

    >>> LmOptions(order=3).prune
    (0,)
    """

    order: int = 5
    """Words in the longest n-grams, 1 to 7."""
    prune: tuple[int, ...] = (0,)
    """For each order: n-grams seen that often or less are left out. The last value holds for the orders
    beyond; values must not fall."""
    discount_fallback: tuple[float, float, float] = (0.5, 1.0, 1.5)
    """Discounts of counts 1, 2, and 3 or more, for orders whose own cannot be estimated."""
    special_words: SpecialWords = "error"
    """What <s>, </s> and <unk> in the text are: an error, or the unknown word."""
    memory: int = 4 << 30
    """Working memory in bytes; what does not fit lies in temporary files."""
    scratch: StrPath | None = None
    """Folder of temporary files; the system's own by default."""
    threads: int = 0
    """Threads to use; 0 uses all processors. The model does not depend on it."""

    def __post_init__(self) -> None:
        if not 1 <= self.order <= LM_MAX_ORDER:
            raise ConfigError(f"order must be between 1 and {LM_MAX_ORDER}, got {self.order}")
        if not 1 <= len(self.prune) <= self.order:
            raise ConfigError(
                f"prune needs 1 to {self.order} values for a model of order {self.order}, "
                f"got {len(self.prune)}"
            )
        if min(self.prune) < 0 or list(self.prune) != sorted(self.prune):
            raise ConfigError(f"prune values must not be negative and must not fall, got {list(self.prune)}")
        for count, amount in enumerate(self.discount_fallback, start=1):
            if not 0 < amount <= count:
                raise ConfigError(f"discount_fallback {count} must be in (0, {count}], got {amount}")
        if self.special_words not in get_args(SpecialWords):
            raise ConfigError(f"special_words must be 'error' or 'unknown', got '{self.special_words}'")
        if self.memory < _LEAST_MEMORY:
            raise ConfigError(f"memory must be at least 1M, got {self.memory} bytes")
        if self.threads < 0:
            raise ConfigError(f"threads must not be negative, got {self.threads}")


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """What was estimated."""

    sentences: int
    words: int
    counts: tuple[int, ...]
    """n-grams in the model, for each order."""
    discounts: tuple[Discounts, ...]
    """For each order; those that could not be estimated say why."""
    spilled_bytes: int
    """Bytes written to temporary files because memory was not enough."""


def build(
    corpus: Sequence[StrPath],
    *,
    options: LmOptions | None = None,
    arpa: StrPath | None = None,
    binary: StrPath | None = None,
    vocabulary: Vocabulary | None = None,
    track: Track = no_track,
) -> BuildReport:
    """Estimate a model from text files, one sentence per line, and write it as ARPA, binary or both.

    With a ``vocabulary`` the model uses its word numbers, and it grows by the words it does not have.
    """
    if arpa is None and binary is None:
        raise ConfigError("nothing to write: name an ARPA file, a folder for the binary form, or both")
    _check_outputs(arpa, binary)
    options = options or LmOptions()
    scratch = Scratch(options.memory, options.scratch)
    model = estimate_model(corpus, options=options, scratch=scratch, vocabulary=vocabulary, track=track)
    if arpa is not None:
        write_arpa(arpa, model, scratch=scratch, threads=_threads(options), track=track)
    if binary is not None:
        write_estimate(binary, model, scratch=scratch, track=track)
    return BuildReport(
        sentences=model.counts.sentences,
        words=model.counts.words,
        counts=model.counts.kept,
        discounts=model.discounts,
        spilled_bytes=scratch.spilled,
    )


def estimate_model(
    corpus: Sequence[StrPath],
    *,
    options: LmOptions,
    scratch: Scratch | None = None,
    vocabulary: Vocabulary | None = None,
    track: Track = no_track,
) -> Estimate:
    """The estimate itself, not written anywhere."""
    if scratch is None:
        scratch = Scratch(options.memory, options.scratch)
    counts = count_ngrams(
        corpus,
        order=options.order,
        prune=options.prune,
        special_as_unknown=options.special_words == "unknown",
        vocabulary=vocabulary,
        scratch=scratch,
        threads=_threads(options),
        track=track,
    )
    return estimate(
        counts,
        fallback=options.discount_fallback,
        scratch=scratch,
        threads=_threads(options),
        track=track,
    )


def _check_outputs(arpa: StrPath | None, binary: StrPath | None) -> None:
    """What can be known to fail should fail before the work is done."""
    if arpa is not None and os.fspath(arpa) != "-":
        if Path(arpa).is_dir():
            raise OutputError("is a folder", arpa, "give the name of a file")
        if not Path(arpa).absolute().parent.is_dir():
            raise OutputError("the folder it should be in does not exist", arpa)
    if binary is not None and Path(binary).is_file():
        raise OutputError("is a file", binary, "a folder is written here: choose another name")


def _threads(options: LmOptions) -> int:
    return options.threads or os.cpu_count() or 1
