"""The journey of a new user: from nothing to a translation system that has been measured and explained."""

from isogloss.experiments.demo.outcome import Outcome
from isogloss.experiments.demo.run import DemoOptions, run_demo

__all__ = ["DemoOptions", "Outcome", "run_demo"]
