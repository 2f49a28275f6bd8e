"""Kill workers and nodes of a Ray cluster while ``isogloss train --cluster ray`` runs on it.

    python benchmarks/cluster_faults.py [--kills 20] [--nodes 4] [--pairs 2000] [--folder SCRATCH] [--seed 1]

A train on this machine alone is the reference. Then the same train runs on a cluster of nodes on this machine
(``ray.cluster_utils``), and at random moments a worker process or a whole node is killed, one kill in a few
seconds. A lost node is replaced by a new one. Trains are repeated until there were enough kills. Each must
end well with the same bytes as the reference; what differs is printed, and the exit code is then 1.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ |= {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # Ray's way to say: listen on the loopback interface only
}
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20}
COMMAND = [sys.executable, "-m", "isogloss", "--quiet"]
RECORDS = {"run.jsonl", "run.lock", "report.html", "options.toml"}
"""Files of a run that have times or names of folders in them."""
# The names of a stored folder's files, and the checksum of its manifest, which has these names.
RANDOM = re.compile(rb'-[0-9a-f]{8}(?=\.bin)|"checksum": "[0-9a-f]{64}"(?=\s*\}\s*$)')


def train_command(folder: Path, corpus: Path, *more: str) -> list[str]:
    sides = ["--source", str(corpus / "train.src"), "--target", str(corpus / "train.tgt")]
    return [
        *COMMAND,
        "train",
        str(folder),
        *sides,
        "--method",
        "mert",
        "--search",
        "phrase",
        "--set",
        "tune.iterations=2",
        *more,
    ]


def contents(folder: Path) -> dict[str, bytes]:
    """The files that a train has made, but for those with times in them."""
    return {
        RANDOM.sub(b"", bytes(path.relative_to(folder))).decode(): RANDOM.sub(b"", path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file() and path.name not in RECORDS and path.name != "history.json"
    }


def in_time(start: Callable[[], Any]) -> Any:
    """Ray gives a node 30 seconds to start, which a very busy machine may not have: try again."""
    for _ in range(5):
        try:
            return start()
        except Exception as error:
            print(f"trying again: {error}", flush=True)
    sys.exit("nodes of Ray do not start in time")


def workers(cluster: Any) -> list[int]:
    """Processes that run shards: children of the nodes' raylets whose name says so."""
    found = []
    for node in cluster.list_all_nodes():
        raylet = node.all_processes["raylet"][0].process.pid
        with contextlib.suppress(OSError):
            children = Path(f"/proc/{raylet}/task/{raylet}/children").read_text().split()
            for child in children:
                name = Path(f"/proc/{child}/cmdline").read_bytes()
                if name.startswith(b"ray::_call"):  # at work
                    found.append(int(child))
    return found


def kill_something(cluster: Any, rng: random.Random) -> str | None:
    """Kill a worker that is at work, or once in four times a node that is not the head."""
    if rng.random() < 0.25:
        others = [node for node in cluster.list_all_nodes() if node != cluster.head_node]
        cluster.remove_node(rng.choice(others), allow_graceful=False)
        in_time(lambda: cluster.add_node(**NODE))
        return "node"
    busy = workers(cluster)
    if not busy:
        return None
    with contextlib.suppress(ProcessLookupError):
        os.kill(rng.choice(busy), signal.SIGKILL)
    return "worker"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    from ray.cluster_utils import Cluster

    rng = random.Random(arguments.seed)
    with contextlib.ExitStack() as stack:
        folder = arguments.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        corpus, local = folder / "corpus", folder / "local"
        if not corpus.exists():
            pairs = str(arguments.pairs)
            subprocess.run([*COMMAND, "corpus", "synthetic", str(corpus), "--pairs", pairs], check=True)
        begun = time.monotonic()
        subprocess.run(train_command(local, corpus), check=True, stdout=subprocess.DEVNULL)
        print(f"local train: {time.monotonic() - begun:.0f} s", flush=True)
        expected = contents(local)
        ray_folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="ray-"))
        Path(ray_folder, "ray").mkdir()  # where Ray notes the address; it makes only its default folder
        os.environ["RAY_TMPDIR"] = ray_folder
        head = {**NODE, "include_dashboard": False, "temp_dir": ray_folder}
        cluster = in_time(lambda: Cluster(initialize_head=True, head_node_args=head))
        stack.callback(cluster.shutdown)
        for _ in range(arguments.nodes - 1):
            in_time(lambda: cluster.add_node(**NODE))
        kills, runs, failures = {"worker": 0, "node": 0}, 0, 0
        while sum(kills.values()) < arguments.kills:
            runs += 1
            place = folder / f"ray-{runs}"
            environment = {**os.environ, "RAY_ADDRESS": cluster.address}
            command = train_command(place, corpus, "--cluster", "ray")
            with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as running:
                while running.poll() is None:
                    time.sleep(rng.uniform(0.2, 4))
                    if sum(kills.values()) < arguments.kills and (what := kill_something(cluster, rng)):
                        kills[what] += 1
                        print(f"run {runs}: killed a {what}", flush=True)
            found = contents(place) if running.returncode == 0 else {}
            different = sorted(
                name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)
            )
            failures += bool(different)
            outcome = "same bytes" if not different else f"DIFFERENT: {different[:5]}"
            print(f"run {runs}: exit code {running.returncode}, {outcome}", flush=True)
    print(f"{runs} trains, {kills['worker']} workers and {kills['node']} nodes killed, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
