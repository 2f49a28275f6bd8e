"""``isogloss demo``: the whole journey of a new user, without a file of their own."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli import console
from isogloss.io.errors import ConfigError, MissingExtraError, OutputError

if TYPE_CHECKING:
    from isogloss.experiments.demo.catalogs import DemoCorpus
    from isogloss.experiments.demo.journey import DemoStep
    from isogloss.experiments.demo.outcome import DemoOutcome, Timed

__all__ = ["demo"]

_MARKER = ".isogloss-demo"
_OFFLINE = """no catalogs to learn from: {reason}
Without the network there are two ways on:
  isogloss demo --synthetic           the same journey on a corpus that it makes itself
  isogloss train DIR --source FILE    a system of your own: from PO, TMX, XLIFF, or --source and --target"""


def demo(
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where the demo's files go.")] = Path(
        "isogloss-demo"
    ),
    language: Annotated[
        str,
        typer.Option(metavar="CODE", help="Language to translate English into: de, fr, es, ja, pt_BR, …"),
    ] = "de",
    large: Annotated[
        bool,
        typer.Option(
            "--large", help="Learn from twice as many messages: downloads 34 MB more, takes longer."
        ),
    ] = False,
    synthetic: Annotated[
        bool,
        typer.Option("--synthetic", help="Without the network: translate into an invented language."),
    ] = False,
    pairs: Annotated[int, typer.Option(metavar="N", help="Sentence pairs of --synthetic.", min=100)] = 2000,
) -> None:
    """Make a translation system from the catalogs of free software, measure it and explain it.

    Messages of seven packages are downloaded (25 MB, once), cleaned and divided; a system is trained, tuned
    in two ways, evaluated, reranked, and adapted to single sentences. A few minutes on two processors; a demo
    that was interrupted goes on where it stopped.
    """
    if synthetic and (large or language != "de"):
        raise ConfigError("--synthetic goes without --language and --large")
    begun = time.monotonic()
    journal = _claim(folder, {"language": language, "large": large, "pairs": pairs if synthetic else 0})
    console.note("A corpus of messages and their translations" if not synthetic else "A corpus")
    corpus = _synthetic(folder, pairs) if synthetic else _downloaded(folder, language, large)
    outcome = _travel(folder, corpus, journal)
    _print(outcome, time.monotonic() - begun)
    journal.unlink()


def _claim(folder: Path, options: dict[str, Any]) -> Path:
    """Take the folder; gives the journal of such a demo if one was interrupted there, or an empty one."""
    from isogloss._version import __version__

    marker, journal = folder / _MARKER, folder / "journal.jsonl"
    advice = "choose another one with --folder"
    try:
        if folder.exists() and any(folder.iterdir()) and not marker.exists():
            raise OutputError("the folder holds something else", folder, advice)
        wanted = json.dumps({**options, "version": __version__})
        if not journal.exists() or marker.read_text("utf-8") != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            marker.write_text(wanted, "utf-8")
            journal.touch()
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(error.strerror or str(error), folder, advice) from None
    return journal


def _synthetic(folder: Path, pairs: int) -> DemoCorpus:
    from isogloss.corpus.synthetic.text import as_text
    from isogloss.corpus.synthetic.text import make_corpus as invent
    from isogloss.experiments.demo.catalogs import make_demo_corpus

    made = invent(pairs, seed=1)
    texts = zip(map(as_text, made.source), map(as_text, made.target), strict=True)
    return make_demo_corpus(texts, folder / "corpus", ("en", "tv"), track=console.track)


def _downloaded(folder: Path, language: str, large: bool) -> DemoCorpus:
    from isogloss.experiments.demo.catalogs import make_demo_corpus, read_wheels
    from isogloss.experiments.demo.packages import LARGE, PACKAGES, DownloadError, cache_folder, fetch

    if find_spec("polib") is None:
        raise MissingExtraError("reading the catalogs", "formats")
    packages = (*PACKAGES, *(LARGE if large else ()))
    console.note(f"  from {', '.join(package.name for package in packages)} (Apache-2.0)")
    try:
        wheels = fetch(packages, cache_folder())
    except DownloadError as error:
        raise DownloadError(_OFFLINE.format(reason=error)) from None
    pairs = read_wheels(wheels, language, folder / "catalogs")
    return make_demo_corpus(pairs, folder / "corpus", ("en", language), track=console.track)


def _travel(folder: Path, corpus: DemoCorpus, journal: Path) -> DemoOutcome:
    from isogloss.experiments.demo.journey import Journey
    from isogloss.experiments.demo.outcome import DemoOutcome

    parts = ", ".join(f"{part} {count:,}" for part, count in corpus.pairs.items())
    console.note(f"  {corpus.found:,} translated messages; clean pairs: {parts}")
    journey = Journey(folder, corpus)
    run = _Runner(journal)
    for method in ("mert", "online-mira"):
        run(journey.train(method), partial(journey.keep_result, method))
    journey.baselines()
    run(journey.compare())
    for step in (*journey.rerank(), *journey.adapt()):
        run(step)
    journey.write_catalog()
    run(journey.fill_catalog())
    run(journey.explain())
    outcome = DemoOutcome.of(journey, run.done)
    outcome.page().write(outcome.report)
    return outcome


class _Runner:
    """Runs steps one after another and writes down what is done; what was done before is not done again."""

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._before: dict[str, dict[str, Any]] = {}
        for line in journal.read_text("utf-8").splitlines():
            with contextlib.suppress(ValueError):  # a line that was cut off tells nothing
                self._before[json.loads(line)["command"]] = json.loads(line)
        self.done: list[Timed] = []

    def __call__(self, step: DemoStep, afterwards: Callable[[], None] = lambda: None) -> None:
        from isogloss.cli.main import app
        from isogloss.experiments.demo.outcome import Timed

        console.note(f"\n{len(self.done) + 1}. {step.purpose}\n$ {step}")
        if str(step) in self._before:
            console.note("done before")
            self.done.append(Timed(**self._before[str(step)]))
            return
        begun = time.monotonic()
        with _redirected(step):
            app(args=step.arguments, prog_name="isogloss", standalone_mode=False)
            sys.stdout.flush()  # results and notes in the order in which they come
        afterwards()
        self.done.append(Timed(step.purpose, str(step), time.monotonic() - begun))
        with self._journal.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(asdict(self.done[-1])) + "\n")


@contextlib.contextmanager
def _redirected(step: DemoStep) -> Iterator[None]:
    with contextlib.ExitStack() as open_files:
        if step.stdout is not None:
            stream = open_files.enter_context(step.stdout.open("w", encoding="utf-8", newline="\n"))
            open_files.enter_context(contextlib.redirect_stdout(stream))
        if step.stdin is not None:
            before, sys.stdin = sys.stdin, open_files.enter_context(step.stdin.open(encoding="utf-8"))
            open_files.callback(setattr, sys, "stdin", before)
        yield


def _print(outcome: DemoOutcome, seconds: float) -> None:
    from rich.table import Table

    title, *columns = outcome.HEAD
    table = Table(title, box=None)
    for name in columns:
        table.add_column(name, justify="right")
    for row in outcome.rows():
        table.add_row(*row)
    console.note("\nSome translations, with one set of weights and with weights of their own")
    for name, text in outcome.examples(4):
        console.note(f"  {name:<20}{text}".rstrip())
    console.print_table(table)
    sys.stdout.flush()
    console.note(
        f"\nPlaceholders: {outcome.placeholders()}; in the column 'BLEU, marked', each counts as one word.\n"
        f"{seconds / 60:.1f} minutes; everything is in {outcome.journey.folder}/, the report in "
        f"{outcome.report}\nNext, try:\n" + "\n".join(f"  {command}" for command in outcome.next_commands())
    )
