"""The web site: every page is there, and no link leads nowhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss.cli.main import app

pytest.importorskip("markdown_it")
DOCS = Path(__file__).parents[2] / "docs"


def test_site(tmp_path: Path) -> None:
    command = [sys.executable, str(DOCS / "make_site.py"), str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, timeout=1200)
    pages = {path: path.read_text("utf-8") for path in tmp_path.rglob("*.html")}
    assert len(pages) == len(list(DOCS.rglob("*.md"))) + 2
    named = {path: set(re.findall(r'id="([^"]+)"', text)) for path, text in pages.items()}
    for path, text in pages.items():
        assert "://" not in re.sub(r"<(pre|code).*?</\1>|http://www.w3.org\S*", "", text, flags=re.DOTALL), (
            path
        )
        for target in re.findall(r'(?:href|src)="([^"]*)"', text):
            file, _, anchor = target.partition("#")
            linked = (path.parent / file).resolve() if file else path
            if not linked.is_relative_to(tmp_path):  # the README of the repository
                assert (DOCS / path.relative_to(tmp_path).parent / file).resolve().exists(), (path, target)
                continue
            assert linked.exists(), (path, target)
            assert not anchor or anchor in named[linked], (path, target)
    index = pages[tmp_path / "index.html"]
    for path in pages:  # the navigation leads everywhere
        assert path.name == "index.html" or path.relative_to(tmp_path).as_posix() in index
    commands = pages[tmp_path / "reference/commands.html"]
    assert all(
        f">isogloss {command.callback.__name__}<" in commands for command in app.registered_commands[:3]
    )
    assert "translate_one" in pages[tmp_path / "reference/python.html"]
