"""An executor in this process through which everything travels as bytes, as to other machines."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["Travelling"]


class Travelling:
    """Runs every shard twice, as where a worker was given up too early; the second result counts."""

    distributed = True
    threads = 1

    def __init__(self) -> None:
        self.shards: dict[str, int] = {}
        """How many there were, by the name of the work."""

    def map(self, function: Callable[[Any, int], Any], shards: Iterable[Any], what: str) -> Iterator[Any]:
        found = getattr(importlib.import_module(function.__module__), function.__name__)
        for shard in shards:
            self.shards[what] = self.shards.get(what, 0) + 1
            content = pickle.dumps(shard)
            for _ in range(2):
                result = found(pickle.loads(content), 1)
            yield pickle.loads(pickle.dumps(result))
