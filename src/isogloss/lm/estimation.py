"""Estimating a language model from text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from isogloss._engine import LM_MAX_ORDER, Vocabulary
from isogloss.io.errors import ConfigError, OutputError
from isogloss.io.executor import Executor
from isogloss.io.options import Above, AtLeast, Between, Options
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
_USUAL_MEMORY = 4 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class LmOptions(Options):
    """How a model is estimated.

    >>> LmOptions(order=3).prune
    (0,)
    """

    order: Annotated[int, Between(1, LM_MAX_ORDER)] = 5
    """Words in the longest n-grams."""
    prune: Annotated[tuple[int, ...], AtLeast(0)] = (0,)
    """Drop n-grams seen this often or less: one number per order, the last for all higher orders. 0,0,1 drops
    trigrams and longer n-grams seen once."""
    discount_fallback: Annotated[tuple[float, float, float], Above(0)] = (0.5, 1.0, 1.5)
    """Discounts for counts 1, 2, and 3 or more, for orders whose discounts cannot be estimated."""
    special_words: SpecialWords = "error"
    """What to do with <s>, </s> and <unk> in the text: stop with an ``error``, or treat them as ``unknown``
    words."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if not 1 <= len(self.prune) <= self.order:
            raise ConfigError(
                f"prune must have 1 to {self.order} values for a model of order {self.order}, "
                f"got {len(self.prune)}"
            )
        if list(self.prune) != sorted(self.prune):
            raise ConfigError(f"prune must not decrease from one order to the next, got {list(self.prune)}")
        for count, amount in enumerate(self.discount_fallback, start=1):
            if amount > count:
                raise ConfigError(f"discount_fallback {count} must be at most {count}, got {amount}")


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """Facts about an estimated model."""

    sentences: int
    words: int
    counts: tuple[int, ...]
    """n-grams in the model, for each order."""
    discounts: tuple[Discounts, ...]
    """Discounts for each order, with the reason if they could not be estimated."""
    spilled_bytes: int
    """Bytes written to temporary files to stay below the memory limit."""

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "sentences": self.sentences,
            "words": self.words,
            "counts": list(self.counts),
            "discounts": [
                {"amounts": list(discounts.amounts), "fallback": discounts.fallback}
                for discounts in self.discounts
            ],
            "spilled_bytes": self.spilled_bytes,
        }


def build(
    corpus: Sequence[StrPath],
    *,
    options: LmOptions | None = None,
    arpa: StrPath | None = None,
    binary: StrPath | None = None,
    vocabulary: Vocabulary | None = None,
    threads: int = 0,
    memory_limit: int = _USUAL_MEMORY,
    scratch: StrPath | None = None,
    track: Track = no_track,
    executor: Executor | None = None,
) -> BuildReport:
    """Estimate a model from text files, one sentence per line, and write it as ARPA, binary or both.

    With a ``vocabulary``, the model uses its word ids and adds new words to it. Counts that exceed
    ``memory_limit`` bytes go to temporary files in the folder ``scratch``. 0 ``threads`` means all
    processors. The model does not depend on any of these, nor on an ``executor`` that counts on many machines
    (``scratch`` must then be a folder that they share).
    """
    if not corpus:
        raise ConfigError("the text is empty, so no language model can be estimated")
    if arpa is None and binary is None:
        raise ConfigError("nothing to write: give `arpa` (a file), `binary` (a folder) or both")
    if memory_limit < _LEAST_MEMORY:
        raise ConfigError(f"memory_limit must be at least 1M, got {memory_limit} bytes")
    _check_outputs(arpa, binary)
    options = options or LmOptions()
    spilled = Scratch(memory_limit, scratch)
    model = estimate_model(
        corpus,
        options=options,
        scratch=spilled,
        vocabulary=vocabulary,
        threads=threads,
        track=track,
        executor=executor,
    )
    if arpa is not None:
        write_arpa(arpa, model, scratch=spilled, threads=_count(threads), track=track)
    if binary is not None:
        write_estimate(binary, model, scratch=spilled, track=track)
    return BuildReport(
        sentences=model.counts.sentences,
        words=model.counts.words,
        counts=model.counts.kept,
        discounts=model.discounts,
        spilled_bytes=spilled.spilled,
    )


def estimate_model(
    corpus: Sequence[StrPath],
    *,
    options: LmOptions,
    scratch: Scratch | None = None,
    vocabulary: Vocabulary | None = None,
    threads: int = 0,
    track: Track = no_track,
    executor: Executor | None = None,
) -> Estimate:
    """Estimate a model without writing it."""
    if scratch is None:
        scratch = Scratch(_USUAL_MEMORY, None)
    counts = count_ngrams(
        corpus,
        order=options.order,
        prune=options.prune,
        special_as_unknown=options.special_words == "unknown",
        vocabulary=vocabulary,
        scratch=scratch,
        threads=_count(threads),
        track=track,
        executor=executor,
    )
    return estimate(
        counts,
        fallback=options.discount_fallback,
        scratch=scratch,
        threads=_count(threads),
        track=track,
    )


def _check_outputs(arpa: StrPath | None, binary: StrPath | None) -> None:
    """Fail early: check before the work starts."""
    if arpa is not None and os.fspath(arpa) != "-":
        if Path(arpa).is_dir():
            raise OutputError("is a folder", arpa, "give the name of a file")
        if not Path(arpa).absolute().parent.is_dir():
            raise OutputError("its folder does not exist; create it first", arpa)
    if binary is not None and Path(binary).is_file():
        raise OutputError("is a file", binary, "a folder is needed here; choose another name")


def _count(threads: int) -> int:
    if threads < 0:
        raise ConfigError(f"threads must be at least 0, got {threads}")
    return threads or os.cpu_count() or 1
