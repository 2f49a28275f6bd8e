"""Names of earlier versions: renamed verbs and options still work and print a note."""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["current_words"]

_VERBS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("--show-completion",): ("completion",),
    ("--install-completion",): ("completion",),
    ("local",): ("memory",),
    ("sample",): ("select",),
}
# An old option with the word after it, if that is part of the name. An old name that means something else
# by now (--memory was a size, and is a folder) is not accepted.
_OPTIONS: dict[tuple[str, ...], dict[str, str]] = {
    ("translate",): {
        "--markup on": "--markup",
        "--markup off": "",
        "--mbr-list": "--mbr.size",
        "--mbr-scale": "--mbr.scale",
        "--local-strength": "--local.strength",
        "--local-size": "--local.size",
        "--local-similarity": "--local.min-similarity",
        "--local-edit-share": "--local.edit-share",
        "--local-decodings": "--local.decodings",
    },
    ("tune",): {
        "--aggressiveness": "--online.aggressiveness",
        "--candidates": "--online.candidates",
        "--oracles": "--online.oracles",
        "--loss-scale": "--online.loss-scale",
        "--sparse-scale": "--online.sparse-scale",
        "--selection": "--online.selection",
        "--patience": "--online.patience",
    },
    ("tune-nbest",): {
        "--start": "--initial-weights",
        "--restarts": "--mert.restarts",
        "--iterations": "--batch-mira.iterations",
        "--aggressiveness": "--batch-mira.aggressiveness",
        "--regularization": "--pro.regularization",
    },
    ("explain",): {"--format json": "--json"},
    ("extract",): {"--loose": "--no-tight", "--no-adjacent-gaps": ""},
    ("system", "create"): {
        "--search hierarchical": "--search hiero",
        "--source-column": "--source-columns",
        "--target-column": "--target-columns",
    },
    ("corpus", "check"): {"--pattern": "--patterns"},
    ("corpus", "clean"): {"--pattern": "--patterns"},
    ("train",): {
        "--tuner": "--method",
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
    """Translate a command line to current names."""
    found = _memory_tune(_catalog(list(words), note), note)
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


def _catalog(words: list[str], note: Callable[[str], None]) -> list[str]:
    """``translate DIR --po FILE`` is now ``catalog fill DIR FILE``."""
    flags = ("--po", "--xliff", "--tmx")
    place = next((i for i, word in enumerate(words) if word.partition("=")[0] in flags), None)
    if words[:1] != ["translate"] or place is None:
        return words
    note("'isogloss translate' with --po, --xliff or --tmx is now called 'isogloss catalog fill'")
    name, equals, file = words[place].partition("=")
    file = file if equals else (words[place + 1] if place + 1 < len(words) else name)
    rest = words[1:place] + words[place + (1 if equals else 2) :]
    return ["catalog", "fill", *rest[:1], file, *rest[1:]]


def _without(words: list[str], gone: dict[str, str], note: Callable[[str], None]) -> list[str]:
    for place, word in enumerate(words):
        name, equals, _ = word.partition("=")
        if name in gone:
            note(f"{name} is no longer needed: {gone[name]}")
            return _without(words[:place] + words[place + (1 if equals else 2) :], gone, note)
    return words


def _memory_tune(words: list[str], note: Callable[[str], None]) -> list[str]:
    """``local tune SYSTEM --memory DIR`` is now ``memory tune DIR --system SYSTEM``."""
    if words[:2] != ["local", "tune"]:
        return words
    note("'isogloss local tune SYSTEM --memory DIR' is now called 'isogloss memory tune DIR --system SYSTEM'")
    alone = ("--skip-identical", "--save", "--no-save", "--json", "--help", "-h")
    folders, found, rest = {"--memory": "", "--system": ""}, ["memory", "tune"], iter(words[2:])
    for word in rest:
        name, equals, value = word.partition("=")
        if name == "--memory":
            folders[name] = value if equals else next(rest, "")
        elif word.startswith("-"):
            found += [word] if equals or word in alone else [word, *[next(rest, "")]]
        else:
            folders["--system"] = word
    found[2:2] = [folders["--memory"]] if folders["--memory"] else []
    return found + (["--system", folders["--system"]] if folders["--system"] else [])


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
