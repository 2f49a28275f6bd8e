"""Run the demo from its first step to its report; an interrupted demo resumes."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from isogloss._version import __version__
from isogloss.corpus.synthetic import as_text
from isogloss.corpus.synthetic import make_corpus as invent
from isogloss.experiments.demo.catalogs import DemoCorpus, make_demo_corpus, read_wheels
from isogloss.experiments.demo.journey import METHODS, DemoStep, Journey
from isogloss.experiments.demo.outcome import DemoOutcome, Timed
from isogloss.experiments.demo.packages import LARGE, PACKAGES, DownloadError, cache_folder, fetch
from isogloss.io.errors import ConfigError, MissingExtraError, OutputError
from isogloss.io.options import AtLeast, Options
from isogloss.io.progress import Track

__all__ = ["DemoOptions", "run_demo"]

Say = Callable[[str], None]
RunWords = Callable[[list[str]], object]
"""Runs a command line; the demo consists of commands that a user could type."""

_MARKER = ".isogloss-demo"
_OFFLINE = """no catalogs to learn from: {reason}
Without the network there are two ways on:
  isogloss demo --synthetic              the same journey on a corpus that it makes itself isogloss train
  FOLDER --source FILE    an engine of your own: from PO, TMX, XLIFF, or --source and --target"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions(Options):
    """Options of the demo."""

    language: str = "de"
    """Language to translate English into: de, fr, es, ja, pt_BR, …"""
    large: bool = False
    """Train on twice as many messages: downloads 34 MB more and takes longer."""
    synthetic: bool = False
    """Use no network: translate into a synthetic language."""
    pairs: Annotated[int, AtLeast(100)] = 2000
    """Number of sentence pairs for ``synthetic``."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.synthetic and (self.large or self.language != "de"):
            raise ConfigError("synthetic cannot be combined with language or large")


def run_demo(
    folder: Path, options: DemoOptions, *, run_words: RunWords, say: Say, track: Track
) -> DemoOutcome:
    """Run all steps, or the remaining ones."""
    facts = {
        "language": options.language,
        "large": options.large,
        "pairs": options.pairs if options.synthetic else 0,
    }
    journal = _claim(folder, facts)
    say("Build a corpus of messages and their translations" if not options.synthetic else "A corpus")
    if options.synthetic:
        corpus = _synthetic(folder, options.pairs, track)
    else:
        corpus = _downloaded(folder, options, say, track)
    outcome = _travel(folder, corpus, journal, run_words, say)
    journal.unlink()
    return outcome


def _claim(folder: Path, options: dict[str, Any]) -> Path:
    """Claim the folder; return the journal of an interrupted demo, or an empty one."""
    marker, journal = folder / _MARKER, folder / "journal.jsonl"
    advice = "choose another one with --folder"
    try:
        if folder.exists() and any(folder.iterdir()) and not marker.exists():
            raise OutputError("the folder contains other files", folder, advice)
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


def _synthetic(folder: Path, pairs: int, track: Track) -> DemoCorpus:
    made = invent(pairs, seed=1)
    texts = zip(map(as_text, made.source), map(as_text, made.target), strict=True)
    return make_demo_corpus(texts, folder / "corpus", ("en", "tv"), track=track)


def _downloaded(folder: Path, options: DemoOptions, say: Say, track: Track) -> DemoCorpus:
    if find_spec("polib") is None:
        raise MissingExtraError("reading the catalogs", "formats")
    packages = (*PACKAGES, *(LARGE if options.large else ()))
    say(f"  from {', '.join(package.name for package in packages)} (Apache-2.0)")
    try:
        wheels = fetch(packages, cache_folder())
    except DownloadError as error:
        raise DownloadError(_OFFLINE.format(reason=error)) from None
    pairs = read_wheels(wheels, options.language, folder / "catalogs")
    return make_demo_corpus(pairs, folder / "corpus", ("en", options.language), track=track)


def _travel(folder: Path, corpus: DemoCorpus, journal: Path, run_words: RunWords, say: Say) -> DemoOutcome:
    parts = ", ".join(f"{part} {count:,}" for part, count in corpus.pairs.items())
    say(f"  {corpus.found:,} translated messages; clean pairs: {parts}")
    journey = Journey(folder, corpus)
    run = _Runner(journal, run_words, say)
    for name in METHODS:
        run(journey.train(name), partial(journey.keep_result, name))
    journey.baselines()
    run(journey.compare())
    journey.write_catalog()
    run(journey.fill_catalog())
    run(journey.explain())
    outcome = DemoOutcome.of(journey, run.done)
    outcome.page().write(outcome.report)
    return outcome


class _Runner:
    """Runs steps in order and records them; finished steps are skipped."""

    def __init__(self, journal: Path, run_words: RunWords, say: Say) -> None:
        self._journal, self._run_words, self._say = journal, run_words, say
        self._before: dict[str, dict[str, Any]] = {}
        for line in journal.read_text("utf-8").splitlines():
            with contextlib.suppress(ValueError):  # ignore a truncated line
                self._before[json.loads(line)["command"]] = json.loads(line)
        self.done: list[Timed] = []

    def __call__(self, step: DemoStep, afterward: Callable[[], None] = lambda: None) -> None:
        self._say(f"\n{len(self.done) + 1}. {step.purpose}\n$ {step}")
        if str(step) in self._before:
            self._say("done before")
            self.done.append(Timed(**self._before[str(step)]))
            return
        begun = time.monotonic()
        with _redirected(step):
            self._run_words(step.arguments)
            sys.stdout.flush()  # results and notes in their original order
        afterward()
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
