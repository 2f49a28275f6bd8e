"""The description of a stored system, system.json: its format version, search options and list of parts."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from isogloss._version import __version__
from isogloss.decoder.beside import CONFIDENCE, beside
from isogloss.decoder.options import SearchOptions
from isogloss.decoder.stored_weights import SPARSE_WEIGHTS, WEIGHTS
from isogloss.io.errors import ConfigError, InputFileError, ModelFormatError
from isogloss.io.streams import atomic_output
from isogloss.storage.folder import read_regular

__all__ = [
    "FACTS",
    "JOINT",
    "LM",
    "RULES",
    "SPARSE",
    "TEXT",
    "read_facts",
    "settle",
    "stored_options",
    "write_facts",
]

VERSION = 1
FACTS, RULES, LM, SPARSE, JOINT, TEXT = "system.json", "rules", "lm", "sparse", "joint", "text"
_PARTS = (RULES, LM, WEIGHTS, SPARSE, SPARSE_WEIGHTS, JOINT, TEXT)
_MOST_FACTS = 1 << 24  # bytes


def settle(folder: Path, sparse: bool) -> None:
    """Bring the rest of a system up to date with new weights."""
    write_facts(folder, stored_options(folder), without=() if sparse else (SPARSE_WEIGHTS,))
    shutil.rmtree(beside(folder, CONFIDENCE), ignore_errors=True)


def checksum(facts: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def write_facts(folder: Path, options: SearchOptions, *, without: Sequence[str] = ()) -> None:
    """Write the description of a folder, which lists its parts."""
    parts = [part for part in _PARTS if part not in without and (folder / part).exists()]
    facts: dict[str, Any] = {
        "format": "isogloss",
        "kind": "system",
        "version": VERSION,
        "made_by": f"isogloss {__version__}",
        "options": asdict(options),
        "parts": parts,
    }
    with atomic_output(folder / FACTS) as stream:
        stream.write(json.dumps({**facts, "checksum": checksum(facts)}, indent=1) + "\n")


def stored_options(folder: Path) -> SearchOptions:
    """The search options of a stored system."""
    facts = read_facts(folder)
    try:
        return SearchOptions.from_mapping(facts["options"])
    except (ConfigError, KeyError, TypeError, AttributeError) as error:
        raise ModelFormatError(f"the search options are invalid ({error})", folder / FACTS) from None


def read_facts(folder: Path) -> dict[str, Any]:
    """The description of a stored system, checked: kind, version, who made it, options, parts."""
    path = folder / FACTS
    try:
        facts = json.loads(read_regular(path, at_most=_MOST_FACTS))
        intact = facts.pop("checksum") == checksum(facts) and facts["format"] == "isogloss"
        kind, version = facts["kind"], facts["version"]
        facts["parts"] = [part for part in _PARTS if part in facts.get("parts", _PARTS[:3])]
    except FileNotFoundError:
        raise ModelFormatError(
            f"no {FACTS} here",
            folder,
            "give a system made by 'isogloss train' or 'isogloss system create'",
        ) from None
    except OSError as error:
        raise InputFileError(error.strerror or str(error), path) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, ModelFormatError):
            raise
        raise ModelFormatError("not the description of a system", path) from None
    if not intact or kind != "system" or not isinstance(version, int):
        raise ModelFormatError("is damaged or was edited", path, "create the system again")
    if version > VERSION:
        raise ModelFormatError(
            f"format version {version} is newer than this version of isogloss supports ({VERSION})",
            path,
            "upgrade isogloss",
        )
    return {"made_by": "", "options": {}, **facts}
