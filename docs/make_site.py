"""Makes a web site of this folder: ``python docs/make_site.py build/docs`` (or ``make docs``).

Every page here becomes a page there, with the navigation of README.md. Two pages are made from the program
itself: every command with its options, and the Python interface with its docstrings. The site loads nothing
from elsewhere and can be opened from a disk.
"""

from __future__ import annotations

import html
import importlib
import inspect
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

HERE = Path(__file__).parent
COMMANDS, INTERFACE = "reference/commands.md", "reference/python.md"
ROOMS = (
    "isogloss",
    "isogloss.pipeline",
    "isogloss.decoder",
    "isogloss.learn",
    "isogloss.features",
    "isogloss.adapt",
    "isogloss.rerank",
    "isogloss.catalog",
    "isogloss.nbest",
    "isogloss.metric",
    "isogloss.grammar",
    "isogloss.align",
    "isogloss.lm",
    "isogloss.classes",
    "isogloss.pipeline",
    "isogloss.report",
    "isogloss.io.errors",
    "isogloss.corpus.formats",
    "isogloss.corpus.pairs",
    "isogloss.corpus.check",
    "isogloss.corpus.clean",
    "isogloss.corpus.placeholders",
    "isogloss.corpus.processing",
    "isogloss.corpus.tokenizer",
    "isogloss.corpus.truecase",
    "isogloss.io.streams",
    "isogloss.corpus.synthetic.text",
)
LINK = re.compile(r'(href|src)="([^":#]+\.(?:md|svg|png))?(#[^"]*)?"')


def build(output: Path) -> list[Path]:
    """Write the site; gives the pages."""
    sources = {path.relative_to(HERE).as_posix(): path.read_text("utf-8") for path in HERE.rglob("*.md")}
    sources |= {COMMANDS: commands_page(), INTERFACE: interface_page()}
    index, style = sources["README.md"], (HERE / "style.css").read_text("utf-8")
    pages = []
    for name, text in sorted(sources.items()):
        target = output / page_name(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        body = rendered(text, name)
        title = html.escape(re.sub(r"[`*]", "", text.lstrip("# ").splitlines()[0]))
        target.write_text(
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} · Isogloss</title>'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<style>{style}</style></head><body><nav>{navigation(index, name)}</nav>"
            f"<main>{body}</main></body></html>\n",
            encoding="utf-8",
        )
        pages.append(target)
    for picture in (*HERE.rglob("*.svg"), *HERE.rglob("*.png")):
        copy = output / picture.relative_to(HERE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, copy)
    return pages


def page_name(name: str) -> str:
    return "index.html" if name == "README.md" else name.removesuffix(".md") + ".html"


def rendered(text: str, name: str) -> str:
    """HTML of a page: headings get names, links lead to pages of the site."""
    body = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    taken: set[str] = set()

    def heading(match: re.Match[str]) -> str:
        level, inner = match.groups()
        anchor = base = slug(re.sub(r"<[^>]+>", "", html.unescape(inner)))
        number = 1
        while anchor in taken:
            anchor, number = f"{base}-{number}", number + 1
        taken.add(anchor)
        return f'<h{level} id="{anchor}">{inner}</h{level}>'

    body = re.sub(r"<h([1-6])>(.*?)</h\1>", heading, body)
    return LINK.sub(lambda match: relinked(match, name), body)


def slug(title: str) -> str:
    """The name of a heading, as the usual code hosts make it."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip())


def relinked(match: re.Match[str], name: str) -> str:
    kind, target, anchor = match.group(1), match.group(2) or "", match.group(3) or ""
    if target.endswith(".md"):
        outside = (HERE / Path(name).parent / target).resolve()
        if not outside.is_relative_to(HERE):
            return f'{kind}="{target}{anchor}"'
        if outside == HERE / "README.md":
            target = target.removesuffix("README.md") + "index.html"
        target = target.removesuffix(".md") + ("" if target.endswith(".html") else ".html")
    return f'{kind}="{target}{anchor}"'


def navigation(index: str, name: str) -> str:
    """The lists of README.md, as links from another page; what follows a colon is left out."""
    up = "../" * name.count("/")
    lines = [f'<a class="title" href="{up}index.html">Isogloss</a><ul>']
    inside = False
    for line in index.splitlines():
        section = re.match(r"- \*\*(.+)\*\*$", line)
        entry = re.match(r"  - \[(.+?)\]\((.+?\.md)\)", line)
        if section:
            lines.append(("</ul>" if inside else "") + f"<li><b>{html.escape(section[1])}</b><ul>")
            inside = True
            if section[1] == "Reference":
                lines += [
                    link(name, *made) for made in (("Commands", COMMANDS), ("Python interface", INTERFACE))
                ]
        elif entry and inside:
            lines.append(link(name, entry[1], entry[2]))
    return "".join(lines) + "</ul></ul>"


def link(name: str, title: str, target: str) -> str:
    here = ' class="here"' if target == name else ""
    up = "../" * name.count("/")
    return f'<li><a{here} href="{up}{page_name(target)}">{html.escape(title)}</a></li>'


def commands_page() -> str:
    """Every command and every option, from the program."""
    import typer.main

    from isogloss.cli.main import app

    lines = ["# Commands", "", "Every command with all its options, as `isogloss VERB --help` prints them."]
    for words, command in walk(typer.main.get_command(app), []):
        lines += ["", f"## isogloss {' '.join(words)}", "", paragraphs(command.help or "")]
        rows = []
        for parameter in command.params:
            if parameter.name in ("help", "install_completion", "show_completion"):
                continue
            names = ", ".join([*parameter.opts, *parameter.secondary_opts])
            if parameter.metavar:
                names += f" {parameter.metavar}"
            if parameter.param_type_name == "argument":
                names = parameter.metavar or str(parameter.name).upper()
            rows.append(
                f"| `{names}` | {cell(getattr(parameter, 'help', '') or '')} | {cell(default(parameter))} |"
            )
        if rows:
            lines += ["", "| option | is | default |", "|---|---|---|", *rows]
    return "\n".join(lines) + "\n"


def walk(command: Any, words: list[str]) -> Iterator[tuple[list[str], Any]]:
    for name, inner in getattr(command, "commands", {}).items():
        if not getattr(inner, "commands", {}):
            yield [*words, name], inner
        yield from walk(inner, [*words, name])


def default(parameter: Any) -> str:
    shown = getattr(parameter, "show_default", None)
    if isinstance(shown, str):
        return shown
    if parameter.required:
        return "required"
    value = parameter.default
    value = getattr(value, "value", value)
    return "" if value in (None, False, ()) or callable(value) else f"`{value}`"


def cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def interface_page() -> str:
    """The public names of every room, with signatures and docstrings."""
    lines = ["# Python interface", "", "Made from the docstrings of the package, room by room."]
    lines += ["", " · ".join(f"[`{room}`](#{slug(room)})" for room in ROOMS)]
    for room in ROOMS:
        module = importlib.import_module(room)
        lines += ["", f"## {room}", "", paragraphs(inspect.getdoc(module) or "")]
        for name in (name for name in getattr(module, "__all__", ()) if not name.startswith("__")):
            lines += entry(name, getattr(module, name))
    return "\n".join(lines) + "\n"


def entry(name: str, value: Any) -> list[str]:
    if inspect.isclass(value):
        lines = [
            "",
            f"### {name}",
            "",
            f"```signature\nclass {name}{signature(value)}\n```",
            "",
            described(value),
        ]
        if is_dataclass(value) and (documented := field_docs(value)):
            lines += ["", *(f"- `{field}` {text}" for field, text in documented.items())]
        for member, function in vars(value).items():
            if member.startswith("_"):
                continue
            if isinstance(function, property) or type(function).__name__ == "cached_property":
                lines += ["", f"- `{member}` {first_line(function)}"]
            elif inspect.isfunction(function := getattr(function, "__func__", function)):
                lines += ["", f"- `{member}{signature(function)}` {first_line(function)}"]
        return lines
    if callable(value) and getattr(value, "__doc__", None) and hasattr(value, "__name__"):
        return ["", f"### {name}", "", f"```signature\n{name}{signature(value)}\n```", "", described(value)]
    return ["", f"### {name}"]


def signature(value: Any) -> str:
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    text = re.sub(r"'([^']*)'", r"\1", text) if "from __future__" not in text else text
    return re.sub(
        r"<factory>|<object object at \w+>|<function <lambda> at \w+>|<function (\w+) at \w+>", r"\1", text
    )


def described(value: Any) -> str:
    text = inspect.getdoc(value) or ""
    return paragraphs("" if text.startswith(f"{getattr(value, '__name__', '')}(") else text)


def first_line(value: Any) -> str:
    return " ".join(re.sub(r"``", "`", (inspect.getdoc(value) or "").split("\n\n")[0]).split())


def field_docs(cls: Any) -> dict[str, str]:
    """The strings below the fields of a dataclass."""
    source = inspect.getsource(cls)
    found = {}
    for item in fields(cls):
        match = re.search(
            rf'^    {item.name}: [^\n]*\n(?:(?!    \w)[^\n]*\n)*?    """(.*?)"""', source, re.M | re.S
        )
        if match:
            found[item.name] = " ".join(match[1].replace("``", "`").split())
    return found


def paragraphs(text: str) -> str:
    """A docstring as Markdown: double backquotes become single ones, examples become blocks."""
    out = []
    for part in inspect.cleandoc(text).split("\n\n"):
        if part.lstrip().startswith(">>>"):
            out.append(f"```python\n{part}\n```")
        elif part.startswith("    ") or re.search(r"^ {4}\S", part, re.M):
            out.append(f"```text\n{part.replace('::', ':')}\n```")
        else:
            out.append(re.sub(r"``(.+?)``", r"`\1`", part).replace("<", "&lt;").replace("::", ":"))
    return "\n\n".join(out)


if __name__ == "__main__":
    made = build(Path(sys.argv[1] if len(sys.argv) > 1 else "build/docs"))
    print(f"{len(made)} pages; begin with {made[0].parent.resolve() / 'index.html'}")
