"""The stage that chooses between the hierarchical and the phrase-based search.

With the rules of each search, dense weights are tuned on halves of the development set, and each half is
translated with the weights of the other. The better search is used. Neither is simpler than the other, so it
need not be sure that it is better. Where it matters, the difference is large, so that a part of the
development set shows it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from isogloss.decoder.decoder import Decoder
from isogloss.decoder.options import SearchOptions
from isogloss.decoder.system import System
from isogloss.decoder.weights import default_weights
from isogloss.grammar.table import RuleTable
from isogloss.io.progress import Track
from isogloss.io.scratch import temporary_folder
from isogloss.io.streams import atomic_output
from isogloss.lm.model import LanguageModel
from isogloss.metric import References
from isogloss.pipeline import model_stages
from isogloss.pipeline.tuning_stages import usable_sentences
from isogloss.tuning import TuneOptions
from isogloss.tuning.choice import (
    FEWEST,
    HeldOutChoice,
    choose_simplest,
    spread_sample,
    translated_unseen,
)

__all__ = ["choose_search", "compared_on"]

Paths = Mapping[str, Path]
Options = Mapping[str, Any]

LIMITS = {"normal": (300, 3)}
"""Most sentences to compare on, and most iterations of tuning, by effort."""


def choose_search(
    inputs: Paths, outputs: Paths, options: Options, *, threads: int, memory: int, track: Track
) -> None:
    """Write which search to use, and why, and its rules, so that they need not be extracted again.

    ``options`` has the rules and the search of every candidate. If nothing was compared, the folder of the
    rules is empty.
    """
    sources, references = usable_sentences(inputs, "dev")
    names = list(options["searches"])
    choice = HeldOutChoice((), names[0], f"{len(sources)} sentences are too few to compare searches on")
    with temporary_folder(outputs["choice"].parent, ".search-") as folder:
        if len(sources) >= FEWEST:
            tuning, sources, known = compared_on(sources, references, options["tune"], LIMITS)
            found = {}
            for name, facts in options["searches"].items():
                made = {"rules": folder / name}
                model_stages.rules(inputs, made, facts["rules"], threads=threads, memory=memory, track=track)
                decoder = Decoder(
                    RuleTable.open(made["rules"]),
                    LanguageModel.load(inputs["lm"]),
                    SearchOptions.from_mapping(facts["decoder"]),
                )
                decoder.set_weights(default_weights(decoder.names, hierarchical=decoder.options.hierarchical))
                found[f"the search {name}"] = [
                    translated_unseen(System(decoder, folder), sources, known, tuning, threads, track)
                ]
            choice = choose_simplest(found, p_value=1.0)
        chosen = choice.chosen.removeprefix("the search ")
        if choice.candidates:
            (folder / chosen).rename(outputs["rules"])
        else:
            outputs["rules"].mkdir()
    with atomic_output(outputs["choice"]) as stream:
        stream.write(json.dumps({**choice.to_dict(), "search": chosen}, indent=1) + "\n")


def compared_on(
    sources: Sequence[str],
    references: Sequence[Sequence[str | None]],
    tuning: Mapping[str, Any],
    limits: Mapping[str, tuple[int, int]],
) -> tuple[TuneOptions, list[str], References]:
    """How to tune for a comparison, and on which sentences: as many as the limits of the effort allow."""
    stored = TuneOptions.from_stored(tuning)
    if stored.effort not in limits:
        return stored, list(sources), References(references)
    most, turns = limits[stored.effort]
    kept = spread_sample(len(sources), most)
    streams = [[stream[at] for at in kept] for stream in references]
    limited = replace(stored, dense_first=min(turns, stored.dense_first or turns))
    return limited, [sources[at] for at in kept], References(streams)
