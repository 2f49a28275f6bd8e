"""The results of the experiment as tables and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from isogloss.experiments.ntt_iwslt2007.experiment import (
    ALL,
    DECODER,
    LATTICE,
    ONE_BEST,
    PRIMARY,
    TEXT,
    NttExperiment,
)
from isogloss.experiments.ntt_iwslt2007.options import NttOptions
from isogloss.experiments.presets import preset_title, settings_toml
from isogloss.experiments.results import ExperimentResults, ResultTable, Say, page_of
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.report import Page

__all__ = ["run_ntt_iwslt2007"]


def run_ntt_iwslt2007(
    task: NttOptions,
    folder: StrPath,
    *,
    threads: int = 1,
    memory: int = 4 << 30,
    say: Say = lambda message: None,
    warn: Say = lambda message: None,
    track: Track = no_track,
) -> ExperimentResults:
    """Run everything that an earlier run did not finish; systems and lists are stored in ``folder``."""
    experiment = NttExperiment(task, folder, threads=threads, memory=memory, say=say, warn=warn, track=track)
    values = experiment.run()
    tables = _tables(values)
    return ExperimentResults(values=values, tables=tables, page=_page(tables, task))


def _tables(results: Mapping[str, Any]) -> list[ResultTable]:
    conditions = [
        c for c in (TEXT, ONE_BEST, ALL, LATTICE) if c in results["systems"][PRIMARY]["scores"][DECODER]
    ]
    rows = []
    for name, system in results["systems"].items():
        for chooser, scores in system["scores"].items():
            cells = []
            for condition in conditions:
                if condition not in scores:
                    cells.append("")
                    continue
                row = scores[condition]
                compared = chooser != DECODER or condition in (ALL, LATTICE)
                cells.append(f"{row['bleu']:.2f}" + (f" (p {row['p_value']:.3f})" if compared else ""))
            rows.append([name, chooser, *cells])
    title = preset_title("BLEU on the test set", results["preset"])
    tables = [
        ResultTable(title, ["system", "chosen by", *conditions], rows),
        *_sparse_gains(results, [condition for condition in conditions if condition != LATTICE]),
        ResultTable(
            "source-side 3-gram perplexity by set, unknown words left out",
            ["system", *results["systems"][PRIMARY]["perplexity"]],
            [
                [name, *map(_perplexity, one["perplexity"].values())]
                for name, one in results["systems"].items()
            ],
        ),
    ]
    sampling = results["systems"][PRIMARY]["sampling"]
    if sampling:
        tables.append(
            ResultTable(
                "source-side 3-gram perplexity of dev and test",
                ["model of", "pairs", "words", "perplexity", "unknown words"],
                [
                    [
                        name,
                        f"{row['sentences']:,}",
                        f"{row['words']:,}",
                        f"{row['perplexity']:.1f}",
                        f"{row['unknown']:,}",
                    ]
                    for name, row in sampling["perplexity"].items()
                ],
            )
        )
    return tables


def _sparse_gains(results: Mapping[str, Any], conditions: Sequence[str]) -> list[ResultTable]:
    """What sparse features add to each reranker; no table if there are none."""
    rows = []
    for name, system in results["systems"].items():
        for chooser, scores in system["scores"].items():
            if any("sparse_gain" in score for score in scores.values()):
                found = [scores[condition] for condition in conditions]
                cells = [f"{one['sparse_gain']:+.2f} (p {one['sparse_p_value']:.3f})" for one in found]
                rows.append([name, chooser, *cells])
    title = preset_title("Gain of rerankers from sparse features, BLEU", results["preset"])
    return [ResultTable(title, ["system", "chosen by", *conditions], rows)] if rows else []


def _perplexity(found: Mapping[str, float | None]) -> str:
    value = found["perplexity_without_unknown"]
    return "-" if value is None else f"{value:.1f}"


def _page(tables: Sequence[ResultTable], task: NttOptions) -> Page:
    note = (
        "p: paired bootstrap, against the decoder's choice in the same condition; for all strings and "
        "lattices, against the decoder's translation of the recognizer's best string."
    )
    page = page_of("The NTT system of IWSLT 2007", note, tables)
    page.code(settings_toml(task))
    return page
