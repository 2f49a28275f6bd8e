"""Copies the pages to where Sphinx reads them, together with pages that are not in docs/.

A code host shows docs/ as plain Markdown, so its pages carry no markup of a site generator. The navigation of
the site comes from the list in docs/README.md, and links are rewritten where the site has another layout.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

# Files of the repository that are pages of the site too, with their titles in the navigation.
PROJECT = {
    "README.md": "About Isogloss",
    "CHANGELOG.md": "Changelog",
    "CONTRIBUTING.md": "Contributing",
    "SECURITY.md": "Security",
}
# Entries of the section "Reference" for pages that come from the program.
GENERATED = {
    "reference/commands.md": "[Commands](reference/commands.md): every command with all its options",
    "reference/python.md": "[Python API](reference/python.md): every public name",
}
_SECTION = re.compile(r"(?:- \*\*(.+)\*\*|## (.+))$")
_ENTRY = re.compile(r"\s*- \[(.+?)\]\((.+?)\.md\)")
_LINK = re.compile(r"(?<=\]\()[^()\s]+(?=\))")


def stage(root: Path, source: Path, generated: Mapping[str, str]) -> None:
    """Write the sources of the site: pages of docs/, of the project, and generated ones (name to text)."""
    docs = root / "docs"
    pages = {path: path.relative_to(docs).as_posix() for path in sorted(docs.rglob("*.md"))}
    pages[docs / "README.md"] = "index.md"
    pages |= {root / name: f"project/{name.lower()}" for name in PROJECT}
    for path, name in pages.items():
        text = relinked(root, path, pages, source)
        write(source / name, front_page(text, generated) if name == "index.md" else text)
    for name, text in generated.items():
        if name in pages.values():
            raise SystemExit(f"docs/{name} is the name of a page that comes from the program; rename it")
        write(source / name, text)


def front_page(index: str, generated: Mapping[str, str]) -> str:
    """The list of all pages, with those that are not in docs/, and the same list as Sphinx's navigation."""
    lines = index.splitlines()
    reference = next((i for i, line in enumerate(lines) if section(line) == "Reference"), None)
    if reference is None:
        raise SystemExit("docs/README.md has no section 'Reference', where the generated pages belong")
    first = next(i for i in range(reference, len(lines)) if _ENTRY.match(lines[i]))
    bullet = lines[first].partition("[")[0]
    lines[first:first] = [bullet + entry for name, entry in GENERATED.items() if name in generated]
    last = max(i for i, line in enumerate(lines) if _ENTRY.match(line))
    project = [f"{bullet}[{title}](project/{name.lower()})" for name, title in PROJECT.items()]
    heading = [lines[reference].replace("Reference", "Project")]
    lines[last + 1 : last + 1] = [*(heading if bullet[0] == " " else ["", *heading, ""]), *project]
    return "\n".join([*lines, "", *navigation(lines)]) + "\n"


def navigation(lines: list[str]) -> Iterator[str]:
    """A hidden table of contents for each section of the front page."""
    inside = False
    for line in lines:
        if title := section(line):
            yield from ["```", ""] if inside else []
            yield from ["```{toctree}", ":hidden:", f":caption: {title}", ""]
            inside = True
        elif inside and (entry := _ENTRY.match(line)):
            yield f"{entry[1]} <{entry[2]}>"
    yield from ["```"] if inside else []


def section(line: str) -> str | None:
    """The title that a line gives to the entries below it: a bold item or a heading."""
    match = _SECTION.match(line)
    return (match[1] or match[2]) if match else None


def relinked(root: Path, path: Path, pages: Mapping[Path, str], source: Path) -> str:
    """The text of a page with links to where pages are on the site; other files it links to are copied."""
    folder = Path(pages[path]).parent

    def target(match: re.Match[str]) -> str:
        link, hash_sign, anchor = match[0].partition("#")
        if not link or "://" in link:
            return match[0]
        file = (path.parent / link).resolve()
        if not file.is_file() or not file.is_relative_to(root):
            raise SystemExit(f"{path.relative_to(root)}: the link to {link} leads to no file here")
        place = pages.get(file, f"files/{file.relative_to(root).as_posix()}")
        if file not in pages:
            (source / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, source / place)
        return os.path.relpath(place, folder).replace(os.sep, "/") + hash_sign + anchor

    # Blocks of code are left alone.
    parts = re.split(r"(^```.*?^```$)", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else _LINK.sub(target, part) for part in parts)


def write(path: Path, text: str) -> None:
    """Write a page, and the folder it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
