"""The unit of this machine: the CPU time of a fixed workload, to compare figures across machines."""

from __future__ import annotations

import statistics
import time
import zlib
from collections.abc import Callable

import numpy as np

ROUNDS = 5


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of some work."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def unit() -> float:
    """Geometric mean of the CPU seconds of packing 3 MB and of gathering from 256 MB."""
    rng = np.random.default_rng(7)
    text = rng.integers(97, 113, 3_000_000, dtype=np.uint8).tobytes()
    table, index = rng.random(1 << 25), rng.integers(0, 1 << 25, 8_000_000)
    compute = statistics.median(cpu(lambda: zlib.compress(text, 9)) for _ in range(ROUNDS))
    memory = statistics.median(cpu(lambda: float(table[index].sum())) for _ in range(ROUNDS))
    return float((compute * memory) ** 0.5)


if __name__ == "__main__":
    print(f"{unit():.4f}")
