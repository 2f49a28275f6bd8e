"""The table of experiments: adding one is a module and a row here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from isogloss.experiments.local_training import LocalTrainingTask, run_local_training
from isogloss.experiments.ntt_iwslt2007 import NttOptions, run_ntt_iwslt2007
from isogloss.experiments.online_large_margin import LargeMarginTask, run_online_large_margin
from isogloss.experiments.relevant_set import RelevantSetTask, run_relevant_set_experiment
from isogloss.experiments.reranking import RerankingTask
from isogloss.experiments.reranking_report import run_reranking
from isogloss.experiments.results import ExperimentResults
from isogloss.io.resources import Resources, Threads

__all__ = ["EXPERIMENTS", "Experiment"]


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment of a paper on data that a task describes."""

    summary: str
    """One sentence for help texts."""
    task: type[Any]
    """Options that describe the data and the settings."""
    run: Callable[..., ExperimentResults]
    """Runs a task in a folder; takes ``threads``, ``say``, ``warn`` and ``track``, and ``memory`` if
    ``resources`` has a limit."""
    resources: type[Threads] = Threads
    resumes: bool = True
    """Whether an interrupted run resumes in its folder."""


EXPERIMENTS = {
    "reranking": Experiment(
        "Rerank n-best lists (Shen et al. 2004): single features, sets of them, methods, learning curves.",
        RerankingTask,
        run_reranking,
    ),
    "relevant-set": Experiment(
        "Train block systems on relevant sets (Tillmann and Zhang 2006): Table 3 and the learning curves.",
        RelevantSetTask,
        run_relevant_set_experiment,
        Resources,
    ),
    "online-large-margin": Experiment(
        "Tune online with large margins (Watanabe et al. 2007): token types, templates, constraints, "
        "two folds.",
        LargeMarginTask,
        run_online_large_margin,
    ),
    "ntt-iwslt2007": Experiment(
        "Build the NTT system of IWSLT 2007: selected bitext, sparse decoder, voted reranker, speech.",
        NttOptions,
        run_ntt_iwslt2007,
        Resources,
    ),
    "local-training": Experiment(
        "Train weights for each sentence (Liu et al. 2012): all tables of the paper, and its figure.",
        LocalTrainingTask,
        run_local_training,
    ),
}
