"""Terms that people have stored with an engine: a TSV file, which ``--terms`` reads too."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from isogloss.corpus.term_lists import read_terms
from isogloss.io.streams import atomic_output
from isogloss.serve.refusals import RefusedError

__all__ = ["StoredTerms"]

Stamp = tuple[int, int] | None


class StoredTerms:
    """A list of terms with their translations; None keeps a term as it is. Processes may share it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: Stamp = None
        self._rows: list[tuple[str, str | None]] = []

    def read(self) -> tuple[Stamp, list[tuple[str, str | None]]]:
        """The terms as they are now, and a stamp that changes with them."""
        stamp = self._stamped()
        if stamp != self._seen:
            rows = [] if stamp is None else [(row.term, row.translation) for row in read_terms(self.path)]
            self._rows, self._seen = rows, stamp
        return stamp, self._rows

    def set(self, term: str, translation: str | None) -> None:
        """Add a term, or change its translation."""
        for side in (term, translation or "term"):
            if not side.strip() or any(character in side for character in "\t\n\r\0"):
                raise RefusedError(422, "bad_term", "a term is empty, or has a tab or a line end")
        self._change(lambda rows: [*(row for row in rows if row[0] != term), (term, translation)])

    def remove(self, term: str) -> bool:
        """Remove a term; False if there is none."""
        found = any(row[0] == term for row in self.read()[1])
        self._change(lambda rows: [row for row in rows if row[0] != term])
        return found

    def _change(self, change: Callable[[list[tuple[str, str | None]]], list[tuple[str, str | None]]]) -> None:
        with self._locked():
            rows = change(self.read()[1])
            with atomic_output(self.path) as stream:
                for term, translation in rows:
                    stream.write(term + ("" if translation is None else f"\t{translation}") + "\n")

    def _stamped(self) -> Stamp:
        try:
            facts = self.path.stat()
        except OSError:
            return None
        return facts.st_mtime_ns, facts.st_ino

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        lock = os.open(self.path.with_name(".terms.lock"), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)
