"""Settings of Sphinx for the site; ``build.py`` calls it."""

from __future__ import annotations

import builtins
import inspect
import re
from typing import Any

from sphinx.addnodes import pending_xref
from sphinx.util.nodes import find_pending_xref_condition

import isogloss

project = "Isogloss"
author = "The Isogloss developers"
copyright = f"{author}. Apache License 2.0."
release = isogloss.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 4  # links to headings work as on a code host
highlight_language = "none"  # a block that names no language is what a program prints
smartquotes = False  # "--option" stays what people type

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 88
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"

# Nothing is loaded from elsewhere: Furo brings its own scripts and uses the fonts of the reader's machine.
html_theme = "furo"
html_title = f"Isogloss {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_favicon = "static/isogloss.svg"
html_logo = "static/isogloss.svg"
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_domain_indices = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5a94", "color-brand-content": "#0b62a5"},
    "dark_css_variables": {"color-brand-primary": "#8cc4f3", "color-brand-content": "#7db8ee"},
    "top_of_page_buttons": [],
}

_ARRAY = re.compile(r"~numpy\.ndarray\[tuple\[~typing\.Any, \.\.\.\], ~numpy\.dtype\[(~?[\w.]+)\]\]")
_COLUMNS = re.compile(r"\S.*? {2,}\S")


def tidied(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Remove docstrings that Python itself supplies; keep the layout of text in columns."""
    text = "\n".join(lines).strip()
    type_text = inspect.getdoc(type(value)) if what in ("data", "attribute") else None
    if re.fullmatch(r"Alias for field number \d+", text) or (text and text == type_text):
        text = ""
    parts = [columns_kept(part) for part in text.split("\n\n")]
    lines[:] = [*"\n\n".join(parts).splitlines(), ""]


def columns_kept(paragraph: str) -> str:
    """A paragraph, as a literal block if each of its lines has the same two columns."""
    lines = paragraph.splitlines()
    if len(lines) < 2 or not all(map(_COLUMNS.match, lines)):
        return paragraph
    return "::\n\n" + "\n".join(f"    {line}" for line in lines)


def short_arrays(app: Any, what: str, name: str, value: Any, options: Any, *signature: str | None) -> Any:
    """Write array types as the source does."""
    return tuple(part and _ARRAY.sub(r"~numpy.typing.NDArray[\1]", part) for part in signature)


def builtins_unlinked(app: Any, doctree: Any) -> None:
    """Leave built-in types in annotations as text: ``bytes`` is not one of our attributes of that name."""
    for node in list(doctree.findall(pending_xref)):
        if node.get("refdomain") == "py" and hasattr(builtins, node.get("reftarget", "")):
            node.replace_self((find_pending_xref_condition(node, "*") or node).children)


def setup(app: Any) -> None:
    """Connect what changes docstrings, signatures and links."""
    app.connect("doctree-read", builtins_unlinked)
    app.connect("autodoc-process-docstring", tidied)
    app.connect("autodoc-process-signature", short_arrays)
