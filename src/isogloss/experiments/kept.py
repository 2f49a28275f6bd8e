"""Rows of tables that are computed once: each is stored as soon as it is there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from isogloss.io.streams import atomic_output

__all__ = ["Kept"]


class Kept:
    """A folder of rows, each a file. ``facts`` are what all rows depend on: other facts, other rows."""

    def __init__(self, folder: Path, facts: Any) -> None:
        self._folder, self._facts = folder, facts

    def get(self, key: Any, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The row with this key, made now if no earlier run has made it."""
        text = json.dumps([self._facts, key], sort_keys=True, default=str)
        path = self._folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"
        if not path.exists():
            row = make()
            path.parent.mkdir(parents=True, exist_ok=True)
            with atomic_output(path) as stream:
                stream.write(json.dumps({"key": key, "row": row}) + "\n")
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["row"]
        return found
