"""``isogloss`` commands in forks of one process that has imported everything: imports are most of the
time of a small command, and the tests give hundreds of them. ``fork_server`` starts it.

    python forked.py SOCKET           serves, and prints 'ready'
    python -S forked.py SOCKET ARG…   is what ``isogloss ARG…`` is

Working directory, environment and standard streams are those of the caller. Three variables are for the fork:
``KILL_AT`` the n-th change of the file system, ``KILL_AFTER`` so many seconds, and ``LARGEST_FILE`` in bytes,
which is what a full disk looks like.
"""

import json
import os
import resource
import signal
import socket
import sys

_FILES = (0, 1, 2)
KILLED = 128 + signal.SIGKILL
KILL_AT, KILL_AFTER, LARGEST_FILE = "FORKED_KILL_AT", "FORKED_KILL_AFTER", "FORKED_LARGEST_FILE"
_IMPORTED_WHEN_NEEDED = ("rich.progress", "rich.table", "sacrebleu", "scipy.optimize", "scipy.sparse")
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
    if seconds := os.environ.get(KILL_AFTER):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends the process like a kill
        signal.setitimer(signal.ITIMER_REAL, max(float(seconds), 1e-6))
    code = 1
    try:
        from isogloss.cli.main import run

        run()
    except SystemExit as request_to_end:
        code = request_to_end.code if isinstance(request_to_end.code, int) else 1
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        client.sendall(code.to_bytes(1))
        os._exit(code)


def kill_at(change: int) -> None:
    """Have this process killed just before its n-th change of the file system."""
    left = change

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        flags = arguments[2] if event == "open" else 0
        if event in _CHANGES or (isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        serve(sys.argv[1])
    raise SystemExit(ask(sys.argv[1], sys.argv[2:]))
