"""Options of memories, of retrieval and of local training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Literal

from isogloss.io.errors import ConfigError
from isogloss.io.options import Above, AtLeast, Between, DefaultText, Options, Range

__all__ = [
    "LOCAL_PRESETS",
    "LocalMethod",
    "LocalOptions",
    "Loss",
    "MemoryOptions",
    "QueryOptions",
    "RetrievalOptions",
    "UnitKind",
    "by_method",
]

LocalMethod = Literal["mbuu", "ebuu"]
UnitKind = Literal["scores", "raw", "plain"]
Loss = Literal["document", "corpus", "sentence"]

DEFAULT_STRENGTHS: dict[str, float] = {"mbuu": 0.3, "ebuu": 30.0}
"""Default λ: small enough to be safe without tuning; ``memory tune`` finds a better one. Liu et al. (2012)
use 0.018 and 0.06 for weights on another scale."""
DEFAULT_SHARPNESSES: dict[str, float] = {"mbuu": 1.0, "ebuu": 2.0}
DEFAULT_LOSSES: dict[str, Loss] = {"mbuu": "document", "ebuu": "corpus"}


def by_method(values: Mapping[str, object]) -> DefaultText:
    """A default that depends on the method, in words.

    >>> by_method({"mbuu": 0.3, "ebuu": (30.0, 100.0)}).text
    '0.3 for mbuu; 30, 100 for ebuu'
    """
    written = {
        method: ", ".join(f"{item:g}" if isinstance(item, float) else str(item) for item in items)
        for method, value in values.items()
        for items in [value if isinstance(value, tuple) else (value,)]
    }
    return DefaultText("; ".join(f"{text} for {method}" for method, text in written.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalOptions(Options):
    """Which examples of a memory to use for a sentence.

    >>> RetrievalOptions(size=20).edit_share
    0.1
    """

    size: Annotated[int, AtLeast(1)] = 100
    """Maximum number of examples per sentence (K)."""
    edit_share: Annotated[float, Between(0, 1)] = 0.1
    """Weight of the edit distance in the similarity (θ); the rest is the cosine of tf-idf vectors."""
    min_similarity: Annotated[float, Between(0, 1)] = 0.0
    """Ignore examples with a lower similarity."""
    skip_identical: bool = False
    """Ignore examples whose source is the sentence itself."""
    skip_document: str | None = None
    """Ignore the examples of this document."""
    before: str | int | None = None
    """Use only examples added before this day, such as 2026-01-31. A number is a time in seconds since
    1970."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if isinstance(self.before, str):
            object.__setattr__(self, "before", _seconds(self.before))


def _seconds(day: str) -> int:
    try:
        return int(datetime.strptime(day, "%Y-%m-%d").replace(tzinfo=UTC).timestamp())
    except ValueError:
        raise ConfigError(f"before must be a day such as 2026-01-31, got '{day}'") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryOptions(RetrievalOptions):
    """Which examples of a memory to show for a sentence."""

    size: Annotated[int, AtLeast(1)] = 10
    """Maximum number of examples to show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryOptions(Options):
    """How to decode the examples of a memory."""

    nbest: Annotated[int, AtLeast(1)] = 100
    """Maximum number of candidates to store per example."""
    max_words: Annotated[int, AtLeast(1)] = 100
    """Translate longer sentences in windows of at most this many words."""
    batch: Annotated[int, AtLeast(1)] = 500
    """Examples to decode before writing them to disk. An interrupted build loses at most this many."""
    sparse: bool = False
    """Store sparse features too, so that local training can change their weights. This takes about ten times
    the disk space."""
    leave_one_out: bool = False
    """Decode each example without the rules extracted from it. Use this if the system was trained on the
    examples. Needs the word alignment of the examples or an alignment model; a sentence then never retrieves
    itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalOptions(Options):
    """How to train the weights of a sentence on its examples.

    >>> LocalOptions(method="mbuu").strength
    0.3
    """

    method: LocalMethod = "ebuu"
    """Method of local training: ``mbuu`` (large margin) or ``ebuu`` (expected error)."""
    strength: Annotated[float | None, AtLeast(0), by_method(DEFAULT_STRENGTHS)] = None
    """Strength of local training (λ). Higher values move further from the system's weights; 0 keeps them
    unchanged."""
    sharpness: Annotated[float | None, Above(0), by_method(DEFAULT_SHARPNESSES)] = None
    """Sharpness of local training (α). For EBUU, how much the best candidates dominate the expectation; for
    MBUU, the margin in words of BLEU."""
    loss: Annotated[Loss | None, by_method(DEFAULT_LOSSES)] = None
    """What BLEU is computed on: all examples as one ``corpus`` (EBUU only), a decaying pseudo-``document``
    with the candidate added (MBUU only), or each ``sentence`` alone. Liu et al. (2012) use ``sentence`` for
    EBUU; it favors translations that are too short."""
    decay: Annotated[float, Range(low=0, high=1, below=True)] = 0.9
    """Decay of the pseudo-document from one example to the next."""
    rounds: Annotated[int, AtLeast(1)] = 1
    """How often to build the pseudo-document: first from the best candidates under the system's weights, then
    from the best ones under the new weights."""
    iterations: Annotated[int, AtLeast(0)] = 50
    """Maximum number of EBUU steps."""
    decodings: Annotated[int, AtLeast(1)] = 1
    """How often to train the weights. With more than 1, the examples are decoded again with the new weights
    and their candidates are added to the stored ones, which is slow: every round decodes all examples."""
    units: UnitKind = "scores"
    """How to measure the distance from the system's weights: by their effect on the ``scores`` of candidates;
    on the ``raw`` weights times the size of a usual feature; or on the ``plain`` weights divided by their
    absolute sum. The paper has plain weights; it does not say how they are scaled."""
    emphasis: Annotated[float, AtLeast(0)] = 0.0
    """Exponent: an example counts as its similarity to this power. 0 gives all the same weight."""
    gate: Annotated[float, AtLeast(0)] = 0.2
    """Mean similarity of the examples at which local training has its full strength. Below it, the strength
    is reduced in proportion."""
    gate_examples: Annotated[int, AtLeast(0)] = 10
    """Number of examples at which local training has its full strength. With fewer, the strength is reduced
    in proportion."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.loss is None:
            object.__setattr__(self, "loss", DEFAULT_LOSSES[self.method])
        other = {"mbuu": "corpus", "ebuu": "document"}[self.method]
        if self.loss == other:
            raise ConfigError(f"loss must not be {other} for {self.method}")
        if self.sharpness is None:
            object.__setattr__(self, "sharpness", DEFAULT_SHARPNESSES[self.method])
        if self.strength is None:
            object.__setattr__(self, "strength", DEFAULT_STRENGTHS[self.method])


LOCAL_PRESETS: dict[str, dict[str, LocalOptions]] = {
    "paper": {
        "mbuu": LocalOptions(
            method="mbuu", strength=0.018, loss="document", units="plain", gate=0.0, gate_examples=0
        ),
        "ebuu": LocalOptions(
            method="ebuu", strength=0.06, loss="sentence", units="plain", gate=0.0, gate_examples=0
        ),
    },
    "best": {"mbuu": LocalOptions(method="mbuu"), "ebuu": LocalOptions(method="ebuu")},
}
"""Settings of local training: of Liu et al. (2012), and those that win on held-out text. The paper prints
neither α nor the scale of the weights."""
