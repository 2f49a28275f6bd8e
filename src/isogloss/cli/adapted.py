"""Options for translating with weights trained for each sentence, shared by several verbs."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from isogloss.cli.declared import heading
from isogloss.io.config import Settings
from isogloss.io.errors import ConfigError
from isogloss.io.streams import atomic_output

if TYPE_CHECKING:
    from isogloss.adapt import LocallyTranslated
    from isogloss.decoder import System

__all__ = ["LocalDev", "LocalMethod", "LocalReport", "MemoryFolder", "adapted"]

_GROUP = heading("Local training")

LocalMethod = Annotated[
    Literal["mbuu", "ebuu"] | None,
    Parameter(
        group=_GROUP,
        help="Train weights for each sentence on similar examples, by large margin (mbuu) or expected "
        "error (ebuu); needs --memory.",
    ),
]
MemoryFolder = Annotated[
    str | None,
    Parameter(
        metavar="FOLDER", group=_GROUP, help="Folder of examples, as written by 'isogloss memory build'."
    ),
]
LocalDev = Annotated[
    str | None,
    Parameter(
        metavar="FOLDER",
        group=_GROUP,
        help="Memory of the development set; local training uses all its examples too.",
    ),
]
LocalReport = Annotated[
    str | None,
    Parameter(
        metavar="FILE",
        group=_GROUP,
        help="Write the examples used and the weight changes here: one JSON object per sentence.",
    ),
]


def adapted(
    system: System,
    method: Literal["mbuu", "ebuu"] | None,
    memory: str | None,
    changes: Settings,
    dev: str | None,
    report: str | None,
    open_files: ExitStack,
    say: Callable[[LocallyTranslated], None] = lambda done: None,
) -> System:
    """The system itself or, with a method, the system with local training; ``say`` gets a report for each
    sentence."""
    if (method is None) != (memory is None):
        raise ConfigError("--local and --memory must be given together")
    if method is None or memory is None:
        if changes or dev is not None or report is not None:
            raise ConfigError("options that begin with --local need --local METHOD")
        return system
    if "method" in changes:
        raise ConfigError("--local already names the method; remove --local.method")
    from isogloss.adapt import adapted_system

    stream = None if report is None else open_files.enter_context(atomic_output(report))

    def watch(done: LocallyTranslated) -> None:
        say(done)
        if stream is not None:
            stream.write(json.dumps(done.report(system.weights), ensure_ascii=False) + "\n")

    return adapted_system(system, memory, method, dev=dev, watch=watch, **changes)
