"""What is measured, and how text is made comparable before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, DefaultText, Options
from isogloss.io.progress import Track
from isogloss.metric.interface import Metric
from isogloss.metric.named import METRIC_NAMES, metric_named

__all__ = ["EvaluateOptions", "MetricName", "MetricOptions", "ScoringOptions", "TestName"]

MetricName = Literal["bleu", "nist", "chrf", "ter"]
TestName = Literal["bootstrap", "randomization", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringOptions(Options):
    """How text that is tokenized is compared with references."""

    tokenize: str = "none"
    """Tokenizer of sacreBLEU for BLEU and NIST, such as 13a, intl or zh; none for text that is tokenized."""
    lowercase: bool = False
    """Ignore case. TER always does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricOptions(ScoringOptions):
    """What is optimized.

    >>> MetricOptions(metric="ter").make().higher_is_better
    False
    """

    metric: MetricName = "bleu"
    """Metric to optimize."""

    def make(self, progress: Track | None = None) -> Metric:
        """The metric."""
        return metric_named(self.metric, tokenize=self.tokenize, lowercase=self.lowercase, progress=progress)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions(Options):
    """What is measured and how.

    >>> EvaluateOptions(metrics=("bleu", "ter"), test="randomization").tokenize
    '13a'
    """

    metrics: tuple[str, ...] = ("bleu", "chrf")
    """Metrics to report: any of bleu, nist, chrf, ter."""
    tokenize: str = "13a"
    """Tokenizer of sacreBLEU for BLEU and NIST, such as 13a, intl or zh; none for text that is tokenized."""
    lowercase: bool = False
    """Ignore case. TER always does."""
    test: Annotated[TestName | None, DefaultText("bootstrap")] = None
    """Test of each system against the first: ``bootstrap`` (one-sided), ``randomization`` (two-sided) or
    ``none``."""
    samples: Annotated[int | None, AtLeast(1), DefaultText("1000 for bootstrap, 10000 for randomization")] = (
        None
    )
    """Draws or trials of the test."""
    worst: Annotated[int, AtLeast(0)] = 0
    """Show this many sentences that differ most from the baseline, by sentence BLEU."""
    seed: Annotated[int, AtLeast(0)] = 1
    """Random seed of intervals and tests."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        object.__setattr__(self, "metrics", tuple(name.lower() for name in self.metrics))
        unknown = [name for name in self.metrics if name not in METRIC_NAMES]
        if unknown or not self.metrics:
            found = f"unknown metric '{unknown[0]}'" if unknown else "no metric"
            raise ConfigError(f"{found}; choose one or more of: {', '.join(METRIC_NAMES)}")
        if len(set(self.metrics)) < len(self.metrics):
            raise ConfigError(f"each metric can be asked for once, got {', '.join(self.metrics)}")

    def check_systems(self, count: int) -> None:
        """Refuse to compare a system with nothing."""
        if count > 1:
            return
        for name, asked in (("worst", self.worst), ("test", self.test not in (None, "none"))):
            if asked:
                raise ConfigError(f"`{name}` compares systems: give at least two, the baseline first")
