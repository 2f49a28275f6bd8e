"""The demo: from nothing to a trained, evaluated and explained translation system."""

from isogloss.experiments.demo.outcome import DemoOutcome
from isogloss.experiments.demo.run import DemoOptions, run_demo

__all__ = ["DemoOptions", "DemoOutcome", "run_demo"]
