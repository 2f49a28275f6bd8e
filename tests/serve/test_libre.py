"""The interface of LibreTranslate, with a client that exists."""

from __future__ import annotations

import pytest

from support.served import Served

TEXT = "Der König lacht."


def test_libretranslatepy_translates(served: Served) -> None:
    package = pytest.importorskip("libretranslatepy")
    client = package.LibreTranslateAPI(served.url + "/")
    assert client.translate(TEXT, "de", "en") == "The king laughs."
    assert (
        client.translate("Der Hund kommt.\n\nDer Bauer lacht.", "auto", "en")
        == "The dog comes.\n\nThe farmer laughs."
    )
    assert [(one["code"], one["targets"]) for one in client.languages()] == [("de", ["en"]), ("en", [])]


def test_libretranslate_with_json_lists_and_alternatives(served: Served) -> None:
    asked = {
        "q": [TEXT, "Der alte Hund kommt oft."],
        "source": "de",
        "target": "en",
        "format": "text",
        "alternatives": 2,
    }
    answer = served.post("/translate", asked).json
    assert answer["translatedText"][0] == "The king laughs."
    assert [len(some) for some in answer["alternatives"]] == [2, 2]
    detected = served.post("/translate", {"q": TEXT, "source": "auto", "target": "en"}).json
    assert detected["detectedLanguage"]["language"] == "de"


@pytest.mark.parametrize(
    "fields",
    [
        {"q": TEXT, "source": "de"},
        {"q": TEXT, "source": "fr", "target": "en"},
        {"q": 5, "source": "de", "target": "en"},
        {"q": TEXT, "source": "de", "target": ["en"]},
        [],
    ],
)
def test_libretranslate_errors_are_text(served: Served, fields: object) -> None:
    answer = served.post("/translate", fields)
    assert answer.status == 400
    assert isinstance(answer.json["error"], str)
