"""What all routes of a worker share: engines, threads, limits, counters."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from isogloss.io.errors import IsoglossError, UserError
from isogloss.serve.counters import SharedCounters
from isogloss.serve.engines import Engine, Engines
from isogloss.serve.guard import logged
from isogloss.serve.jobs import Job, Jobs
from isogloss.serve.options import ServeOptions
from isogloss.serve.refusals import RefusedError
from isogloss.serve.schemas import ErrorAnswer

if TYPE_CHECKING:
    from isogloss.serve.guard import Guard

__all__ = ["ERRORS", "Service"]

T = TypeVar("T")

_NO_TEXT = re.compile(r"[\0\ud800-\udfff]")

ERRORS: Mapping[int | str, dict[str, Any]] = {
    status: {"model": ErrorAnswer, "description": words}
    for status, words in {
        400: "The request cannot be read.",
        401: "A token is missing or unknown.",
        403: "Refused: read-only, or sent by the page of another site.",
        404: "There is no such system or thing.",
        408: "The request did not arrive in time.",
        413: "The request is too large.",
        421: "The service is not known under this name.",
        422: "The request does not make sense.",
        503: "Too busy or too slow; see Retry-After.",
    }.items()
}
"""Errors that every route of the API may answer with."""


class Service:
    """The state of a worker process."""

    guard: Guard

    def __init__(
        self, folders: Mapping[str, Path], options: ServeOptions, counters: SharedCounters, threads: int
    ) -> None:
        self.options, self.counters, self.folders = options, counters, folders
        self.jobs = Jobs(threads)
        self._engines: Engines | None = None
        self._loading = threading.Lock()
        self.problem = ""

    def open(self) -> None:
        """Load the engines; until then the service answers only that it is not ready."""
        with self._loading:
            if self._engines is None:
                try:
                    self._engines = Engines(self.folders)
                except IsoglossError as error:
                    self.problem = str(error)
                    logged(f"error: {error}")
                    return
        self.counters.set("ready", 1.0)

    @property
    def is_open(self) -> bool:
        """Whether the engines are loaded."""
        return self._engines is not None

    @property
    def engines(self) -> Engines:
        """The engines; an error before they are loaded."""
        if self._engines is None:
            raise RefusedError(
                503, "not_ready", self.problem or "the systems are being loaded", retry_after=1
            )
        return self._engines

    async def run(
        self, name: str | None, work: Callable[[Engine, Job], T], *, seconds: float | None = None
    ) -> T:
        """Work with an engine, in a thread, within the time of a request."""
        engine = self.engines.named(name)
        return await self.work(lambda job: work(engine, job), seconds=seconds)

    async def work(self, work: Callable[[Job], T], *, seconds: float | None = None) -> T:
        """Work in a thread, within the time of a request; mistakes of the user become answers."""
        try:
            return await self.jobs.run(work, seconds or self.options.max_seconds)
        except UserError as error:
            raise RefusedError(422, "invalid", self.without_paths(str(error))) from None

    def without_paths(self, message: str) -> str:
        """A message without the paths of this machine."""
        for name, folder in self.folders.items():
            for path in (str(folder.resolve()), str(folder)):
                message = message.replace(path, name)
        return message

    def check_texts(self, texts: Sequence[str], most: int | None = None) -> None:
        """Refuse texts that are too many, too long, or no text."""
        most = most or self.options.max_batch
        if len(texts) > most:
            raise RefusedError(413, "too_many", f"{len(texts):,} texts; at most {most:,} in one request")
        for number, text in enumerate(texts, start=1):
            if len(text) > self.options.max_sentence:
                raise RefusedError(
                    413,
                    "too_long",
                    f"text {number} has {len(text):,} characters; at most {self.options.max_sentence:,}",
                )
            if _NO_TEXT.search(text):
                raise RefusedError(
                    422, "no_text", f"text {number} contains a NUL byte or a lone surrogate; remove it"
                )
        if self.options.log_texts:
            for text in texts:
                logged(f"text {text!r}")

    def check_writable(self) -> None:
        """Refuse changes if the service is read-only."""
        if self.options.read_only:
            raise RefusedError(403, "read_only", "this service is read-only")
