"""Learners by name, from the registry that all verbs share."""

from __future__ import annotations

from isogloss.learn.registry import learner_options as option_names
from isogloss.learn.registry import make_learner as method_named

__all__ = ["method_named", "option_names"]
