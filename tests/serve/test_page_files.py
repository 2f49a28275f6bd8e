"""The workbench in a real browser. One journey runs always; the rest with ``make browser``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.browser import chromium, expect_text, expect_value, watched_page
from support.served import Served, serving

NEW = "Der Zwerg kommt oft."
PO = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

# stays as it is
msgid "Der Müller arbeitet."
msgstr  "The miller works."

msgid "Lösche %s oft?"
msgstr ""

#, fuzzy
msgid "Der Zwerg lacht."
msgstr "The Zwerg laughs."
"""
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
HOSTILE += " \u202egnp.\u202c &amp;"
CHECKS = (Path(__file__).parents[1] / "support" / "page_checks.js").read_text("utf-8")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.fixture
def workbench(browser: Any, engine: Path, tmp_path: Path) -> Iterator[tuple[Any, Served]]:
    with serving(tmp_path, engine) as service:
        page, problems = watched_page(browser, service.url, accept_downloads=True)
        page.goto(service.url)
        page.wait_for_selector("#views a[aria-current]")
        yield page, service
        page.context.close()
        assert problems == []


def expect_translation(page: Any, text: str) -> None:
    expect_text(page, ".output .line", text)


def tab_to(page: Any, selector: str) -> None:
    """Press Tab until an element that is selected has the focus."""
    for _ in range(100):
        if page.evaluate("selector => document.activeElement?.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {selector}")


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_a_translator_corrects_a_sentence_and_finishes_a_catalog(
    workbench: tuple[Any, Served], tmp_path: Path
) -> None:
    page, service = workbench
    page.fill("#source", NEW)
    expect_translation(page, "The Zwerg comes often.")
    assert page.locator(".word.unknown").inner_text() == "Zwerg"
    page.wait_for_selector(".tree .rule.unknown")
    page.wait_for_selector(".examples .translation")
    # Correct it by the keyboard alone, with type-ahead.
    page.keyboard.press("F2")
    page.wait_for_selector(".editor textarea:focus")
    page.keyboard.press("Control+A")
    page.keyboard.type("The dwarf ")
    expect_text(page, ".editor .hint", "comes often.")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    expect_value(page, ".editor textarea", "The dwarf comes often.")
    page.keyboard.press("Control+Enter")
    expect_translation(page, "The dwarf comes often.")
    page.wait_for_selector(".changes ins")
    assert service.translate("Der Zwerg lacht.") == "The dwarf laughs."
    # Finish a catalog; what was not touched is the same byte for byte.
    page.click("text=Catalog")
    page.set_input_files("#file", write(tmp_path / "messages.po", PO))
    page.wait_for_selector(".entry.current")
    assert page.locator(".entry").count() == 2
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".entry.accepted")
    with page.expect_download() as downloading:
        page.keyboard.press("Control+s")
    saved = Path(downloading.value.path()).read_text("utf-8")
    changed = [(a, b) for a, b in zip(PO.split("\n\n"), saved.split("\n\n"), strict=True) if a != b]
    assert len(changed) == 1
    assert "fuzzy" not in changed[0][1]


@pytest.mark.browser
def test_words_show_what_they_come_from_and_their_alternatives(workbench: tuple[Any, Served]) -> None:
    page, _ = workbench
    page.fill("#source", "Der müde König lacht.")
    expect_translation(page, "The tired king laughs.")
    page.hover(".word >> text=king")
    expect_text(page, ".source .mirror mark", "König")
    page.focus(".word >> text=The")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector(".menu [role=menuitem]:focus")
    chosen = page.locator(".menu .choice").first.inner_text()
    page.keyboard.press("Enter")
    page.wait_for_selector(".editor textarea:focus")
    assert page.locator(".editor textarea").input_value().startswith(f"The {chosen}")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect_translation(page, "The tired king laughs.")


@pytest.mark.browser
def test_every_view_by_the_keyboard_alone(workbench: tuple[Any, Served], tmp_path: Path) -> None:
    page, service = workbench
    keys = page.keyboard
    page.on("filechooser", lambda chooser: None)  # so that choosing files is watched from now on
    page.wait_for_selector("#source:focus")
    keys.type("Der Zwerg kommt oft.")
    keys.press("Alt+Shift+Digit2")  # at once, before there is a translation
    keys.press("Alt+Shift+Digit1")
    expect_translation(page, "The Zwerg comes often.")
    keys.press("Alt+Shift+Digit2")
    tab_to(page, ".drop")
    with page.expect_file_chooser() as choosing:
        keys.press("Enter")
    choosing.value.set_files(write(tmp_path / "messages.po", PO))
    page.wait_for_selector(".rows:focus .entry.current")
    keys.press("End")
    page.wait_for_selector(".entry.current[aria-rowindex='2']")
    keys.press("Enter")
    page.wait_for_selector(".entry.editing textarea:focus")
    source = page.locator(".entry.editing .from").inner_text()
    keys.press("Control+A")
    keys.type("Remove %s often?" if "%s" in source else "The dwarf laughs.")
    keys.press("Control+Enter")
    page.wait_for_selector(".rows:focus .entry.accepted")
    with page.expect_download() as downloading:
        keys.press("Control+s")
    saved = Path(downloading.value.path()).read_text("utf-8")
    assert ("Remove %s often?" if "%s" in source else "The dwarf laughs.") in saved
    keys.press("Alt+Shift+Digit3")
    page.wait_for_selector("[aria-label='Find examples']:focus")
    keys.type("Der alte König lacht heute.")
    page.wait_for_selector(".examples .pair")
    tab_to(page, ".examples .pair button")
    keys.press("Enter")
    page.wait_for_selector(".examples textarea:focus")
    keys.press("Control+A")
    keys.type("The aged king laughs today.")
    keys.press("Control+Enter")
    page.wait_for_selector(".list >> text=The aged king laughs today.")
    assert service.translate("Der alte könig lacht heute.") == "The aged king laughs today."
    keys.press("Alt+Shift+Digit4")
    page.wait_for_selector("#compare-source")
    tab_to(page, "#compare-source")
    keys.type("Der alte könig lacht heute.")
    keys.press("Tab")
    keys.type("The aged king laughs today.")
    keys.press("Tab")
    keys.press("Enter")
    page.wait_for_selector(".differ >> text=aged")


@pytest.mark.browser
def test_memory_terms_and_taking_back(workbench: tuple[Any, Served]) -> None:
    page, service = workbench
    service.post("/v1/corrections", {"source": NEW, "target": "The dwarf comes often."})
    page.click("text=Memory and terms")
    page.fill("[aria-label='Find examples']", "Der Zwerg lacht oft.")
    page.wait_for_selector(".examples .badge.correction")
    page.fill("[aria-label='Term']", "König")
    page.fill("[aria-label='Translation of the term']", "monarch")
    page.keyboard.press("Enter")
    page.wait_for_selector("td >> text=monarch")
    assert service.translate("Der König lacht.") == "The monarch laughs."
    page.click("text=Take back")
    page.wait_for_selector("text=No corrections yet")
    assert "dwarf" not in service.translate(NEW)
    page.click("text=Remove")
    page.wait_for_selector("text=No terms yet")


@pytest.mark.browser
def test_the_system_view_and_a_comparison(workbench: tuple[Any, Served]) -> None:
    page, _ = workbench
    page.click("nav >> text=System")
    page.wait_for_selector("text=Weights of dense features")
    assert page.locator(".tiles dd").first.inner_text() == "de → en"
    page.fill("#compare-source", "Der alte könig schläft heute.\nDer müde Hund lacht.")
    page.fill("#compare-references", "The old king sleeps today.\nThe tired dog laughs.")
    page.click("button >> text=Compare")
    page.wait_for_selector("text=Sentences that differ most")


@pytest.mark.browser
def test_hostile_text_is_text(workbench: tuple[Any, Served]) -> None:
    page, service = workbench
    page.fill("#source", HOSTILE)
    expect_text(page, ".output .line", re.compile("document.title"))
    service.post("/v1/corrections", {"source": HOSTILE, "target": HOSTILE})
    service.post("/v1/terms", {"term": "<b>x</b>", "translation": "<i>y</i>"})
    page.click("text=Memory and terms")
    page.wait_for_selector("td >> text=<b>x</b>")
    assert HOSTILE in page.locator(".list .source").first.inner_text()
    page.click("text=Translate")
    page.fill("#source", "x " * 25_000)
    page.wait_for_selector(".problem >> text=characters")
    assert page.title() == "Translate · Isogloss"
    assert page.locator("main script, main img").count() == 0


@pytest.mark.browser
def test_right_to_left_text_runs_right_to_left(workbench: tuple[Any, Served]) -> None:
    page, _ = workbench
    page.fill("#source", "هذا بيت كبير")
    page.wait_for_selector(".output .line .word")
    direction = "element => getComputedStyle(element).direction"
    assert page.locator(".output .line").first.evaluate(direction) == "rtl"
    assert page.locator("main").evaluate(direction) == "ltr"
    page.fill("#source", "漢字とかな")
    expect_text(page, ".output .line", re.compile("漢字"))


@pytest.mark.browser
def test_a_large_catalog_scrolls_smoothly(workbench: tuple[Any, Served], tmp_path: Path) -> None:
    page, _ = workbench
    entries = [f'msgid "Der Hund {number} lacht."\nmsgstr ""\n' for number in range(2000)]
    page.click("text=Catalog")
    page.set_input_files("#file", write(tmp_path / "large.po", "\n".join(entries)))
    page.wait_for_selector(".entry.current", timeout=300_000)
    assert page.locator(".entry").count() < 60
    page.evaluate("document.querySelector('.rows').scrollTop = 1e9")
    page.wait_for_selector("[aria-rowindex='2000']")
    assert page.locator(".entry").count() < 60
    page.keyboard.press("Home")
    page.wait_for_selector(".entry.current[aria-rowindex='1']")
    # Frames while it scrolls from top to bottom: each draws only what is seen.
    longest = page.evaluate(
        """async () => {
            const rows = document.querySelector('.rows'), times = [];
            for (let top = 0; top < 60000; top += 600) {
                const begun = performance.now();
                rows.scrollTop = top;
                await new Promise(requestAnimationFrame);
                times.push(performance.now() - begun);
            }
            return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
        }"""
    )
    assert longest < 250  # half of the frames; a page that draws all 2,000 takes seconds


@pytest.mark.browser
@pytest.mark.parametrize("width", [380, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_fits_and_can_be_read(
    browser: Any, engine: Path, tmp_path: Path, width: int, scheme: str
) -> None:
    with serving(tmp_path, engine) as service:
        page, problems = watched_page(
            browser,
            service.url,
            viewport={"width": width, "height": 800},
            color_scheme=scheme,
            reduced_motion="reduce",  # colors do not change slowly
        )
        page.goto(service.url)
        page.fill("#source", "Der müde Zwerg lacht.")
        page.wait_for_selector(".bars")
        for view in ("translate", "catalog", "memory", "system"):
            page.evaluate("view => { location.hash = `#/${view}` }", view)
            page.wait_for_selector(f"#views a[href='#/{view}'][aria-current]")
            page.wait_for_selector("body:not([data-waiting])")
            assert page.evaluate(CHECKS) == {"unreadable": [], "unnamed": [], "tooWide": 0}, view
        page.goto(f"{service.url}/api")
        page.wait_for_selector("code:text-is('/v1/translate/stream')")
        assert page.evaluate(CHECKS) == {"unreadable": [], "unnamed": [], "tooWide": 0}
        assert problems == []
        page.context.close()


@pytest.mark.browser
def test_a_token_is_asked_for(browser: Any, engine: Path, tmp_path: Path) -> None:
    token = "0123456789abcdef0123"
    tokens = write(tmp_path / "tokens", token)
    with serving(tmp_path, engine, "--token-file", tokens) as service:
        page, _ = watched_page(browser, service.url)
        page.goto(service.url)
        page.fill("dialog input", "wrong")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=does not know that token")
        page.fill("dialog input", token)
        page.keyboard.press("Enter")
        page.wait_for_selector("#source")
        page.context.close()


def test_the_page_loads_nothing_from_elsewhere() -> None:
    folder = Path(__file__).parents[2] / "src" / "isogloss" / "serve" / "page"
    for path in folder.iterdir():
        content = path.read_text("utf-8").replace("http://www.w3.org/", "")
        assert not re.search(r"https?://|innerHTML|eval\(|new Function", content), path.name
