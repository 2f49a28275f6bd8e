"""Sizes such as 500M or 4G."""

from __future__ import annotations

import re

from isogloss.io.errors import ConfigError

__all__ = ["format_size", "parse_size"]

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_size(text: str, option: str = "--memory-limit") -> int:
    """Read a number of bytes with an optional unit.

    >>> parse_size("4G"), parse_size("512m"), parse_size("1.5 GB"), parse_size("4096")
    (4294967296, 536870912, 1610612736, 4096)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ConfigError(f"{option} must be a size such as 512M or 4G, got '{text}'")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def format_size(size: int) -> str:
    """Format a number of bytes, such as 4G.

    >>> format_size(4 << 30), format_size(1000)
    ('4G', '1000')
    """
    for unit in "TGMK":
        if size and size % _UNITS[unit] == 0:
            return f"{size // _UNITS[unit]}{unit}"
    return str(size)
