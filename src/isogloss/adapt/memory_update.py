"""Changes to a memory: build, add, remove, compact."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.adapt.decoding import ExampleDecoder
from isogloss.adapt.lists import StoredLists
from isogloss.adapt.memory import (
    KIND,
    VERSION,
    Memory,
    SegmentFiles,
    overlay_name,
    read_lists,
    read_segment,
    system_fingerprint,
)
from isogloss.adapt.options import LocalOptions, MemoryOptions
from isogloss.adapt.overlay import give_aligner, has_aligner, remove_overlays, write_overlay
from isogloss.adapt.segment import Array, Example, segment_columns
from isogloss.align import AlignmentModel
from isogloss.decoder.example_index import Frequencies
from isogloss.decoder.sentence import split_words
from isogloss.grammar.table import RuleTable
from isogloss.io.durable import one_writer
from isogloss.io.errors import ConfigError, DataFormatError, ModelFormatError, OutputError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.storage.folder import ArrayFolder, open_folder, update_folder, write_folder
from isogloss.storage.packed import pack, unpack

if TYPE_CHECKING:
    from isogloss.decoder import System

__all__ = [
    "MemoryOptions",
    "add_examples",
    "build_memory",
    "compact_memory",
    "read_examples",
    "remove_examples",
    "save_tuned",
]

Change = tuple[Mapping[str, Array], Collection[str], Mapping[str, Any]]

_MERGED = 1024  # maximum number of examples that one addition rewrites, so that it takes only milliseconds


def build_memory(
    path: StrPath,
    system: System,
    examples: Sequence[Example],
    options: MemoryOptions | None = None,
    *,
    aligner: AlignmentModel | None = None,
    links: Sequence[str] | None = None,
    threads: int = 1,
    track: Track = no_track,
) -> Memory:
    """Decode examples and store them as a memory. An interrupted build of the same examples resumes.

    With an ``aligner``, which is copied, examples added later give the search new phrases. A folder with a
    finished memory is an error, because it may contain corrections that exist nowhere else. To leave one out,
    give the ``links`` of the training text (``0-0 1-2``), a line for the only reference of every example;
    without them, the aligner makes them.
    """
    options = options or MemoryOptions()
    decode = ExampleDecoder(system.decoder, options, threads)
    if options.leave_one_out:
        decode.leave_out(system.path / "rules", examples, links, aligner)
    _check_examples(examples)
    inputs = _inputs(system, examples, options)
    done = _begun(Path(path), inputs, system, options)
    starts = range(done, len(examples), options.batch)
    for start in track(starts, "decoding", len(starts)):
        part = examples[start : start + options.batch]
        _keep_batch(path, decode.lists(part, start), len(part), start)
    frequencies = Frequencies.count([split_words(example.source) for example in examples])
    index = segment_columns(examples, range(len(examples)), frequencies)

    def finish(folder: ArrayFolder) -> Change:
        lists = folder.attributes["build"]["lists"]
        segment = {"name": "index_0", "lists": lists, "size": len(examples)}
        attributes = {
            **folder.attributes,
            "build": None,
            "segments": [segment] if examples else [],
            "next_example": len(examples),
            "built": len(examples),
        }
        arrays = {"frequencies": pack(frequencies.arrays())}
        if examples:
            arrays["index_0"] = pack(index)
        return arrays, [], attributes

    if aligner is not None:
        give_aligner(path, aligner)
    update_folder(path, kind=KIND, version=VERSION, change=finish)
    return Memory.open(path)


def add_examples(
    path: StrPath,
    system: System,
    examples: Sequence[Example],
    *,
    overlay: bool = True,
    threads: int = 1,
) -> list[int]:
    """Decode examples, add them to a memory and return their numbers. The next query finds them.

    If the memory has an aligner, their phrases are added to its overlay too, unless ``overlay`` is False. An
    example that was added before, and not removed, keeps its number: repeating an addition changes nothing.
    All of this takes effect in one step, when the manifest is replaced.
    """
    memory = Memory.open(path, system)
    _check_examples(examples)
    if not examples:
        return []
    options = memory.options
    lists = ExampleDecoder(system.decoder, options, threads).lists(examples)
    numbers: list[int] = []

    def change(folder: ArrayFolder) -> Change:
        known = {_identity(example): number for number, example in _added(folder).items()}
        following = int(folder.attributes["next_example"])
        new: list[int] = []  # positions
        numbers.clear()
        for position, example in enumerate(examples):
            if (number := known.get(_identity(example))) is None:
                number = known[_identity(example)] = following + len(new)
                new.append(position)
            numbers.append(number)
        if not new:
            return {}, [], folder.attributes
        columns = lists
        if len(new) < len(examples):
            columns = StoredLists(lists, folder.path).selected(new, _size(folder))
        made = [examples[position] for position in new]
        arrays, dropped, attributes = _with_segment(folder, made, [numbers[at] for at in new], columns)
        plain = [*folder.attributes.get("plain", []), *([] if overlay else (numbers[at] for at in new))]
        changed = {**attributes, "plain": plain}
        if overlay:
            in_overlay = [*_in_overlay(folder).values(), *made]
            changed["overlay"] = _new_overlay(folder, in_overlay, RuleTable.open(system.path / "rules"))
        return arrays, dropped, changed

    _update(Path(path), change)
    return numbers


def remove_examples(path: StrPath, numbers: Collection[int]) -> None:
    """Remove examples by number; an unknown number is an error."""

    def change(folder: ArrayFolder) -> Change:
        held = {number for files in _files(folder) for number in read_segment(folder, files).numbers.tolist()}
        known = folder.arrays.get("removed", np.zeros(0, np.int64))
        missing = sorted(set(numbers) - (held - set(known.tolist())))
        if missing:
            raise ConfigError(f"{folder.path}: there is no example {missing[0]}")
        removed = np.union1d(known, np.array(sorted(numbers), dtype=np.int64))
        name = overlay_name(folder)
        if name is not None:
            left = [one for number, one in _in_overlay(folder).items() if number not in set(numbers)]
            name = _new_overlay(folder, left, RuleTable.open(folder.path / name))
        return {"removed": removed}, [], {**folder.attributes, "overlay": name or ""}

    _update(Path(path), change)


def _update(path: Path, change: Callable[[ArrayFolder], Change]) -> None:
    """Change a memory, with its overlay, in one step."""

    def work(folder: ArrayFolder) -> Change:
        remove_overlays(path, overlay_name(folder))  # left behind by killed writers
        return change(folder)

    update_folder(path, kind=KIND, version=VERSION, change=work)
    with contextlib.suppress(OSError), one_writer(path):  # the change is there; the next writer tidies up
        remove_overlays(path, overlay_name(open_folder(path, kind=KIND, version=VERSION)))


def _new_overlay(folder: ArrayFolder, added: Sequence[Example], known: RuleTable) -> str:
    return write_overlay(folder.path, added, known) if has_aligner(folder.path) else ""


def _added(folder: ArrayFolder) -> dict[int, Example]:
    """Examples added after the build and not removed, by number."""
    first = int(folder.attributes.get("built", 0))
    removed = set(folder.arrays.get("removed", np.zeros(0, np.int64)).tolist())
    found: dict[int, Example] = {}
    for files in _files(folder):
        segment = read_segment(folder, files)
        for position, number in enumerate(segment.numbers.tolist()):
            if number >= first and number not in removed:
                found[number] = segment.example(position)
    return found


def _in_overlay(folder: ArrayFolder) -> dict[int, Example]:
    """Added examples, except those kept out of the overlay."""
    plain = set(folder.attributes.get("plain", []))
    return {number: example for number, example in _added(folder).items() if number not in plain}


def _identity(example: Example) -> tuple[object, ...]:
    """What makes two examples the same; the date does not."""
    return " ".join(split_words(example.source)), example.references, example.document


def compact_memory(path: StrPath) -> Memory:
    """Rewrite a memory as one segment, without removed examples and with current word frequencies."""
    Memory.open(path)

    def change(folder: ArrayFolder) -> Change:
        removed = folder.arrays.get("removed", np.zeros(0, np.int64))
        examples: list[Example] = []
        numbers: list[int] = []
        rows: list[tuple[str, int]] = []
        arrays: dict[str, Array] = {}
        following = int(folder.attributes["next"])
        for files in _files(folder):
            segment = read_segment(folder, files)
            kept = ~np.isin(segment.numbers, removed)
            examples += [segment.example(i) for i in np.flatnonzero(kept).tolist()]
            numbers += segment.numbers[kept].tolist()
            first = 0
            for name, count in files.lists:
                left = np.flatnonzero(kept[first : first + count])
                first += count
                if len(left) == count:
                    rows.append((name, count))
                elif len(left):
                    stored = read_lists(folder, name, count)
                    arrays[f"lists_{following}"] = pack(stored.selected(left.tolist(), _size(folder)))
                    rows.append((f"lists_{following}", len(left)))
                    following += 1
        frequencies = Frequencies.count([split_words(example.source) for example in examples])
        index = f"index_{following}"
        segments = [{"name": index, "lists": rows, "size": len(examples)}] if examples else []
        if examples:
            arrays[index] = pack(segment_columns(examples, numbers, frequencies))
        arrays["frequencies"] = pack(frequencies.arrays())
        kept_names = {name for name, _ in rows} | arrays.keys()
        dropped = [name for name in folder.arrays if name not in kept_names]
        attributes = {**folder.attributes, "segments": segments, "next": following + 1}
        return arrays, dropped, attributes

    update_folder(path, kind=KIND, version=VERSION, change=change)
    return Memory.open(path)


def save_tuned(path: StrPath, options: LocalOptions, size: int | None = None) -> None:
    """Store the default settings of a method in a memory; ``size`` is the number of examples they were tuned
    with."""

    def change(folder: ArrayFolder) -> Change:
        chosen = {"strength": options.strength, "sharpness": options.sharpness, "size": size}
        by_method = {**folder.attributes.get("chosen", {}), options.method: chosen}
        return {}, [], {**folder.attributes, "chosen": by_method}

    update_folder(path, kind=KIND, version=VERSION, change=change)


def _check_examples(examples: Sequence[Example]) -> None:
    for number, example in enumerate(examples, start=1):
        if not split_words(example.source):
            raise DataFormatError("the source is empty", "examples", number, "remove such pairs")
        if not example.references or not all(split_words(text) for text in example.references):
            raise DataFormatError("a translation is empty", "examples", number, "remove such pairs")


def _inputs(system: System, examples: Sequence[Example], options: MemoryOptions) -> str:
    """A hash of everything that the decoded lists depend on."""
    digest = hashlib.sha256()
    facts = [system_fingerprint(system), dict(system.weights), asdict(system.options), asdict(options)]
    digest.update(json.dumps(facts, sort_keys=True).encode())
    for example in examples:
        row = [example.source, example.references, example.document, example.date]
        digest.update(json.dumps(row, ensure_ascii=False).encode())
    return digest.hexdigest()


def _begun(path: Path, inputs: str, system: System, options: MemoryOptions) -> int:
    """The number of examples that an earlier, identical build has decoded; starts a build if there is
    none."""
    names = list(system.decoder.names)
    if (path / "manifest.json").exists():
        folder = open_folder(path, kind=KIND, version=VERSION)
        build = folder.attributes.get("build")
        if build is None:
            raise OutputError(
                "holds a finished memory",
                path,
                "add to it with 'isogloss memory add', or remove the folder to rebuild it",
            )
        if build["inputs"] == inputs:
            return sum(int(count) for _, count in build["lists"])
    write_folder(
        path,
        kind=KIND,
        version=VERSION,
        arrays={},
        attributes={
            "names": names,
            "fingerprint": system_fingerprint(system),
            "weights": dict(system.weights),
            "options": asdict(options),
            "segments": [],
            "next": 1,
            "next_example": 0,
            "build": {"inputs": inputs, "lists": []},
        },
    )
    return 0


def _keep_batch(path: StrPath, columns: dict[str, Array], count: int, start: int) -> None:
    def change(folder: ArrayFolder) -> Change:
        build = folder.attributes["build"]
        if build is None or sum(size for _, size in build["lists"]) != start:
            raise OutputError("another build is writing to this folder", path, "wait for it to finish")
        name = f"lists_{folder.attributes['next']}"
        attributes = {
            **folder.attributes,
            "next": folder.attributes["next"] + 1,
            "build": {**build, "lists": [*build["lists"], [name, count]]},
        }
        return {name: pack(columns)}, [], attributes

    update_folder(path, kind=KIND, version=VERSION, change=change)


def _with_segment(
    folder: ArrayFolder, examples: list[Example], numbers: list[int], columns: dict[str, Array]
) -> Change:
    """Add a segment to the folder and merge small segments before it, so that their number stays small."""
    files = _files(folder)
    following = int(folder.attributes["next"])
    frequencies = Frequencies.from_arrays(unpack(folder.arrays["frequencies"], folder.path), folder.path)
    dropped: list[str] = []
    all_numbers = list(numbers)
    while files and files[-1].size <= len(examples) and files[-1].size + len(examples) <= _MERGED:
        last = files.pop()
        segment = read_segment(folder, last)
        examples = [*(segment.example(i) for i in range(len(segment))), *examples]
        all_numbers = [*segment.numbers.tolist(), *all_numbers]
        stored = [read_lists(folder, name, count) for name, count in last.lists]
        columns = stored[0].merged([*stored[1:], type(stored[0])(columns, folder.path)], _size(folder))
        dropped += [last.name, *(name for name, _ in last.lists)]
    files.append(SegmentFiles(f"index_{following}", [(f"lists_{following}", len(examples))], len(examples)))
    attributes = {
        **folder.attributes,
        "segments": [row._asdict() for row in files],
        "next": following + 1,
        "next_example": int(folder.attributes["next_example"]) + len(numbers),
    }
    arrays = {
        f"index_{following}": pack(segment_columns(examples, all_numbers, frequencies)),
        f"lists_{following}": pack(columns),
    }
    return arrays, dropped, attributes


def _size(folder: ArrayFolder) -> int:
    return len(folder.attributes["names"])


def _files(folder: ArrayFolder) -> list[SegmentFiles]:
    try:
        return [SegmentFiles.from_json(row) for row in folder.attributes["segments"]]
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFormatError(f"the memory is damaged ({error})", folder.path) from None


def read_examples(
    source: StrPath,
    references: Sequence[StrPath],
    *,
    document: str | None = None,
    date: int = 0,
) -> tuple[list[Example], int]:
    """Examples from parallel files, and the number of lines left out because a side is empty."""
    from isogloss.io.streams import read_lines
    from isogloss.metric.references import check_length

    sources = list(read_lines(source))
    streams = [list(read_lines(path)) for path in references]
    for path, stream in zip(references, streams, strict=True):
        check_length(str(path), len(stream), str(source), len(sources))
    examples = list(_paired(sources, streams, document, date))
    return examples, len(sources) - len(examples)


def _paired(
    sources: list[str], streams: list[list[str]], document: str | None, date: int
) -> Iterator[Example]:
    for source, *lines in zip(sources, *streams, strict=True):
        texts = tuple(line for line in lines if split_words(line))
        if split_words(source) and texts:
            yield Example(source=source, references=texts, document=document, date=date)
