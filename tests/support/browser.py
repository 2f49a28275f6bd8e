"""Chromium without a window, for tests of the workbench page."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# Nothing but the page under test: no updates, no telemetry, no network of its own.
_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """A browser; where there is none, the test is skipped by name."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")
    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=path, args=_FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def watched_page(browser: Any, url: str, **options: Any) -> tuple[Any, list[str]]:
    """A page, and a list that fills with what goes wrong in it: errors, and requests to elsewhere."""
    context = browser.new_context(**options)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(f"error: {error}"))
    page.on(
        "console",
        lambda message: (
            problems.append(message.text)
            if message.type == "error" and "status of 4" not in message.text
            else None
        ),
    )
    page.on(
        "request",
        lambda request: (
            problems.append(f"elsewhere: {request.url}")
            if not request.url.startswith((url, "blob:", "data:"))
            else None
        ),
    )
    page.set_default_timeout(60_000)
    return page, problems


def expect_text(page: Any, selector: str, text: Any) -> None:
    """Wait until the first element that is selected has this text, white space around it aside."""
    from playwright.sync_api import expect

    expect(page.locator(selector).first).to_have_text(text, timeout=60_000)


def expect_value(page: Any, selector: str, value: str) -> None:
    """Wait until a field has this value."""
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_have_value(value, timeout=60_000)
