"""The experiments of the five papers, to run on any data, and the demo.

EXPERIMENTS                  every experiment by name: its task, and what runs it
ExperimentResults            what it gives: values, tables, a page
results_folder               where they go
"""

from isogloss.experiments.results import ExperimentResults, ResultTable, results_folder
from isogloss.experiments.table import EXPERIMENTS, Experiment

__all__ = ["EXPERIMENTS", "Experiment", "ExperimentResults", "ResultTable", "results_folder"]
