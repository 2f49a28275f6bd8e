"""Names of earlier versions: verbs and options that have another name now still work, with a note."""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["current_words"]

_VERBS: dict[tuple[str, ...], tuple[str, ...]] = {}
_OPTIONS: dict[tuple[str, ...], dict[str, str]] = {
    ("train",): {
        "--memory": "--memory-limit",
        "--features": "--features.templates",
        "--lm-order": "--lm.order",
        "--iterations": "--tune.iterations",
        "--pattern": "--clean.patterns",
        "--sample-coverage": "--sample.coverage",
        "--sample-size": "--sample.size",
        "--source-column": "--source-columns",
        "--target-column": "--target-columns",
    },
}


def current_words(words: Sequence[str], note: Callable[[str], None]) -> list[str]:
    """A command line in today's names."""
    found = list(words)
    for old, new in _VERBS.items():
        if tuple(found[: len(old)]) == old:
            note(f"'isogloss {' '.join(old)}' is now called 'isogloss {' '.join(new)}'")
            found[: len(old)] = new
            break
    for verb, options in _OPTIONS.items():
        if tuple(found[: len(verb)]) == verb:
            end = found.index("--") if "--" in found else len(found)
            for place, word in enumerate(found[:end]):
                name, equals, value = word.partition("=")
                if name in options:
                    note(f"{name} is now called {options[name]}")
                    found[place] = options[name] + equals + value
    return found
