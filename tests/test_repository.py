"""What the repository says of itself: commands and files that exist, and no address that was made up."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOST = ROOT / ".github"
NAMESPACES = "www.w3.org"  # names of XML formats, which lead nowhere
OWN_MACHINE = ("127.0.0.1", "localhost")
PLACE = "HOST"  # stands for a name in descriptions of addresses


def texts() -> Iterator[tuple[Path, str]]:
    """Everything that people read, or that a machine does on their behalf."""
    patterns = ("*.md", "*.cff", "*.toml", "Makefile", "docs/**/*.md", "docs/site/*", ".ci/*", ".*.yaml")
    for pattern in (*patterns, ".github/**/*.yml", ".github/**/*.md"):
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file():
                yield path, path.read_text("utf-8")


def test_no_address_was_made_up() -> None:
    # The project has no site and no address. Once it has, this list grows by what is real.
    for path, text in texts():
        addresses = [
            host
            for host in re.findall(r"://([\w.-]+)", text)
            if host not in (NAMESPACES, PLACE, *OWN_MACHINE)
        ]
        assert not addresses, path
        assert not re.findall(r"\b[\w.]+@[\w-]+\.\w+", text), path


def test_no_package_index_is_named() -> None:
    for path, text in texts():
        assert not re.search(r"pypi\.org|pythonhosted|index-url", text), path


def test_commands_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {}
    for path, text in texts():
        commands = re.findall(r"(?:^    |run: |entry: |\" |`)make (?:--\S+ )*([a-z]+)", text, re.MULTILINE)
        named |= dict.fromkeys(commands, path)
    assert len(named) > 4
    assert {target: path for target, path in named.items() if target not in targets} == {}


def test_tests_that_are_named_exist() -> None:
    mention = re.compile(r"(?<![\w/])tests/[\w/]+(?:\.py)?")
    named = [ROOT / name for _, text in texts() for name in mention.findall(text)]
    assert len(named) > 4
    assert [path for path in named if not path.exists()] == []


def test_the_map_shows_the_layers_as_they_are_checked() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    checked = [{name.removeprefix("isogloss.") for name in layer.split(" | ")} for layer in layers]
    packages = {path.parent.name for path in ROOT.glob("src/isogloss/*/__init__.py")}
    assert set().union(*checked) == packages
    rows = re.findall(r"^\|.*?\|(.*)\|$", section("Layers"), re.MULTILINE)[2:]
    assert [packages & set(re.findall(r"`(\w+)`", row)) for row in rows] == checked


def test_the_map_shows_every_room_of_the_engine() -> None:
    rooms = {path.name for path in (ROOT / "engine").iterdir() if path.is_dir()}
    rows = re.findall(r"^\|(.*?)\|", section("The engine"), re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == rooms


def section(title: str) -> str:
    """A section of the page for contributors."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.skipif(not HOST.exists(), reason="a source archive has no workflows")
def test_actions_are_pinned_by_major_version() -> None:
    used = [action for path in HOST.glob("workflows/*.yml") for action in uses(path)]
    assert used
    assert [action for action in used if not re.fullmatch(r"actions/[\w-]+@v\d+", action)] == []


def uses(workflow: Path) -> list[str]:
    return re.findall(r"uses: (\S+)", workflow.read_text("utf-8"))
