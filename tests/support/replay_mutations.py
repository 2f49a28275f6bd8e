"""Make the mistakes of mutations.toml one by one, and tell which of them no test notices.

    python tests/support/replay_mutations.py [WORD ...]     # only mutations whose name has one of the words

Each mistake is made in a copy of the package, which the tests import instead of the installed one, with the
compiled engine that is installed. Exits with 1 if a mistake goes unnoticed.
"""

from __future__ import annotations

import os
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


def notices(mutation: dict[str, object], copy: Path) -> bool:
    """Whether the tests of a mutation fail with it."""
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
            [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *tests],
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
    return done.returncode == 1


def main() -> int:
    """Replay the mutations."""
    described = (TOP / "tests" / "data" / "mutations.toml").read_text(encoding="utf-8")
    listed = tomllib.loads(described)["mutation"]
    chosen = [one for one in listed if not sys.argv[1:] or any(word in one["name"] for word in sys.argv[1:])]
    unnoticed = 0
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
            seen = notices(one, copy)
            unnoticed += not seen
            sys.stdout.write(f"{'noticed  ' if seen else 'UNNOTICED'}  {one['name']}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{len(chosen) - unnoticed} of {len(chosen)} noticed\n")
    return int(unnoticed > 0)


if __name__ == "__main__":
    sys.exit(main())
