"""Values as JSON has them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

__all__ = ["finite", "read_json"]


def finite(value: Any) -> Any:
    """The value with None in the place of numbers that JSON does not have.

    >>> finite({"a": [1.0, float("nan")]})
    {'a': [1.0, None]}
    """
    if isinstance(value, dict):
        return {name: finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_json(path: Path) -> Any:
    """What a file of an engine holds; None if there is none or it cannot be read."""
    try:
        return finite(json.loads(path.read_bytes()))
    except (OSError, ValueError):
        return None
