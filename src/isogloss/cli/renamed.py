"""Names of earlier versions: verbs and options that have another name now still work, with a note."""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["current_words"]

_VERBS: dict[tuple[str, ...], tuple[str, ...]] = {("local",): ("memory",)}
# An old option with the word after it, if that is part of the name.
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
    ("explain",): {"--format json": "--json"},
    ("experiment", "ntt-iwslt2007"): {"--memory": "--memory-limit"},
    ("train",): {
        "--tuner": "--method",
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
    return found


def _catalog(words: list[str], note: Callable[[str], None]) -> list[str]:
    """``translate DIR --po FILE`` was what ``catalog fill DIR FILE`` is."""
    flags = ("--po", "--xliff", "--tmx")
    place = next((i for i, word in enumerate(words) if word.partition("=")[0] in flags), None)
    if words[:1] != ["translate"] or place is None:
        return words
    note("'isogloss translate' with --po, --xliff or --tmx is now called 'isogloss catalog fill'")
    name, equals, file = words[place].partition("=")
    file = file if equals else (words[place + 1] if place + 1 < len(words) else name)
    rest = words[1:place] + words[place + (1 if equals else 2) :]
    return ["catalog", "fill", *rest[:1], file, *rest[1:]]


def _memory_tune(words: list[str], note: Callable[[str], None]) -> list[str]:
    """``local tune SYSTEM --memory DIR`` was what ``memory tune DIR --system SYSTEM`` is."""
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
        elif name in options:
            note(f"{name} is now called {options[name]}")
            found.append(options[name] + equals + value)
        else:
            found.append(word)
    return found
