"""The REST interface, through the real server on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss.cli.main import main
from isogloss.decoder import load
from support.served import Served, serving
from support.small_engine import PAIRS

KNOWN, KNOWN_TARGET = PAIRS[0]
NEW = "Der Zwerg kommt oft."


def test_one_text_is_translated_as_the_system_does(served: Served, small_engine: Path) -> None:
    system = load(small_engine, corrections=True, matches=True)
    texts = [KNOWN, "Der müde König arbeitet.", "Lösche %d oft?", "", "Unbekanntes"]
    answer = served.post("/v1/translate", {"text": texts}).json
    assert [one["text"] for one in answer["translations"]] == [str(one) for one in system.translate(texts)]
    assert [one["source"] for one in answer["translations"]] == texts
    assert answer["translations"][0]["match"] == "training"
    assert answer["translations"][1]["match"] == ""
    assert served.translate("Der müde König arbeitet.") == str(system.translate("Der müde König arbeitet."))


def test_without_the_extra_the_error_says_what_to_install() -> None:
    script = (
        "import sys\n"
        "for name in ('fastapi', 'uvicorn', 'starlette'):\n    sys.modules[name] = None\n"
        "from isogloss.cli.main import main\n"
        "sys.exit(main(['serve', 'nowhere']))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'isogloss[serve]'" in done.stderr


def test_details_point_at_words_of_the_texts(served: Served) -> None:
    text = "Der Zwerg schläft %s mal."
    found = served.post("/v1/translate", {"text": text, "details": True, "nbest": 5}).json["translations"][0]
    details = found["details"]
    shown = [found["text"][span[0] : span[1]] for span in details["spans"]]
    assert [word.lower() for word in shown] == [
        "%s" if token == "ǁ0ǁ" else token.lower() for token in details["tokens"]
    ]
    for source, target in details["alignment"]:
        assert 0 <= source < len(details["source_tokens"])
        assert 0 <= target < len(details["tokens"])
    assert details["unknown"] == ["Zwerg", "mal"]
    assert len({one["text"] for one in found["candidates"]}) == len(found["candidates"]) == 5
    assert found["candidates"][0]["text"] == found["text"]


def test_terms_markup_and_weights_of_a_request(served: Served) -> None:
    text = "Der König lacht."
    assert served.translate(text) == "The king laughs."
    assert (
        served.translate(text, terms=[{"term": "König", "translation": "monarch"}]) == "The monarch laughs."
    )
    marked = 'Der <t translation="big boss">König</t> lacht <t>heute</t>.'
    assert served.translate(marked, markup=True) == "The big boss laughs heute."
    assert served.post("/v1/translate", {"text": "<t>open", "markup": True}).error == "bad_markup"
    short = served.translate("Der müde Hund lacht.", weights={"words": -50.0})
    assert len(short.split()) <= 4
    assert served.translate("Der müde Hund lacht.") == "The tired dog laughs."
    assert served.post("/v1/translate", {"text": "x", "weights": {"no": 1.0}}).error == "unknown_feature"


def test_a_stream_has_every_translation_and_its_progress(served: Served) -> None:
    texts = [source for source, _ in PAIRS[:40]]
    answer = served.post("/v1/translate/stream", {"text": texts})
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [block.split("\n", 1) for block in answer.content.decode().split("\n\n") if block]
    by_name: dict[str, list[dict[str, object]]] = {}
    for name, data in events:
        by_name.setdefault(name.removeprefix("event: "), []).append(json.loads(data.removeprefix("data: ")))
    assert [one["text"] for one in by_name["translation"]] == [target for _, target in PAIRS[:40]]
    assert by_name["progress"][-1] == {"done": 40, "total": 40}
    assert list(by_name)[-1] == "done"


def test_an_explanation_adds_up(served: Served) -> None:
    found = served.post("/v1/explain", {"text": "Der Zwerg lacht oft."}).json
    assert found["text"] == "The Zwerg laughs often."
    assert sum(found["groups"].values()) == pytest.approx(found["score"], abs=1e-3)
    assert [step["origin"] for step in found["derivation"]].count("unknown") == 1
    assert found["second_score"] < found["score"]
    known = served.post("/v1/explain", {"text": KNOWN}).json
    assert (known["match"], known["used"]) == ("training", KNOWN_TARGET)


def test_a_correction_holds_in_every_worker_and_in_a_shell(
    engine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(tmp_path, engine, "--workers", "3") as service:
        made = service.post("/v1/corrections", {"source": NEW, "target": "The dwarf comes often."})
        assert made.status == 200
        number = made.json["number"]
        # A new connection goes to any of the workers.
        assert {service.translate(NEW) for _ in range(12)} == {"The dwarf comes often."}
        assert {service.translate("Der Zwerg lacht.") for _ in range(12)} == {"The dwarf laughs."}
        assert main(["correct", str(engine), "Der Zwerg lacht.", "The gnome laughs."]) == 0
        assert {service.translate("Der Zwerg lacht.") for _ in range(12)} == {"The gnome laughs."}
        listed = service.get("/v1/corrections?search=DWARF").json
        assert [one["number"] for one in listed["corrections"]] == [number]
        assert service.ask("DELETE", f"/v1/corrections/{number}").json["target"] == "The dwarf comes often."
        assert "dwarf" not in service.translate(NEW)
        assert service.ask("DELETE", f"/v1/corrections/{number}").error == "unknown_correction"
        capsys.readouterr()
        assert main(["correct", str(engine), "--list", "--json"]) == 0
        assert [one["source"] for one in json.loads(capsys.readouterr().out)] == ["Der Zwerg lacht."]


def test_memory_shows_what_differs(served: Served) -> None:
    found = served.post("/v1/memory/search", {"text": "Der alte König schläft hier.", "size": 3}).json[
        "examples"
    ]
    assert len(found) == 3
    assert [one["similarity"] for one in found] == sorted((one["similarity"] for one in found), reverse=True)
    for one in found:
        parts = one["differences"]
        # What is the same and what is more is the example as it is written; what is less, the sentence's.
        assert "".join(text for kind, text in parts if kind != "less") == one["source"]
        assert "hier" in "".join(text for kind, text in parts if kind != "more")
    assert dict(PAIRS)[found[0]["source"]] == found[0]["target"]


def test_a_translation_goes_on_from_what_was_typed(served: Served) -> None:
    asked = {"source": "Der müde König lacht.", "typed": "The ti", "alternatives": 3}
    answer = served.post("/v1/complete", asked).json
    assert (answer["completion"], answer["next_word"]) == ("red king laughs.", "red")
    assert answer["text"] == "The tired king laughs."
    words = [one["text"] for one in answer["alternatives"]]
    assert len({answer["next_word"], *words}) == 1 + len(words)
    assert served.post("/v1/complete", {**asked, "typed": "\0"}).error == "no_text"
    assert served.post("/v1/complete", {**asked, "alternatives": 21}).status == 422


def test_terms_are_stored_with_the_engine(engine: Path, tmp_path: Path) -> None:
    with serving(tmp_path, engine) as service:
        answer = service.post("/v1/terms", {"term": "König", "translation": "monarch"})
        assert "terms" in answer.json, answer
        terms = answer.json["terms"]
        assert terms == [{"term": "König", "translation": "monarch"}]
        assert {service.translate("Der König lacht.") for _ in range(6)} == {"The monarch laughs."}
        assert (engine / "terms.tsv").read_text() == "König\tmonarch\n"
        service.post("/v1/terms", {"term": "König"})
        assert service.translate("Der König lacht.") == "The König laughs."
        assert service.ask("DELETE", "/v1/terms?term=K%C3%B6nig").json["terms"] == []
        assert service.translate("Der König lacht.") == "The king laughs."
        assert service.ask("DELETE", "/v1/terms?term=none").error == "unknown_term"
        assert service.post("/v1/terms", {"term": "a\tb"}).error == "bad_term"


def test_evaluate_and_rerank_the_texts_of_any_system(served: Served) -> None:
    references = [target for _, target in PAIRS[:20]]
    worse = [text.replace("The", "A") for text in references]
    answer = served.post(
        "/v1/evaluate", {"systems": {"a": worse, "b": references}, "references": references}
    ).json
    scores = {(row["system"], row["metric"]): row["score"] for row in answer["rows"]}
    assert scores["b", "BLEU"] == pytest.approx(100)
    assert scores["a", "BLEU"] < 90
    assert answer["differences"]["b"][0]["system"] in references
    lists = [[{"text": "one tree"}, {"text": "a big house"}, {"text": "a big house"}, {"text": "a house"}]]
    ranked = served.post("/v1/rerank", {"lists": lists}).json["lists"][0]
    assert ranked[0]["number"] in (1, 2)
    assert ranked[-1]["text"] == "one tree"
    assert served.post("/v1/evaluate", {"systems": {"a": ["x"]}, "references": ["x", "y"]}).error == "lengths"


def test_the_system_tells_how_it_was_made(served: Served) -> None:
    listed = served.get("/v1/systems").json["systems"]
    assert [(one["name"], one["source_language"], one["target_language"]) for one in listed] == [
        ("engine", "de", "en")
    ]
    facts = served.get("/v1/systems/engine").json
    assert facts["weights"]["lm"] > 0
    assert facts["training"]["results"]["dev"]["scores"]["BLEU"]["score"] > 50
    assert {one["stage"] for one in facts["training"]["stages"]} > {"align"}
    assert facts["retrain"]["command"] == "isogloss retrain engine"
    assert served.get("/v1/systems/other").error == "unknown_system"


def test_a_system_trained_again_is_taken_up(engine: Path, tmp_path: Path) -> None:
    system = load(engine)
    with serving(tmp_path, engine) as service:
        before = service.post("/v1/translate", {"text": NEW}).json["translations"][0]["score"]
        system.save_weights({**system.weights, "lm": 2 * system.weights["lm"]})
        after = {
            service.post("/v1/translate", {"text": NEW}).json["translations"][0]["score"] for _ in range(8)
        }
        assert len(after) == 1
        assert before not in after


def test_health_answers_and_metrics_count_all_workers(engine: Path, tmp_path: Path) -> None:
    with serving(tmp_path, engine, "--workers", "2") as service:
        assert service.get("/health").json == {"status": "ok"}
        for _ in range(10):
            service.translate(NEW)
        text = ""
        while 'isogloss_requests_total{route="/v1/translate",status="2xx"} 10' not in text:
            text = service.get("/metrics").content.decode()  # counted when an answer has been sent
        assert 'isogloss_request_seconds_bucket{route="/v1/translate",le="+Inf"} 10' in text
        assert "isogloss_sentences_total 10" in text
        assert "isogloss_workers_ready 2" in text
        assert "isogloss_requests_in_flight 0" in text
