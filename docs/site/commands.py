"""The page of all commands with all their options, from the program."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any


def commands_page() -> str:
    """Every command, as ``isogloss VERB --help`` explains it, in Markdown."""
    import typer.main

    from isogloss.cli.main import app

    lines = ["# Commands", "", "Every command with all its options, as `isogloss VERB --help` prints them."]
    verb = None
    for words, command in walk(typer.main.get_command(app), []):
        if len(words) > 1 and words[0] != verb:
            lines += ["", f"## isogloss {words[0]}"]
        verb = words[0]
        lines += ["", f"{'##' if len(words) == 1 else '###'} isogloss {' '.join(words)}", ""]
        lines += [paragraphs(command.help or ""), "", *option_table(command)]
    return "\n".join(lines) + "\n"


def walk(command: Any, words: list[str]) -> Iterator[tuple[list[str], Any]]:
    """Commands that do something, with the words that call them."""
    for name, inner in getattr(command, "commands", {}).items():
        if not getattr(inner, "commands", {}):
            yield [*words, name], inner
        yield from walk(inner, [*words, name])


def option_table(command: Any) -> list[str]:
    """Arguments and options of a command as a table."""
    rows = []
    for parameter in command.params:
        if parameter.name in ("help", "install_completion", "show_completion"):
            continue
        names = ", ".join([*parameter.opts, *parameter.secondary_opts])
        if parameter.param_type_name == "argument":
            names = parameter.metavar or str(parameter.name).upper()
        elif parameter.metavar:
            names += f" {parameter.metavar}"
        meaning = getattr(parameter, "help", None) or ""
        rows.append(f"| `{names}` | {cell(meaning)} | {cell(default(parameter))} |")
    return ["| option | meaning | default |", "|---|---|---|", *rows] if rows else []


def default(parameter: Any) -> str:
    """What an option is when it is not given, for people."""
    shown = getattr(parameter, "show_default", None)
    if isinstance(shown, str):
        return shown
    if parameter.required:
        return "required"
    value = getattr(parameter.default, "value", parameter.default)
    return "" if value in (None, False, ()) or callable(value) else f"`{value}`"


def cell(text: str) -> str:
    """A text as it can stand in a table of Markdown."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def paragraphs(text: str) -> str:
    """A help text as Markdown: double backquotes become single ones, examples become blocks."""
    parts = []
    for part in inspect.cleandoc(text).split("\n\n"):
        if part.startswith("    "):
            parts.append(f"```text\n{inspect.cleandoc(part)}\n```")
        else:
            parts.append(re.sub(r"``(.+?)``", r"`\1`", part).replace("<", "&lt;").replace("::", ":"))
    return "\n\n".join(parts)
