"""Faults: every verb that writes is killed, or has a call to the file system fail.

Afterwards what was there must be as before or as after the command, and the same command, repeated, must end
as if nothing had happened. ``tests/pipeline/test_faults.py`` does this a few times, ``fuzz/faults.py`` often.
"""

from __future__ import annotations

import json
import random
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import isogloss
from isogloss.io.errors import UserError
from isogloss.nbest import write_nbest
from isogloss.storage.folder import verify_folder
from support.fork_server import ForkServer
from support.small_engine import PAIRS, make_engine

ERRORS = ("ENOSPC", "EIO", "EACCES", "EDQUOT", "EROFS")
SENTENCES = [
    "Der alte könig schläft heute.",
    "Der Zwerg kommt oft.",
    "Lösche %s hier?",
    "Der müde hund lacht.",
]
CATALOG = (
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    'msgid "Der alte könig schläft heute."\nmsgstr ""\n\nmsgid "Lösche %s hier?"\nmsgstr ""\n'
)
NOTHING = "nothing"


@dataclass(frozen=True)
class Case:
    """A command on a copy of a folder, and what one sees of it."""

    name: str
    command: str
    state: Callable[[Path], object]
    """What is there, without times and random names; ``NOTHING`` if it cannot be used."""


def translations(engine: Path) -> object:
    """What an engine does: the weights it has, and how it translates."""
    try:
        system = isogloss.load(engine)
    except UserError:
        return NOTHING
    weights = [round(value, 9) for value in system.weights.values()]
    return json.dumps(
        [weights, list(system.translate(SENTENCES)), [one.target for one in system.corrections()]]
    )


def retrained(folder: Path) -> object:
    """What an engine does, and how many corrections it was trained on."""
    found, notes = translations(folder / "engine"), folder / "engine" / "retrained.json"
    trained_on = json.loads(notes.read_bytes())["folded"] if notes.exists() else 0
    return NOTHING if found == NOTHING else (found, trained_on)


def file_content(name: str) -> Callable[[Path], object]:
    """The content of a file; nothing if there is none."""
    return lambda folder: (folder / name).read_bytes() if (folder / name).exists() else NOTHING


def reranker(folder: Path) -> object:
    """What a reranker chooses."""
    try:
        return isogloss.Reranker.load(folder / "reranker").rerank(folder / "list").texts()
    except UserError:
        return NOTHING


def memory(folder: Path) -> object:
    """The examples of a memory."""
    found = isogloss.Memory.open(folder / "memory", isogloss.load(folder / "engine"))
    return len(found), found.overlay is not None and len(found.overlay)


def make_base(base: Path, made: Path | None = None) -> None:
    """Make the folder that all cases work on copies of; ``made`` is an engine as ``make_engine`` makes it."""
    engine = base / "engine"
    make_engine(engine) if made is None else shutil.copytree(made, engine)
    system = isogloss.load(engine)
    for source, target in (
        ("Der Drache kommt.", "The dragon comes."),
        ("Der Zwerg lacht.", "The dwarf laughs."),
    ):
        system.correct(source, target)
    (base / "a.po").write_text(CATALOG, encoding="utf-8")
    for side, name in enumerate(("de", "en")):
        lines = [pair[side] for pair in PAIRS[:40]]
        (base / f"dev.{name}").write_text("".join(f"{line}\n" for line in lines[30:]), encoding="utf-8")
        (base / f"train.{name}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    shorter = [" ".join(pair[1].split()[1:-1]) for pair in PAIRS[30:40]]  # so that tuning changes something
    (base / "shorter.en").write_text("".join(f"{line}.\n" for line in shorter), encoding="utf-8")
    plain = isogloss.load(engine, corrections=False, matches=False)
    assert plain.text is not None
    tokens = [plain.text.tokenize(line) for line in (base / "dev.de").read_text("utf-8").splitlines()]
    write_nbest(plain.nbest(tokens, nbest=5), base / "list", format="moses")
    isogloss.Memory.build(base / "memory", plain, base / "dev.de", base / "dev.en")


_DEV = "--dev-source dev.de --dev-target dev.en --threads 1"
CASES = (
    Case(
        "train",
        f"train new --source train.de --target train.en {_DEV} --method none",
        lambda folder: translations(folder / "new"),
    ),
    Case(
        "tune",
        f"tune engine {_DEV.replace('dev.en', 'shorter.en')} --method perceptron --iterations 1",
        lambda folder: translations(folder / "engine"),
    ),
    Case("retrain", "retrain engine --threads 1", retrained),
    Case("correct", f"correct engine '{SENTENCES[0]}' King.", lambda folder: translations(folder / "engine")),
    Case(
        "rerank train",
        "rerank train list --reference dev.en --features repetition --method perceptron -o reranker --force",
        reranker,
    ),
    Case("catalog fill", "catalog fill engine a.po --output b.po", file_content("b.po")),
    Case("memory add", "memory add memory --system engine --pair 'der zwerg' 'the dwarf'", memory),
)


@dataclass(frozen=True)
class Calm:
    """What an undisturbed run does."""

    before: object
    after: object
    calls: int
    changes: int
    seconds: float
    """Processor time."""
    sizes: tuple[int, ...]
    """Of the files that it has changed or made."""


class Campaign:
    """Runs cases with faults, and says what happened."""

    def __init__(self, server: ForkServer, base: Path, work: Path, rng: random.Random) -> None:
        self._server, self._base, self._work, self.rng = server, base, work, rng
        self._known: dict[str, Calm] = {}

    def _copy(self) -> Path:
        if self._work.exists():
            shutil.rmtree(self._work)
        return Path(shutil.copytree(self._base, self._work))

    def calm(self, case: Case) -> Calm:
        """Run a case undisturbed, twice the first time."""
        if case.name not in self._known:
            folder = self._copy()
            before = case.state(folder)
            there = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
            counted = self._server.count(*shlex.split(case.command), cwd=folder)
            files = [path for path in folder.rglob("*") if path.is_file()]
            sizes = [path.stat().st_size for path in files if there.get(path) != path.stat().st_mtime_ns]
            after = case.state(folder)
            assert after not in (before, NOTHING), f"{case.name} changes nothing"
            folder = self._copy()
            assert self._server.run(*shlex.split(case.command), cwd=folder).returncode == 0
            assert case.state(folder) == after, f"{case.name} does not end the same twice"
            seconds = counted["milliseconds"] / 1000
            self._known[case.name] = Calm(
                before, after, counted["calls"], counted["changes"], seconds, tuple(sizes)
            )
        return self._known[case.name]

    def fault(self, case: Case, kind: str) -> str:
        """One fault; returns what happened and what was there, raises AssertionError if that is wrong.

        Kinds are ``kill`` (at a change of the file system), ``timed kill`` (at a random moment), ``error`` (a
        call fails) and ``full`` (the disk, for files above a size).
        """
        calm, folder, words = self.calm(case), self._copy(), shlex.split(case.command)
        how: dict[str, Any]
        if kind == "kill":
            how = {"change": self.rng.randint(1, calm.changes)}
        elif kind == "timed kill":
            how = {"seconds": self.rng.uniform(0, calm.seconds)}
        elif kind == "full":
            how = {"largest_file": max(0, self.rng.choice(calm.sizes) - 1)}
        else:
            how = {"call": self.rng.randint(1, calm.calls), "error": self.rng.choice(ERRORS)}
        where = f"{case.name}, {kind}, {how}"
        try:
            if kind in ("kill", "timed kill"):
                what = "killed" if self._server.killed(words, cwd=folder, **how) else "ended first"
            else:
                what = "failed" if self._server.failed(words, cwd=folder, **how) else "not needed"
        except AssertionError as wrong:
            raise AssertionError(f"{where}: {wrong}") from None
        found = case.state(folder)
        assert found in (calm.before, calm.after), f"{where}: neither old nor new: {found!r}"
        assert found != NOTHING or calm.before == NOTHING, f"{where}: what was there is gone"
        state = "new" if found == calm.after else "old"
        again = self._server.run(*words, cwd=folder)
        assert again.returncode == 0, f"{where}: cannot be repeated: {again.stderr}"
        assert case.state(folder) == calm.after, f"{where}: ends otherwise when repeated"
        for part in folder.rglob("manifest.json"):
            if ".part" not in part.parts:
                verify_folder(part.parent)
        return f"{what}, {state}"
