"""Fuzz targets: stored folders whose manifests were changed and sealed again, and whose arrays were damaged.

A manifest carries its own checksum, so random bytes are refused at the door. Here the checksum is made anew
after every change, as somebody would who wants to do harm.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from mutate import change_value
from parsers import Target

import isogloss
from isogloss.adapt import Example, LocalOptions, LocalTranslator, Memory, add_examples, build_memory
from isogloss.align import AlignmentModel
from isogloss.decoder import load
from isogloss.io.errors import UserError
from isogloss.nbest import NbestStore, read_nbest
from isogloss.storage.inspection import inspect_folder

__all__ = ["make_folders", "stored_targets"]

_WORDS = (
    b"\xff\xff\xff\xff",
    b"\0\0\0\0",
    b"\xff\xff\xff\x7f",
    b"\1\0\0\0",
    b"\0\0\x80\x7f",
    b"\0\0\xc0\x7f",
)
_SENTENCES = ["Der alte König schläft heute.", "Lösche %s?", "Der Drache kommt oft."]


def make_folders(folder: Path) -> None:
    """Store one thing of each kind: an engine with all that belongs to it, a memory, a list, a reranker."""
    from support.small_engine import make_engine

    engine = make_engine(folder / "engine")
    system = isogloss.load(engine)
    system.correct("Der Drache kommt oft.", "The dragon comes often.")
    tokens = [system.text.tokenize(one) for one in _SENTENCES]
    examples = [Example(source=one, references=("the old king sleeps today .",)) for one in tokens]
    plain = load(engine)
    build_memory(folder / "memory", plain, examples[:2], aligner=AlignmentModel.load(engine / "aligner"))
    add_examples(folder / "memory", plain, examples[2:])
    shutil.copytree(engine, folder / "of_memory")
    store = plain.nbest([plain.text.tokenize(one) for one in _SENTENCES], nbest=4)
    store.save(folder / "list")
    references = ["the old king sleeps today .", "delete %s ?", "the dragon comes often ."]
    reranker = isogloss.Reranker(["repetition"], method="perceptron")
    reranker.fit(isogloss.NbestList.from_store(store), references).save(folder / "reranker")


def _engine(path: Path) -> None:
    system = isogloss.load(path)
    system.translate(_SENTENCES)
    system.explain(_SENTENCES[0])
    system.corrections()
    isogloss.load(path).translate(_SENTENCES[:1], threads=2)


def _memory(path: Path) -> None:
    system = load(path.parent / "of_memory")
    memory = Memory.open(path, system)
    translator = LocalTranslator(system, memory, update=LocalOptions(strength=1.0))
    translator.translate([system.text.tokenize(_SENTENCES[0])])
    memory.facts()


def _list(path: Path) -> None:
    store = read_nbest(path)
    store.texts()
    NbestStore.open(path)


def _reranker(path: Path) -> None:
    isogloss.Reranker.load(path).rerank(isogloss.NbestList.read(path.parent / "list"))


_USES: dict[str, Callable[[Path], None]] = {
    "engine": _engine,
    "memory": _memory,
    "list": _list,
    "reranker": _reranker,
}


def stored_targets() -> tuple[Target, ...]:
    """A target for every folder of ``make_folders``, and one that only looks at manifests."""

    def run(name: str) -> Callable[[bytes, Path], object]:
        def use(data: bytes, folder: Path) -> None:
            rng = random.Random(data)
            path = folder / name
            with _changed(path, rng) as changed:
                for part in sorted({file.parent for file in changed}):
                    with contextlib.suppress(UserError):
                        inspect_folder(part, verify=True)
                _USES[name](path)

        return use

    return tuple(Target(f"stored-{name}", run(name), (b"1",)) for name in _USES)


@contextlib.contextmanager
def _changed(path: Path, rng: random.Random) -> Iterator[Iterable[Path]]:
    """Change one or two files of a folder, which are returned, and put them back."""
    files = sorted(item for item in path.rglob("*") if item.is_file() and item.stat().st_size)
    sealed = [item for item in files if item.name in ("manifest.json", "system.json")]
    kept: dict[Path, bytes] = {}
    try:
        for _ in range(rng.choice((1, 1, 2))):
            file = rng.choice(sealed if rng.random() < 0.7 else files)
            kept.setdefault(file, file.read_bytes())
            if file in sealed:
                _reseal(file, rng)
            else:
                _damage(file, rng)
        yield kept
    finally:
        for file, content in kept.items():
            file.write_bytes(content)


def _reseal(file: Path, rng: random.Random) -> None:
    manifest = json.loads(file.read_bytes())
    manifest.pop("checksum", None)
    for _ in range(rng.choice((1, 1, 2, 3))):
        change_value(manifest, rng)
    dense = file.name == "manifest.json"
    text = json.dumps(manifest, sort_keys=True, separators=(",", ":") if dense else None)
    checksum = hashlib.sha256(text.encode()).hexdigest()
    file.write_text(json.dumps({**manifest, "checksum": checksum}), encoding="utf-8")


def _damage(file: Path, rng: random.Random) -> None:
    content = bytearray(file.read_bytes())
    for _ in range(rng.choice((1, 1, 2, 8))):
        place = rng.randrange(max(1, len(content) - 3)) & ~3
        content[place : place + 4] = rng.choice(_WORDS)[: len(content) - place]
    if rng.random() < 0.1:
        del content[rng.randrange(len(content)) :]
    file.write_bytes(content)
