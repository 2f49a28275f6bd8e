"""Names of a package that are imported when somebody asks for them, so that a package costs what is used of
it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["lazy_names"]


def lazy_names(
    package: str, modules: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Make the ``__getattr__`` and ``__dir__`` of a package from the names that each of its modules has.

    >>> import isogloss.io
    >>> get, names = lazy_names("isogloss.io", {"errors": ("ConfigError",)})
    >>> get("ConfigError").__module__
    'isogloss.io.errors'
    """
    places = {name: module for module, names in modules.items() for name in names}

    def get(name: str) -> object:
        if name not in places:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(import_module(f"{package}.{places[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *places})

    return get, names
