"""``isogloss completion``: shell completion of commands and options."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

__all__ = ["completion"]


def completion(shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="Your shell.")], /) -> None:
    """Print a completion script for your shell.

    For bash, add this line to .bashrc: source <(isogloss completion bash).
    """
    from isogloss.cli.main import app

    print(app.generate_completion(prog_name="isogloss", shell=shell))  # noqa: T201
