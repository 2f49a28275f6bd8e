"""Work of a request, in threads beside the event loop, with a deadline."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from isogloss.serve.refusals import RefusedError

__all__ = ["Job", "Jobs"]

T = TypeVar("T")


class Job:
    """The deadline of a request. Work that takes long asks it between steps whether to go on."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds
        self._abandoned = False

    def check(self) -> None:
        """Raise an error if the time is over or nobody waits any longer."""
        if self._abandoned or time.monotonic() > self._end:
            raise self.late()

    @property
    def left(self) -> float:
        """Seconds left."""
        return max(0.0, self._end - time.monotonic())

    def abandon(self) -> None:
        """Let the work end at its next step."""
        self._abandoned = True

    def late(self) -> RefusedError:
        """The error of a request that takes too long."""
        return RefusedError(
            503,
            "too_slow",
            f"the request took longer than {self.seconds:g} seconds; send less text in one request, or try "
            "again when the service is less busy",
            retry_after=5,
        )


class Jobs:
    """Runs work in threads: as many at a time as there are threads; the rest waits in line."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="isogloss")

    async def run(self, work: Callable[[Job], T], seconds: float) -> T:
        """The result of ``work``, or an error after so many seconds, waiting in line included."""
        job = Job(seconds)

        def begin() -> T:
            job.check()
            return work(job)

        future = asyncio.get_running_loop().run_in_executor(self._pool, begin)
        try:
            return await asyncio.wait_for(future, seconds)
        except TimeoutError:
            raise job.late() from None
        finally:
            job.abandon()
