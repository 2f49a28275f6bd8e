"""Make the mistakes of mutations.toml one by one, and tell which of them no test notices.

    python tests/support/replay_mutations.py [WORD ...]     # only mutations whose name has one of the words

Each mistake is made in a copy of the package, which the tests import instead of the installed one, with the
compiled engine that is installed. Exits with 1 if a mistake goes unnoticed. The test that noticed each one is
kept in mutations.md beside the list, where the results of mutations that were not replayed stay.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

TOP = Path(__file__).parent.parent.parent
FIRST = """
import sys
# An editable installation has a finder of its own, which would find the original.
sys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]
"""


DATA = TOP / "tests" / "data"
REPORT = DATA / "mutations.md"
HEAD = """# Mutation report

`make mutations` writes this table: each known mistake of `mutations.toml`, made alone, and the first test
that fails with it. The tests run in the order of their file and stop there; others may notice it too.

| mistake | file | first test that notices it |
|---|---|---|
"""


def noticing(mutation: dict[str, object], copy: Path) -> str:
    """The first test that fails with a mutation; empty if none does."""
    path = copy / str(mutation["file"])
    before = path.read_text(encoding="utf-8")
    if before.count(str(mutation["old"])) != 1:
        raise SystemExit(
            f"{mutation['name']}: its text stands {before.count(str(mutation['old']))} times in {path}"
        )
    path.write_text(before.replace(str(mutation["old"]), str(mutation["new"])), encoding="utf-8")
    tests = mutation["tests"]
    assert isinstance(tests, list)
    try:
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-x",
                "-n",
                "0",
                "-m",
                "",
                "-p",
                "no:cacheprovider",
                *tests,
            ],
            cwd=copy,
            env=os.environ | {"PYTHONPATH": str(copy / "src")},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        path.write_text(before, encoding="utf-8")
    if done.returncode not in (0, 1):
        raise SystemExit(f"{mutation['name']}: pytest ended with {done.returncode}\n{done.stdout[-2000:]}")
    if done.returncode == 0:
        return ""
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    if failed is None:
        raise SystemExit(f"{mutation['name']}: no failing test is named\n{done.stdout[-2000:]}")
    return failed[1].partition("[")[0]


def write_report(listed: list[dict[str, str]], found: dict[str, str]) -> None:
    """Write which test noticed each mutation, with what earlier replays found about the others."""
    cells = (
        [line.split(" | ") for line in REPORT.read_text(encoding="utf-8").splitlines()]
        if REPORT.exists()
        else []
    )
    before = {
        cell[0].removeprefix("| "): cell[2].removesuffix(" |").strip("`") for cell in cells if len(cell) == 3
    }
    rows = []
    for one in listed:
        test = found.get(one["name"], before.get(one["name"], "not replayed"))
        rows.append(f"| {one['name']} | `{Path(one['file']).as_posix()}` | {_cell(test)} |\n")
    REPORT.write_text(HEAD + "".join(rows), encoding="utf-8")


def _cell(test: str) -> str:
    return f"`{test}`" if "::" in test else test or "**none**"


def main() -> int:
    """Replay the mutations."""
    described = (DATA / "mutations.toml").read_text(encoding="utf-8")
    listed = tomllib.loads(described)["mutation"]
    chosen = [one for one in listed if not sys.argv[1:] or any(word in one["name"] for word in sys.argv[1:])]
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="isogloss-mutations-") as folder:
        copy = Path(folder)
        for name in ("src", "tests", "pyproject.toml", "docs", "benchmarks"):
            source = TOP / name
            shutil.copytree(source, copy / name) if source.is_dir() else shutil.copy(source, copy / name)
        installed = subprocess.run(
            [sys.executable, "-c", "import isogloss._engine; print(isogloss._engine.__file__)"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        shutil.copy(installed, copy / "src" / "isogloss")
        (copy / "src" / "sitecustomize.py").write_text(FIRST)
        for one in chosen:
            found[one["name"]] = noticing(one, copy)
            sys.stdout.write(f"{'noticed  ' if found[one['name']] else 'UNNOTICED'}  {one['name']}\n")
            sys.stdout.flush()
            write_report(listed, found)
    unnoticed = sum(not test for test in found.values())
    sys.stdout.write(f"{len(chosen) - unnoticed} of {len(chosen)} noticed\n")
    return int(unnoticed > 0)


if __name__ == "__main__":
    sys.exit(main())
