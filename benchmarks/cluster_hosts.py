"""Four hosts on this machine, with their own addresses and folders, as one Ray cluster.

    python benchmarks/cluster_hosts.py [--hosts 4] [--pairs 2000] [--source FILE --target FILE]

Needs root and ``ip`` (Debian: iproute2). Every host is a network namespace with its own address, its own
``/tmp`` and ``/dev/shm`` and its own name; a bridge connects them, and one folder is shared. Word alignment,
classes, language model, rules, MERT and batch MIRA run on this machine alone and then from the first host on
all hosts. What differs is printed, and the exit code is then 1. Without files, text is made up.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

BRIDGE, NETWORK, PORT = "isogloss0", "10.77.0", 6379
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Nodes of a cluster beyond one host must know its secret; this one lives as long as this process.
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
}
# The names of a stored folder's files, and the checksum of its manifest, which has these names.
RANDOM = re.compile(rb'-[0-9a-f]{8}(?=\.bin)|"checksum": "[0-9a-f]{64}"(?=\s*\}\s*$)')


def ip(*words: str, check: bool = True) -> None:
    subprocess.run(["ip", *words], check=check, capture_output=not check)


def name(host: int) -> str:
    return f"isogloss{host}"


@contextlib.contextmanager
def network(hosts: int) -> Iterator[None]:
    """Namespaces with an address each, connected by a bridge."""
    try:
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("link", "set", BRIDGE, "up")
        for host in range(1, hosts + 1):
            ip("netns", "add", name(host))
            ip("link", "add", f"iso{host}", "type", "veth", "peer", "name", "eth0", "netns", name(host))
            ip("link", "set", f"iso{host}", "master", BRIDGE, "up")
            ip("-n", name(host), "address", "add", f"{NETWORK}.{host}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                ip("-n", name(host), "link", "set", device, "up")
        yield
    finally:
        for host in range(1, hosts + 1):
            ip("netns", "delete", name(host), check=False)
        ip("link", "delete", BRIDGE, check=False)


def on_host(host: int, folder: Path, command: Sequence[str]) -> list[str]:
    """The command on a host: ``/tmp`` and ``/dev/shm`` are folders of its own."""
    own = folder / name(host)
    for part in ("tmp", "shm"):
        (own / part).mkdir(parents=True, exist_ok=True)
    mounts = f"hostname {name(host)}; mount --bind {own}/tmp /tmp; mount --bind {own}/shm /dev/shm"
    enter = ["ip", "netns", "exec", name(host), "unshare", "--uts", "--mount"]
    return [*enter, "sh", "-c", f'{mounts}; exec "$@"', "sh", *command]


def started(host: int, folder: Path) -> subprocess.Popen[bytes]:
    """Start Ray on a host. It gives its parts 15 seconds, which a busy machine may not have: try again."""
    first = ["--head", "--port", str(PORT), "--include-dashboard", "false"]
    where = first if host == 1 else ["--address", f"{NETWORK}.1:{PORT}"]
    how = ["--node-ip-address", f"{NETWORK}.{host}", "--num-cpus", "1", "--block"]
    ray = str(Path(sys.executable).with_name("ray"))
    command = [ray, "start", *where, *how, "--object-store-memory", str(80 << 20)]
    for attempt in range(5):
        log = folder / f"ray-{host}-{attempt}.log"
        with log.open("wb") as stream:
            process = subprocess.Popen(
                on_host(host, folder, command),
                env={**os.environ, **ENVIRONMENT},
                stdout=stream,
                stderr=subprocess.STDOUT,
            )
        while process.poll() is None:
            if b"Ray runtime started" in log.read_bytes():
                return process
            time.sleep(0.5)
        print(f"host {host}: Ray did not start in time", flush=True)
    sys.exit(f"Ray does not start on host {host}")


@contextlib.contextmanager
def ray_hosts(hosts: int, folder: Path) -> Iterator[None]:
    running: list[subprocess.Popen[bytes]] = []
    try:
        for host in range(1, hosts + 1):
            running.append(started(host, folder))
            print(f"host {host}: {NETWORK}.{host}", flush=True)
        yield
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait()


def commands(output: Path, source: Path, target: Path, dev: Sequence[Path]) -> Iterator[list[str]]:
    """Every command that runs on a cluster, but for its machines."""
    sides = [str(source), str(target)]
    yield ["align", *sides, "--output", f"{output}/links", "--model-output", f"{output}/aligner"]
    yield ["classes", str(target), "--output", f"{output}/classes", "--restarts", "1"]
    yield ["lm", "build", str(target), "--order", "3", "--binary", f"{output}/lm"]
    yield ["extract", *sides, f"{output}/links", "--grammar", "phrase", "--output", f"{output}/rules"]
    for method in ("mert", "batch-mira"):
        models = ["--rules", f"{output}/rules", "--lm", f"{output}/lm", "--search", "phrase"]
        yield ["system", "create", f"{output}/{method}", *models]
        sets = ["--dev-source", str(dev[0]), "--dev-target", str(dev[1])]
        how = ["--method", method, "--iterations", "2", "--nbest", "30", "--threads", "1"]
        yield ["tune", f"{output}/{method}", *sets, *how]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        RANDOM.sub(b"", bytes(path.relative_to(folder))).decode(): RANDOM.sub(b"", path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", type=int, default=4)
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--target", type=Path)
    parser.add_argument("--dev", type=Path, nargs=2, metavar="FILE")
    arguments = parser.parse_args()
    isogloss = [sys.executable, "-m", "isogloss"]
    # Not under /tmp: every host has its own.
    folder = Path(tempfile.mkdtemp(prefix="isogloss-hosts-", dir="/var/tmp"))
    try:
        corpus = folder / "corpus"
        pairs = str(arguments.pairs)
        if arguments.source is None:
            made = [*isogloss, "--quiet", "corpus", "synthetic", str(corpus), "--pairs", pairs]
            subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
        source = arguments.source or corpus / "train.src"
        target = arguments.target or corpus / "train.tgt"
        dev = arguments.dev or [corpus / "dev.src", corpus / "dev.tgt.0"]
        here, there = folder / "here", folder / "there"
        for place in (here, there):
            place.mkdir()
        for command in commands(here, source, target, dev):
            subprocess.run([*isogloss, "--quiet", *command], check=True, stdout=subprocess.DEVNULL)
        cluster = ["--cluster", "ray"]
        with network(arguments.hosts), ray_hosts(arguments.hosts, folder):
            environment = {**os.environ, **ENVIRONMENT, "RAY_ADDRESS": f"{NETWORK}.1:{PORT}"}
            check = ["cluster", "check", *cluster, "--shared-folder", str(there)]
            for command in [check, *commands(there, source, target, dev)]:
                more = [] if command[0] in ("cluster", "system") else cluster
                print(" ".join(command[:2]), flush=True)
                whole = on_host(1, folder, [*isogloss, *command, *more])
                subprocess.run(whole, check=True, env=environment)
        one, other = contents(here), contents(there)
        different = sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
        outcome = f"DIFFERENT: {different}" if different else "same bytes"
        print(f"{arguments.hosts} hosts, {len(one)} files: {outcome}")
        return 1 if different else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
