"""Folders that an engine keeps next to its system, because they are not tuned or survive retraining.

    ENGINE/aligner/       word aligner for corrections
    ENGINE/matches/       training text for exact matches
    ENGINE/corrections/   corrections made by users
    ENGINE/confidence/    how sure translations are, as learned from held-out text

A system that was not made by ``isogloss train`` keeps them, if it has any, in its own folder.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["ALIGNER", "CONFIDENCE", "CORRECTIONS", "MATCHES", "beside"]

ALIGNER, MATCHES, CORRECTIONS, CONFIDENCE = "aligner", "matches", "corrections", "confidence"
_TRAINED, _RECORD = "system", "run.jsonl"


def beside(system: Path, name: str) -> Path:
    """Return the path of such a folder. Retraining rewrites the system but leaves these folders in place."""
    trained = system.name == _TRAINED and (system.parent / _RECORD).exists()
    return (system.parent if trained else system) / name
