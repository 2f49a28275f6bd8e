"""Help as plain lines: a heading, then names and sentences in two columns. A verb's help fits on one
screen."""

from __future__ import annotations

import shutil
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

__all__ = ["HelpText"]

_INDENT = 2
_WIDEST_NAME = 24  # longer names have a line of their own


class HelpText:
    """Writes the parts of a help page, as Cyclopts asks for them."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Write a group of options or of verbs."""
        from rich.text import Text  # only help needs it

        entries = [entry for entry in panel.entries if entry.display_labels]
        if not entries:
            return
        names = [", ".join(entry.display_labels_with_metavar) for entry in entries]
        flags = panel.format == "command" and all(name.startswith("-") for name in names)
        console.print(Text("Options" if flags else _plain(panel.title), style="bold"))
        wide = min(max(map(len, names)), _WIDEST_NAME)
        for name, entry in zip(names, entries, strict=True):
            _write(console, name, _sentence(entry), wide)
        console.print()

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        """Write the line that shows how to call the verb."""
        from rich.text import Text

        console.print(Text(f"Usage: {_plain(usage).removeprefix('Usage:').strip()}"))
        console.print()

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:
        """Write what the verb does."""
        from rich.text import Text

        paragraphs = _plain(description).split("\n\n")
        for paragraph in filter(None, paragraphs):
            text = textwrap.fill(" ".join(paragraph.split()), shutil.get_terminal_size().columns)
            console.print(Text(text), soft_wrap=True)
            console.print()


def _write(console: Console, name: str, sentence: str, wide: int) -> None:
    from rich.text import Text

    left = _INDENT + wide + 2
    lines = textwrap.wrap(
        sentence, max(shutil.get_terminal_size().columns - left, 20), break_long_words=False
    ) or [""]
    first = f"{' ' * _INDENT}{name}"
    if len(name) > wide:
        console.print(Text(first, style="cyan"), soft_wrap=True)
    else:
        console.print(Text.assemble((first.ljust(left), "cyan"), lines.pop(0)), soft_wrap=True)
    for line in lines:
        console.print(Text(" " * left + line), soft_wrap=True)


def _sentence(entry: HelpEntry) -> str:
    """What an entry does, its choices unless the sentence names them all, and its default."""
    parts = [" ".join(_plain(entry.description).split())]
    choices = [choice for choice in entry.choices or () if choice not in parts[0]]
    if choices and entry.choices:
        parts.append(f"[{', '.join(entry.choices)}]")
    if entry.required:
        parts.append("[required]")
    elif entry.default is not None and str(entry.default) not in ("", "none"):
        parts.append(f"[default: {entry.default}]")
    return " ".join(part for part in parts if part)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    found = getattr(value, "plain", None)
    if found is None:
        found = getattr(value, "primary_renderable", value)
        found = getattr(found, "plain", found)
    return str(found).strip()
