"""How often properties are tried.

``make test`` tries them on a few examples, always the same; ``make slow`` on many, each time others.
"""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings

FAST, THOROUGH = "fast", "thorough"
_TIMELESS = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}  # the machine may be busy


def register_profiles() -> None:
    """Called before tests are imported; pytest's option may choose another profile after it."""
    settings.register_profile(FAST, max_examples=50, derandomize=True, database=None, **_TIMELESS)
    settings.register_profile(THOROUGH, max_examples=300, print_blob=True, **_TIMELESS)
    settings.load_profile(FAST)


def examples(count: int, **more: Any) -> settings:
    """About how often a property should be tried: half of it when tests must be fast, else thrice."""
    if settings.get_current_profile_name() == THOROUGH:
        return settings(max_examples=3 * count, **more)
    return settings(max_examples=max(count // 2, 5), **more)
