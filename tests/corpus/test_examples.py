"""Runs the examples in the docstrings of the corpus modules."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import isogloss.corpus

MODULES = [info.name for info in pkgutil.walk_packages(isogloss.corpus.__path__, "isogloss.corpus.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
