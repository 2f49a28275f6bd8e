"""Decode examples into the n-best lists of a memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

import numpy as np

from isogloss.adapt.leave_one_out import OtherPairs
from isogloss.adapt.lists import list_columns
from isogloss.adapt.options import MemoryOptions
from isogloss.adapt.segment import Array, Example
from isogloss.align import AlignmentModel, LinkOptions
from isogloss.decoder.decoder import Decoder
from isogloss.decoder.search_result import FeatureRows, Searched
from isogloss.io.errors import ConfigError
from isogloss.metric import References
from isogloss.nbest.edit import merge
from isogloss.nbest.statistics import bleu_statistics
from isogloss.nbest.store import NbestStore

__all__ = ["ExampleDecoder"]


class ExampleDecoder:
    """Decodes examples into the stored form of their n-best lists."""

    def __init__(self, decoder: Decoder, options: MemoryOptions, threads: int = 1) -> None:
        if options.sparse and decoder.sparse is None:
            raise ConfigError("the system has no sparse features to store; turn off sparse")
        self._decoder, self._options, self._threads = decoder, options, threads
        self._others: OtherPairs | None = None
        self._links: list[list[str]] = []

    def leave_out(
        self,
        rules: Path,
        examples: Sequence[Example],
        links: Sequence[str] | None,
        aligner: AlignmentModel | None,
    ) -> None:
        """Decode each example without the rules extracted from it."""
        if links is not None:
            if len(links) != len(examples) or any(len(example.references) != 1 for example in examples):
                raise ConfigError(
                    "leave_one_out needs one line of links and exactly one reference for each example"
                )
            self._links = [[line] for line in links]
        elif aligner is not None:
            pairs = [(example.source, text) for example in examples for text in example.references]
            found = iter(aligner.align_pairs(pairs, LinkOptions(), threads=self._threads))
            self._links = [
                [" ".join(f"{i}-{j}" for i, j in next(found)) for _ in example.references]
                for example in examples
            ]
        else:
            raise ConfigError(
                "leave_one_out needs the word alignment of the training text or an alignment model"
            )
        self._others = OtherPairs(rules, self._decoder)

    def lists(self, examples: Sequence[Example], first: int = 0) -> dict[str, Array]:
        """The columns of the lists of the examples; ``first`` is the number of the first one."""
        if self._others is None:
            store, sparse = self._decoded(self._decoder, [example.source for example in examples])
        else:
            stores, rows = [], []
            for position, example in enumerate(examples):
                texts = zip(example.references, self._links[first + position], strict=True)
                with self._others.without([(example.source, *text) for text in texts]) as decoder:
                    one, own = self._decoded(decoder, [example.source])
                stores.append(replace(one, sentence_ids=one.sentence_ids + position))
                rows += [] if own is None else [own]
            store, sparse = merge(stores), FeatureRows.join(rows) if len(rows) == len(stores) else None
        streams = list(zip_longest(*(example.references for example in examples)))
        statistics = bleu_statistics(store, References(streams), threads=self._threads)
        constants = None
        if self._decoder.sparse is not None and sparse is None:
            # Local training changes only the dense weights; the contribution of sparse features is constant.
            constants = store.scores - store.dense @ np.array(list(self._decoder.weights.values()))
        return list_columns(store, statistics, constants, sparse)

    def _decoded(self, decoder: Decoder, sources: list[str]) -> tuple[NbestStore, FeatureRows | None]:
        options = self._options
        if options.sparse:
            searched = decoder.search(sources, nbest=options.nbest, threads=self._threads)
            if searched.store.num_sentences == len(
                sources
            ):  # otherwise some sentence had no translation within the limits
                return searched.store, _varying_features(searched)
        store = decoder.nbest(
            sources, nbest=options.nbest, threads=self._threads, max_words=options.max_words
        )
        return store, None


def _varying_features(searched: Searched) -> FeatureRows:
    """The features that differ between candidates of a sentence."""
    found = []
    for sentence in range(searched.store.num_sentences):
        rows = searched.sparse(sentence, range(len(searched.store.rows_of(sentence))))
        found.append(rows.only(rows.varying()))
    return FeatureRows.join(found)
