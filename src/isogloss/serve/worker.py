"""A worker process: an event loop that answers requests."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Mapping
from pathlib import Path

import uvicorn

from isogloss.serve.app import make_app
from isogloss.serve.counters import SharedCounters
from isogloss.serve.guard import Tokens
from isogloss.serve.options import ServeOptions
from isogloss.serve.service import Service

__all__ = ["run_worker"]

_IDLE_SECONDS = 20  # after which an idle connection is closed


def run_worker(
    folders: Mapping[str, Path],
    options: ServeOptions,
    tokens: Tokens | None,
    counters: SharedCounters,
    listening: socket.socket,
    threads: int,
    supervisor: int,
) -> int:
    """Answer requests until told to stop; return the exit code.

    ``supervisor`` is the end of a pipe whose other end only the supervisor has.
    """
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    service = Service(folders, options, counters, threads)
    config = uvicorn.Config(
        make_app(service, tokens),
        access_log=False,  # the guard writes one
        log_config=None,
        lifespan="on",
        server_header=False,
        timeout_keep_alive=_IDLE_SECONDS,
        timeout_graceful_shutdown=max(1, round(options.stop_seconds)),
        ws="none",
    )
    _Server(config, supervisor).run(sockets=[listening])
    return 0


class _Server(uvicorn.Server):
    """Stops when the supervisor is gone, even if that was killed."""

    def __init__(self, config: uvicorn.Config, supervisor: int) -> None:
        super().__init__(config)
        self._supervisor = supervisor

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer requests until told to stop."""
        loop = asyncio.get_running_loop()

        def orphaned() -> None:
            loop.remove_reader(self._supervisor)
            self.should_exit = True

        loop.add_reader(self._supervisor, orphaned)  # nothing is ever written: readable means closed
        await super().serve(sockets)
