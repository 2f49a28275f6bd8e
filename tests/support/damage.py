"""Stored systems with bytes changed behind their back."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from isogloss.decoder import Sentence, Source, load, parse_markup
from isogloss.io.errors import UserError

_EXTREMES = (
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x00",
    b"\xff\xff\xff\x7f",
    b"\x01\x00\x00\x00",
    b"\x00\x00\x80\x7f",
)


def edit_manifest(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change a manifest and give it a matching checksum, as somebody with bad intentions would."""
    manifest = json.loads((path / "manifest.json").read_text())
    del manifest["checksum"]
    change(manifest)
    canonical = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode()
    manifest["checksum"] = hashlib.sha256(canonical).hexdigest()
    (path / "manifest.json").write_text(json.dumps(manifest))


def reseal(path: Path, attributes: Mapping[str, Any]) -> None:
    """Change attributes of a stored folder, in the same way."""
    edit_manifest(path, lambda manifest: manifest["attributes"].update(attributes))


@contextlib.contextmanager
def damaged(file: Path, rng: random.Random) -> Iterator[None]:
    """Change a few bytes of a file, and put them back afterward."""
    good = file.read_bytes()
    bad = bytearray(good)
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        if rng.random() < 0.5:
            bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
        else:
            place = rng.randrange(max(1, len(bad) - 3)) & ~3
            bad[place : place + 4] = rng.choice(_EXTREMES)[: len(bad) - place]
    try:
        file.write_bytes(bad)  # nothing has it mapped: every round opens the system anew
        yield
    finally:
        file.write_bytes(good)


def translate_damaged(system: Path, lines: list[str], *, rounds: int, seed: int) -> Counter[str]:
    """Translate with a system damaged in another place each time; how often it was refused, noticed, not."""
    rng = random.Random(seed)
    options = replace(load(system).options, beam_size=10, pop_limit=20)
    files = sorted(file for file in system.rglob("*.bin") if file.stat().st_size)
    sources: list[Source] = [
        *lines,
        parse_markup(f"<t translation='x'>{lines[0]}</t> {lines[1]}"),
        Sentence(()),
    ]
    outcomes: Counter[str] = Counter()
    for number in range(rounds):
        file = rng.choice(files)
        begun = time.process_time()
        with damaged(file, rng):
            try:
                loaded = load(system, options=options)
            except UserError:
                outcomes["refused"] += 1
                continue
            try:
                loaded.nbest(sources, nbest=5)
                loaded.explained(sources[:2], nbest=2)
                outcomes["unnoticed"] += 1
            except UserError:
                outcomes["noticed"] += 1
            except Exception as error:
                raise AssertionError(f"round {number} of seed {seed}, {file.name}: {error!r}") from error
            finally:
                del loaded
        taken = time.process_time() - begun
        assert taken < 30, f"round {number} of seed {seed}, {file.name}: {taken:.1f} s"
    return outcomes
