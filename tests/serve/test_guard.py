"""Who may ask: tokens, other sites, other names, limits; and how the service stops."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from isogloss.cli.main import main
from isogloss.io.errors import ConfigError
from isogloss.serve.engines import engine_names
from isogloss.serve.guard import Tokens
from isogloss.serve.options import ServeOptions
from support.served import Served, serving

TOKEN = "0123456789abcdef0123"
TEXT = {"text": "Der König lacht."}
JSON = {"Content-Type": "application/json"}


def test_other_machines_need_a_token_or_a_word() -> None:
    with pytest.raises(ConfigError, match="token file is needed"):
        ServeOptions(host="0.0.0.0")
    with pytest.raises(ConfigError, match="contradict"):
        ServeOptions(token_file="tokens", auth=False)
    assert not ServeOptions(host="0.0.0.0", auth=False).is_local
    assert ServeOptions(host="::1").is_local


def test_tokens_are_checked_before_they_are_used(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"# ours\n{TOKEN}\n\n{TOKEN[::-1]}\n")
    known = Tokens.read(tokens)
    assert known.known(TOKEN)
    assert known.known(TOKEN[::-1])
    assert not known.known(TOKEN[:-1])
    assert not known.known("")
    tokens.write_text("short\n")
    with pytest.raises(ConfigError, match="shorter than 16"):
        Tokens.read(tokens)
    tokens.write_text("\n")
    with pytest.raises(ConfigError, match="no token"):
        Tokens.read(tokens)


def test_engines_have_names() -> None:
    assert list(engine_names(["a/de", "fr=b/engine"])) == ["de", "fr"]
    with pytest.raises(ConfigError, match="two engines are called 'de'"):
        engine_names(["a/de", "b/de"])
    with pytest.raises(ConfigError, match="not the name"):
        engine_names(["a b=engine"])


def test_a_folder_that_is_no_engine_is_the_users_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", str(tmp_path), "--port", "0"]) == 2
    assert "isogloss train" in capsys.readouterr().err


def test_only_a_token_opens_the_interface(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text(TOKEN)
    with serving(tmp_path, engine, "--token-file", tmp_path / "tokens") as service:
        for path in ("/v1/systems", "/metrics"):
            refused = service.get(path)
            assert refused.status == 401
            assert refused.headers["www-authenticate"] == "Bearer"
        assert service.post("/v1/translate", TEXT, Authorization="Bearer wrong").status == 401
        assert service.post("/v1/translate", TEXT, Authorization=f"Bearer {TOKEN}").status == 200
        form = {"q": TEXT["text"], "source": "de", "target": "en"}
        assert service.post("/translate", form).status == 403
        assert service.post("/translate", {**form, "api_key": TOKEN}).status == 200
        assert [service.get(path).status for path in ("/", "/health", "/ready", "/openapi.json")] == [200] * 4
        log = service.log.read_text()
        assert "POST /v1/translate 200" in log
        assert "König" not in log
        assert TOKEN not in log


def test_pages_of_strangers_are_refused(served: Served) -> None:
    own = f"127.0.0.1:{served.port}"
    assert served.post("/v1/translate", TEXT, Host="rebound.example").status == 421
    assert served.post("/v1/translate", TEXT, Origin="http://stranger.example").status == 403
    for origin in ("null", "http://[", "http://127.0.0.1]:80"):
        assert served.post("/v1/translate", TEXT, Origin=origin).status == 403, origin
    assert served.post("/v1/translate", TEXT, **{"Sec-Fetch-Site": "cross-site"}).status == 403
    assert served.post("/v1/translate", TEXT, Origin=f"http://{own}", Host=own).status == 200
    assert served.post("/v1/translate", TEXT, Host=f"localhost:{served.port}").status == 200
    asked = served.ask("OPTIONS", "/v1/translate", headers={"Origin": "http://stranger.example"})
    assert asked.status == 403
    # What a form of another site could send without asking first is no JSON for us.
    plain = served.ask(
        "POST", "/v1/corrections", raw=b'{"source":"a","target":"b"}', headers={"Content-Type": "text/plain"}
    )
    assert plain.status == 422
    for answer in (served.get("/"), served.post("/v1/translate", TEXT)):
        assert not [name for name in answer.headers if name.lower().startswith("access-control")]
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_no_path_of_a_request_reaches_the_file_system(served: Served) -> None:
    for path in (
        "/page/../options.py",
        "/page/%2e%2e/options.py",
        "/page//etc/passwd",
        "/v1/systems/..%2f..%2fetc",
    ):
        assert served.get(path).status == 404, path
    catalog = b'msgid "Der Hund"\nmsgstr ""\n'
    assert served.upload("/v1/catalog/fill", catalog, name="../../../tmp/evil.po").status == 200
    assert served.upload("/v1/catalog/fill", catalog, name="/etc/passwd").error == "unknown_format"
    assert "/" not in served.upload("/v1/catalog/fill", b"\xff nothing", name="x.po").json["error"]["message"]


def _slowly(pieces: int) -> Iterator[bytes]:
    """A body that goes on after its limit, as that of a client which sends all before it reads the answer."""
    for _ in range(pieces):
        yield b"x" * 1000
        time.sleep(0.05)


def test_limits_on_texts_read_only_and_texts_in_the_log(engine: Path, tmp_path: Path) -> None:
    limits = ["--max-sentence", "50", "--max-batch", "3", "--max-body", "2K"]
    with serving(tmp_path, engine, *limits, "--read-only", "--log-texts") as service:
        assert service.post("/v1/translate", {"text": "a" * 51}).error == "too_long"
        assert service.post("/v1/translate", {"text": ["a"] * 4}).error == "too_many"
        assert service.post("/v1/translate", {"text": ["a " * 20] * 200}).status == 413
        assert service.ask("POST", "/v1/catalog/fill?name=a.po", raw=_slowly(5)).status == 413  # type: ignore[arg-type]
        assert service.post("/v1/translate", {"text": "\0"}).error == "no_text"
        lone = service.ask("POST", "/v1/translate", raw=b'{"text": "\\ud800"}', headers=JSON)
        assert lone.status == 422
        assert service.post("/v1/translate", {"text": "a" * 50}).status == 200
        assert service.post("/v1/corrections", {"source": "a", "target": "b"}).error == "read_only"
        assert service.ask("DELETE", "/v1/corrections/1").error == "read_only"
        assert service.post("/v1/terms", {"term": "a"}).error == "read_only"
        assert service.get("/v1/systems").json["systems"][0]["read_only"] is True
        assert not (engine / "corrections").exists()
        assert "a" * 50 in service.log.read_text()


def test_requests_beyond_the_limit_are_told_when_to_come_back(engine: Path, tmp_path: Path) -> None:
    with serving(tmp_path, engine, "--workers", "2", "--max-in-flight", "2") as service:
        # Two requests whose bodies never arrive are under way, wherever they are.
        slow = [socket.create_connection(("127.0.0.1", service.port)) for _ in range(2)]
        for one in slow:
            one.sendall(b"POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n")
        while "isogloss_requests_in_flight 2" not in service.get("/metrics").content.decode():
            time.sleep(0.01)
        for _ in range(4):
            refused = service.post("/v1/translate", TEXT)
            assert (refused.status, refused.error) == (503, "busy")
            assert int(refused.headers["retry-after"]) >= 1
        assert service.get("/health").status == 200
        for one in slow:
            one.close()
        while service.post("/v1/translate", TEXT).status != 200:
            time.sleep(0.01)
        # Many more than the limit at once: each gets an answer, and some get a translation.
        found: list[int] = []
        ask = partial(_ask_often, service, found)
        threads = [threading.Thread(target=ask) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 60
        assert 200 in found
        assert set(found) <= {200, 503}


def test_a_request_that_takes_too_long_is_answered(engine: Path, tmp_path: Path) -> None:
    texts = [f"Der Zwerg {number} schläft oft heute. " * 10 for number in range(256)]
    with serving(tmp_path, engine, "--max-seconds", "0.05") as service:
        # On a busy machine the body itself may come too late.
        while (refused := service.post("/v1/translate", {"text": texts})).status == 408:
            assert refused.error == "too_slow"
        assert (refused.status, refused.error) == (503, "too_slow")
        assert refused.headers["retry-after"]


def test_a_worker_that_is_killed_is_replaced_and_corrections_stay(engine: Path, tmp_path: Path) -> None:
    with serving(tmp_path, engine, "--workers", "1") as service:
        assert service.post("/v1/corrections", {"source": "Zwerg", "target": "dwarf"}).status == 200
        (worker,) = service.workers()
        os.kill(worker, signal.SIGKILL)
        while service.workers() in ([], [worker]):
            time.sleep(0.01)
        service.wait_until_ready()
        assert service.translate("Zwerg") == "dwarf"


def test_a_service_that_is_told_to_stop_finishes_what_is_under_way(engine: Path, tmp_path: Path) -> None:
    with serving(tmp_path, engine, "--workers", "1") as service:
        # The first half of a body has arrived when the service is told to stop, the second comes after.
        body = b'{"text": "Der K\xc3\xb6nig lacht."}'
        head = "POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += f"Content-Length: {len(body)}\r\n\r\n"
        connection = socket.create_connection(("127.0.0.1", service.port))
        connection.sendall(head.encode() + body[:10])
        while "isogloss_requests_in_flight 1" not in service.get("/metrics").content.decode():
            time.sleep(0.01)
        (worker,) = service.workers()
        listening = _sockets(service.process.pid) & _sockets(worker)
        assert listening
        service.process.send_signal(signal.SIGTERM)
        while listening & _sockets(worker):  # it takes no more requests
            time.sleep(0.01)
        connection.sendall(body[10:])
        with connection, connection.makefile("rb") as stream:
            answer = stream.read()
        assert answer.startswith(b"HTTP/1.1 200")
        assert b"The king laughs." in answer
        assert service.process.wait() == 0


def test_workers_end_with_a_supervisor_that_was_killed(engine: Path, tmp_path: Path) -> None:
    with serving(tmp_path, engine) as service:
        workers = service.workers()
        assert len(workers) >= 2
        service.process.kill()
        service.process.wait()
        while any(_runs(worker) for worker in workers):
            time.sleep(0.02)


def test_a_damaged_engine_never_becomes_ready(engine: Path, tmp_path: Path) -> None:
    (file,) = (engine / "matches").glob("target_text*")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with serving(tmp_path, engine, ready=False) as service:
        while "damaged" not in service.log.read_text():
            time.sleep(0.02)
        answer = service.get("/ready")
        assert (answer.status, answer.json["ready"]) == (503, False)
        assert service.get("/health").status == 200


def _ask_often(service: Served, found: list[int]) -> None:
    for _ in range(5):
        found.append(service.post("/v1/translate", TEXT).status)


def _sockets(process: int) -> set[str]:
    found = set()
    for file in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.add(str(file.readlink()))
    return {name for name in found if name.startswith("socket:")}


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    return state != "Z"
