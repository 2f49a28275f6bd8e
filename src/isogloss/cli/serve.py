"""``isogloss serve``: a web service and a workbench page."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from isogloss.cli import console
from isogloss.cli.declared import declares
from isogloss.serve import ServeOptions
from isogloss.serve import serve as serve_engines

__all__ = ["serve"]

_GROUPS = {
    "Network": ("host", "port", "token_file", "auth", "allowed_hosts"),
    "Service": ("workers", "read_only", "access_log", "log_texts"),
    "Limits": ("max_body", "max_sentence", "max_batch", "max_seconds", "max_in_flight", "stop_seconds"),
}


@declares(_GROUPS, options=ServeOptions)
def serve(
    engines: Annotated[
        list[str],
        Parameter(
            metavar="ENGINE",
            help="Folders of engines, as written by 'isogloss train'; NAME=FOLDER gives one another name.",
        ),
    ],
    /,
    *,
    options: ServeOptions,
) -> None:
    """Serve engines: a REST service and a workbench page.

    The service listens on this machine only, unless you give --host with --token-file. Stop it with Ctrl-C:
    requests under way are finished first.
    """
    serve_engines(engines, options, say=console.note)
