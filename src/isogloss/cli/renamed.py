"""Names of earlier versions: verbs and options that have another name now still work, with a note."""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["current_words"]

_VERBS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("--show-completion",): ("completion",),
    ("--install-completion",): ("completion",),
    ("sample",): ("select",),
}
# An old option with the word after it, if that is part of the name.
_OPTIONS: dict[tuple[str, ...], dict[str, str]] = {
    ("align",): {"--memory": "--memory-limit"},
    ("lm", "build"): {"--memory": "--memory-limit"},
    ("extract",): {"--memory": "--memory-limit", "--loose": "--no-tight", "--no-adjacent-gaps": ""},
    ("system", "create"): {
        "--search hierarchical": "--search hiero",
        "--source-column": "--source-columns",
        "--target-column": "--target-columns",
    },
    ("grammar", "import"): {"--memory": "--memory-limit"},
    ("corpus", "check"): {"--pattern": "--patterns"},
    ("corpus", "clean"): {"--pattern": "--patterns"},
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
# Options that did nothing, and why.
_GONE: dict[tuple[str, ...], dict[str, str]] = {
    ("align",): {"--seed": "the aligner draws no random numbers"},
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
            found[:end] = _renamed(found[:end], options, note)
    for verb, gone in _GONE.items():
        if tuple(found[: len(verb)]) == verb:
            found = _without(found, gone, note)
    return found


def _without(words: list[str], gone: dict[str, str], note: Callable[[str], None]) -> list[str]:
    for place, word in enumerate(words):
        name, equals, _ = word.partition("=")
        if name in gone:
            note(f"{name} is not needed any more: {gone[name]}")
            return _without(words[:place] + words[place + (1 if equals else 2) :], gone, note)
    return words


def _renamed(words: Sequence[str], options: dict[str, str], note: Callable[[str], None]) -> list[str]:
    found: list[str] = []
    for word in words:
        name, equals, value = word.partition("=")
        pair = f"{found[-1]} {word}" if found else ""
        if pair in options or (equals and f"{name} {value}" in options):
            old = pair if pair in options else f"{name} {value}"
            note(f"'{old}' is now written '{options[old]}'")
            del found[len(found) - (pair in options) :]
            found += options[old].split()
        elif options.get(name) == "":
            note(f"{name} is the default and can be left out")
        elif name in options:
            note(f"{name} is now called {options[name]}")
            found.append(options[name] + equals + value)
        else:
            found.append(word)
    return found
