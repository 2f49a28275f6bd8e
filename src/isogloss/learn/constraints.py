"""Constraints on dense weights: frozen, bounded, or with a prior."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.io.errors import ConfigError
from isogloss.io.options import Options
from isogloss.metric.interface import FloatArray

__all__ = ["Constraints", "Limits", "Prior"]


class Prior(NamedTuple):
    """A Gaussian prior: a deviation from ``mean`` costs ``strength / 2 * (weight - mean)**2``."""

    mean: float
    strength: float


class Limits(NamedTuple):
    """Constraints by dense column."""

    lower: FloatArray
    upper: FloatArray
    mean: FloatArray
    strength: FloatArray
    """Strength of the prior; 0 if there is none."""

    @property
    def free(self) -> NDArray[np.bool_]:
        """Which weights may change."""
        return self.lower < self.upper

    @property
    def scale_matters(self) -> bool:
        """Whether scaling all weights could violate a constraint."""
        return bool(np.any(np.isfinite(self.lower) | np.isfinite(self.upper) | (self.strength > 0)))

    def penalty(self, dense: FloatArray) -> float:
        """What the priors cost."""
        return float(self.strength @ (dense - self.mean) ** 2) / 2

    def clip(self, dense: FloatArray) -> FloatArray:
        """The nearest weights within the bounds."""
        return np.clip(dense, self.lower, self.upper)


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints(Options):
    """Named constraints; a feature not mentioned is free. Sparse features cannot be constrained.

    >>> Constraints(frozen=["lm"], bounds={"words": (-1, 1)}, priors={"rules": Prior(0.1, 1.0)}).frozen
    ('lm',)
    """

    frozen: tuple[str, ...] | Sequence[str] = ()
    """Dense features that keep the weight they start with."""
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Minimum and maximum weights of dense features, as in lm=0:1; inf is allowed."""
    priors: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Priors on dense weights as mean:strength, as in lm=0.5:2. A distance of 1 from the mean costs half the
    strength, in the units of the objective (BLEU in 0..1)."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        object.__setattr__(self, "frozen", tuple(self.frozen))
        for what, pairs in (("bounds", self.bounds), ("priors", self.priors)):
            for name, pair in pairs.items():
                if len(pair) != 2:
                    raise ConfigError(f"the {what} of '{name}' must be two numbers, got {len(pair)}")
        priors = {name: Prior(*prior) for name, prior in self.priors.items()}
        object.__setattr__(self, "priors", priors)
        for name, (low, high) in self.bounds.items():
            if math.isnan(low) or math.isnan(high) or not low <= high:
                raise ConfigError(f"the bounds of '{name}' are not a range: {low} to {high}")
            if name in self.frozen:
                raise ConfigError(f"'{name}' cannot be both frozen and bounded")
        for name, prior in priors.items():
            if not math.isfinite(prior.mean) or not 0 <= prior.strength < math.inf:
                raise ConfigError(
                    f"the prior of '{name}' has mean {prior.mean} and strength {prior.strength}; a finite "
                    "mean and a strength of at least 0 are expected"
                )

    def limits(self, names: Sequence[str], start: FloatArray) -> Limits:
        """The constraints by column, for dense features of these names that start with these weights."""
        _check_names([*self.frozen, *self.bounds, *self.priors], names)
        column = {name: index for index, name in enumerate(names)}
        limits = Limits(
            np.full(len(names), -np.inf),
            np.full(len(names), np.inf),
            np.zeros(len(names)),
            np.zeros(len(names)),
        )
        for name in self.frozen:
            limits.lower[column[name]] = limits.upper[column[name]] = start[column[name]]
        for name, (low, high) in self.bounds.items():
            limits.lower[column[name]], limits.upper[column[name]] = low, high
            if not low <= start[column[name]] <= high:
                raise ConfigError(
                    f"'{name}' starts with {start[column[name]]:g}, outside its bounds {low:g} to {high:g}"
                )
        for name, prior in self.priors.items():
            limits.mean[column[name]], limits.strength[column[name]] = prior
        return limits


def _check_names(mentioned: Iterable[str], names: Sequence[str]) -> None:
    unknown = sorted(set(mentioned) - set(names))
    if unknown:
        raise ConfigError(
            f"no dense feature is called {', '.join(unknown)}; known are: {', '.join(names) or 'none'}"
        )
