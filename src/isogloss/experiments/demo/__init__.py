"""The journey of a new user: from nothing to a translation system that has been measured and explained."""

from isogloss.experiments.demo.outcome import DemoOutcome
from isogloss.experiments.demo.run import DemoOptions, run_demo

__all__ = ["DemoOptions", "DemoOutcome", "run_demo"]
