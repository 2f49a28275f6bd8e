"""The page of all commands with all their options, from the program."""

from __future__ import annotations

import inspect
import re
from typing import Any


def commands_page() -> str:
    """Every command, as ``isogloss VERB --help`` and ``isogloss options VERB`` explain it, in Markdown."""
    from isogloss.cli.main import verbs

    lines = ["# Commands", "", "This page lists every command with all its options. You can type an option"]
    lines += [
        "with a dot in its name (`--lm.order 4`), set it (`--set lm.order=4`), or write it in a TOML file",
        "(`order = 4` below `[lm]`).",
    ]
    verb = None
    for words, app in verbs():
        if app.default_command is None:
            continue
        if len(words) > 1 and words[0] != verb:
            lines += ["", f"## isogloss {words[0]}"]
        verb = words[0]
        lines += ["", f"{'##' if len(words) == 1 else '###'} isogloss {' '.join(words)}", ""]
        lines += [paragraphs(app.default_command.__doc__ or ""), "", *option_table(app)]
    return "\n".join(lines) + "\n"


def option_table(app: Any) -> list[str]:
    """Arguments and options of a command as a table."""
    from isogloss.cli.declared import DECLARED

    declared = getattr(app.default_command, DECLARED, None)
    made = (
        {} if declared is None else {declared.flag(name): option for name, option in declared.options.items()}
    )
    rows = []
    for argument in app.assemble_argument_collection():
        name = next((name for name in argument.names if name in made), argument.names[0])
        option = made.get(name)
        if option is not None:
            rows.append(
                (", ".join(argument.names), f"{option.help} Takes {option.kind}.", option.shown_default)
            )
        else:
            names = ", ".join(argument.names) if name.startswith("-") else name.upper()
            rows.append((names, argument.parameter.help or "", default(argument)))
    lines = [f"| `{names}` | {cell(help)} | {cell(shown)} |" for names, help, shown in rows]
    return ["| option | meaning | default |", "|---|---|---|", *lines] if lines else []


def default(argument: Any) -> str:
    """What an option is when it is not given, for people."""
    if isinstance(argument.show_default, str):
        return argument.show_default
    if argument.required:
        return "required"
    value = argument.field_info.default
    return "" if value in (None, False, ()) or value is argument.field_info.empty else f"`{value}`"


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
