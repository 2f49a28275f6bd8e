"""Runs every command that the README and the docs show, and compares what it prints with what they show.

A ``console`` block holds commands after ``$ `` and what they print. ``...`` stands for any text on a line,
or, alone on a line, for any lines. A ``python`` block is run as a script. The blocks of a page run in
order in one empty folder.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.fork_server import ForkServer
from support.ray_nodes import ray_nodes

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
CLUSTER = ROOT / "docs" / "how-to" / "cluster.md"
SLOW = ("docs/tutorial/first-engine.md", "docs/reference/blocks.md")
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands_of(page: Path) -> list[tuple[str, str]]:
    """Pairs of a command and the output shown below it."""
    pairs: list[tuple[str, str]] = []
    for kind, block in BLOCK.findall(page.read_text("utf-8")):
        if kind == "python":
            pairs.append((f"python - <<'END_OF_SCRIPT'\n{block}END_OF_SCRIPT", "...\n"))
            continue
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            while command.endswith("\\"):
                more, _, output = output.partition("\n")
                command = command[:-1] + more.removeprefix("> ").strip()
            pairs.append((command, output))
    return pairs


def test_pages_show_commands() -> None:
    assert any(commands_of(page) for page in PAGES)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name, marks=[pytest.mark.slow] if name in SLOW else [])
        for page in PAGES
        if commands_of(page) and page != CLUSTER and (name := str(page.relative_to(ROOT)))
    ],
)
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path, fork_server: ForkServer) -> None:
    check_commands(page, tmp_path, fork_server)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Ray's own
def test_commands_on_a_cluster(tmp_path: Path, fork_server: ForkServer) -> None:
    with ray_nodes(2):  # one machine plays two
        check_commands(CLUSTER, tmp_path, fork_server)


def check_commands(page: Path, tmp_path: Path, fork_server: ForkServer) -> None:
    """Run the commands of a page in a folder."""
    path = os.pathsep.join([str(fork_server.folder), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    for command, shown in commands_of(page):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,  # a here-document brings its own
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        printed = trimmed(done.stdout)
        assert done.returncode == 0 or shown.startswith("error:"), f"{command}\n{printed}"
        matches = doctest.OutputChecker().check_output(trimmed(shown), printed, doctest.ELLIPSIS)
        assert matches, f"$ {command}\nprinted:\n{printed}\nshown:\n{shown}"


def trimmed(text: str) -> str:
    """Without blanks at the ends of lines, which tables have and editors remove."""
    return "".join(line.rstrip() + "\n" for line in text.splitlines())
