"""Shards on this machine and on a Ray cluster of four nodes: the same results, whatever dies."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli.main import main
from isogloss.io.errors import ClusterError, ConfigError, DataFormatError, InputFileError, InternalError
from isogloss.io.executor import Executor, LocalExecutor, ShardFile
from isogloss.io.resources import Cluster
from isogloss.pipeline.executors import check_nodes, connected, mismatches
from isogloss.pipeline.executors.nodes import this_node
from support import shard_functions

pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray's own
NODES = 4


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def executor(nodes: Any, notes: list[str]) -> Iterator[Executor]:
    with connected("ray", note=notes.append) as found:
        yield found


def test_results_come_in_order_and_bytes_are_counted(executor: Executor, notes: list[str]) -> None:
    numbers = range(40)
    found = list(executor.map(shard_functions.square, numbers, "squares"))
    assert found == list(LocalExecutor().map(shard_functions.square, numbers, "squares"))
    assert notes[-1] == "squares: 40 shards, 0.2 kB sent, 0.4 kB received"
    list(executor.map(shard_functions.square, range(2), "squares"))
    assert notes[-1].startswith("squares: 2 shards, ")  # a pass of its own
    assert executor.moved["squares"].shards == 42  # type: ignore[attr-defined]


def test_shards_are_taken_as_they_are_needed(executor: Executor) -> None:
    taken = []

    def shards() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    results = executor.map(shard_functions.square, shards(), "squares")
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]
    assert len(taken) < 20 * NODES


def test_an_error_keeps_its_class(executor: Executor) -> None:
    results = executor.map(shard_functions.refuse, range(9), "refusing")
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(DataFormatError, match="numbers:3: three"):
        next(results)
    with pytest.raises(ZeroDivisionError, match="division of 7"):
        list(executor.map(shard_functions.fail, [7], "failing"))
    with pytest.raises(InternalError, match="top of a module"):
        list(executor.map(lambda item, threads: item, [1], "nothing"))


def test_killed_workers(executor: Executor, tmp_path: Path) -> None:
    items = [(str(tmp_path), number) for number in range(4)]
    assert list(executor.map(shard_functions.die_once, items, "dying")) == list(range(4))
    assert len(list(tmp_path.glob("died-*"))) == 4


def test_a_full_disk_on_one_node(executor: Executor, tmp_path: Path, notes: list[str]) -> None:
    items = [(str(tmp_path), number) for number in range(6)]
    found = list(executor.map(shard_functions.full_disk_on_first_node, items, "filling"))
    full = str((tmp_path / "full").readlink())
    assert len(found) == 6
    assert full not in found
    assert "repeated" in notes[-1]


def test_a_straggler(executor: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from isogloss.pipeline.executors import ray_cluster

    monkeypatch.setattr(ray_cluster, "_LEAST_SLOW", 0.1)
    monkeypatch.setattr(ray_cluster, "_POLL", 0.1)
    items = [(str(tmp_path), number) for number in range(4)]
    assert list(executor.map(shard_functions.wait_for, items, "waiting")) == [0, 1, 2, 3]


def test_a_lost_node(nodes: Any, executor: Executor, tmp_path: Path) -> None:
    import ray

    lost = nodes.add_node(num_cpus=1, object_store_memory=80 << 20)
    items = [(str(tmp_path), number) for number in range(NODES + 1)]

    def shards() -> Iterator[tuple[str, int]]:
        yield from items
        while len(list(tmp_path.glob("begun-*"))) < NODES + 1:
            time.sleep(0.05)  # one shard runs on each node
        nodes.remove_node(lost, allow_graceful=False)
        while len([node for node in ray.nodes() if node["Alive"]]) > NODES:
            time.sleep(0.1)
        (tmp_path / "go").touch()

    assert list(executor.map(shard_functions.begin_and_wait, shards(), "waiting")) == list(range(NODES + 1))
    assert len(list(tmp_path.glob("begun-*"))) == NODES + 2


def test_a_shard_that_always_kills_its_worker(executor: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    from isogloss.pipeline.executors import ray_cluster

    monkeypatch.setattr(ray_cluster, "_RETRIES", 1)
    with pytest.raises(ClusterError, match="dying: a shard failed 2 times"):
        list(executor.map(shard_functions.die, [1], "dying"))


def test_nodes_that_differ_are_named(nodes: Any, executor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = check_nodes(executor.on_every_node)
    assert len(found) == NODES + 1
    assert mismatches(found) == []
    stranger = executor.on_every_node(shard_functions.other_version, ("", ""))
    (problem,) = mismatches([this_node(), *stranger[:1]])
    assert problem == f"engine differs: {this_node().engine} here, but stranger: 0123"
    own = this_node()
    monkeypatch.setattr("isogloss.pipeline.executors.nodes.node_facts", shard_functions.other_version)
    monkeypatch.setattr("isogloss.pipeline.executors.nodes.this_node", lambda: own)
    with pytest.raises(ClusterError, match="stranger"), connected("ray"):
        pass


def test_check(nodes: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "check", "--cluster", "ray", "--shared-folder", str(tmp_path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["nodes"]) == NODES + 1
    assert {node["folder"] for node in found["nodes"]} == {""}
    assert found["problems"] == []
    assert list(tmp_path.iterdir()) == []
    assert main(["cluster", "check", "--shared-folder", str(tmp_path)]) == 0
    assert "this machine" in capsys.readouterr().out


def test_a_folder_that_is_not_shared(executor: Any, tmp_path: Path) -> None:
    found = check_nodes(lambda function, token: [function(("/nowhere/token", token[1]), 1)], tmp_path)
    assert mismatches(found)[0].startswith("the shared folder cannot be used on ")


def test_translating_on_a_cluster(
    nodes: Any, systems: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(systems)  # names of files are relative
    lines = (systems / "corpus" / "test.src").read_bytes().splitlines()[:230]
    lines[7], lines[150] = b"", b"not \xff text"
    text = b"\n".join(lines)  # the last line has no end

    def translated(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        code = main(["--quiet", "translate", "hierarchical", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    for options in ([], ["--nbest", "3", "--format", "moses"], ["--bad-lines", "stop"], ["--mbr", "bleu"]):
        local = translated(*options)
        assert local[0] == 2
        assert "standard input:151" in local[2]
        assert translated(*options, "--cluster", "ray") == local


def test_without_ray(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "isogloss.pipeline.executors.ray_cluster", raising=False)
    assert main(["cluster", "check", "--cluster", "ray"]) == 2
    assert "pip install 'isogloss[cluster]'" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["Ray", "ray:/host:1", "ray://host", "", "ray://a b:1"])
def test_clusters_that_cannot_be(value: str) -> None:
    with pytest.raises(ConfigError, match="local, ray or ray://HOST:PORT"):
        Cluster(cluster=value)


def test_files_of_shards_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "part"
    path.write_bytes(b"one")
    found = ShardFile.of(path)
    assert found.checked() == path
    path.write_bytes(b"two")
    with pytest.raises(InputFileError, match="not what the worker wrote"):
        found.checked()
    path.unlink()
    with pytest.raises(InputFileError, match="storage that all nodes share"):
        found.checked()
