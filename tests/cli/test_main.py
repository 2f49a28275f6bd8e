"""The command line itself: exit codes, streams, help, completion and progress."""

from __future__ import annotations

import errno
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import isogloss
from isogloss.cli import console
from isogloss.cli import nbest as nbest_verbs
from isogloss.cli.main import main
from isogloss.cli.main import verbs as declared_verbs
from isogloss.io.errors import InternalError
from support.ntt_corpus import write_task

COMMAND = [sys.executable, "-m", "isogloss"]


@pytest.fixture(autouse=True)
def _not_quiet_afterwards():
    yield
    console.set_quiet(False)


@pytest.fixture
def nbest(tmp_path: Path) -> str:
    path = tmp_path / "list"
    path.write_text("0 ||| a b ||| LM= -1 ||| -2\n1 ||| c ||| LM= -3 ||| -4\n")
    return str(path)


def verbs() -> dict[tuple[str, ...], dict[str, str] | None]:
    """Every command that can be typed, as words, with the helps of its parameters; None for a group."""

    found: dict[tuple[str, ...], dict[str, str] | None] = {}
    for words, inner in declared_verbs():
        found[words] = None
        if inner.default_command is not None:
            arguments = inner.assemble_argument_collection()
            found[words] = {name: item.parameter.help or "" for item in arguments for name in item.names}
    return found


# Exit codes ----------------------------------------------------------------------------------------------


def test_users_mistakes_are_2(nbest: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, message in [
        (["bogus"], 'Unknown command "bogus".'),
        (["nbest", "bogus"], 'Unknown command "bogus".'),
        (["nbest", "info"], "LIST is missing; see 'isogloss nbest info --help'"),
        (["nbest", "info", "--bogus", nbest], "Unknown option: --bogus; see 'isogloss nbest info --help'"),
        (["nbest", "info", nbest + "x"], f"{nbest}x: No such file or directory"),
    ]:
        assert main(arguments) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith(f"error: {message}")


def test_our_mistakes_are_1(
    nbest: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def bug(_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(nbest_verbs, "summarize", bug)
    assert main(["nbest", "info", nbest]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith(
        "error: ZeroDivisionError: a bug\nThis is a bug in Isogloss; please run it again"
    )
    assert "Traceback" not in captured.err
    assert main(["--debug", "nbest", "info", nbest]) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err

    def known(_: object) -> None:
        raise InternalError("this cannot happen")

    monkeypatch.setattr(nbest_verbs, "summarize", known)
    assert main(["nbest", "info", nbest]) == 1
    assert capsys.readouterr().err == "error: this cannot happen\n"


def test_a_bug_that_is_about_a_file_is_still_ours(
    nbest: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def bug(_: object) -> None:
        raise FileNotFoundError(2, "No such file or directory", "a file of ours")

    monkeypatch.setattr(nbest_verbs, "summarize", bug)
    assert main(["nbest", "info", nbest]) == 1
    assert "This is a bug in Isogloss" in capsys.readouterr().err


def test_debug_shows_a_traceback_and_keeps_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--debug", "nbest", "info", "missing"], ["nbest", "info", "missing", "--debug"]):
        assert main(arguments) == 2
        err = capsys.readouterr().err
        assert err.startswith("Traceback (most recent call last)")
        assert err.endswith("error: missing: No such file or directory\n")


def test_ctrl_c_is_130(
    nbest: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(nbest_verbs, "summarize", interrupted)
    assert main(["nbest", "info", nbest]) == 130
    assert capsys.readouterr().err.strip() == "interrupted"


def test_ctrl_c_while_reading() -> None:
    process = subprocess.Popen(
        [*COMMAND, "nbest", "convert", "-"], stdin=-1, stdout=-1, stderr=-1, start_new_session=True
    )
    assert process.stdin is not None
    process.stdin.write(b"0 ||| a ||| ||| 1\n" * 20_000)  # more than a pipe holds: the command is reading
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert out == b""
    assert err.strip() == b"interrupted"


@pytest.mark.parametrize("buffered", [True, False])
def test_a_reader_that_has_seen_enough(tmp_path: Path, buffered: bool) -> None:
    path = tmp_path / "list"
    path.write_text("0 ||| a b ||| LM= -1 ||| -2\n" * 20_000)
    environment = {**os.environ, "PYTHONUNBUFFERED": "" if buffered else "1"}
    process = subprocess.Popen(
        [*COMMAND, "--quiet", "nbest", "convert", str(path)], stdout=-1, stderr=-1, env=environment
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(10) == b"0 ||| a b "
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=600) != 0


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["nbest", "info", "LIST"], ["LIST"]])
def test_a_full_standard_output(nbest: str, arguments: list[str]) -> None:
    words = [nbest if word == "LIST" else word for word in arguments]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*COMMAND, *words], stdout=full, stderr=-1, text=True, timeout=600)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert arguments == ["LIST"] or done.stderr == "error: standard output: No space left on device\n"


def test_closed_streams(nbest: str) -> None:
    command = " ".join(COMMAND)
    done = subprocess.run(
        ["bash", "-c", f"{command} nbest info {nbest} >&-"], stderr=subprocess.PIPE, text=True, timeout=600
    )
    assert done.returncode == 2  # nobody has seen the result
    assert done.stderr.startswith("error: standard output: is closed")
    done = subprocess.run(
        ["bash", "-c", f"{command} nbest info - <&-"], stderr=subprocess.PIPE, text=True, timeout=600
    )
    assert (done.returncode, done.stderr[:31]) == (2, "error: standard input: is closed"[:31])
    assert subprocess.run(["bash", "-c", f"{command} nbest info {nbest}x 2>&-"], timeout=600).returncode == 2


LIMITED = """
import resource, sys
import numpy  # its OpenBLAS interrupts the process (SIGINT) if it cannot start its threads
from isogloss.cli.main import main
kind, amount, *words = sys.argv[1:]
if kind == "AS":  # beyond what the process has already
    amount = int(amount) + 4096 * int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(getattr(resource, f"RLIMIT_{kind}"), (int(amount), int(amount)))
sys.exit(main(words))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits and /proc of Linux")
@pytest.mark.parametrize(
    ("kind", "amount"), [*(("AS", amount) for amount in (0, 1 << 20, 1 << 24, 1 << 26)), ("NOFILE", 4)]
)
def test_too_little_memory_or_files_is_no_bug(nbest: str, kind: str, amount: int) -> None:
    command = [sys.executable, "-c", LIMITED, kind, str(amount), "nbest", "info", nbest]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 2), done.stderr
    if done.returncode:
        assert done.stderr.startswith("error: ")
        assert "bug" not in done.stderr


def test_an_interpreter_that_fails_without_memory_is_no_bug(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def failed(words: list[str]) -> None:
        raise SystemError("error return without exception set")

    module = sys.modules["isogloss.cli.main"]
    monkeypatch.setattr(module, "run_words", failed)
    assert main(["nbest", "info", "list"]) == 1
    assert "bug" in capsys.readouterr().err
    monkeypatch.setattr(module, "_SPARE", 1 << 62)
    assert main(["nbest", "info", "list"]) == 2
    assert capsys.readouterr().err.startswith("error: not enough memory")


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EIO, errno.EDQUOT])
def test_what_the_machine_refuses_is_no_bug(
    number: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(words: list[str]) -> None:
        raise OSError(number, os.strerror(number), "work/list")

    monkeypatch.setattr(sys.modules["isogloss.cli.main"], "run_words", refused)
    assert main(["nbest", "info", "list"]) == 2
    assert capsys.readouterr().err == f"error: work/list: {os.strerror(number)}\n"


# What is printed -----------------------------------------------------------------------------------------


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    version, engine, python = capsys.readouterr().out.splitlines()
    assert version == f"isogloss {isogloss.__version__}"
    assert re.fullmatch(r"engine: \w+ \d[\d.]*, \w+( native)?", engine)
    assert re.fullmatch(r"python: 3\.\d+\.\S+ on \w+ \S+", python)


def test_quiet_silences_notes_but_not_warnings(nbest: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nbest", "convert", nbest]) == 0
    loud = capsys.readouterr()
    assert loud.err == "wrote 2 candidates of 2 sentences\n"
    for arguments in (["--quiet", "nbest", "convert", nbest], ["nbest", "convert", nbest, "--quiet"]):
        assert main(arguments) == 0
        quiet = capsys.readouterr()
        assert (quiet.out, quiet.err) == (loud.out, "")
    assert main(["--quiet", "nbest", "convert", nbest, "--to", "fairseq"]) == 0
    assert capsys.readouterr().err.startswith("warning: the format 'fairseq' cannot hold")


def test_options_of_the_program_behind_a_double_dash_are_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nbest", "info", "--", "--quiet"]) == 2
    assert capsys.readouterr().err == "error: --quiet: No such file or directory\n"


JSON_CALLS = [
    "cluster check --cluster local",
    "corpus synthetic corpus --pairs 40",
    "corpus check corpus/train.src corpus/train.tgt",
    "corpus clean corpus/train.src corpus/train.tgt clean.tsv",
    "corpus convert corpus/train.src corpus/train.tgt pairs.tsv",
    "select corpus/train.src corpus/train.tgt sampled.src sampled.tgt --for corpus/test.src",
    "classes corpus/train.tgt --classes 3 --restarts 0 --output classes.tsv",
    "column corpus/train.src --type synset --dictionary wordnet --output synsets",
    "align corpus/train.src corpus/train.tgt --output links",
    "extract corpus/train.src corpus/train.tgt corpus/train.align --grammar phrase --output rules",
    "grammar show rules",
    "grammar filter rules filtered --for corpus/test.src",
    "grammar prune rules pruned --source corpus/train.src --target corpus/train.tgt",
    "grammar import table imported",
    "lm build corpus/train.tgt --arpa model.arpa --order 3",
    "lm binarize model.arpa model",
    "lm query model corpus/dev.tgt.0",
    "system create system --rules rules --lm model --search phrase",
    "explain system a",
    "memory build memory --system system --source corpus/train.src --reference corpus/train.tgt --nbest 5",
    "memory add memory --system system --source corpus/test.src --reference corpus/test.tgt.0",
    "memory query memory a",
    "memory remove memory 0",
    "memory info memory",
    "memory compact memory",
    "memory tune memory --system system --source corpus/dev.src --reference corpus/dev.tgt.0 --strength 0.1 "
    "--method mbuu",
    "inspect system --verify",
    "corpus unknown system corpus/test.src",
    "train trained --source corpus/train.src --target corpus/train.tgt --case keep --tuner none",
    "catalog fill trained messages.po --output filled.po",
    "correct trained a b",
    "retrain trained",
    "options train",
    "tune system --dev-source corpus/dev.src --dev-target corpus/dev.tgt.0 --iterations 1 --nbest 5",
    "evaluate corpus/dev.tgt.0 --reference corpus/dev.tgt.0",
    "nbest info list",
    "nbest oracle list --reference corpus/dev.tgt.0",
    "rerank train list --reference corpus/dev.tgt.0 --output reranker",
    "rerank sweep list --reference corpus/dev.tgt.0 --folds 2",
    "rerank explain reranker list --reference corpus/dev.tgt.0",
    "rerank ablate list --reference corpus/dev.tgt.0 --folds 2",
    "experiment reranking --config reranking.toml --output reranking",
    "experiment local-training --config local.toml --output experiment",
    "experiment ntt-iwslt2007 --config ntt/task.toml --output ntt-experiment",
    "experiment online-large-margin --config online.toml --output online",
    "experiment relevant-set --config blocks.toml --output blocks",
    "tune-nbest choice --reference choice.ref --restarts 1",
]
"""A call of every verb that has --json, in an order in which each finds its files; a new one needs a line."""


def test_every_verb_with_json_prints_json(
    nbest: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(nbest).parent
    monkeypatch.chdir(folder)
    (folder / "table").write_text("ein haus ||| a house ||| 0.5 0.5 0.5 0.5 ||| 0-0 1-1 ||| 1 1 1\n")
    (folder / "choice").write_text("0 ||| a b c d ||| LM= -1 ||| -1\n0 ||| b ||| LM= -3 ||| -3\n")
    (folder / "choice.ref").write_text("a b c d\n")
    (folder / "messages.po").write_text('msgid "a"\nmsgstr ""\n')
    (folder / "wordnet").mkdir()
    (folder / "wordnet/index.noun").write_text("miller n 1 0 1 0 00000001\n")

    (folder / "reranking.toml").write_text(
        'list = "list"\nreferences = ["corpus/dev.tgt.0"]\nfeatures = ["popularity"]\n'
        'methods = ["expected", "splitting"]\nfolds = 2\n'
    )

    (folder / "local.toml").write_text(
        'system = "system"\ndev = "a"\ntune = "a"\nruns = 1\niterations = 1\nnbest = 5\nsharpnesses = [10]\n'
        "strengths = { mbuu = [0.001], ebuu = [0.01] }\n"
        'retrieval = { source = "corpus/test.src", references = ["corpus/test.tgt.0"] }\n'
        'sets.a = { source = "corpus/dev.src", references = ["corpus/dev.tgt.0"] }\n'
    )

    (folder / "ntt").mkdir()
    write_task(folder / "ntt")
    (folder / "online.toml").write_text(
        'system = "system"\ntables = [4]\nonline = { iterations = 1, nbest = 5 }\nbaseline = "kbmira"\n'
        'templates = ["pair"]\ndev = { source = "corpus/dev.src", references = ["corpus/dev.tgt.0"] }\n'
    )

    (folder / "blocks.toml").write_text(
        '[train]\nsource = "corpus/train.src"\ntarget = "corpus/train.tgt"\ntest_size = 4\n'
        'tokenizer = "none"\n[relevant]\niterations = 1\n[experiment]\nrows = ["mon-word"]\n'
    )

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    for call in JSON_CALLS:
        code = main(["--quiet", *call.split(), "--json"])
        captured = capsys.readouterr()
        assert code == 0, f"{call}: {captured.err}"
        json.loads(captured.out, parse_constant=refuse)
    for words, helps in verbs().items():
        called = any(call.startswith(" ".join(words) + " ") for call in JSON_CALLS)
        assert helps is None or called == ("--json" in helps), words


@pytest.mark.parametrize("words", verbs(), ids=" ".join)
def test_help_of_every_verb(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "-h" if len(words) == 1 else "--help"]) == 0
    assert " ".join(["Usage: isogloss", *words]) in capsys.readouterr().out
    for name, help in (verbs()[words] or {}).items():
        assert help, f"{words}: {name} has no help"


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "from isogloss.cli.main import main\n"
        "assert main(['--help']) == 0\n"
        "verbs = [name for name in sys.modules if name.startswith('isogloss.cli.')]\n"
        "assert sorted(name[13:] for name in verbs) == ['console', 'help_text', 'main', 'renamed'], verbs\n"
        "heavy = {'numpy', 'scipy', 'sacrebleu', 'sacremoses', 'isogloss._engine', 'zstandard'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "[]\n")


def test_help_needs_no_extra() -> None:
    """Without polib, uvicorn and others, all verbs but those that need them still work."""
    script = (
        "import sys\n"
        "extras = 'polib defusedxml fugashi jieba simplemma HanTa wn eflomal fastapi starlette uvicorn'\n"
        "sys.modules |= dict.fromkeys(extras.split())\n"
        "from isogloss.cli.main import main\n"
        "verbs = [['demo'], ['train'], ['translate'], ['catalog', 'fill'], ['correct'], ['explain']]\n"
        "assert not any([main([*words, '--help']) for words in verbs])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "memory-limit" in script
    assert main(["--show-completion", shell]) == 0  # as it was once called
    assert capsys.readouterr().out == script


def test_completion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out)
    for line, expected in [
        ("isogloss trai", "train"),
        ("isogloss train x --memory-", "--memory-limit"),
        ("isogloss train x --case lo", "lowercase"),
    ]:
        words = line.split()
        ask = f"COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _isogloss; echo ${{COMPREPLY[@]}}"
        done = subprocess.run(["bash", "-c", f"source {script}; {ask}"], capture_output=True, text=True)
        assert done.stdout.split() == [expected]


def test_messages_do_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    console.note("a\x1b[31mb\x07[bold]c\nd")
    console.warn("\x9bx")
    assert capsys.readouterr().err == "a\\x1b[31mb\\x07[bold]c\nd\nwarning: \\x9bx\n"


# Progress ------------------------------------------------------------------------------------------------


TRACK = """
import time
from isogloss.cli import console
for _ in console.track(range(3), "counting [x]", 3):
    time.sleep(0.15)
for _ in console.track_bytes([b"x" * 1000] * 3, "reading a file", 3000):
    time.sleep(0.15)
"""


def in_a_terminal(script: str) -> str:
    """What a script writes to its standard error when that is a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    for name in ("NO_COLOR", "CI", "TTY_COMPATIBLE", "FORCE_COLOR"):
        environment.pop(name, None)
    process = subprocess.Popen([sys.executable, "-c", script], stderr=theirs, env=environment)
    os.close(theirs)
    written = b""
    while select.select([ours], [], [], 600)[0]:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        written += chunk
    os.close(ours)
    assert process.wait(timeout=600) == 0
    return written.decode()


def test_progress_is_a_bar_on_a_terminal() -> None:
    written = in_a_terminal(TRACK)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written)
    assert plain != written
    assert "counting [x]" in plain
    assert re.search(r"[━╸]", plain)
    assert re.search(r"\d/3", plain)
    assert "reading a file" in plain
    assert re.search(r"/3\.0 kB", plain)


def test_no_progress_on_a_terminal_when_quiet() -> None:
    assert in_a_terminal("from isogloss.cli import console\nconsole.set_quiet(True)" + TRACK) == ""


def test_progress_is_plain_lines_elsewhere(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(console.track(range(3), "counting", 3)) == [0, 1, 2]
    assert capsys.readouterr().err == ""  # too short to be worth a line
    monkeypatch.setattr(console, "_PLAIN_EVERY", 0.0)
    assert list(console.track(range(2), "counting", 2)) == [0, 1]
    assert list(console.track(range(1), "counting")) == [0]
    assert b"".join(console.track_bytes([b"x" * 600_000] * 2, "reading", 1_200_000)) == b"x" * 1_200_000
    err = capsys.readouterr().err
    assert re.fullmatch(
        r"counting: 1 of 2 \([\d,]+/s\)\ncounting: 2 of 2 \([\d,]+/s\)\ncounting: 1 \([\d,]+/s\)\n"
        r"reading: 1 of 1 MB \([\d,.]+ MB/s\)\nreading: 1 of 1 MB \([\d,.]+ MB/s\)\n",
        err,
    )
    console.set_quiet(True)
    assert list(console.track(range(2), "counting", 2)) == [0, 1]
    assert list(console.track_bytes([b"x"], "reading")) == [b"x"]
    assert capsys.readouterr().err == ""
