"""The ``isogloss`` command: the verbs, and how errors become messages and exit codes."""

from __future__ import annotations

import errno
import functools
import io
import os
import platform
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from isogloss._version import __version__
from isogloss.cli import console, corpus, experiment, grammar, lm, local, memory, nbest, rerank, system
from isogloss.cli.align import align
from isogloss.cli.classes import classes
from isogloss.cli.column import column
from isogloss.cli.demo import demo
from isogloss.cli.evaluate import evaluate
from isogloss.cli.explain import explain
from isogloss.cli.extract import extract
from isogloss.cli.inspect import inspect
from isogloss.cli.oracle import oracle
from isogloss.cli.sample import sample
from isogloss.cli.speech import speech
from isogloss.cli.train import train
from isogloss.cli.translate import translate
from isogloss.cli.tune import tune
from isogloss.cli.tune_nbest import tune_nbest
from isogloss.io.errors import IsoglossError

__all__ = ["app", "main"]

# Typer carries its own copy of Click from some version on; this base class is in whichever it uses.
_CommandLineError: type[Exception] = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)

_INTERRUPTED = 130
_USERS_MISTAKE = 2
_OUR_MISTAKE = 1
_GLOBALS = ("--quiet", "--debug")
_STDOUT_FAILURES = {errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO}

app = typer.Typer(
    name="isogloss",
    help="Discriminative training, tuning, reranking and adaptation for machine translation.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command()(demo)
app.command()(train)
app.command()(evaluate)
app.add_typer(nbest.app, name="nbest")
app.command()(tune)
app.command("tune-nbest")(tune_nbest)
app.add_typer(corpus.app, name="corpus")
app.command()(sample)
app.command()(align)
app.command()(classes)
app.command()(column)
app.add_typer(lm.app, name="lm")
app.command()(extract)
app.add_typer(grammar.app, name="grammar")
app.add_typer(system.app, name="system")
app.add_typer(rerank.app, name="rerank")
app.add_typer(experiment.app, name="experiment")
app.command()(translate)
app.command()(speech)
app.add_typer(memory.app, name="memory")
app.add_typer(local.app, name="local")
app.command()(explain)
app.command()(inspect)
app.command()(oracle)


def _print_version(wanted: bool) -> None:
    if wanted:
        from isogloss import _engine

        build = _engine.build_info()
        typer.echo(f"isogloss {__version__}")
        typer.echo(f"engine: {build['compiler']}, {build['build_type']}")
        typer.echo(f"python: {platform.python_version()} on {platform.system()} {platform.machine()}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Version and build details."),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="No notes and no progress; results and warnings only.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show Python's traceback with an error.")] = False,
) -> None:
    console.set_quiet(quiet)
    context.obj = {"debug": debug}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 2 for the user's mistake, 1 for ours, 130 on Ctrl-C."""
    words = _globals_first(list(sys.argv[1:] if arguments is None else arguments))
    # Known before the command line is parsed, so that it covers errors in parsing too.
    debug = "--debug" in words[: len(_GLOBALS)]
    try:
        result = _command()(args=words, prog_name="isogloss", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as request:  # Typer's answer to a broken pipe, and to a shell that asks for completions
        return request.code if isinstance(request.code, int) else _OUR_MISTAKE
    except typer.Exit as request:
        return request.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return _say_interrupted()
    except BrokenPipeError:
        # The reader of our output (head, less) has seen enough.
        _abandon_stdout()
        return _OUR_MISTAKE
    except _CommandLineError as error:
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
        advice = "report this" if debug else "run the command again with --debug and report what it prints"
        console.error(f"{type(error).__name__}: {error}\nThis is a mistake in isogloss: {advice}.")
        return _OUR_MISTAKE
    if result == _INTERRUPTED:  # newer versions of Typer turn Ctrl-C into this
        return _say_interrupted()
    return result if isinstance(result, int) else 0


@functools.cache
def _command() -> Any:
    """The command line; Typer would set it up anew for each call, which takes longer than most commands."""
    return typer.main.get_command(app)


def _globals_first(words: list[str]) -> list[str]:
    """Let the options of the whole program stand anywhere: people add --quiet at the end of a line."""
    end = words.index("--") if "--" in words else len(words)
    given = [word for word in words[:end] if word in _GLOBALS]
    return sorted(set(given)) + [word for word in words[:end] if word not in _GLOBALS] + words[end:]


def _say_interrupted() -> int:
    console.note("interrupted")
    return _INTERRUPTED


def _abandon_stdout() -> None:
    """Point standard output elsewhere, or the interpreter complains when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explain(error: Any) -> int:
    """Print what is wrong with the command line itself, or the help if nothing was asked for."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
    else:
        context = error.ctx
        path = context.command_path if context is not None else "isogloss"
        console.error(f"{error.format_message().rstrip('.')}; see '{path} --help'")
    return _USERS_MISTAKE


def _prepare_streams() -> None:
    """Text is UTF-8 with plain line feeds, whatever the locale; names of files may be any bytes."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")  # must not fail
    if not isinstance(sys.stdout, io.TextIOWrapper):
        return
    if sys.stdout.isatty():
        sys.stdout.reconfigure(errors="replace")
        return
    bytes_out: Any = sys.stdout.detach()
    if not isinstance(bytes_out, io.BufferedIOBase):
        # Under PYTHONUNBUFFERED text goes to the file directly, and what a full disk does not take is lost
        # without a word. A buffer insists.
        bytes_out = io.BufferedWriter(bytes_out)
    text = io.TextIOWrapper(bytes_out, encoding="utf-8", errors="surrogateescape", newline="\n")
    sys.stdout = sys.__stdout__ = text  # type: ignore[misc]


def run() -> None:
    """The console script's entry."""
    _prepare_streams()
    raise SystemExit(main())
