"""Where tests are and what they are called: ``tests/<package>/test_<module>.py`` mirrors the package.

A test of what the engine alone does is named after the file of the engine. What tests have in common is in
``tests/support``, with tests of its own where it is an oracle.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import isogloss

TESTS = Path(__file__).parent
PACKAGE = Path(isogloss.__file__).parent
ENGINE = TESTS.parent / "engine"
ROOMS = {"decoder": "search"}
"""Rooms of the engine with another name than the package."""

NO_PACKAGES = {
    "docs": "its pages",
    "examples": "its scripts",
    "support": "the helpers of the tests",
    "typed": "scripts for mypy",
}
"""Folders of tests that are not about a package."""

ACROSS_MODULES = {
    "decoder/test_glossary.py": "the words of the search's page against the engine",
    "decoder/test_golden.py": "what the pruned search reaches",
    "rerank/test_neural_functions.py": "features that neural systems lack",
    "rerank/test_stored.py": "several modules at once",
    "test_calls.py": "several modules at once",
    "catalog/test_contexts.py": "contexts from reading the training text to filling a catalog",
    "adapt/test_more_training.py": "local training on more than stored lists",
    "adapt/test_real_corrections.py": "the correction loop on real text",
    "decoder/test_given_translations.py": "markup, unknown words, derivations and time limits in one search",
    "decoder/test_lattice_paths.py": "lattices against all of their paths",
    "decoder/test_same_translations.py": "order, batches and threads do not matter",
    "decoder/test_many_options.py": "more options and hypotheses than sixteen bits can number",
    "decoder/test_sparse_parity.py": "sparse features inside the search against their definitions",
    "decoder/test_threads.py": "one decoder used by several threads",
    "features/test_figures.py": "the worked examples of a paper",
    "features/test_python_templates.py": "templates in Python against those of the engine",
    "lm/test_kenlm.py": "a peer",
    "nbest/test_round_trip.py": "all formats",
    "pipeline/test_faults.py": "every verb that writes, killed and failing",
    "pipeline/test_kill.py": "runs that are killed",
    "pipeline/test_sharded_stages.py": "stages on this machine and on a cluster",
    "rerank/test_kernels.py": "the engine's learners against the pseudo-code of their papers",
    "speech/test_speech.py": "from strings of lattices to the union of their translations",
    "test_doctests.py": "the examples of all docstrings",
    "tuning/test_algorithm_1.py": "the online trainer against the pseudo-code of its paper",
    "typed/test_types.py": "both scripts",
    "test_house.py": "the walls between packages",
    "test_layout.py": "the tests themselves",
    "test_repository.py": "what the repository says of itself",
    "test_stored_folders.py": "every kind of stored folder",
}
"""Tests that no single module could give its name to, and what they are about. Keep this short."""


def test_every_folder_of_tests_is_that_of_a_package() -> None:
    for folder in sorted({path.parent for path in TESTS.rglob("test_*.py")} - {TESTS}):
        assert folder.parent == TESTS
        assert folder.name in NO_PACKAGES or (PACKAGE / folder.name / "__init__.py").is_file(), folder


def test_every_file_of_tests_is_that_of_a_module() -> None:
    strangers = []
    for path in sorted(TESTS.rglob("test_*.py")):
        package, module = path.parent.name, path.stem.removeprefix("test_")
        places = [
            PACKAGE / package / f"{module}.py",
            PACKAGE / package / module / "__init__.py",
            ENGINE / ROOMS.get(package, package) / f"{module}.hpp",
            TESTS / package / f"{module}.py",  # of an oracle
        ]
        if package in ("docs", "examples") or any(place.is_file() for place in places):
            continue
        strangers.append(path.relative_to(TESTS).as_posix())
    assert set(strangers) <= ACROSS_MODULES.keys()


def test_helpers_are_in_one_place() -> None:
    for path in TESTS.rglob("*.py"):
        if path.parent not in (TESTS / "support", TESTS / "data", TESTS / "typed"):
            assert path.name.startswith("test_") or path.name == "conftest.py", path


def test_ids_name_one_test_and_are_the_same_in_every_run(request: pytest.FixtureRequest) -> None:
    ids = [item.nodeid for item in request.session.items]
    assert len(set(ids)) == len(ids)
    assert not [name for name in ids if re.search(r" at 0x[0-9a-f]{6}", name)]


@pytest.mark.slow
def test_ids_do_not_depend_on_hashes() -> None:
    def collected(seed: str) -> list[str]:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        for name in [name for name in environment if name.startswith("PYTEST_")]:
            del environment[name]  # of a worker
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", str(TESTS)],
            env=environment,
            capture_output=True,
            text=True,
            cwd=TESTS.parent,
            check=True,
        )
        return [line for line in done.stdout.splitlines() if "::" in line]

    first, second = collected("1"), collected("2")
    assert len(first) > 1000
    assert first == second
