"""The service under load: throughput, latency, memory, a burst, and corrections that survive kills.

    python benchmarks/serve.py ENGINE SENTENCES [--minutes 10] [--clients 50] [--part load|burst|soak]

Everything runs on this machine, over loopback. Without an engine, one is trained on synthetic text. Prints a
table; the exit code is 1 if a request failed that should not have, or an acknowledged correction is missing.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from measure import private_memory

from support.served import Served, serving

_BATCH = 32
_BURST = 10_000


class Client:
    """A connection that is kept open, and what its requests took."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, path: str, body: Any) -> tuple[int, bytes]:
        content = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n"
        )
        for attempt in range(2):
            try:
                if self.writer is None:
                    self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
                self.writer.write(head.encode() + content)
                return await self._answer()
            except (ConnectionError, asyncio.IncompleteReadError):
                # A connection that was idle may have been closed; one that is new may not.
                self.close()
                if attempt:
                    raise
        raise AssertionError

    async def _answer(self) -> tuple[int, bytes]:
        assert self.reader is not None
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
        }
        content = await self.reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            self.close()
        return int(lines[0].split()[1]), content

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None


def request_of(kind: str, lines: list[str], rng: random.Random) -> tuple[str, Any]:
    source = rng.choice(lines)
    if kind == "batch":
        return "/v1/translate", {"text": rng.sample(lines, min(_BATCH, len(lines)))}
    if kind == "complete":
        return "/v1/complete", {"source": source, "typed": source[: rng.randrange(12)], "alternatives": 3}
    if kind == "correct":
        number = rng.randrange(50)
        return "/v1/corrections", {
            "source": f"{lines[number % len(lines)]} {number}",
            "target": f"answer {number}",
        }
    return "/v1/translate", {"text": source}


async def load(
    port: int,
    lines: list[str],
    clients: int,
    seconds: float,
    mix: dict[str, int],
    watch: Callable[[float, dict[str, list[float]]], None] | None = None,
) -> dict[str, Any]:
    """Ask with so many clients at a time for a while; ``watch`` is told ten times what was taken so far."""
    taken: dict[str, list[float]] = {kind: [] for kind in mix}
    statuses: Counter[int] = Counter()
    end = time.monotonic() + seconds
    kinds = [kind for kind, share in mix.items() for _ in range(share)]

    async def one(number: int) -> None:
        rng, client = random.Random(number), Client(port)
        while time.monotonic() < end:
            kind = rng.choice(kinds)
            begun = time.perf_counter()
            status, _ = await client.ask(*request_of(kind, lines, rng))
            taken[kind].append(time.perf_counter() - begun)
            statuses[status] += 1
        client.close()

    async def watching() -> None:
        for part in range(1, 11):
            await asyncio.sleep(seconds / 10)
            if watch is not None:
                watch(part * seconds / 600, taken)

    await asyncio.gather(watching(), *(one(number) for number in range(clients)))
    return {"taken": taken, "statuses": statuses}


async def burst(port: int, line: str) -> Counter[str]:
    """So many requests at once, each on a connection of its own."""
    found: Counter[str] = Counter()

    async def one() -> None:
        client = Client(port)
        try:
            status, _ = await client.ask("/v1/translate", {"text": line})
            found[str(status)] += 1
        except (OSError, asyncio.IncompleteReadError) as error:
            found[type(error).__name__] += 1
        client.close()

    await asyncio.gather(*(one() for _ in range(_BURST)))
    return found


def memory(service: Served) -> int:
    """Bytes of the worker processes that they do not share with others."""
    return sum(map(private_memory, service.workers()))


def cpu_of(service: Served) -> float:
    ticks = 0
    for worker in service.workers():
        fields = Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def row(name: str, *values: object) -> None:
    print(f"{name:<34}" + "".join(f"{value!s:>16}" for value in values), flush=True)


def milliseconds(taken: list[float], share: float) -> str:
    return (
        f"{1000 * statistics.quantiles(taken, n=100)[round(share * 100) - 1]:.1f} ms"
        if len(taken) > 1
        else "-"
    )


def command_line_cpu(engine: Path, lines: list[str]) -> float:
    """CPU seconds per sentence of ``isogloss translate``, without its start."""
    command = [sys.executable, "-m", "isogloss", "--quiet", "translate", str(engine), "--threads", "1"]

    def run(some: list[str]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            command, input="\n".join(some) + "\n", text=True, stdout=subprocess.DEVNULL, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return (run(lines) - run(lines[:1])) / (len(lines) - 1)


def measure_load(engine: Path, lines: list[str], args: argparse.Namespace, folder: Path) -> bool:
    limits = ["--max-in-flight", str(4 * args.clients), "--no-access-log", "--workers", str(args.workers)]
    with serving(folder, engine, *limits) as service:
        plain = command_line_cpu(engine, lines)
        short = min(60.0, 20 * args.minutes)
        begun = cpu_of(service)
        found = asyncio.run(load(service.port, lines, 4, short, {"batch": 1}))
        batches = len(found["taken"]["batch"])
        served = (cpu_of(service) - begun) / max(1, batches * min(_BATCH, len(lines)))
        row(
            "batches of 32, CPU per sentence",
            f"{1000 * served:.2f} ms",
            f"{1000 * plain:.2f} ms",
            f"{plain / served:.0%}",
        )
        found = asyncio.run(load(service.port, lines, args.clients, short, {"single": 1}))
        single = found["taken"]["single"]
        row(
            "single sentences",
            f"{len(single) / short:.0f}/s",
            milliseconds(single, 0.5),
            milliseconds(single, 0.99),
        )
        asyncio.run(load(service.port, lines, args.clients, 20 * args.minutes, _MIX))
        warm = memory(service)
        seen = 0

        def watch(minute: float, taken: dict[str, list[float]]) -> None:
            nonlocal seen
            new, seen = taken["single"][seen:], len(taken["single"])
            used = f"{memory(service) / 1e6:.0f} MB"
            row(f"minute {minute:.1f}, single", milliseconds(new, 0.5), milliseconds(new, 0.99), used)

        found = asyncio.run(load(service.port, lines, args.clients, 60 * args.minutes, _MIX, watch))
        for kind, taken in found["taken"].items():
            row(f"mix, {kind}", len(taken), milliseconds(taken, 0.5), milliseconds(taken, 0.99))
        row(
            "private memory of all workers",
            f"{warm / 1e6:.0f} MB",
            f"{memory(service) / 1e6:.0f} MB",
            f"{memory(service) / warm - 1:+.1%}",
        )
        row("answers", *(f"{status}: {count}" for status, count in sorted(found["statuses"].items())))
        return set(found["statuses"]) == {200}


_MIX = {"single": 6, "batch": 1, "complete": 6, "correct": 1}


def measure_burst(engine: Path, lines: list[str], args: argparse.Namespace, folder: Path) -> bool:
    with serving(folder, engine, "--no-access-log", "--workers", str(args.workers)) as service:
        found = asyncio.run(burst(service.port, lines[0]))
        row(f"burst of {_BURST:,}", *(f"{name}: {count}" for name, count in sorted(found.items())))
        return set(found) <= {"200", "503"} and service.get("/health").status == 200


def measure_soak(engine: Path, lines: list[str], args: argparse.Namespace, folder: Path) -> bool:
    """Corrections while the whole service is killed three times; each that was acknowledged must be there."""
    acknowledged: dict[str, str] = {}
    end = time.monotonic() + 60 * args.minutes
    for part in range(4):
        with serving(folder, engine, "--no-access-log", "--workers", str(args.workers)) as service:
            listed = service.get("/v1/corrections?limit=5000").json["corrections"]
            missing = acknowledged.items() - {(one["source"], one["target"]) for one in listed}
            if missing:
                row("corrections lost", len(missing))
                return False
            workers = service.workers()
            stop = end if part == 3 else time.monotonic() + 15 * args.minutes
            number = 0
            while time.monotonic() < stop:
                number += 1
                pair = {
                    "source": f"{lines[number % len(lines)]} {part} {number % 200}",
                    "target": f"answer {part} {number}",
                }
                if service.post("/v1/corrections", pair).status == 200:
                    acknowledged[pair["source"]] = pair["target"]
                service.translate(lines[number % len(lines)])
            for process in [service.process.pid, *workers]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
    row("corrections acknowledged, all there", len(acknowledged))
    return True


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engine", nargs="?", type=Path)
    parser.add_argument("sentences", nargs="?", type=Path)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--part", choices=["load", "burst", "soak"], action="append")
    args = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if args.engine is None:
            command = [sys.executable, "-m", "isogloss", "--quiet"]
            subprocess.run(
                [*command, "corpus", "synthetic", str(folder / "text"), "--pairs", "2000", "--raw"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            files = [
                "--source",
                str(folder / "text" / "train.src"),
                "--target",
                str(folder / "text" / "train.tgt"),
            ]
            subprocess.run(
                [*command, "train", str(folder / "made"), *files, "--method", "none"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            args.engine, args.sentences = folder / "made", folder / "text" / "test.src"
        lines = [line for line in args.sentences.read_text("utf-8").splitlines() if line.strip()][:1000]
        engine = Path(shutil.copytree(args.engine, folder / "engine", ignore=shutil.ignore_patterns("work")))
        parts = {"load": measure_load, "burst": measure_burst, "soak": measure_soak}
        good = [parts[part](engine, lines, args, folder) for part in args.part or parts]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
