"""``isogloss`` commands in forks of one process that has imported everything: imports are most of the
time of a small command, and the tests give hundreds of them. ``fork_server`` starts it.

    python forked.py SOCKET           serves, and prints 'ready'
    python -S forked.py SOCKET ARG…   is what ``isogloss ARG…`` is

Working directory, environment and standard streams are those of the caller. Some variables are for the fork:
``KILL_AT`` the n-th change of the file system; ``KILL_AFTER`` so many seconds of processor time, so that a
busy machine changes nothing; ``LARGEST_FILE`` in bytes, which is what a full disk looks like; ``FAIL_AT`` the
n-th call to the file system with an error (``faults``); and ``COUNT_CALLS``, a file for the number of those.
"""

import errno
import json
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable

_FILES = (0, 1, 2)
KILLED = 128 + signal.SIGKILL
KILL_AT, KILL_AFTER, LARGEST_FILE = "FORKED_KILL_AT", "FORKED_KILL_AFTER", "FORKED_LARGEST_FILE"
FAIL_AT, COUNT_CALLS = "FORKED_FAIL_AT", "FORKED_COUNT_CALLS"
_IMPORTED_WHEN_NEEDED = ("rich.progress", "rich.table", "sacrebleu", "scipy.optimize", "scipy.sparse")
_PROGRAM = (".py", ".pyc", ".so")
_CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.truncate", "os.link"}


def ask(address: str, arguments: list[str]) -> int:
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        request = {
            "arguments": arguments,
            "folder": os.getcwd(),  # noqa: PTH109
            "environment": dict(os.environ),
        }
        message = json.dumps(request).encode()
        socket.send_fds(server, [len(message).to_bytes(8)], list(_FILES))
        server.sendall(message)
        answer = server.recv(1)
        return answer[0] if answer else KILLED


def serve(address: str) -> None:
    import contextlib
    import gc
    import importlib
    import io
    import math
    import pkgutil

    import isogloss
    from isogloss.cli import console
    from isogloss.cli.main import main

    ours = [module.name for module in pkgutil.walk_packages(isogloss.__path__, "isogloss.")]
    for name in (*ours, *_IMPORTED_WHEN_NEEDED):
        if not name.endswith("__main__"):
            with contextlib.suppress(ImportError):  # of an extra that is not installed
                importlib.import_module(name)
    with contextlib.redirect_stderr(io.StringIO()):
        main(["inspect", "/nowhere"])  # what the command line takes to be set up is taken once
    os.fsync = lambda descriptor: os.fstat(descriptor) and None  # no test stops the machine
    console._PLAIN_EVERY = math.inf  # what is printed must not depend on how long it took
    gc.freeze()  # what is there stays, and need not be looked at, which would copy it
    with socket.socket(socket.AF_UNIX) as waiting:
        waiting.bind(address)
        waiting.listen()
        print("ready", flush=True)  # noqa: T201
        while True:
            client, _ = waiting.accept()
            if os.fork() == 0:
                waiting.close()
                answer(client)
            client.close()
            while True:  # children that are done
                try:
                    if os.waitpid(-1, os.WNOHANG) == (0, 0):
                        break
                except ChildProcessError:
                    break


def answer(client: socket.socket) -> None:
    """In a child: be the command in all that matters, and tell how it ended."""
    head, files, _, _ = socket.recv_fds(client, 8, len(_FILES))
    wanted = int.from_bytes(head)
    message = b""
    while len(message) < wanted:
        message += client.recv(wanted - len(message))
    request = json.loads(message)
    for place, file in zip(_FILES, files, strict=True):
        os.dup2(file, place)
        os.close(file)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["isogloss", *request["arguments"]]
    for place, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        stream = open(place, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    if limit := os.environ.get(LARGEST_FILE):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
    if change := os.environ.get(KILL_AT):
        kill_at(int(change))
    if call := os.environ.get(FAIL_AT):
        number, _, name = call.partition(":")
        fail_at(int(number), name)
    counted = count_calls() if os.environ.get(COUNT_CALLS) else None
    if seconds := os.environ.get(KILL_AFTER):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process like a kill
        signal.setitimer(signal.ITIMER_PROF, max(float(seconds), 1e-6))
    code = 1
    try:
        from isogloss.cli.main import run

        run()
    except SystemExit as request_to_end:
        code = request_to_end.code if isinstance(request_to_end.code, int) else 1
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        if counted is not None:
            counted = {**counted, "milliseconds": int(1000 * time.process_time())}  # without the calls below
            with open(os.environ[COUNT_CALLS], "w") as out:  # noqa: PTH123
                json.dump(counted, out)
        client.sendall(code.to_bytes(1))
        os._exit(code)


def kill_at(change: int) -> None:
    """Have this process killed just before its n-th change of the file system."""
    left = change

    def seen(is_change: bool, name: str) -> None:
        nonlocal left
        left -= is_change
        if is_change and left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    watch_calls(seen)


def fail_at(call: int, name: str) -> None:
    """Have the n-th call to the file system fail with an error, such as ``ENOSPC``."""
    left, code = call, getattr(errno, name)

    def seen(is_change: bool, name: str) -> None:
        nonlocal left
        left -= 1
        if left == 0:  # with a name where the system gives one
            raise OSError(code, os.strerror(code), name) if name else OSError(code, os.strerror(code))

    watch_calls(seen)


def count_calls() -> dict[str, int]:
    """The numbers of calls to the file system and of changes among them, as they grow."""
    counted = {"calls": 0, "changes": 0}

    def seen(is_change: bool, name: str) -> None:
        counted["calls"] += 1
        counted["changes"] += is_change

    watch_calls(seen)
    return counted


def watch_calls(seen: Callable[[bool, str], None]) -> None:
    """Call ``seen`` before this process opens, maps, flushes, renames or removes a file of its own."""
    flush = os.fsync

    def flush_seen(descriptor: int) -> None:
        seen(False, "")  # what was written outlives a process that is killed
        flush(descriptor)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            written = isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))
            name = os.fsdecode(path) if isinstance(path, str | bytes) else ""
            if name and not name.endswith(_PROGRAM) and not name.startswith(("/proc", "/dev", "/sys")):
                seen(written, name)
        elif event in _CHANGES:
            seen(True, str(arguments[0]))
        elif event == "mmap.__new__":
            seen(False, "")

    os.fsync = flush_seen
    sys.addaudithook(hook)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        serve(sys.argv[1])
    raise SystemExit(ask(sys.argv[1], sys.argv[2:]))
