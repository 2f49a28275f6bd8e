"""What an engine has beside its system: it is not part of what is tuned and evaluated, or outlives it.

    ENGINE/aligner/       what aligns the words of corrections
    ENGINE/matches/       the training text, whose translations are returned as they are
    ENGINE/corrections/   what people have corrected

A system that ``isogloss train`` did not make has them in its own folder, if it has them.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["ALIGNER", "CORRECTIONS", "MATCHES", "beside"]

ALIGNER, MATCHES, CORRECTIONS = "aligner", "matches", "corrections"
_TRAINED, _RECORD = "system", "run.jsonl"


def beside(system: Path, name: str) -> Path:
    """Where it is. A system is written anew when its engine is trained again, and what is beside it stays."""
    trained = system.name == _TRAINED and (system.parent / _RECORD).exists()
    return (system.parent if trained else system) / name
