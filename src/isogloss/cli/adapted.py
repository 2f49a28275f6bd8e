"""Options that verbs share which translate with weights made for each sentence."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import Annotated, Literal

from cyclopts import Parameter

from isogloss.adapt import LocallyTranslated, adapted_system
from isogloss.cli.declared import heading
from isogloss.decoder import System
from isogloss.io.config import Settings
from isogloss.io.errors import ConfigError
from isogloss.io.streams import atomic_output

__all__ = ["LocalMethod", "LocalReport", "MemoryFolder", "adapted"]

_GROUP = heading("Local training")

LocalMethod = Annotated[
    Literal["mbuu", "ebuu"] | None,
    Parameter(
        group=_GROUP,
        help="Train weights for each sentence from similar examples, by margins (mbuu) or expected error "
        "(ebuu); needs --memory.",
    ),
]
MemoryFolder = Annotated[
    str | None,
    Parameter(metavar="FOLDER", group=_GROUP, help="Examples, as 'isogloss memory build' stores them."),
]
LocalReport = Annotated[
    str | None,
    Parameter(
        metavar="FILE",
        group=_GROUP,
        help="Write which examples were used and how weights moved: one JSON object per sentence.",
    ),
]


def adapted(
    system: System,
    method: Literal["mbuu", "ebuu"] | None,
    memory: str | None,
    changes: Settings,
    report: str | None,
    open_files: ExitStack,
) -> System:
    """The system itself, or with weights for each sentence if a method is given."""
    if (method is None) != (memory is None):
        raise ConfigError("--local and --memory go together")
    if method is None or memory is None:
        if changes or report is not None:
            raise ConfigError("options that begin with --local need --local itself")
        return system
    if report is None:
        return adapted_system(system, memory, method, **changes)
    stream = open_files.enter_context(atomic_output(report))

    def watch(done: LocallyTranslated) -> None:
        stream.write(json.dumps(done.report(system.weights), ensure_ascii=False) + "\n")

    return adapted_system(system, memory, method, watch=watch, **changes)
