"""The ``isogloss`` command: the verbs, and how errors become messages and exit codes."""

from __future__ import annotations

import errno
import gc
import inspect
import io
import os
import platform
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NoReturn, get_args, get_origin

from cyclopts import (
    App,
    CoercionError,
    CycloptsError,
    Group,
    MissingArgumentError,
    Parameter,
    UnusedCliTokensError,
)

from isogloss._version import __version__
from isogloss.cli import console
from isogloss.cli.help_text import HelpText
from isogloss.cli.renamed import current_words
from isogloss.io.errors import IsoglossError, OutputError

__all__ = ["app", "main", "run_words", "verbs"]

_INTERRUPTED = 130
_USERS_MISTAKE = 2
_OUR_MISTAKE = 1
# As the loader of modules says it, and the compiler of Python.
_NO_ROOM = re.compile("allocate memory|failed to map segment|function compile> returned NULL")
_SPARE = 64 << 20
"""Bytes that a machine that is not short of memory can give."""
_RARE_COLLECTIONS = (50_000, 20, 20)
"""When Python looks for unreachable cycles. Text is many small objects without any; looking takes long."""
_GLOBALS = ("--quiet", "--debug")
_STDOUT_FAILURES = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO}
_OF_THE_MACHINE = {*_STDOUT_FAILURES, errno.EACCES, errno.EPERM, errno.EROFS}
# Cyclopts reads a lone dash as the start of an option, but it means standard input or output. So we pass
# Cyclopts a word that nobody can type: process arguments cannot contain NUL.
_DASH = "\0-"

# Every verb with its sentence in the help. Its module is imported only when the verb is used.
_VERBS: dict[str, dict[str, tuple[str, str]]] = {
    "Start here": {
        "demo": (
            "demo:demo",
            "Build, evaluate and explain an English-German engine from open-source message catalogs.",
        ),
        "train": ("train:train", "Train a translation engine from your own sentence pairs."),
        "translate": (
            "translate:translate",
            "Translate sentences from standard input to standard output.",
        ),
        "catalog": ("catalog:app", "Fill translation catalogs: PO, XLIFF, TMX."),
        "correct": ("correct:correct", "Correct a translation; it holds at once and for good."),
        "explain": ("explain:explain", "Show why a sentence got this translation."),
        "serve": ("serve:serve", "Serve engines: a REST service and a workbench page."),
        "inspect": ("inspect:inspect", "Show how good an engine is, and what a stored folder contains."),
    },
    "Improve an engine": {
        "retrain": (
            "retrain:retrain",
            "Train an engine again with its corrections added to the training text.",
        ),
        "tune": ("tune:tune", "Tune the weights of an engine on a development set."),
        "memory": ("memory:app", "Store sets of examples, and adapt to them sentence by sentence."),
    },
    "Lists of any system": {
        "evaluate": (
            "evaluate:evaluate",
            "Score translations against references, with confidence intervals and significance tests.",
        ),
        "rerank": ("rerank:app", "Train and apply n-best rerankers."),
        "tune-nbest": ("tune_nbest:tune_nbest", "Tune weights on an n-best list."),
        "nbest": ("nbest:app", "Look at, convert and edit n-best lists of any system."),
        "speech": (
            "speech:speech",
            "Translate the output of a speech recognizer, using all its hypotheses.",
        ),
    },
    "Text and models": {
        "corpus": ("corpus:app", "Convert, check, clean, tokenize and generate bilingual text."),
        "select": (
            "select:select",
            "Select sentence pairs of a corpus that are similar to a given text.",
        ),
        "align": ("align:align", "Align the words of a parallel corpus."),
        "classes": ("classes:classes", "Induce word classes from tokenized text."),
        "column": (
            "column:column",
            "Look up lemmas, parts of speech or synsets of words, for sparse features.",
        ),
        "extract": ("extract:extract", "Extract and score translation rules from an aligned corpus."),
        "grammar": ("grammar:app", "Show, filter, prune, import and export rule tables."),
        "lm": ("lm:app", "Estimate, query and store n-gram language models."),
        "system": ("system:app", "Create a translation system from existing models."),
    },
    "Research": {
        "experiment": ("experiment:app", "Reproduce the experiments of the papers on your data."),
        "oracle": (
            "oracle:oracle",
            "Find the best translations within reach of a system, given the references.",
        ),
    },
    "Help": {
        "cluster": ("cluster:app", "Check a cluster of machines for --cluster."),
        "options": ("options:options", "List every option of a verb."),
        "completion": (
            "completion:completion",
            "Print a completion script for your shell.",
        ),
    },
}


def _version() -> str:
    from isogloss import _engine

    build = _engine.build_info()
    return (
        f"isogloss {__version__}\n"
        f"engine: {build['compiler']}, {build['build_type']}\n"
        f"python: {platform.python_version()} on {platform.system()} {platform.machine()}"
    )


def _make_app() -> App:
    made = App(
        name="isogloss",
        help="Train, tune, rerank and adapt machine translation systems.",
        version=_version,
        help_flags=["--help", "-h"],
        help_format="plaintext",
        help_formatter=HelpText(),
        default_parameter=Parameter(negative=(), consume_multiple=True),
        group_commands=Group("Commands", sort_key=99),
    )
    for number, (heading, members) in enumerate(_VERBS.items()):
        group = Group(heading, sort_key=number)
        for place, (name, (where, sentence)) in enumerate(members.items()):
            made.command(f"isogloss.cli.{where}", name=name, help=sentence, group=group, sort_key=place)
    return made


app = _make_app()


def verbs(inner: App = app, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], App]]:
    """Every command, as words, with its app."""
    yield words, inner
    for name in inner:
        if not name.startswith("-"):
            yield from verbs(inner[name], (*words, name))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 2 for a user error, 1 for a bug, 130 on Ctrl-C."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    given, words = _without_globals(words)
    console.set_quiet("--quiet" in given)
    debug = "--debug" in given
    try:
        result = run_words(words)
        sys.stdout.flush()
    except SystemExit as request:  # a shell that asks for completions
        return request.code if isinstance(request.code, int) else _OUR_MISTAKE
    except KeyboardInterrupt:
        return _say_interrupted()
    except BrokenPipeError:
        # The reader of our output (head, less) has closed it.
        _abandon_stdout()
        return _OUR_MISTAKE
    except CycloptsError as error:
        return _explain(error)
    except IsoglossError as error:
        if debug:
            traceback.print_exc()
        console.error(str(error))
        return error.exit_code
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _STDOUT_FAILURES and error.filename is None:
            _abandon_stdout()
            console.error(f"standard output: {error.strerror}")
            return _USERS_MISTAKE
        if debug:
            traceback.print_exc()
        if shortage := _shortage(error):
            console.error(shortage)
            return _USERS_MISTAKE
        advice = "please report it" if debug else "please run it again with --debug and report what it prints"
        console.error(
            f"{type(error).__name__}: {error}\nThis is a bug in Isogloss; {advice} "
            "(see SECURITY.md or the issue tracker)."
        )
        return _OUR_MISTAKE
    return result if isinstance(result, int) else 0


def run_words(words: list[str]) -> Any:
    """Run one command; errors are raised."""
    if not words:
        app.help_print()
        return _USERS_MISTAKE
    words = current_words(words, console.note)
    inner, rest = _verb(words)
    if inner.default_command is None and not rest:  # a group of verbs without a verb
        app.help_print(words)
        return _USERS_MISTAKE
    _tell_all(inner)
    words = [_DASH if word == "-" else word for word in words]
    command, bound, _ = app.parse_args(words, exit_on_error=False, print_error=False)
    return command(*_dashed(bound.args), **_dashed(bound.kwargs))


def _verb(words: list[str]) -> tuple[App, list[str]]:
    """The command that the first words name, and the remaining words."""
    inner = app
    for place, word in enumerate(words):
        if word.startswith("-") or word not in inner:
            return inner, words[place:]
        inner = inner[word]
    return inner, []


def _dashed(value: Any) -> Any:
    """The value with dashes put back that were hidden from Cyclopts."""
    if isinstance(value, str):
        return value.replace(_DASH, "-")
    if isinstance(value, Path):
        return Path("-") if str(value) == _DASH else value
    if isinstance(value, list | tuple):
        return type(value)(map(_dashed, value))
    if isinstance(value, dict):
        return {name: _dashed(item) for name, item in value.items()}
    return value


def _tell_all(inner: App) -> None:
    """Make the whole docstring the help of a verb; the list of verbs shows its first sentence only."""
    if inner.default_command is not None:
        # Join the lines of a paragraph: help is as wide as the terminal.
        paragraphs = (inspect.getdoc(inner.default_command) or "").split("\n\n")
        inner.help = "\n\n".join(" ".join(lines.split()) for lines in paragraphs)


def _without_globals(words: list[str]) -> tuple[set[str], list[str]]:
    """Accept global options anywhere: people add --quiet at the end of a line."""
    end = words.index("--") if "--" in words else len(words)
    given = {word for word in words[:end] if word in _GLOBALS}
    return given, [word for word in words[:end] if word not in _GLOBALS] + words[end:]


def _say_interrupted() -> int:
    console.note("interrupted")
    return _INTERRUPTED


def _shortage(error: BaseException) -> str:
    """What the machine has too little of or does not allow, if that is why something failed."""
    seen: BaseException | None = error
    while seen is not None:
        number, text = getattr(seen, "errno", None), str(seen)
        # Without memory, the interpreter itself may fail before it can say why.
        unsaid = isinstance(seen, SystemError) and not _has_memory()
        if isinstance(seen, MemoryError) or number == errno.ENOMEM or _NO_ROOM.search(text) or unsaid:
            return "not enough memory; use fewer --threads, a lower --memory-limit or less text at a time"
        if number in (errno.EMFILE, errno.ENFILE) or "Too many open files" in text:
            return "too many open files; raise the limit (ulimit -n)"
        if isinstance(seen, OSError) and number in _OF_THE_MACHINE:
            return f"{seen.filename}: {seen.strerror}" if seen.filename else str(seen.strerror)
        seen = seen.__cause__ or seen.__context__
    return ""


def _has_memory() -> bool:
    try:
        bytearray(_SPARE)
    except MemoryError:
        return False
    return True


def _abandon_stdout() -> None:
    """Redirect standard output to the null device, so that the interpreter does not complain when it flushes
    at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explain(error: CycloptsError) -> int:
    """Report an error in the command line itself."""
    path = " ".join(["isogloss", *(error.command_chain or ())])
    said = _plain(error)
    console.error(f"{said}{' See' if said.endswith('?') else '; see'} '{path} --help'")
    return _USERS_MISTAKE


def _plain(error: CycloptsError) -> str:
    """A short message for an error in the command line."""
    if isinstance(error, UnusedCliTokensError) and error.unused_tokens:
        return f"unexpected argument '{_dashed(error.unused_tokens[0])}'"
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        name = error.keyword or error.argument.name
        return f"{name} needs a value" if error.keyword else f"{name} is missing"
    if isinstance(error, CoercionError) and error.token is not None and error.argument is not None:
        name, kind = error.token.keyword or error.argument.name, error.target_type
        choices = ", ".join(map(str, get_args(kind))) if get_origin(kind) is Literal else ""
        what = f"one of {choices}" if choices else {int: "a whole number", float: "a number"}.get(kind)  # type: ignore[arg-type]
        if what is not None:
            return f"{name} must be {what}, got '{_dashed(error.token.value)}'"
    return str(_dashed(str(error))).strip().rstrip(".")


def _prepare_streams() -> None:
    """Write UTF-8 with plain line feeds in any locale; file names may contain any bytes."""
    for descriptor in range(3):  # closed by the caller: no file of ours may take its number
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = _ClosedOutput()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")  # must not fail
    if not isinstance(sys.stdout, io.TextIOWrapper):
        return
    if sys.stdout.isatty():
        sys.stdout.reconfigure(errors="replace")
        return
    bytes_out: Any = sys.stdout.detach()
    if not isinstance(bytes_out, io.BufferedIOBase):
        # With PYTHONUNBUFFERED, text goes straight to the file, and a full disk loses it silently. A buffered
        # writer reports the error.
        bytes_out = io.BufferedWriter(bytes_out)
    text = io.TextIOWrapper(bytes_out, encoding="utf-8", errors="surrogateescape", newline="\n")
    sys.stdout = sys.__stdout__ = text  # type: ignore[misc]


class _ClosedOutput(io.TextIOBase):
    """Standard output that the caller has closed: a result must not be lost silently."""

    def write(self, text: str) -> int:
        if text:
            raise OutputError("is closed", "standard output", "redirect it to a file or to /dev/null")
        return 0

    @property
    def buffer(self) -> NoReturn:
        raise OutputError("is closed", "standard output", "redirect it to a file or to /dev/null")


def run() -> None:
    """Entry point of the console script."""
    gc.set_threshold(*_RARE_COLLECTIONS)
    _prepare_streams()
    raise SystemExit(main())
