"""The command line: one file per verb, thin: parse, call the package, print."""

from isogloss.cli.main import main

__all__ = ["main"]
