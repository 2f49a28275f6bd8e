"""Progress bars on a terminal. Imported only when one is shown: most commands end before that."""

from __future__ import annotations

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.text import Text

__all__ = ["byte_bar", "counting_bar"]


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s", style="progress.data.speed")


def counting_bar(console: Console) -> Progress:
    """A bar that counts items."""
    return _bar(console, MofNCompleteColumn(), _Rate())


def byte_bar(console: Console) -> Progress:
    """A bar that counts bytes."""
    return _bar(console, DownloadColumn(), TransferSpeedColumn())


def _bar(console: Console, *columns: ProgressColumn) -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        *columns,
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
