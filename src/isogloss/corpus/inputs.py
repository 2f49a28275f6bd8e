"""Several bilingual files as one corpus: files of any format, folders of them, patterns."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from isogloss.corpus.formats import FORMATS, Format, PairFiles, split_files
from isogloss.corpus.pairs import Reading, ReadOptions, SentencePair
from isogloss.corpus.plain import write_plain
from isogloss.io.errors import ConfigError, InputFileError
from isogloss.io.streams import StrPath

__all__ = ["bilingual_files", "several_files"]

_SUFFIXES = tuple(
    suffix for format in FORMATS.values() for suffix in format.suffixes if suffix not in (".tab", ".pot")
)
_PACKED = ("", ".gz", ".zst")


def bilingual_files(names: Sequence[StrPath]) -> list[StrPath]:
    """Expand names to files: a folder to all bilingual files in it, a pattern to all matching files.

    The files of a folder or pattern are sorted by name; each file is returned once.
    """
    found: dict[str, StrPath] = {}
    for name in names:
        for path in _meant(name):
            found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _meant(name: StrPath) -> Sequence[StrPath]:
    path = Path(name)
    if path.is_dir():
        inside = [item for item in path.rglob("*") if item.is_file() and _is_bilingual(item)]
        if not inside:
            raise InputFileError(
                "the folder has no bilingual files", name, f"their names end in {', '.join(_SUFFIXES)}"
            )
        return sorted(inside)
    if not path.exists() and glob.has_magic(os.fspath(name)):
        fitting = sorted(glob.glob(os.fspath(name), recursive=True))  # noqa: PTH207  # the pattern may be absolute
        if not fitting:
            raise InputFileError("no file fits the pattern", name)
        return [file for item in fitting for file in (_meant(item) if Path(item).is_dir() else [item])]
    return [name]


def _is_bilingual(path: Path) -> bool:
    return path.name.lower().endswith(tuple(suffix + packed for suffix in _SUFFIXES for packed in _PACKED))


def several_files(sources: Sequence[StrPath], targets: Sequence[StrPath] = ()) -> PairFiles:
    """Combine several files into one corpus; ``targets`` are the translations of plain text files."""
    if targets and len(targets) != len(sources):
        raise ConfigError(
            f"there are {len(sources)} source files and {len(targets)} target files: give as many of each"
        )
    if len(sources) == 1:
        if targets:
            return PairFiles(FORMATS["plain"], (sources[0], targets[0]))
        return split_files([sources[0]])[0]
    parts = (
        [PairFiles(FORMATS["plain"], files) for files in zip(sources, targets, strict=True)]
        if targets
        else [split_files([source])[0] for source in sources]
    )

    def read(
        paths: Sequence[StrPath], options: ReadOptions | None = None, reading: Reading | None = None
    ) -> Iterator[SentencePair]:
        whole = reading if reading is not None else Reading()
        known: dict[str, StrPath] = {}
        for part in parts:
            own = Reading()
            for pair in part.read(options, own):
                # Set with every pair, so that callers that read only a few pairs see the languages too.
                whole.source_language = whole.source_language or own.source_language
                whole.target_language = whole.target_language or own.target_language
                yield pair
            _check_language(own.target_language, known, part.paths[0])
            whole.skipped += own.skipped

    several = Format(
        name="several",
        suffixes=(),
        files=len(sources),
        read=read,
        write=write_plain,
        carries=frozenset(),
    )
    return PairFiles(several, (*sources, *targets))


def _check_language(language: str, known: dict[str, StrPath], path: StrPath) -> None:
    """Refuse files with different target languages; regional variants of one language are fine."""
    main = language.replace("_", "-").partition("-")[0].lower()
    if not main:
        return
    if known and main not in known:
        other, where = next(iter(known.items()))
        raise ConfigError(f"{path} is a translation into '{main}', and {where} one into '{other}'")
    known.setdefault(main, path)
