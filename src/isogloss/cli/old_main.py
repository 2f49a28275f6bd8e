"""The ``isogloss`` command: the verbs, and how errors become messages and exit codes."""

from __future__ import annotations

import errno
import platform
from typing import Annotated, Any

import typer

from isogloss._version import __version__
from isogloss.cli import console, corpus, grammar, lm, nbest, rerank, system
from isogloss.cli.align import align
from isogloss.cli.classes import classes
from isogloss.cli.column import column
from isogloss.cli.evaluate import evaluate
from isogloss.cli.extract import extract
from isogloss.cli.inspect import inspect
from isogloss.cli.oracle import oracle
from isogloss.cli.sample import sample
from isogloss.cli.tune import tune
from isogloss.cli.tune_nbest import tune_nbest

__all__ = ["app", "run_typer"]

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
    context.obj = {"debug": debug}


def run_typer(words: list[str]) -> Any:
    """Verbs that are not yet declared."""
    try:
        result = app(args=words, prog_name="isogloss", standalone_mode=False)
        if result == _INTERRUPTED:  # Typer may have seen Ctrl-C before we do
            raise KeyboardInterrupt
        return result
    except typer.Exit as request:
        return request.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except _CommandLineError as found:
        error: Any = found
        if type(error).__name__ == "NoArgsIsHelpError":
            error.show()
        else:
            context = error.ctx
            path = context.command_path if context is not None else "isogloss"
            console.error(f"{error.format_message().rstrip('.')}; see '{path} --help'")
        return 2
