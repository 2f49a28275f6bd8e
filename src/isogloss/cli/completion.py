"""``isogloss completion``: what a shell needs to complete commands and options."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

__all__ = ["completion"]


def completion(shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="Your shell.")], /) -> None:
    """Print a script that lets a shell complete commands and options.

    For bash, add this line to .bashrc: source <(isogloss completion bash).
    """
    from isogloss.cli.main import app

    print(app.generate_completion(prog_name="isogloss", shell=shell))  # noqa: T201
