"""The experiments of five papers, for any data, and the demo.

EXPERIMENTS                  every experiment by name: its task and its function
ExperimentResults            results: values, tables, a page
results_folder               the folder for results
"""

from isogloss.experiments.results import ExperimentResults, ResultTable, results_folder
from isogloss.experiments.table import EXPERIMENTS, Experiment

__all__ = ["EXPERIMENTS", "Experiment", "ExperimentResults", "ResultTable", "results_folder"]
