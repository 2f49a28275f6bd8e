"""The web site: complete, no link leads nowhere, and nothing is loaded from elsewhere.

``ISOGLOSS_SITE`` names a site that has been built already; without it the tests build one.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

import isogloss.errors
from isogloss.cli.main import verbs

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SOURCES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))

for needed in ("sphinx", "myst_parser", "furo"):
    pytest.importorskip(needed, reason="the site is built with the packages of the extra `docs`")


def build(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, DOCS / "site" / "build.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built once even if several processes run the tests."""
    if given := os.environ.get("ISOGLOSS_SITE"):
        return Path(given).resolve()
    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    with (folder / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "site.done").exists():
            done = build(folder / "site")
            assert done.returncode == 0, done.stderr
            (folder / "site.done").touch()
    return folder / "site"


class Page(HTMLParser):
    """Anchors of a page, where its links lead, and what a browser loads with it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name"):
                self.anchors.add(value or "")
            elif name == "href" and tag == "a":
                self.links.append(value or "")
            elif name in ("href", "src", "srcset", "data", "poster", "action"):
                self.loaded.append(value or "")


@cache
def page(path: Path) -> Page:
    return Page(path.read_text("utf-8"))


def pages(site: Path) -> list[Path]:
    return sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)


def in_site(source: str) -> str:
    return "index.html" if source == "README.md" else source.removesuffix(".md") + ".html"


def test_every_page_is_in_the_navigation_of_every_page(site: Path) -> None:
    for path in pages(site):
        if path.name == "search.html":
            continue
        linked = {(path.parent / link.partition("#")[0]).resolve() for link in page(path).links if link}
        missing = [source for source in SOURCES if site / in_site(source) not in linked | {path}]
        assert not missing, path


def test_every_link_leads_somewhere(site: Path) -> None:
    for path in pages(site):
        for link in page(path).links + page(path).loaded:
            if re.match(r"https?:|data:", link):
                continue
            file, _, anchor = unquote(link).partition("#")
            target = (path.parent / file.partition("?")[0]).resolve() if file else path
            target = target / "index.html" if target.is_dir() else target
            assert target.is_relative_to(site), (path, link)
            assert target.exists(), (path, link)
            assert not anchor or target.suffix != ".html" or anchor in page(target).anchors, (path, link)


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for path in pages(site):
        assert not [text for text in page(path).loaded if "//" in text], path
    elsewhere = re.compile(r"""(?:@import|url\(|["'`])\s*["']?(?:https?:)?//(?!www\.w3\.org/)\w""")
    for path in [*pages(site), *site.rglob("*.css"), *site.rglob("*.js")]:
        text = re.sub(r"<a [^>]*>|/\*.*?\*/", "", path.read_text("utf-8"), flags=re.DOTALL)
        if path.name != "searchindex.js":  # the words of the pages, which a browser does not load
            assert not elsewhere.search(text), path


def test_search_knows_every_page(site: Path) -> None:
    index = (site / "searchindex.js").read_text("utf-8")
    for source in SOURCES:
        assert f'"{in_site(source).removesuffix(".html")}"' in index


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    anchors = page(site / "reference" / "python.html").anchors
    assert {f"isogloss.{name}" for name in isogloss.__all__} <= anchors


def test_every_error_is_in_the_reference(site: Path) -> None:
    described = set().union(*(page(path).anchors for path in (site / "reference").rglob("python*/**/*.html")))
    described |= page(site / "reference" / "python.html").anchors
    names = {anchor.rpartition(".")[2] for anchor in described if anchor.startswith("isogloss.")}
    assert set(isogloss.errors.__all__) <= names


def test_every_package_is_in_the_reference(site: Path) -> None:
    packages = {path.parent.name for path in Path(isogloss.__file__).parent.glob("*/__init__.py")}
    assert {"selection", "speech"} <= packages
    for name in packages - {"cli"}:  # commands have a page of their own
        public = getattr(importlib.import_module(f"isogloss.{name}"), "__all__", ())
        text = (site / "reference" / "python" / f"{name}.html").read_text("utf-8")
        assert [one for one in public if one not in text] == []


def test_every_verb_is_in_the_reference(site: Path) -> None:
    anchors = page(site / "reference" / "commands.html").anchors
    words = {"-".join(("isogloss", *words)) for words, app in verbs() if words and app.default_command}
    assert {"isogloss-train", "isogloss-catalog-fill", "isogloss-evaluate"} <= words <= anchors


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The repository's pages, to be changed."""
    root = tmp_path / "root"
    shutil.copytree(DOCS, root / "docs")
    for path in [*ROOT.glob("*.md"), ROOT / "CITATION.cff"]:
        shutil.copy(path, root)
    return root


def test_a_link_to_no_file_fails_the_build(copy: Path, tmp_path: Path) -> None:
    with (copy / "docs" / "how-to" / "rerank.md").open("a") as stream:
        stream.write("\n[there](no-such-page.md)\n")
    done = build("--pages-only", "--root", copy, tmp_path / "site")
    assert done.returncode != 0
    assert "the link to no-such-page.md leads to no file" in done.stderr
    assert "how-to/rerank.md" in done.stderr


@pytest.mark.slow  # builds the site once more
def test_a_link_to_no_heading_and_an_unlisted_page_fail_the_build(copy: Path, tmp_path: Path) -> None:
    with (copy / "docs" / "how-to" / "rerank.md").open("a") as stream:
        stream.write("\n[there](translate.md#no-such-heading)\n")
    (copy / "docs" / "how-to" / "forgotten.md").write_text("# Forgotten\n")
    done = build("--pages-only", "--root", copy, tmp_path / "site")
    assert done.returncode != 0
    assert "no-such-heading" in done.stderr
    assert "how-to/rerank.md" in done.stderr
    assert "forgotten" in done.stderr


def test_files_that_are_no_site_are_not_removed(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    done = build("--pages-only", tmp_path)
    assert done.returncode != 0
    assert (tmp_path / "thesis.txt").exists()
