"""Amounts of memory as people write them."""

from __future__ import annotations

import re

from isogloss.errors import ConfigError

__all__ = ["parse_size"]

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_size(text: str) -> int:
    """Bytes in ``500M``, ``4G`` or a plain number; units are powers of 1024.

    >>> parse_size("1.5G") == 3 << 29
    True
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if found is None:
        raise ConfigError(f"an amount of memory is written like 500M or 4G, got {text!r}")
    return int(float(found[1]) * _UNITS[found[2].upper()])
