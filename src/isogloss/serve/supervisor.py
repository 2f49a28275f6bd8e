"""Run the service: one process that listens, verifies and supervises, and worker processes that answer."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from isogloss.decoder.beside import ALIGNER, CONFIDENCE, CORRECTIONS, EXAMPLES, MATCHES, beside
from isogloss.decoder.stored_system import inspect_system, load
from isogloss.io.errors import ConfigError, IsoglossError, MissingExtraError
from isogloss.io.streams import StrPath
from isogloss.serve.counters import SharedCounters
from isogloss.serve.engines import engine_names
from isogloss.serve.guard import Tokens, logged
from isogloss.serve.options import ServeOptions
from isogloss.storage.inspection import inspect_folder

__all__ = ["serve"]

_RESTART_SECONDS = 1.0  # a worker that dies at once must not be started in a tight loop
_BACKLOG = 2048


def serve(
    folders: Sequence[StrPath],
    options: ServeOptions | None = None,
    *,
    say: Callable[[str], None] = lambda message: None,
) -> None:
    """Serve stored systems until told to stop (SIGTERM, SIGINT); requests under way are finished first.

    A folder may be given as ``NAME=FOLDER``; otherwise its own name is the name of the system.
    """
    options = options or ServeOptions()
    try:
        from isogloss.serve.worker import run_worker  # here, so that the workers need not import it again
    except ImportError:
        raise MissingExtraError("the service", "serve") from None
    named = engine_names(folders)
    if not named:
        raise ConfigError("give the folder of at least one engine")
    for folder in named.values():
        load(folder)  # a wrong folder is an error here, not in the log of a worker
    tokens = None if options.token_file is None else Tokens.read(options.token_file)
    listening = _listen(options)
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    say(f"{', '.join(named)}: open http://{shown}:{port}/ in a browser; stop with Ctrl-C")
    if not options.is_local and tokens is None:
        say("warning: everybody who reaches this machine can use the service (--no-auth)")
    _Supervisor(named, options, tokens, listening, run_worker).run()


def _listen(options: ServeOptions) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((options.host, options.port))
    except OSError as error:
        listening.close()
        raise ConfigError(
            f"cannot listen on {options.host}:{options.port}: {error.strerror or error}; is it in use? "
            "choose another --port"
        ) from None
    listening.listen(_BACKLOG)
    listening.set_inheritable(True)
    return listening


@dataclass
class _Supervisor:
    folders: Mapping[str, Path]
    options: ServeOptions
    tokens: Tokens | None
    listening: socket.socket
    run_worker: Callable[..., int]
    workers: dict[int, int] = field(default_factory=dict)  # process → row
    started: dict[int, float] = field(default_factory=dict)
    alive: tuple[int, int] = (-1, -1)
    """A pipe that closes when this process ends, however it ends."""
    verifier: int = 0
    stopping: bool = False

    def run(self) -> None:
        _raise_file_limit()
        self.alive = os.pipe()
        self.counters = SharedCounters(self.options.workers)
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._stop)
        for row in range(self.options.workers):
            self._start(row)
        self.verifier = _forked(self._verify)
        self._watch()

    def _start(self, row: int) -> None:
        process = _forked(lambda: self._work(row))
        self.workers[process], self.started[process] = row, time.monotonic()
        if self.stopping:  # the signal came while it was being started
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)

    def _work(self, row: int) -> int:
        # Ctrl-C in a terminal goes to the supervisor alone, which tells the workers.
        os.setpgid(0, 0)
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, signal.SIG_DFL)
        os.close(self.alive[1])
        self.counters.row = row
        threads = max(1, (os.cpu_count() or 1) // self.options.workers)
        return self.run_worker(
            self.folders,
            self.options,
            self.tokens,
            self.counters,
            self.listening,
            threads,
            self.alive[0],
        )

    def _verify(self) -> int:
        """Read every byte of every engine once, for all workers."""
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.nice(5)  # those who ask go first
        for name, folder in self.folders.items():
            try:
                system = load(folder).path
                inspect_system(system, verify=True)
                for part in (ALIGNER, CONFIDENCE, EXAMPLES, MATCHES, CORRECTIONS):
                    if (beside(system, part) / "manifest.json").exists():
                        inspect_folder(beside(system, part), verify=True)
            except (IsoglossError, OSError) as error:
                logged(f"error: {name}: {error}")
                return 1
        return 0

    def _stop(self, *_: object) -> None:
        self.stopping = True
        for process in self.workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGTERM)
        if self.verifier:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.verifier, signal.SIGTERM)

    def _watch(self) -> None:
        """Wait for processes to end; start workers again that were not told to stop."""
        while self.workers or self.verifier:
            try:
                process, status = os.wait()
            except ChildProcessError:
                break
            code = os.waitstatus_to_exitcode(status)
            if process == self.verifier:
                self.verifier = 0
                if not self.stopping:
                    self.counters.set("verified" if code == 0 else "failed", 1.0)
                    logged("all systems are verified" if code == 0 else "error: a system is damaged")
                continue
            row = self.workers.pop(process)
            begun = self.started.pop(process)
            self.counters.worker_ended(row)
            if self.stopping:
                continue
            logged(f"worker {row} ended with code {code}; starting it again")
            time.sleep(max(0.0, _RESTART_SECONDS - (time.monotonic() - begun)))
            self._start(row)
        self.listening.close()


def _forked(work: Callable[[], int]) -> int:
    """Start a process that does some work and ends with the code it returns."""
    sys.stdout.flush()
    sys.stderr.flush()
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        code = work()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _raise_file_limit() -> None:
    """Allow as many connections as the machine does; a burst must not run out of them."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
