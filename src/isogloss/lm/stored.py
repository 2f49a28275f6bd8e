"""The binary format: a folder of arrays that queries use directly, mapped into memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from isogloss._engine import LM_MAX_ORDER, LmModel, LmTableCompiler, Vocabulary, lm_copy_table, lm_index_words
from isogloss.io.errors import ModelFormatError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.storage.folder import open_folder, write_folder

if TYPE_CHECKING:  # estimation, which nobody needs who only opens a model
    from isogloss.lm.counts import Special
    from isogloss.lm.kneser_ney import Estimate
    from isogloss.lm.scratch import Scratch

__all__ = [
    "KIND",
    "VERSION",
    "StoredModel",
    "in_own_memory",
    "open_model",
    "vocabulary_arrays",
    "write_estimate",
    "write_model",
]

KIND = "lm"
VERSION = 1

Array = npt.NDArray[Any]

_STEP = 1 << 20  # n-grams per engine call


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredModel:
    """The arrays of a model and their attributes."""

    order: int
    counts: tuple[int, ...]
    special: Special
    has_unknown: bool
    arrays: Mapping[str, Array]

    def engine(self) -> LmModel:
        """The engine's view of the arrays. Raises ValueError or KeyError if they do not match."""
        tables = [self.arrays[_table(order)] for order in range(2, self.order + 1)]
        return LmModel(self.order, self.special, self.arrays["unigrams"], tables, self.arrays["word_index"])


def in_own_memory(model: StoredModel) -> StoredModel:
    """The model with its tables copied out of the mapped files."""
    tables = {_table(order) for order in range(2, model.order + 1)}
    copies = {name: lm_copy_table(array) for name, array in model.arrays.items() if name in tables}
    return replace(model, arrays={**model.arrays, **copies})


def vocabulary_arrays(vocabulary: Vocabulary) -> dict[str, Array]:
    """The arrays of the vocabulary."""
    word_bytes, word_offsets = vocabulary.arrays()
    return {
        "word_bytes": word_bytes,
        "word_offsets": word_offsets,
        "word_index": lm_index_words(vocabulary),
    }


def write_model(path: StrPath, model: StoredModel) -> None:
    """Store a model in a folder."""
    _write(path, model.order, model.counts, model.special, model.has_unknown, model.arrays, {})


def write_estimate(path: StrPath, model: Estimate, *, scratch: Scratch, track: Track = no_track) -> None:
    """Store an estimated model; tables that do not fit into memory go to temporary files."""
    counts = model.counts
    arrays = vocabulary_arrays(counts.vocabulary)
    arrays["unigrams"] = model.trie.compile_unigrams(model.log_probs[0], model.backoffs[0])
    for order in range(2, counts.order + 1):
        arrays[_table(order)] = scratch.keep(_compile_table(model, order, scratch, track))
    made = {
        "discounts": [list(discounts.amounts) for discounts in model.discounts],
        "sentences": counts.sentences,
        "words": counts.words,
    }
    _write(path, counts.order, counts.kept, counts.special, True, arrays, made)


def _compile_table(model: Estimate, order: int, scratch: Scratch, track: Track) -> Array:
    table = LmTableCompiler(model.trie, order, model.counts.kept[order - 1])
    log_probs, backoffs = model.log_probs[order - 1], model.backoffs[order - 1]
    steps = scratch.ranges(len(log_probs), _STEP)
    for begin, end in track(steps, f"making the table of {order}-grams", -(-len(log_probs) // _STEP)):
        table.add(log_probs, backoffs, begin, end)
    return table.finish()


def open_model(path: StrPath) -> StoredModel:
    """Open a stored model without reading its tables."""
    folder = open_folder(path, kind=KIND, version=VERSION)
    facts = folder.attributes
    try:
        order, special, counts = facts["order"], tuple(facts["special"]), tuple(facts["counts"])
        numbers = (order, *special, *counts)
        if not all(isinstance(n, int) and n >= 0 for n in numbers) or len(special) != 3:
            raise ValueError
        if not 1 <= order <= LM_MAX_ORDER or len(counts) != order or max(special) > np.iinfo(np.uint32).max:
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise ModelFormatError("the manifest of the model is inconsistent", path) from None
    return StoredModel(
        order=order,
        counts=counts,
        special=special,
        has_unknown=bool(facts.get("has_unknown", True)),
        arrays=folder.arrays,
    )


def _table(order: int) -> str:
    return f"ngrams_{order}"


def _write(
    path: StrPath,
    order: int,
    counts: tuple[int, ...],
    special: Special,
    has_unknown: bool,
    arrays: Mapping[str, Array],
    more: Mapping[str, Any],
) -> None:
    attributes = {
        "order": order,
        "counts": list(counts),
        "special": list(special),
        "has_unknown": has_unknown,
        **more,
    }
    write_folder(path, kind=KIND, version=VERSION, arrays=arrays, attributes=attributes)
