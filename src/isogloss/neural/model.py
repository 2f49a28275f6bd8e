"""A joint model: the next target word from the last ones and the source words around it.

After Devlin et al. (2014). A search that builds translations from left to right has both at hand at every
step. Scores are log probabilities that need no normalization.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.io.errors import ModelFormatError
from isogloss.io.streams import StrPath
from isogloss.neural.aligned_text import source_positions
from isogloss.neural.options import JointOptions
from isogloss.neural.words import JointWords
from isogloss.storage.folder import open_folder, write_folder

__all__ = ["JointModel"]

KIND, VERSION = "joint-model", 1
_ARRAYS = ("source_embedding", "source_hidden", "hidden_bias", "history", "output", "output_bias")
_SIZES = ("window", "history", "embedding", "hidden")

Floats = npt.NDArray[np.float32]


class JointModel:
    """A joint model, mapped into memory. Any number of threads may use the same one."""

    def __init__(
        self,
        sizes: Mapping[str, int],
        source_words: JointWords,
        target_words: JointWords,
        arrays: Mapping[str, Floats],
        facts: Mapping[str, Any],
    ) -> None:
        self.sizes = {name: sizes[name] for name in _SIZES}
        self.source_words, self.target_words, self.arrays = source_words, target_words, dict(arrays)
        self.facts = dict(facts)
        """How it was trained, and how well it predicts held-out text."""
        self.engine = _engine.JointModel(
            window=sizes["window"],
            history_words=sizes["history"],
            embedding=sizes["embedding"],
            hidden=sizes["hidden"],
            source_words=list(source_words.words),
            target_words=list(target_words.words),
            **{name: self.arrays[name].reshape(-1) for name in _ARRAYS},
        )

    @classmethod
    def of_parameters(
        cls,
        options: JointOptions,
        source_words: JointWords,
        target_words: JointWords,
        parameters: Mapping[str, Floats],
        facts: Mapping[str, Any],
    ) -> JointModel:
        """A model from what a trainer learned.

        What each target word adds to the hidden layer is computed once, so that the search only adds.
        """
        hidden = parameters["hidden"].reshape(-1, options.hidden)
        window = options.window * options.embedding
        embedding = parameters["target_embedding"].reshape(-1, options.embedding)
        places = hidden[window:].reshape(options.history, options.embedding, options.hidden)
        arrays = {
            "source_embedding": parameters["source_embedding"],
            "source_hidden": np.ascontiguousarray(hidden[:window]),
            "hidden_bias": parameters["hidden_bias"],
            "history": np.concatenate([embedding @ place for place in places]),
            "output": parameters["output"],
            "output_bias": parameters["output_bias"],
        }
        sizes = {name: getattr(options, name) for name in _SIZES}
        return cls(sizes, source_words, target_words, arrays, facts)

    def save(self, path: StrPath) -> None:
        """Store the model in a folder."""
        arrays: dict[str, Any] = {name: self.arrays[name].reshape(-1) for name in _ARRAYS}
        for side, words in (("source", self.source_words), ("target", self.target_words)):
            arrays[f"{side}_words"] = np.frombuffer("\n".join(words.words).encode(), np.uint8)
        attributes = {"sizes": self.sizes, "facts": self.facts}
        write_folder(path, kind=KIND, version=VERSION, arrays=arrays, attributes=attributes)

    @classmethod
    def open(cls, path: StrPath) -> JointModel:
        """Open a stored model."""
        folder = open_folder(path, kind=KIND, version=VERSION)
        try:
            words = [
                JointWords(bytes(folder.arrays[f"{side}_words"]).decode().split("\n"))
                for side in ("source", "target")
            ]
            sizes = {name: int(folder.attributes["sizes"][name]) for name in _SIZES}
            arrays = {name: folder.arrays[name] for name in _ARRAYS}
            if any(array.dtype != np.float32 for array in arrays.values()):
                raise ValueError("an array has another type")
            return cls(sizes, words[0], words[1], arrays, folder.attributes.get("facts", {}))
        except (ValueError, KeyError, TypeError, OverflowError, AttributeError) as error:
            raise ModelFormatError(
                f"is not a joint model ({error})", Path(path), "train it again or restore it from a backup"
            ) from None

    def score(
        self, source: Sequence[str], target: Sequence[str], links: Sequence[tuple[int, int]]
    ) -> list[float]:
        """Log probabilities of the words of an aligned translation, and of its end."""
        positions = source_positions(links, len(source), len(target))
        return self.engine.score(list(source), list(target), positions)
