"""The trained alignment model: align, save, load."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.align.bitext import BitextEncoder, EncodedPairs, Pair
from isogloss.align.links import Alignments, Link
from isogloss.align.options import AlignOptions, LinkMethod, LinkOptions, symmetrization
from isogloss.align.train import TrainedParts, learn, make_batches
from isogloss.io.errors import ConfigError, ModelFormatError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath
from isogloss.storage.folder import open_folder, write_folder

__all__ = ["AlignmentModel"]

_KIND = "alignment-model"
_VERSION = 1


class AlignmentModel:
    """Aligns the words of sentence pairs and has lexical translation probabilities.

    >>> corpus = [("das haus", "the house"), ("das buch", "the book"), ("ein buch", "a book")] * 3
    >>> model = AlignmentModel.train(corpus)
    >>> model.align("das buch", "the book")
    [(0, 0), (1, 1)]
    """

    def __init__(
        self,
        *,
        encoder: BitextEncoder,
        row_offsets: npt.NDArray[np.uint64],
        columns: npt.NDArray[np.uint32],
        probabilities: npt.NDArray[np.float32],
        source_null: npt.NDArray[np.float32],
        target_null: npt.NDArray[np.float32],
        parameters: _engine.AlignmentParameters,
        made_with: dict[str, Any],
    ) -> None:
        self.encoder = encoder
        self.row_offsets, self.columns, self.probabilities = row_offsets, columns, probabilities
        self.source_null, self.target_null = source_null, target_null
        self.parameters = parameters
        self.made_with = made_with
        """Options and results of the training, as plain values."""
        self.table = _engine.LexicalTable(row_offsets, columns, probabilities)
        self._aligner = _engine.Aligner(self.table, source_null, target_null, parameters)

    @classmethod
    def train(
        cls,
        pairs: Iterable[Pair],
        options: AlignOptions | None = None,
        *,
        threads: int = 1,
        memory_limit: int | None = None,
        progress: Track = no_track,
        warn: Callable[[str], None] = lambda message: None,
    ) -> AlignmentModel:
        """Train on sentence pairs, each two strings of words separated by whitespace."""
        options = AlignOptions() if options is None else options
        encoder = BitextEncoder(lowercase=options.lowercase)
        return cls.train_encoded(
            encoder.learn(pairs),
            encoder,
            options,
            threads=threads,
            memory_limit=memory_limit,
            progress=progress,
            warn=warn,
        )

    @classmethod
    def train_encoded(
        cls,
        pairs: EncodedPairs,
        encoder: BitextEncoder,
        options: AlignOptions,
        *,
        threads: int = 1,
        memory_limit: int | None = None,
        progress: Track = no_track,
        warn: Callable[[str], None] = lambda message: None,
    ) -> AlignmentModel:
        """Train on sentence pairs encoded by ``encoder``."""
        if len(pairs) == 0:
            raise ConfigError("there are no sentence pairs to train an alignment model on")
        parts = learn(
            pairs,
            source_words=len(encoder.source),
            target_words=len(encoder.target),
            options=options,
            threads=threads,
            memory_limit=memory_limit,
            twins=encoder.twins(),
            progress=progress,
            warn=warn,
        )
        return cls.from_training(parts, encoder, options, len(pairs))

    @classmethod
    def from_training(
        cls, parts: TrainedParts, encoder: BitextEncoder, options: AlignOptions, pairs: int
    ) -> AlignmentModel:
        """The model that training on so many pairs has given."""
        return cls(
            encoder=encoder,
            row_offsets=parts.row_offsets,
            columns=parts.columns,
            probabilities=parts.probabilities,
            source_null=parts.source_null,
            target_null=parts.target_null,
            parameters=parts.parameters,
            made_with={
                "options": asdict(options),
                "pairs": pairs,
                "perplexities": [list(both) for both in parts.perplexities],
            },
        )

    def align(
        self,
        source: str | Sequence[str],
        target: str | Sequence[str],
        *,
        method: LinkMethod = "grow-diag-final-and",
        threshold: float = 0.3,
    ) -> list[Link]:
        """Align one sentence pair, given as text or as words; takes well under a millisecond."""
        links = LinkOptions(method=method, threshold=threshold)
        pair = tuple(side if isinstance(side, str) else " ".join(side) for side in (source, target))
        for words, side in zip((source, target), pair, strict=True):
            if not isinstance(words, str) and len(self.encoder.words(side)) != len(words):
                raise ConfigError("a word must not be empty or contain whitespace")
        return self.align_encoded(self.encoder.apply([cast(Pair, pair)]), links)[0]

    def align_pairs(
        self, pairs: Iterable[Pair], options: LinkOptions | None = None, *, threads: int = 1
    ) -> Alignments:
        """Align many sentence pairs."""
        return self.align_encoded(self.encoder.apply(pairs), options or LinkOptions(), threads=threads)

    def align_encoded(
        self,
        pairs: EncodedPairs,
        options: LinkOptions,
        *,
        threads: int = 1,
        progress: Track = no_track,
    ) -> Alignments:
        """Align sentence pairs encoded by the model's encoder."""
        bitext = pairs.bitext()
        links = [np.zeros((0, 2), np.uint32)]
        offsets = [np.zeros(1, np.int64)]
        batches = make_batches(pairs, options.max_length)
        total = 0
        for begin, end in progress(batches, "aligning", len(batches)):
            some, ends = self._aligner.align(
                bitext,
                begin,
                end,
                method=symmetrization(options.method),
                threshold=options.threshold,
                max_length=options.max_length,
                threads=threads,
            )
            links.append(some)
            offsets.append(ends[1:] + total)
            total += len(some)
        return Alignments(np.concatenate(links), np.concatenate(offsets))

    def probability(self, source: str, target: str) -> tuple[float, float]:
        """p(target | source) and p(source | target) of two words; 0 for a pair the model does not have."""
        (source,), (target,) = self.encoder.words(source), self.encoder.words(target)
        numbers = self.encoder.source.find(source), self.encoder.target.find(target)
        if _engine.NO_WORD in numbers:
            return 0.0, 0.0
        return self.table.forward(*numbers), self.table.backward(*numbers)

    def lexical_entries(self) -> Iterator[tuple[str, str, float, float]]:
        """Yield all lexical entries: source word, target word, p(target | source), p(source | target)."""
        targets = self.encoder.target.words()
        for number, source in enumerate(self.encoder.source.words()):
            begin, end = int(self.row_offsets[number]), int(self.row_offsets[number + 1])
            row = zip(self.columns[begin:end].tolist(), self.probabilities[begin:end].tolist(), strict=True)
            for target, (forward, backward) in row:
                yield source, targets[target], forward, backward

    def save(self, path: StrPath) -> None:
        """Store the model as a folder."""
        source_bytes, source_ends = self.encoder.source.arrays()
        target_bytes, target_ends = self.encoder.target.arrays()
        write_folder(
            path,
            kind=_KIND,
            version=_VERSION,
            arrays={
                "source_words": source_bytes,
                "source_word_offsets": source_ends,
                "target_words": target_bytes,
                "target_word_offsets": target_ends,
                "row_offsets": self.row_offsets,
                "columns": self.columns,
                "probabilities": self.probabilities,
                "source_null": self.source_null,
                "target_null": self.target_null,
                "jumps": self.parameters.jumps,
            },
            attributes={
                "model_type": self.parameters.type.name,
                "lowercase": self.encoder.lowercase,
                "null_probability": self.parameters.null_probability,
                "uniform_jump": self.parameters.uniform_jump,
                "lexical_floor": self.parameters.lexical_floor,
                "tensions": list(self.parameters.tensions),
                "made_with": self.made_with,
            },
        )

    @classmethod
    def load(cls, path: StrPath) -> AlignmentModel:
        """Open a stored model; its lexical table is mapped into memory."""
        folder = open_folder(path, kind=_KIND, version=_VERSION)
        arrays, stored = folder.arrays, folder.attributes
        try:
            parameters = _engine.AlignmentParameters()
            parameters.type = _engine.AlignmentModelType[stored["model_type"]]
            for name in ("null_probability", "uniform_jump", "lexical_floor"):
                if not 0 <= float(stored[name]) < 1:
                    raise ValueError(f"{name} is {stored[name]}")
                setattr(parameters, name, float(stored[name]))
            parameters.tensions = (float(stored["tensions"][0]), float(stored["tensions"][1]))
            parameters.jumps = arrays["jumps"]
            encoder = BitextEncoder(
                _engine.Vocabulary.from_arrays(arrays["source_words"], arrays["source_word_offsets"]),
                _engine.Vocabulary.from_arrays(arrays["target_words"], arrays["target_word_offsets"]),
                lowercase=bool(stored["lowercase"]),
            )
            sizes = {len(arrays["row_offsets"]) - 1, len(arrays["source_null"]), len(encoder.source)}
            if len(sizes) != 1 or len(arrays["target_null"]) != len(encoder.target):
                raise ValueError("the arrays do not match")
            return cls(
                encoder=encoder,
                **{name: arrays[name] for name in _TABLE_ARRAYS},
                parameters=parameters,
                made_with=dict(stored["made_with"]),
            )
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ModelFormatError(
                f"the alignment model is damaged ({error})", path, "rebuild it or restore it from a backup"
            ) from None


_TABLE_ARRAYS = ("row_offsets", "columns", "probabilities", "source_null", "target_null")
