from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from isogloss.decoder import (
    Arc,
    CommandOptions,
    ExternalDecoder,
    Fixed,
    Lattice,
    NbestDecoder,
    Sentence,
    load,
)
from isogloss.io.errors import ConfigError, ExternalCommandError

# Translates by turning words around; the weight of "turned" decides what comes first.
SCRIPT = """
import sys
source, weights, nbest, size = sys.argv[1:]
weights = dict(line.split("\\t") for line in open(weights))
with open(nbest, "w") as out:
    for number, line in enumerate(open(source)):
        for text, turned in ((line.strip(), 0), (line.strip()[::-1], 1))[:int(size)]:
            print(number, text, f"turned= {turned}", float(weights["turned"]) * turned, sep=" ||| ", file=out)
"""
WRITE = "import sys; open(sys.argv[3], 'w').write('{}')"
FILES = ["{source}", "{weights}", "{nbest}", "{size}"]
Make = Callable[..., ExternalDecoder]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def decoder(script: str, *arguments: str, **options: float) -> ExternalDecoder:
        (tmp_path / "decoder.py").write_text(script)
        # -S and -E: starting an interpreter takes most of the time of these tests.
        command = [sys.executable, "-S", "-E", str(tmp_path / "decoder.py"), *(arguments or FILES)]
        return ExternalDecoder(command, CommandOptions(**options))  # type: ignore[arg-type]

    return decoder


def test_a_command_is_a_decoder(make: Make) -> None:
    decoder: NbestDecoder = make(SCRIPT)
    sources = [
        "ab c",
        Sentence.of("d e", fixed=[Fixed(0, 1, ("x",))]),
        Lattice(2, (Arc(0, 1, "a"),)),
        "two\nlines",
    ]
    store = decoder.decode(sources, {"turned": 0.5}, size=2)
    assert store.dense_names == ["turned"]
    assert store.scores.tolist() == [0, 0.5] * 4
    assert list(store.texts()) == [
        *("ab c", "c ba", "d e", "e d"),
        *("((('a', 0.0, 1),),)", "),),)1 ,0.0 ,'a'((("),
        *("two lines", "senil owt"),
    ]
    assert decoder.decode(["a"], {"turned": 0}, size=1).num_candidates == 1


def test_standard_streams_and_braces(make: Make) -> None:
    script = "import sys; print(0, '|||', sys.stdin.read().strip(), *sys.argv[1:2], '||| ||| 1')"
    decoder = make(script, "{{{size}}}", "{weights}")
    assert decoder.decode(["a b"], {}, size=7).text(0) == "a b {7}"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("import sys; sys.exit('no model here')", "failed with exit code 1; it said:\nno model here"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "was killed by SIGSEGV"),
        ("print('all is well')", "wrote no n-best list to {nbest}; it said:\nall is well"),
        ("import sys; open(sys.argv[3], 'w')", "wrote an invalid n-best list: the file is empty"),
        ("import sys; open(sys.argv[3], 'w').write('garbage')", "wrote an invalid n-best list: .* on line 1"),
        (
            "import sys; open(sys.argv[3], 'wb').write(bytes(9))",
            "wrote an invalid n-best list: not a text file",
        ),
        (
            "import sys; print('sorry', file=sys.stderr);" + WRITE.format("1 ||| a ||| f= 1 ||| 1"),
            "wrote an invalid n-best list: there is no sentence 0 in it; it said:\nsorry",
        ),
        (
            WRITE.format("\\n".join(f"{i} ||| a ||| f= 1 ||| 1" for i in range(3))),
            "it has a sentence 2, and there were 2, numbered from 0",
        ),
    ],
)
def test_commands_that_fail(make: Make, script: str, message: str) -> None:
    with pytest.raises(ExternalCommandError, match=message):
        make(script).decode(["a", "b"], {}, size=1)


def test_a_command_that_hangs_is_ended_with_all_that_it_started(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"""
import os, sys, time
print("waiting for nothing", file=sys.stderr, flush=True)
child = os.fork()
open({str(tmp_path / "pid")!r} + str(bool(child)), "w").write(str(os.getpid()))
time.sleep(3600)
"""
    pids = [tmp_path / f"pid{parent}" for parent in (True, False)]
    wait = subprocess.Popen.wait

    def wait_for_both(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        while timeout is not None and not all(pid.exists() and pid.read_text() for pid in pids):
            time.sleep(0.01)  # its time begins when it has come so far, however busy the machine is
        return wait(process, timeout)

    monkeypatch.setattr(subprocess.Popen, "wait", wait_for_both)
    with pytest.raises(
        ExternalCommandError, match=r"did not finish within 0\.1 seconds; it said:\nwaiting for"
    ):
        make(script, "{weights}", timeout=0.1).decode(["a"], {}, size=1)
    while any(is_alive(int(pid.read_text())) for pid in pids):
        time.sleep(0.01)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")  # an orphan may wait there for somebody to look at its exit code
    return not (stat.is_file() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


def test_commands_that_make_no_sense(make: Make) -> None:
    with pytest.raises(ExternalCommandError, match="/nowhere/decoder: cannot be started: No such file"):
        ExternalDecoder(["/nowhere/decoder", "{weights}"]).decode(["a"], {}, size=1)
    with pytest.raises(ConfigError, match=r"'\{sorce\}' in the argument '.*' is not a known name"):
        ExternalDecoder(["x", "{sorce}", "{weights}"])
    with pytest.raises(ConfigError, match=r"does not contain \{weights\}"):
        ExternalDecoder(["x"])
    for command in ([], "x {weights}", [""]):
        with pytest.raises(ConfigError, match="the command must be a list"):
            ExternalDecoder(command)
    with pytest.raises(ConfigError, match="timeout must be above 0 seconds, got 0"):
        CommandOptions(timeout=0)
    with pytest.raises(ConfigError, match="size must be at least 1, got 0"):
        make(SCRIPT).decode(["a"], {}, size=0)


def test_our_own_system_is_one_too(systems: Path) -> None:
    system = load(systems / "phrase")
    decoder: NbestDecoder = system
    line = "the little kings 's lummer helps me ."
    own = system.nbest([line], nbest=5)
    assert decoder.decode([line], system.weights, size=5).equals(own)
    other = decoder.decode([line], {**system.weights, "words": 5.0}, size=5)
    assert not other.equals(own)
    assert system.nbest([line], nbest=5).equals(own)
    with pytest.raises(ConfigError, match="no weight for"):
        decoder.decode([line], {}, size=5)
    assert system.nbest([line], nbest=5).equals(own)
