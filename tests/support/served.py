"""A service in a process of its own, on a free port of this machine, and a client for it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/")


class Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    @property
    def error(self) -> str:
        code: str = self.json["error"]["code"]
        return code


class Served:
    """A running service."""

    def __init__(self, process: subprocess.Popen[str], port: int, log: Path) -> None:
        self.process, self.port, self.log = process, port, log

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        given = dict(headers or {})
        content = raw
        if body is not None:
            content = json.dumps(body).encode()
            given.setdefault("Content-Type", "application/json")
        try:
            connection.request(method, path, content, given)
            answer = connection.getresponse()
            return Answer(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, body: Any, **headers: str) -> Answer:
        return self.ask("POST", path, body, headers=headers)

    def upload(self, path: str, content: bytes, **query: str) -> Answer:
        given = "&".join(f"{name}={quote(value)}" for name, value in query.items())
        return self.ask("POST", f"{path}?{given}", raw=content)

    def translate(self, text: str, **request: Any) -> str:
        answer = self.post("/v1/translate", {"text": text, **request})
        assert answer.status == 200, answer
        found: str = answer.json["translations"][0]["text"]
        return found

    def workers(self) -> list[int]:
        """The processes below the service."""
        rows = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
        pairs = [tuple(map(int, row.split())) for row in rows.splitlines()]
        return [pid for pid, parent in pairs if parent == self.process.pid]

    def wait_until_ready(self) -> None:
        while self.process.poll() is None:
            with contextlib.suppress(OSError):
                if self.get("/ready").status == 200:
                    return
            time.sleep(0.05)
        raise AssertionError(self.log.read_text())

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait()


@contextlib.contextmanager
def serving(folder: Path, *words: str | Path, ready: bool = True) -> Iterator[Served]:
    """Start ``isogloss serve`` with some arguments; its log is a file in the folder."""
    log = folder / "serve.log"
    log.touch()
    before = len(log.read_text())
    with log.open("a") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "isogloss", "serve", *map(str, words), "--port", "0"],
            stderr=stream,
            stdout=stream,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
    try:
        while not (found := ADDRESS.findall(log.read_text()[before:])):
            if process.poll() is not None:
                raise AssertionError(log.read_text())
            time.sleep(0.02)
        served = Served(process, int(found[-1]), log)
        if ready:
            served.wait_until_ready()
        yield served
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
