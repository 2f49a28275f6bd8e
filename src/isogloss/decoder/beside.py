"""Folders that an engine keeps next to its system, because they are not tuned or survive retraining.

    ENGINE/aligner/       word aligner for corrections
    ENGINE/matches/       training text for exact matches
    ENGINE/contexts/      the same, by context
    ENGINE/examples/      training text for near matches
    ENGINE/corrections/   corrections made by users
    ENGINE/confidence/    how sure translations are, as learned from held-out text

A system that was not made by ``isogloss train`` keeps them, if it has any, in its own folder.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["ALIGNER", "CONFIDENCE", "CONTEXTS", "CORRECTIONS", "EXAMPLES", "MATCHES", "beside"]

ALIGNER, MATCHES, CORRECTIONS, CONFIDENCE = "aligner", "matches", "corrections", "confidence"
CONTEXTS, EXAMPLES = "contexts", "examples"
_TRAINED, _RECORD = "system", "run.jsonl"


def beside(system: Path, name: str) -> Path:
    """Return the path of such a folder. Retraining rewrites the system but leaves these folders in place."""
    # A system is tested in the folder of the run's work before the finished one is made.
    for engine in (system.parent, system.parent.parent):
        if system.name == _TRAINED and (engine / _RECORD).exists():
            return engine / name
    return system / name
