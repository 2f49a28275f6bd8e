"""``isogloss explain``: why a sentence got this translation."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from typing import Annotated

from cyclopts import Parameter

from isogloss.adapt import LocallyTranslated, LocalOptions, RetrievalOptions
from isogloss.cli import console
from isogloss.cli.adapted import LocalDev, LocalMethod, LocalReport, MemoryFolder, adapted
from isogloss.cli.declared import Changes, Json, declares
from isogloss.decoder import ExplainOptions, SearchOptions, load
from isogloss.decoder import explain as explain_sentence
from isogloss.io.config import Settings

__all__ = ["explain"]

_NEAREST, _MOVED = 3, 5  # examples and weights that are named
_GROUPS = {"Input": ("tokenized",), "Output": ("format", "strongest")}


@declares(
    _GROUPS,
    options=ExplainOptions,
    search=Changes(SearchOptions, "the system's"),
    retrieval=Changes(RetrievalOptions, "the memory's", prefix="local"),
    update=Changes(LocalOptions, "the memory's", prefix="local"),
)
def explain(
    engine: Annotated[str, Parameter(help="Folder of the engine, as written by 'isogloss train'.")],
    sentence: Annotated[
        str,
        Parameter(
            help="A sentence, in quotes: text if the engine was trained with a tokenizer, otherwise tokens."
        ),
    ],
    /,
    *,
    options: ExplainOptions,
    search: Settings,
    retrieval: Settings,
    update: Settings,
    local: LocalMethod = None,
    memory: MemoryFolder = None,
    local_dev: LocalDev = None,
    local_report: LocalReport = None,
    json: Json = False,
) -> None:
    """Show why a sentence got this translation.

    Prints the rules used, the contribution of every feature to the score, and the difference from the
    second-best translation.
    """
    with ExitStack() as open_files:
        loaded = load(engine, changes=search, corrections=True, matches=True)
        say = partial(_say_local, loaded.weights)
        changes = {**retrieval, **update}
        system = adapted(loaded, local, memory, changes, local_dev, local_report, open_files, say)
        found = explain_sentence(system, sentence, tokenized=options.tokenized)
        if found.match:
            console.note(found.origin())
    if json:
        console.print_json(found.to_json())
    elif options.format == "html":
        sys.stdout.write(found.to_html(options.strongest))
    else:
        sys.stdout.write(found.to_text(options.strongest) + "\n")


def _say_local(baseline: Mapping[str, float], done: LocallyTranslated) -> None:
    """Report the examples and the strength of local training on standard error."""
    facts = done.report(baseline, examples=_NEAREST)
    console.note(f"{facts['examples']} examples, strength {facts['strength']:g}")
    for example in facts["nearest"]:
        references = " / ".join(example["references"])
        console.note(f"  {example['similarity']:.3f} {example['source']} → {references}")
    moved = list(facts["moved"].items())[:_MOVED]
    console.note("moved most: " + (", ".join(f"{name} {by:+.4f}" for name, by in moved) or "nothing"))
