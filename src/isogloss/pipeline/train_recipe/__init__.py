"""The recipe of ``train``: its stages, what each reads and writes, and with which options."""

from __future__ import annotations

from isogloss.pipeline.train_recipe.models import JOINT_CHOICE
from isogloss.pipeline.train_recipe.part import Helpers
from isogloss.pipeline.train_recipe.stages import recipe
from isogloss.pipeline.train_recipe.systems import SEARCH_CHOICE, SEARCH_RULES

__all__ = ["JOINT_CHOICE", "SEARCH_CHOICE", "SEARCH_RULES", "Helpers", "recipe"]
