"""Catalogs through the service: filled, opened, edited, saved."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from support.served import Served

PO = b"""# A comment that stays.
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\nPlural-Forms: nplurals=2; plural=(n != 1);\\n"

#: a.c:1
msgid "Der K\xc3\xb6nig lacht."
msgstr ""

#, fuzzy
msgid "Der Hund kommt."
msgstr "The hound comes."

#, c-format
msgid "L\xc3\xb6sche %s?"
msgstr ""

msgid "Der Bauer"
msgid_plural "Die Bauern"
msgstr[0] "the farmer"
msgstr[1] ""

# done
msgid  "Der M\xc3\xbcller arbeitet."
msgstr "The miller works."
"""
XLIFF = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file source-language="de" target-language="en"><body>
 <trans-unit id="1"><source>Der <g id="b">König</g> lacht.</source></trans-unit>
 <trans-unit id="2"><source>Der <g id="x">Hund</g> kommt.</source>
  <target state="translated">The <g id="x">dog</g> comes.</target></trans-unit>
</body></file></xliff>
""".encode()
TMX = """<?xml version="1.0"?>
<tmx version="1.4"><header srclang="de"/><body>
<tu><tuv xml:lang="de"><seg>Der König lacht.</seg></tuv></tu>
<tu><tuv xml:lang="de"><seg>Der Hund kommt.</seg></tuv><tuv xml:lang="en"><seg>The dog.</seg></tuv></tu>
</body></tmx>
""".encode()


def opened(served: Served, content: bytes, name: str) -> list[dict[str, Any]]:
    answer = served.upload("/v1/catalog/open", content, name=name)
    assert answer.status == 200, answer.content
    rows: list[dict[str, Any]] = answer.json["rows"]
    return rows


def saved(served: Served, content: bytes, name: str, *edits: tuple[int, str, bool]) -> bytes:
    answer = served.post(
        "/v1/catalog/save",
        {
            "name": name,
            "content": base64.b64encode(content).decode(),
            "edits": [{"number": at, "target": text, "accepted": done} for at, text, done in edits],
        },
    )
    assert answer.status == 200, answer.content
    return answer.content


def test_a_catalog_is_filled(served: Served) -> None:
    answer = served.upload("/v1/catalog/fill", PO, name="messages.po")
    assert answer.status == 200
    assert b'msgstr "The king laughs."' in answer.content
    assert b'msgstr "The miller works."' in answer.content
    assert answer.headers["x-filled"] == "3"


def test_rows_tell_how_far_each_entry_is(served: Served) -> None:
    rows = opened(served, PO, "messages.po")
    assert [row["state"] for row in rows] == ["empty", "fuzzy", "empty", "done", "empty", "done"]
    assert rows[0]["draft"] == "The king laughs."
    assert rows[1]["target"] == "The hound comes."
    assert rows[1]["draft"] == "The dog comes."
    assert rows[2]["draft"] == "Delete %s?"
    assert rows[2]["match"] is True
    assert rows[5]["draft"] is None
    assert [row["line"] for row in rows] == [6, 10, 14, 17, 17, 23]


def test_what_is_not_edited_stays_byte_for_byte(served: Served) -> None:
    assert saved(served, PO, "messages.po") == PO
    made = saved(served, PO, "messages.po", (1, "The dog comes.", True), (0, "The king laughs.", False))
    before, after = PO.decode().split("\n\n"), made.decode().split("\n\n")
    assert [one for one in after if one in before] == [before[0], *before[3:]]
    assert after[2] == 'msgid "Der Hund kommt."\nmsgstr "The dog comes."'
    assert "#, fuzzy" in after[1]
    assert "isogloss: confidence" in after[1]
    assert 'msgstr "The king laughs."' in after[1]


def test_plural_forms_are_edited_one_by_one(served: Served) -> None:
    made = saved(served, PO, "messages.po", (4, "the farmers", True)).decode()
    assert 'msgstr[0] "the farmer"\nmsgstr[1] "the farmers"' in made
    assert made.replace('msgstr[1] "the farmers"', 'msgstr[1] ""').encode() == PO


def test_accepted_drafts_are_no_drafts_any_longer(served: Served) -> None:
    filled = served.upload("/v1/catalog/fill", PO, name="messages.po").content
    rows = opened(served, filled, "messages.po")
    assert [row["state"] for row in rows] == ["draft", "fuzzy", "draft", "fuzzy", "draft", "done"]
    accepted = saved(
        served, filled, "messages.po", *((at, row["target"], True) for at, row in enumerate(rows))
    )
    assert b"fuzzy" not in accepted
    assert b"isogloss" not in accepted
    assert {row["state"] for row in opened(served, accepted, "messages.po")} == {"done"}


def test_xliff_keeps_its_inline_elements(served: Served) -> None:
    rows = opened(served, XLIFF, "a.xlf")
    assert [row["state"] for row in rows] == ["empty", "done"]
    assert rows[1]["source"] == "Der <ig1>Hund</ig1> kommt."
    assert rows[1]["target"] == "The <ig1>dog</ig1> comes."
    assert saved(served, XLIFF, "a.xlf") == XLIFF
    made = saved(
        served, XLIFF, "a.xlf", (0, "The <ig1>king</ig1> laughs.", True), (1, "A <ig1>dog</ig1>.", True)
    )
    assert b'<target state="translated">The <g id="b">king</g> laughs.</target>' in made
    assert b'<target state="translated">A <g id="x">dog</g>.</target>' in made
    assert b"isogloss" not in made


def test_tmx_units_are_edited(served: Served) -> None:
    rows = opened(served, TMX, "a.tmx")
    assert [(row["state"], row["target"]) for row in rows] == [("empty", ""), ("done", "The dog.")]
    assert saved(served, TMX, "a.tmx") == TMX
    made = saved(served, TMX, "a.tmx", (0, "The king laughs.", True), (1, "The dog comes.", True))
    assert made.count(b"<prop") == 0
    assert b"<seg>The king laughs.</seg>" in made
    assert b"<seg>The dog comes.</seg>" in made


@pytest.mark.parametrize(
    ("number", "target", "reason"),
    [(2, "Delete?", "fault"), (2, "Delete %s %s?", "fault"), (99, "x", "unknown_entry"), (0, " ", "fault")],
)
def test_what_would_break_a_program_is_refused(served: Served, number: int, target: str, reason: str) -> None:
    edits = [{"number": number, "target": target}]
    body = {"name": "a.po", "content": base64.b64encode(PO).decode(), "edits": edits}
    answer = served.post("/v1/catalog/save", body)
    assert (answer.status, answer.error) == (422, reason)


def test_a_translation_is_checked_while_it_is_typed(served: Served) -> None:
    check = {"source": "Lösche %s?", "target": "Delete?"}
    assert served.post("/v1/check", check).json == {"fault": "'%s' is lost"}
    assert served.post("/v1/check", {**check, "target": "Delete %s?"}).json == {"fault": ""}


@pytest.mark.parametrize(
    ("content", "name"), [(b"\0", "a.po"), (b"<xliff", "a.xlf"), (b"what", "a.po"), (b"", "a.tmx")]
)
def test_what_is_no_catalog_says_so(served: Served, content: bytes, name: str) -> None:
    answer = served.upload("/v1/catalog/open", content, name=name)
    assert answer.status in (200, 422)
    if answer.status == 422:
        assert "/tmp" not in answer.json["error"]["message"]


def test_bad_base64_is_refused(served: Served) -> None:
    assert served.post("/v1/catalog/save", {"name": "a.po", "content": "!", "edits": []}).error == "no_base64"
