"""Pages use today's names: of verbs, options and methods, of modules and files. Only the changelog tells old
ones."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from isogloss.cli import renamed
from isogloss.cli.main import verbs
from isogloss.cli.renamed import current_words
from isogloss.learn.registry import _OLD_NAMES as OLD_NAMES

ROOT = Path(__file__).parents[2]
PAGES = [
    *(path for path in sorted(ROOT.glob("*.md")) if path.name != "CHANGELOG.md"),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").glob("*.py")),
    *sorted((ROOT / "benchmarks").glob("*.py")),
]
VERBS = {words[0] for words, _ in verbs() if words}
ROOMS = "|".join(path.name for path in (ROOT / "engine").iterdir())
FOLDERS = rf"src/isogloss|benchmarks|examples|engine/(?:{ROOMS})"
OLD_METHODS = re.compile(r"--method (?:mira|kbmira|expected|voted)\b(?!-)|--tuner\b")

pages = pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))


def commands(text: str) -> Iterator[list[str]]:
    """The words after ``isogloss`` in each command, up to the end of the line or of the code."""
    joined = re.sub(r"\\\n(?:>)?\s*", " ", text)
    for match in re.finditer(r"(?<![\w/.-])isogloss ((?:--quiet )?[a-z][^\n`|<>]*)", joined):
        words = match[1].removeprefix("--quiet ").split()
        if words[0] in VERBS | {"local", "sample"}:
            yield words


@pages
def test_commands_have_no_old_name(page: Path) -> None:
    notes: list[str] = []
    for words in commands(page.read_text("utf-8")):
        current_words(words, notes.append)
    assert notes == []


def test_old_names_would_be_noticed() -> None:
    notes: list[str] = []
    text = "`isogloss sample a b`\n$ isogloss --quiet train x \\\n>     --lm-order 3 > log\n"
    for words in commands(text):
        current_words(words, notes.append)
    assert len(notes) == 2


@pages
def test_methods_have_no_old_name(page: Path) -> None:
    assert OLD_METHODS.findall(page.read_text("utf-8")) == []


@pages
def test_modules_and_files_that_are_named_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    for name in set(re.findall(r"\bisogloss(?:\.[a-z]\w*)+", text)):
        assert named(name), name
    paths = re.findall(rf"(?:{FOLDERS})/[\w/]*(?:\.[a-z]+\b)?", text)
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pages
def test_tests_that_are_named_exist(page: Path) -> None:
    for file, names in re.findall(r"`(tests/[\w/]+\.py)((?:::test_\w+)?)`", page.read_text("utf-8")):
        path = ROOT / file
        assert path.exists(), file
        assert not names or f"def {names.removeprefix('::')}(" in path.read_text("utf-8"), file + names


def named(name: str) -> bool:
    """Whether a dotted name is a module, or what a module has."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            if not hasattr(value, part):
                return False
            value = getattr(value, part)
        return True
    return False


def test_the_changelog_lists_every_name_that_changed() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8").partition("### Renamed")[2].partition("\n### ")[0]
    changed = [*renamed._VERBS, *OLD_NAMES]
    for options in (*renamed._OPTIONS.values(), *renamed._GONE.values()):
        changed += options
    names = [name if isinstance(name, str) else " ".join(name) for name in changed]
    assert [name for name in names if not re.search(rf"{re.escape(name)}\b", text)] == []
