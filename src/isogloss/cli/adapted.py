"""Options that verbs share which translate with weights made for each sentence."""

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
        help="Train weights for each sentence from similar examples, by margins (mbuu) or expected error "
        "(ebuu); needs --memory.",
    ),
]
MemoryFolder = Annotated[
    str | None,
    Parameter(metavar="FOLDER", group=_GROUP, help="Examples, as 'isogloss memory build' stores them."),
]
LocalDev = Annotated[
    str | None,
    Parameter(
        metavar="FOLDER",
        group=_GROUP,
        help="Memory of the development set: train on all of its examples too.",
    ),
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
    dev: str | None,
    report: str | None,
    open_files: ExitStack,
    say: Callable[[LocallyTranslated], None] = lambda done: None,
) -> System:
    """The system itself, or with weights for each sentence if a method is given; ``say`` is told of each."""
    if (method is None) != (memory is None):
        raise ConfigError("--local and --memory go together")
    if method is None or memory is None:
        if changes or dev is not None or report is not None:
            raise ConfigError("options that begin with --local need --local itself")
        return system
    if "method" in changes:
        raise ConfigError("--local names the method: leave out --local.method")
    from isogloss.adapt import adapted_system

    stream = None if report is None else open_files.enter_context(atomic_output(report))

    def watch(done: LocallyTranslated) -> None:
        say(done)
        if stream is not None:
            stream.write(json.dumps(done.report(system.weights), ensure_ascii=False) + "\n")

    return adapted_system(system, memory, method, dev=dev, watch=watch, **changes)
