"""The memory for local training: examples, their stored n-best lists, and retrieval.

    DIR/manifest.json      segments, features and fingerprint of the system that made the lists
    DIR/frequencies-*.bin  document frequency of each word when the memory was built or compacted
    DIR/index_N-*.bin      a segment: sources, references, posting lists
    DIR/lists_N-*.bin      n-best lists of examples that were decoded together: features, BLEU statistics
    DIR/removed-*.bin      numbers of removed examples
    DIR/overlay-…/         rules of added examples (``overlay.py``), named by the manifest

Every file is written once; a change writes new files and then replaces the manifest. So readers see the
memory before or after a change, examples and rules together, and a killed writer leaves it unchanged.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isogloss.adapt.lists import Candidates, StoredLists, one_candidate_set
from isogloss.adapt.options import LocalMethod, LocalOptions, MemoryOptions, RetrievalOptions
from isogloss.adapt.segment import Example, Segment
from isogloss.decoder.example_index import Frequencies, QueryTerms
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError, InputFileError, ModelFormatError, NotTrainedError
from isogloss.io.streams import StrPath
from isogloss.storage.folder import ArrayFolder, content_hash, open_folder
from isogloss.storage.packed import unpack

if TYPE_CHECKING:
    from isogloss.align import AlignmentModel
    from isogloss.decoder import System
    from isogloss.io.progress import Track
    from isogloss.io.text_lines import TextLines
    from isogloss.metric.references import ReferencesLike

__all__ = [
    "KIND",
    "OLD_OVERLAY",
    "OVERLAY",
    "VERSION",
    "Hit",
    "Memory",
    "SegmentFiles",
    "overlay_name",
    "read_lists",
    "read_segment",
    "system_fingerprint",
]

KIND = "memory"
_SPARSE = ("sparse", "weights.sparse")
_TUNED = ("strength", "sharpness")  # options of local training that `memory tune` stores
_READ_ATTEMPTS = 5
OLD_OVERLAY = "overlay"
OVERLAY = re.compile(r"overlay-[0-9a-f]{8}")
VERSION = 1


def system_fingerprint(system: System) -> str:
    """A hash of everything that determines the features of a system: rule table, language model, search,
    names.

    Sparse features are included with their weights, because the stored scores contain them.
    """
    sparse = [content_hash(folder) for name in _SPARSE if (folder := system.path / name).exists()]
    what = [
        content_hash(system.path / "rules"),
        content_hash(system.path / "lm"),
        system.options.search,
        list(system.decoder.names),
        *sparse,
    ]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()


class Hit(NamedTuple):
    """A retrieved example."""

    number: int
    """Number of the example in the memory."""
    similarity: float
    segment: Segment
    lists: StoredLists
    position: int
    """Position in the segment."""
    list_position: int
    """Position in the lists."""

    def example(self) -> Example:
        """The example itself: source, references, document, date."""
        return self.segment.example(self.position)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        example = self.example()
        return {
            "number": self.number,
            "similarity": self.similarity,
            "source": example.source,
            "references": list(example.references),
            "document": example.document,
            "date": example.date,
        }


class SegmentFiles(NamedTuple):
    """The arrays of a segment in the folder."""

    name: str
    lists: list[tuple[str, int]]
    """Name and number of examples, in the order of the segment."""
    size: int

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> SegmentFiles:
        """Read a row of the manifest; raises ValueError, KeyError or TypeError if it is invalid."""
        lists = [(str(name), int(count)) for name, count in row["lists"]]
        if sum(count for _, count in lists) != row["size"]:
            raise ValueError("a segment and its lists have different sizes")
        return cls(str(row["name"]), lists, int(row["size"]))


@dataclass(frozen=True, slots=True)
class _State:
    """The state of a memory at one moment."""

    folder: ArrayFolder
    files: list[SegmentFiles]
    segments: list[Segment]
    frequencies: Frequencies
    lists: dict[str, StoredLists]
    """Lists read so far."""
    overlay: RuleTable | None = None
    """Rules of added examples."""


class Memory:
    """An open memory of examples. Any number of threads and processes may read it while one changes it.

    >>> system = isogloss.load("engine")                                              # doctest: +SKIP
    >>> memory = isogloss.Memory.build("memory", system, "train.de", "train.en")      # doctest: +SKIP
    >>> memory.add("Der König ist alt.", "The king is old.")                          # doctest: +SKIP
    40000
    >>> adapted = isogloss.load("engine", memory=memory)                              # doctest: +SKIP
    >>> print(adapted.translate("Der König ist sehr alt."))                           # doctest: +SKIP
    The king is very old."""

    def __init__(self, path: StrPath, system: System | None = None) -> None:
        self.path = Path(path)
        self._system = system
        self._state = self._read()
        self._seen = self._stamp()
        self.changes = 0
        """How often ``refresh`` found changes."""

    @classmethod
    def open(cls, path: StrPath, system: System | None = None) -> Memory:
        """Open a memory; if a system is given, check that the memory was built with it."""
        memory = cls(path, system)
        if system is not None:
            memory.check_system(system)
        return memory

    @classmethod
    def build(
        cls,
        path: StrPath,
        system: System,
        source: TextLines,
        references: ReferencesLike,
        *,
        options: MemoryOptions | None = None,
        aligner: AlignmentModel | StrPath | None = None,
        document: str | None = None,
        tokenized: bool = False,
        threads: int = 1,
        progress: bool | Track = False,
    ) -> Memory:
        """Decode examples with a system and store them, with an index, as a memory.

        Sentences and translations are files or lists: plain text if the system was trained with a tokenizer,
        unless you set ``tokenized``. Pairs with an empty side are left out. With an ``aligner``, the search
        also uses phrases of examples added later. An interrupted build resumes if you repeat the call; a
        folder with a finished memory is an error.
        """
        from isogloss.adapt.example_text import make_examples
        from isogloss.adapt.memory_update import build_memory
        from isogloss.align import AlignmentModel
        from isogloss.io.progress import as_track

        if aligner is not None and not isinstance(aligner, AlignmentModel):
            aligner = AlignmentModel.load(aligner)
        examples = make_examples(source, references, None if tokenized else system.text, document)
        build_memory(
            path, system, examples, options, aligner=aligner, threads=threads, track=as_track(progress)
        )
        return cls.open(path, system)

    def add(
        self,
        source: str,
        translation: str | Sequence[str],
        *,
        document: str | None = None,
        tokenized: bool = False,
    ) -> int:
        """Add an example, such as a correction, and return its number. The next sentence uses it.

        Open the memory with its system, which decodes the example.
        """
        from isogloss.adapt.example_text import make_examples
        from isogloss.adapt.memory_update import add_examples

        system = self._known_system()
        several = [translation] if isinstance(translation, str) else list(translation)
        examples = make_examples([source], [several], None if tokenized else system.text, document)
        if not examples:
            raise ConfigError("the sentence and the translation of an example must not be empty")
        (number,) = add_examples(self.path, system, [replace(examples[0], date=int(time.time()))])
        self.refresh()
        return number

    def remove(self, *numbers: int) -> None:
        """Remove examples by number, so that they are no longer retrieved."""
        from isogloss.adapt.memory_update import remove_examples

        remove_examples(self.path, numbers)
        self.refresh()

    def _known_system(self) -> System:
        if self._system is None:
            raise ConfigError(
                f"{self.path}: the memory was opened without its system; open it with its system to add "
                "examples"
            )
        return self._system

    def check_system(self, system: System) -> None:
        """Raise an error if the memory was built with another system: its features would not match."""
        made_with = self.attributes["fingerprint"]
        if made_with == system_fingerprint(system):
            return
        raise ModelFormatError(
            f"was built with a different system than {system.path} (other rules, language model or features)",
            self.path,
            "rebuild it with this system",
        )

    def refresh(self) -> None:
        """Read changes made by other processes; cheap if there are none."""
        stamp = self._stamp()
        if stamp != self._seen:
            self._state = self._read()
            self._seen = stamp
            self.changes += 1

    @property
    def attributes(self) -> Mapping[str, Any]:
        """How the memory was built, and its tuned settings."""
        return self._state.folder.attributes

    @property
    def options(self) -> MemoryOptions:
        """How its examples were decoded."""
        return MemoryOptions(**self.attributes["options"])

    @property
    def names(self) -> list[str]:
        """Names of the dense features of the stored lists."""
        return [str(name) for name in self.attributes["names"]]

    def update_options(self, method: LocalMethod, **changes: Any) -> LocalOptions:
        """The options that ``memory tune`` stored for a method, or the defaults, with the given changes."""
        chosen = self.attributes.get("chosen", {}).get(method, {})
        tuned = {name: chosen[name] for name in _TUNED if name in chosen}
        given = {name: value for name, value in changes.items() if value is not None}
        return LocalOptions(method=method, **{**tuned, **given})

    def retrieval_options(self, method: LocalMethod, **changes: Any) -> RetrievalOptions:
        """The same for retrieval. In a memory of the training text, a sentence does not retrieve itself."""
        size = self.attributes.get("chosen", {}).get(method, {}).get("size")
        tuned = {"skip_identical": self.of_training_text, **({} if size is None else {"size": size})}
        given = {name: value for name, value in changes.items() if value is not None}
        return RetrievalOptions(**{**tuned, **given})

    def __len__(self) -> int:
        """Number of examples."""
        state = self._state
        gone = sum(int(np.count_nonzero(s.removed)) for s in state.segments if s.removed is not None)
        return sum(len(segment) for segment in state.segments) - gone

    @property
    def segments(self) -> Sequence[Segment]:
        """Its segments, the oldest first."""
        return self._state.segments

    @property
    def frequencies(self) -> Frequencies:
        """The word frequencies in use."""
        return self._state.frequencies

    @property
    def nbytes(self) -> int:
        """Size on disk, in bytes."""
        return sum(array.nbytes for array in self._state.folder.arrays.values())

    def facts(self) -> dict[str, Any]:
        """Number of examples and how the memory was built, as plain values."""
        return {
            "examples": len(self),
            "segments": [len(segment) for segment in self.segments],
            "bytes": self.nbytes,
            "words": len(self.frequencies.words),
            "sentences_counted": self.frequencies.sentences,
            "nbest": self.options.nbest,
            "features": self.names,
            "tuned": dict(self.attributes.get("chosen", {})),
        }

    def search(
        self, sentence: str, options: RetrievalOptions | None = None, *, tokenized: bool = False
    ) -> list[Hit]:
        """The most similar examples, best first; among equals, the most recent first.

        The result is exact, as if every example were compared. It has fewer than ``options.size`` examples if
        fewer share a word with the sentence. The sentence is plain text if the memory was opened with a
        system that has a tokenizer, unless you set ``tokenized``.
        """
        options = options or RetrievalOptions()
        if not tokenized and self._system is not None and self._system.text is not None:
            sentence = self._system.text.tokenize(sentence)
        state = self._state
        query = QueryTerms.of(sentence, state.frequencies)
        if len(query.tokens) == 0:
            return []
        found: list[tuple[float, int, int, int]] = []
        at_least = options.min_similarity
        # The largest segment first: its results raise the threshold for the others.
        for which in sorted(range(len(state.segments)), key=lambda i: -len(state.segments[i])):
            segment = state.segments[which]
            positions, similarities = segment.search(query, options, at_least)
            numbers = segment.numbers[positions]
            rows = zip(similarities.tolist(), numbers.tolist(), positions.tolist(), strict=True)
            found += [(similarity, number, which, position) for similarity, number, position in rows]
            if len(found) > options.size:
                found = sorted(found, reverse=True)[: options.size]
            if len(found) == options.size:
                at_least = max(at_least, min(found)[0])
        return [self._hit(state, *row) for row in sorted(found, reverse=True)]

    def candidates(self, hits: Sequence[Hit]) -> Candidates:
        """The stored candidates of examples."""
        return one_candidate_set([(hit.lists, hit.list_position) for hit in hits], len(self.names))

    def everything(self) -> list[tuple[StoredLists, int]]:
        """Every example as its list and its position in the list."""
        state = self._state
        found: list[tuple[StoredLists, int]] = []
        for files, segment in zip(state.files, state.segments, strict=True):
            first = 0
            for name, count in files.lists:
                gone = np.zeros(count) if segment.removed is None else segment.removed[first : first + count]
                lists = self._lists(state, name, count)
                found += [(lists, position) for position in range(count) if not gone[position]]
                first += count
        return found

    def some(self, count: int) -> dict[int, tuple[StoredLists, int]]:
        """A sample of the examples that the memory was built with, by number, each with its list and
        position.

        Additions do not change the sample."""
        built = int(self.attributes.get("built", 0))
        wanted = np.linspace(0, max(built - 1, 0), min(count, built)).round().astype(np.int64)
        state = self._state
        found: dict[int, tuple[StoredLists, int]] = {}
        for which, segment in enumerate(state.segments):
            for position in np.flatnonzero(np.isin(segment.numbers, wanted)).tolist():
                if segment.removed is None or not segment.removed[position]:
                    hit = self._hit(state, 0.0, int(segment.numbers[position]), which, position)
                    found[hit.number] = hit.lists, hit.list_position
        return found

    @property
    def of_training_text(self) -> bool:
        """Whether the examples are the training text of the system, each decoded without its own rules."""
        return self.options.leave_one_out

    def find(self, number: int) -> Example:
        """The example with this number; raises an error if there is none."""
        for segment in self._state.segments:
            position = int(np.searchsorted(segment.numbers, number))
            if position < len(segment) and segment.numbers[position] == number:
                if segment.removed is None or not segment.removed[position]:
                    return segment.example(position)
                break
        raise ConfigError(f"{self.path}: there is no example {number}")

    @property
    def overlay(self) -> RuleTable | None:
        """Rules of added examples for the search; the same object until the memory changes."""
        return self._state.overlay

    def _hit(self, state: _State, similarity: float, number: int, which: int, position: int) -> Hit:
        left = position
        for name, count in state.files[which].lists:
            if left < count:
                lists = self._lists(state, name, count)
                return Hit(number, similarity, state.segments[which], lists, position, left)
            left -= count
        raise ModelFormatError("an example has no n-best list", self.path, "rebuild the memory")

    def _lists(self, state: _State, name: str, count: int) -> StoredLists:
        known = state.lists.get(name)
        if known is None:
            known = read_lists(state.folder, name, count)
            state.lists[name] = known
        return known

    def _stamp(self) -> tuple[int, int]:
        try:
            facts = (self.path / "manifest.json").stat()
        except OSError:
            return 0, 0
        return facts.st_mtime_ns, facts.st_ino

    def _read(self) -> _State:
        for _ in range(_READ_ATTEMPTS - 1):
            folder = open_folder(self.path, kind=KIND, version=VERSION)
            try:
                return self._state_of(folder)
            except (ModelFormatError, InputFileError):
                # A writer may have replaced the rules since: they are in a folder of their own.
                if open_folder(self.path, kind=KIND, version=VERSION).attributes == folder.attributes:
                    raise
        return self._state_of(open_folder(self.path, kind=KIND, version=VERSION))

    def _state_of(self, folder: ArrayFolder) -> _State:
        if folder.attributes.get("build") is not None:
            raise NotTrainedError(
                f"{self.path}: the memory is not complete; run 'isogloss memory build' with the same files "
                "to resume"
            )
        try:
            files = [SegmentFiles.from_json(row) for row in folder.attributes["segments"]]
            segments = [read_segment(folder, row) for row in files]
            frequencies = Frequencies.from_arrays(unpack(folder.arrays["frequencies"], self.path), self.path)
            removed = folder.arrays.get("removed")
            _check_attributes(folder.attributes)
        except (KeyError, ValueError, TypeError, AttributeError, ConfigError) as error:
            if isinstance(error, ModelFormatError):
                raise
            raise ModelFormatError(
                f"the memory is damaged ({error})", self.path, "rebuild the memory"
            ) from None
        for segment in segments:
            if removed is not None and len(removed):
                mask = np.isin(segment.numbers, removed)
                segment.removed = mask.astype(np.uint8) if mask.any() else None
        name = overlay_name(folder)
        overlay = None if name is None else RuleTable.open(self.path / name)
        return _State(folder, files, segments, frequencies, {}, overlay)


def _check_attributes(attributes: Mapping[str, Any]) -> None:
    """Raise an error if something cannot be what was stored: it is used much later."""
    MemoryOptions(**attributes["options"])
    for method, chosen in attributes.get("chosen", {}).items():
        LocalOptions(method=method, **{name: chosen[name] for name in _TUNED if name in chosen})
        if chosen.get("size") is not None:
            RetrievalOptions(size=chosen["size"])
    if not isinstance(attributes["fingerprint"], str):
        raise TypeError("the fingerprint of its system is not a text")
    if not isinstance(attributes["names"], list):
        raise TypeError("the names of features are not a list")
    for name in ("built", "next", "next_example"):
        if not 0 <= int(attributes.get(name, 0)) < 1 << 62:
            raise ValueError(f"'{name}' is out of range")


def overlay_name(folder: ArrayFolder) -> str | None:
    """The folder with the rules of added examples; None if there is none."""
    name = folder.attributes.get("overlay")
    if name is None:  # written before the manifest named it
        return OLD_OVERLAY if (folder.path / OLD_OVERLAY / "manifest.json").exists() else None
    if not isinstance(name, str) or not (name == "" or OVERLAY.fullmatch(name)):
        raise ModelFormatError("the name of the overlay is invalid", folder.path, "rebuild the memory")
    return name or None


def read_segment(folder: ArrayFolder, files: SegmentFiles) -> Segment:
    """Open a segment of the folder."""
    segment = Segment(unpack(folder.arrays[files.name], folder.path), folder.path)
    if len(segment) != files.size:
        raise ValueError("a segment does not have the size in the manifest")
    return segment


def read_lists(folder: ArrayFolder, name: str, count: int) -> StoredLists:
    """Open lists of the folder."""
    if name not in folder.arrays:
        raise ModelFormatError(f"the lists '{name}' are missing", folder.path, "rebuild the memory")
    dense_size = len(folder.attributes["names"])
    lists = StoredLists.checked(unpack(folder.arrays[name], folder.path), folder.path, dense_size)
    if len(lists) != count:
        raise ModelFormatError("the lists do not have the expected size", folder.path, "rebuild the memory")
    return lists
