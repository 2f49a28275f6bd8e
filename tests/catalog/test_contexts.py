"""A message has the translation that the training text gives it in the same context."""

from __future__ import annotations

from pathlib import Path

import pytest

from isogloss.catalog import MessageTranslator, fill_catalog
from isogloss.catalog.xml import XliffCatalog
from isogloss.corpus.formats import has_contexts
from isogloss.corpus.processing import TextProcessing
from isogloss.corpus.xliff import read_xliff
from isogloss.decoder import System
from isogloss.decoder.matches import TrainingMatches, write_matches
from isogloss.pipeline.text_stages import keep_contexts

pytest.importorskip("polib")

PO = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\nLanguage: tv\\n"

msgid "Open"
msgstr "{0}"

msgctxt "menu"
msgid "Open"
msgstr "{1}"

msgctxt "a state"
msgid "Open"
msgstr "{2}"

msgctxt "unheard of"
msgid "Open"
msgstr "{3}"
"""
XLIFF1 = """<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file source-language="en" target-language="tv" datatype="plaintext" original="a"><body>
<trans-unit id="1" resname="menu.open"><source>a</source><target>{0}</target></trans-unit>
<trans-unit id="2"><source>a</source><target>{0}</target><context-group purpose="information">
<context context-type="x-context">x &amp; y</context></context-group></trans-unit>
</body></file></xliff>
"""
XLIFF2 = """<xliff version="2.0" srcLang="en" trgLang="tv" xmlns="urn:oasis:names:tc:xliff:document:2.0">
<file id="f"><unit id="1" name="n"><segment id="s"><source>a</source><target>{0}</target></segment>
<segment id="t"><source>b</source><target>{0}</target></segment></unit>
<unit id="2"><notes><note category="x-context">c</note></notes>
<segment><source>a</source><target>{0}</target></segment></unit></file></xliff>
"""


def stored(folder: Path, po: str, text: TextProcessing) -> TrainingMatches:
    (folder / "a.po").write_text(po, encoding="utf-8")
    (folder / "train").write_text("Open\n", encoding="utf-8")
    text.save(folder / "text")
    inputs = {"source": folder / "a.po", "train": folder / "train", "text": folder / "text"}
    options = {"source_language": "", "target_language": ""}
    keep_contexts(inputs, {"contexts": folder / "contexts"}, options)
    return TrainingMatches.open(folder / "contexts", text)


def test_the_same_context_comes_first(tmp_path: Path, text_system: System) -> None:
    text = text_system.text
    assert text is not None
    found = stored(tmp_path, PO.format("auf", "öffnen", "offen", ""), text)
    assert len(found) == 2
    write_matches(tmp_path / "matches", lambda: [("Open", "auf")], text)
    matches = TrainingMatches.open(tmp_path / "matches", text)
    system = System(text_system.decoder, text_system.path, text, matches=matches, contexts=found)
    (tmp_path / "in.po").write_text(PO.format("", "", "", ""), encoding="utf-8")
    filled = fill_catalog(tmp_path / "in.po", tmp_path / "out.po", MessageTranslator(system))
    assert [draft.text for draft in filled.drafts] == ["auf", "öffnen", "offen", "auf"]


def test_what_was_set_aside_is_not_stored(tmp_path: Path) -> None:
    found = stored(tmp_path, PO.format("", "x", "", "").replace("Open", "Close"), TextProcessing())
    assert len(found) == 0


@pytest.mark.parametrize("xliff", [XLIFF1, XLIFF2])
def test_xliff_has_the_contexts_that_training_reads(tmp_path: Path, xliff: str) -> None:
    (tmp_path / "full.xlf").write_text(xliff.format("x"), encoding="utf-8")
    (tmp_path / "empty.xlf").write_text(xliff.format(""), encoding="utf-8")
    read = [pair.context or pair.id for pair in read_xliff([tmp_path / "full.xlf"])]
    assert XliffCatalog(tmp_path / "empty.xlf").contexts() == read
    assert read[-1] in ("x & y", "c")
    assert has_contexts(tmp_path / "full.xlf")
