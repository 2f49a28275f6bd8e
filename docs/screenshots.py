"""Takes the pictures of the workbench: python docs/screenshots.py ENGINE CATALOG "SENTENCE" [TYPED]

They show an engine for messages, English to German, such as that of `isogloss demo`. It needs Chromium and
playwright.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.browser import chromium, watched_page
from support.served import serving

PICTURES = Path(__file__).parent / "pictures"
SIZE = {"width": 1180, "height": 820}


def take(page: Any, name: str) -> None:
    page.wait_for_timeout(1500)
    page.screenshot(path=PICTURES / f"workbench-{name}.png")


def main(engine: str, catalog: str, sentence: str, typed: str = "") -> None:
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        copy = shutil.copytree(engine, Path(place) / "german", ignore=shutil.ignore_patterns("corrections"))
        with serving(Path(place), copy) as service:
            page, problems = watched_page(browser, service.url, viewport=SIZE)
            page.goto(service.url)
            page.fill("#source", sentence)
            page.wait_for_selector(".bars")
            page.wait_for_selector(".examples li")
            page.hover(".word >> nth=3")
            take(page, "translate")
            page.keyboard.press("F2")
            page.wait_for_selector(".editor textarea:focus")
            page.keyboard.press("Control+A")
            page.keyboard.type(typed)
            page.wait_for_selector(".chip")
            take(page, "type-ahead")
            page.evaluate("location.hash = '#/catalog'")
            page.set_input_files("#file", catalog)
            page.wait_for_selector(".entry.current")
            take(page, "catalog")
            page.evaluate("location.hash = '#/memory'")
            page.fill("[aria-label='Find examples']", sentence.split("\n")[0])
            page.wait_for_selector(".examples li")
            take(page, "memory")
            page.context.close()
            page, more = watched_page(browser, service.url, viewport=SIZE, color_scheme="dark")
            page.goto(f"{service.url}/#/system")
            page.wait_for_selector(".bars")
            take(page, "system")
            page.context.close()
            if problems + more:
                raise SystemExit("\n".join(problems + more))


if __name__ == "__main__":
    main(*sys.argv[1:])
