"""The stage that trains the neural joint model, and keeps it only if it helps.

With and without the model, dense weights are tuned on halves of the development set, and each half is
translated with the weights of the other. The model has not seen the development set, so that its weight needs
no other care than those of all dense features.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from isogloss.decoder.system import System
from isogloss.decoder.weights import default_weights
from isogloss.io.progress import Track
from isogloss.io.streams import atomic_output
from isogloss.pipeline import model_stages
from isogloss.pipeline.search_choice import compared_on
from isogloss.pipeline.tuning_stages import make_decoder, usable_sentences
from isogloss.tuning.choice import FEWEST, HeldOutChoice, choose_simplest, translated_unseen

__all__ = ["train_and_judge"]

WITHOUT, WITH = "the search without a joint model", "the joint model"
LIMITS = {"normal": (500, 3)}
"""Most sentences to compare on, and most iterations of tuning, by effort."""
P_VALUE = 0.2
"""Chance moves BLEU by half a point on so few sentences, and a joint model that gains nothing costs only
time. With 0.1, every fourth model that gains a point would be lost."""

Paths = Mapping[str, Path]
Options = Mapping[str, Any]


def train_and_judge(
    inputs: Paths,
    outputs: Paths,
    options: Options,
    *,
    threads: int,
    track: Track,
    note: Callable[[str], None],
) -> None:
    """Write a joint model, or an empty folder, and why.

    ``options`` has the options of the model, of the search and of tuning.
    """
    sources, references = usable_sentences(inputs, "dev")
    if len(sources) < FEWEST:
        reason = f"{len(sources)} sentences are too few to judge a joint model on, so there is none"
        choice = HeldOutChoice((), WITHOUT, reason)
    else:
        model_stages.joint_model(inputs, outputs, options["joint"], threads=threads, track=track, note=note)
        tuning, some, known = compared_on(sources, references, options["tune"], LIMITS)
        found = {}
        for name in (WITHOUT, WITH):
            models = {name: inputs[name] for name in ("rules", "lm")}
            if name == WITH:
                models["joint"] = outputs["joint"]
            decoder = make_decoder(models, {"search": options["search"], "features": None})
            decoder.set_weights(default_weights(decoder.names, hierarchical=decoder.options.hierarchical))
            system = System(decoder, inputs["rules"].parent)
            found[name] = [translated_unseen(system, some, known, tuning, threads, track)]
        choice = choose_simplest(found, P_VALUE)
        note(choice.reason)
    if choice.chosen == WITHOUT:
        shutil.rmtree(outputs["joint"], ignore_errors=True)
        outputs["joint"].mkdir()
    with atomic_output(outputs["choice"]) as stream:
        stream.write(json.dumps(choice.to_dict(), indent=1) + "\n")
