"""Runs ``isogloss`` commands in forks of one process that has imported everything: imports are most of the
time of a small command, and the pages show hundreds of them.

    python forked.py SOCKET           serves
    python -S forked.py SOCKET ARG…   is what ``isogloss ARG…`` is
"""

import json
import os
import socket
import sys

_FILES = (0, 1, 2)


def ask(address: str, arguments: list[str]) -> int:
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(address)
        here = os.getcwd()  # noqa: PTH109  # pathlib takes longer to import than all the rest
        message = json.dumps({"arguments": arguments, "folder": here, "environment": dict(os.environ)})
        socket.send_fds(server, [len(message.encode()).to_bytes(8)], list(_FILES))
        server.sendall(message.encode())
        return int.from_bytes(server.recv(1))


def serve(address: str) -> None:
    import importlib

    for module in ("cli.main", "pipeline", "rerank", "adapt", "tuning", "metric", "decoder"):
        importlib.import_module(f"isogloss.{module}")
    with socket.socket(socket.AF_UNIX) as waiting:
        waiting.bind(address)
        waiting.listen()
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


if __name__ == "__main__":
    if len(sys.argv) == 2:
        serve(sys.argv[1])
    raise SystemExit(ask(sys.argv[1], sys.argv[2:]))
