"""Moses lexical tables: lines ``word given probability``, one file per direction.

``PREFIX.f2e`` holds p(target | source), a line ``target source probability``; ``PREFIX.e2f`` holds
p(source | target), a line ``source target probability``. ``NULL`` is the empty word.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import fspath

import numpy as np

from isogloss import _engine
from isogloss.align.bitext import BitextEncoder
from isogloss.align.model import AlignmentModel
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath, atomic_outputs, read_lines

__all__ = ["lexicon_paths", "read_lexicon", "write_lexicon"]

_NULL = "NULL"


def lexicon_paths(prefix: StrPath) -> tuple[str, str]:
    """The two files of a table: p(target | source), p(source | target)."""
    return f"{fspath(prefix)}.f2e", f"{fspath(prefix)}.e2f"


def write_lexicon(model: AlignmentModel, prefix: StrPath) -> None:
    """Write a model's lexical table, both directions."""
    encoder = model.encoder
    with atomic_outputs(lexicon_paths(prefix)) as (forward, backward):
        for word, probability in zip(encoder.target.words(), model.target_null.tolist(), strict=True):
            forward.write(f"{word} {_NULL} {probability:.7g}\n")
        for word, probability in zip(encoder.source.words(), model.source_null.tolist(), strict=True):
            backward.write(f"{word} {_NULL} {probability:.7g}\n")
        for source, target, there, back in model.lexical_entries():
            if there > 0:
                forward.write(f"{target} {source} {there:.7g}\n")
            if back > 0:
                backward.write(f"{source} {target} {back:.7g}\n")


def read_lexicon(prefix: StrPath, *, lowercase: bool | None = None) -> AlignmentModel:
    """Make a model from a lexical table; it aligns like Model 1.

    ``lowercase`` means that the words of the table are lowercased; by default, if no word has an uppercase
    letter.
    """
    encoder = BitextEncoder(lowercase=False)
    entries: dict[tuple[int, int], list[float]] = {}
    nulls: tuple[dict[int, float], dict[int, float]] = ({}, {})
    for direction, path in enumerate(lexicon_paths(prefix)):
        own, other = (encoder.target, encoder.source) if direction == 0 else (encoder.source, encoder.target)
        for word, given, probability in _read(path):
            number = own.add(word)
            if given == _NULL:
                nulls[direction][number] = probability
                continue
            partner = other.add(given)
            key = (partner, number) if direction == 0 else (number, partner)
            entries.setdefault(key, [0.0, 0.0])[direction] = probability
    words = [*encoder.source.words(), *encoder.target.words()]
    encoder.lowercase = all(word == word.lower() for word in words) if lowercase is None else lowercase
    keys = np.array(sorted(entries), np.int64).reshape(-1, 2)
    values = np.array([entries[source, target] for source, target in keys.tolist()], np.float32)
    row_offsets = np.zeros(len(encoder.source) + 1, np.uint64)
    np.cumsum(np.bincount(keys[:, 0], minlength=len(encoder.source)), out=row_offsets[1:])
    parameters = _engine.AlignmentParameters()
    parameters.type = _engine.AlignmentModelType.model1
    return AlignmentModel(
        encoder=encoder,
        row_offsets=row_offsets,
        columns=keys[:, 1].astype(np.uint32),
        probabilities=values.reshape(-1, 2),
        source_null=_null_distribution(nulls[1], len(encoder.source)),
        target_null=_null_distribution(nulls[0], len(encoder.target)),
        parameters=parameters,
        made_with={"lexicon": fspath(prefix)},
    )


def _null_distribution(known: dict[int, float], size: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    null = np.full(size, 1 / max(size, 1), np.float32)
    for number, probability in known.items():
        null[number] = probability
    return null


def _read(path: str) -> Iterator[tuple[str, str, float]]:
    for number, line in enumerate(read_lines(path), start=1):
        fields = line.split(" ")
        if len(fields) != 3 or not all(fields):
            raise DataFormatError(
                f"{len(fields)} fields, 3 expected",
                path,
                number,
                "each line must be: word, conditioning word, probability",
            )
        try:
            probability = float(fields[2])
        except ValueError:
            probability = -1.0
        if not 0 <= probability <= 1:
            raise DataFormatError(f"'{fields[2]}' is not a probability", path, number)
        yield fields[0], fields[1], probability
