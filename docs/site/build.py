"""Builds the web site of the documentation: ``python docs/site/build.py build/docs`` (or ``make docs``).

Sphinx turns the Markdown pages of docs/ into a site with search. The reference of commands and of the Python
API comes from the program itself. Every warning is an error.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from api import api_pages
from commands import commands_page
from pages import stage
from sphinx.cmd.build import main as sphinx

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def build(root: Path, output: Path, *, pages_only: bool = False, jobs: str = "auto") -> int:
    """Write the site of a repository to a folder; return Sphinx's exit code."""
    generated = {} if pages_only else {"reference/commands.md": commands_page(), **api_pages()}
    with tempfile.TemporaryDirectory(prefix="isogloss-docs-") as work:
        source = Path(work, "source")
        stage(root, source, generated)
        make_room(output)
        options = ["--fail-on-warning", "--keep-going", "--quiet", f"--jobs={jobs}"]
        return sphinx([*options, "-c", str(HERE), "-d", f"{work}/doctrees", str(source), str(output)])


def make_room(output: Path) -> None:
    """Remove an earlier site, so that no page of it stays behind, and nothing that is not a site."""
    if (output / "searchindex.js").exists():
        shutil.rmtree(output)
    elif output.exists() and any(output.iterdir()):
        raise SystemExit(f"{output} has files that are not an earlier site; name a new or an empty folder")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Build the web site of the documentation.")
    parser.add_argument("output", type=Path, help="Folder for the site; an earlier site in it is replaced")
    parser.add_argument("--root", type=Path, default=ROOT, help="Repository to read (default: this one)")
    parser.add_argument(
        "--pages-only",
        action="store_true",
        help="Leave out the reference that comes from the program, to see a page quickly while writing it",
    )
    parser.add_argument("--jobs", default="auto", help="Number of processes (default: one per processor)")
    arguments = parser.parse_args()
    code = build(
        arguments.root.resolve(), arguments.output, pages_only=arguments.pages_only, jobs=arguments.jobs
    )
    if not code:
        print(f"Open {arguments.output / 'index.html'} in a browser.")
    sys.exit(code)
