"""Numbers that all worker processes share: requests under way, and what Prometheus reads.

Every worker writes its own row; readers add the rows up. A worker that was killed leaves its row behind, and
the next one in its place goes on with it, so that counters never fall.
"""

from __future__ import annotations

import contextlib
import fcntl
import mmap
import tempfile
from bisect import bisect_left
from collections.abc import Iterator, Sequence

__all__ = ["BUCKETS", "MOST_ROUTES", "SharedCounters"]

BUCKETS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Upper bounds of the histogram of durations, in seconds."""
MOST_ROUTES = 64
_STATUSES = ("2xx", "3xx", "4xx", "5xx")
_GAUGES = ("in_flight", "sentences", "refused", "ready", "verified", "failed")
_PER_ROUTE = len(_STATUSES) + len(BUCKETS) + 2  # the last bucket has no bound; the sum of durations
_COLUMNS = len(_GAUGES) + MOST_ROUTES * _PER_ROUTE
_SIZE = 8


class SharedCounters:
    """Counters in memory that forked processes share. Make it before forking, then set ``row`` in each."""

    def __init__(self, workers: int) -> None:
        self.workers, self.row = workers, 0
        self._memory = mmap.mmap(-1, workers * _COLUMNS * _SIZE)
        self._values = memoryview(self._memory).cast("d")
        self._lock = tempfile.TemporaryFile()  # noqa: SIM115  # open as long as the service runs

    def add(self, name: str, amount: float = 1.0) -> None:
        """Add to a number of this worker."""
        self._values[self._at(self.row) + _GAUGES.index(name)] += amount

    def set(self, name: str, value: float, row: int | None = None) -> None:
        """Set a number of this worker, or of another."""
        self._values[self._at(self.row if row is None else row) + _GAUGES.index(name)] = value

    def total(self, name: str) -> float:
        """The sum of a number over all workers."""
        return sum(self.each(name))

    def each(self, name: str) -> list[float]:
        """A number of every worker."""
        column = _GAUGES.index(name)
        return [self._values[self._at(row) + column] for row in range(self.workers)]

    def enter(self, most: int) -> bool:
        """Count a request as under way, unless there are as many as may be, in all workers together."""
        with self._locked():
            if self.total("in_flight") >= most:
                self.add("refused")
                return False
            self.add("in_flight")
            return True

    def leave(self) -> None:
        """Count a request as finished."""
        self.add("in_flight", -1.0)

    def worker_ended(self, row: int) -> None:
        """Forget the requests that a killed worker had under way."""
        self.set("in_flight", 0.0, row)
        self.set("ready", 0.0, row)

    def record(self, route: int, status: int, seconds: float) -> None:
        """Count an answer of a route, by number."""
        start = self._at(self.row) + len(_GAUGES) + min(route, MOST_ROUTES - 1) * _PER_ROUTE
        self._values[start + min(max(status // 100, 2), 5) - 2] += 1
        self._values[start + len(_STATUSES) + bisect_left(BUCKETS, seconds)] += 1
        self._values[start + _PER_ROUTE - 1] += seconds

    def exposition(self, routes: Sequence[str]) -> str:
        """All numbers as Prometheus reads them; ``routes`` are the names of the routes, by number."""
        lines = [
            "# HELP isogloss_requests_total Requests answered.",
            "# TYPE isogloss_requests_total counter",
        ]
        sums = [self._sums(number) for number in range(len(routes))]
        for name, values in zip(routes, sums, strict=True):
            for status, count in zip(_STATUSES, values, strict=False):
                if count:
                    labels = f'route="{name}",status="{status}"'
                    lines.append(f"isogloss_requests_total{{{labels}}} {count:g}")
        lines += [
            "# HELP isogloss_request_seconds Time from the first byte of a request to its answer.",
            "# TYPE isogloss_request_seconds histogram",
        ]
        for name, values in zip(routes, sums, strict=True):
            counts, seconds = values[len(_STATUSES) : -1], values[-1]
            if not sum(counts):
                continue
            below = 0.0
            for bound, count in zip([*map(str, BUCKETS), "+Inf"], counts, strict=True):
                below += count
                labels = f'route="{name}",le="{bound}"'
                lines.append(f"isogloss_request_seconds_bucket{{{labels}}} {below:g}")
            lines.append(f'isogloss_request_seconds_sum{{route="{name}"}} {seconds:.6f}')
            lines.append(f'isogloss_request_seconds_count{{route="{name}"}} {below:g}')
        for name, kind, column, words in (
            ("isogloss_requests_in_flight", "gauge", "in_flight", "Requests under way."),
            (
                "isogloss_requests_refused_total",
                "counter",
                "refused",
                "Requests refused: too many at a time.",
            ),
            ("isogloss_sentences_total", "counter", "sentences", "Texts translated."),
            ("isogloss_workers_ready", "gauge", "ready", "Worker processes that answer."),
        ):
            lines += [
                f"# HELP {name} {words}",
                f"# TYPE {name} {kind}",
                f"{name} {self.total(column):g}",
            ]
        return "\n".join(lines) + "\n"

    def _sums(self, route: int) -> list[float]:
        start = len(_GAUGES) + route * _PER_ROUTE
        rows = [self._at(row) + start for row in range(self.workers)]
        return [sum(self._values[at + column] for at in rows) for column in range(_PER_ROUTE)]

    @staticmethod
    def _at(row: int) -> int:
        return row * _COLUMNS

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        # The lock of a process that is killed is released, unlike a semaphore.
        fcntl.lockf(self._lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)
