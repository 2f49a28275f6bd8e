"""Learners by name, from the registry that all verbs share."""

from __future__ import annotations

from collections.abc import Callable

from isogloss.learn.learner import Learner
from isogloss.learn.registry import canonical_method
from isogloss.learn.registry import learner_options as option_names
from isogloss.learn.registry import make_learner as method_named

__all__ = ["method_named", "option_names", "parse_method"]


def parse_method(method: str, warn: Callable[[str], None] = lambda message: None) -> Learner:
    """Parse a learner: a method with options after a colon.

    >>> parse_method("splitting:margin=0.5,iterations=20").iterations  # type: ignore[attr-defined]
    20
    """
    return method_named(canonical_method(method, decoder=False, warn=warn))
