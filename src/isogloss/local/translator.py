"""Translating with weights that are made for each sentence."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.errors import ConfigError
from isogloss.local.memory import Hit, Memory
from isogloss.local.options import RetrievalOptions, UpdateOptions
from isogloss.local.update import LocalWeights, local_weights
from isogloss.nbest.store import NbestStore
from isogloss.search.decoder import DEFAULT_MAX_WORDS, Decoder

if TYPE_CHECKING:
    from isogloss.search import System

__all__ = ["LocalTranslator", "LocallyTranslated"]

_BATCH = 20  # sentences per thread at once: Ctrl-C works in between


@dataclass(frozen=True, slots=True, kw_only=True)
class LocallyTranslated:
    """A sentence translated with weights of its own."""

    source: str
    text: str
    hits: Sequence[Hit]
    """The examples that were used, most similar first."""
    local: LocalWeights
    nbest: NbestStore
    """Its best translations, with features."""

    def report(self, baseline: dict[str, float], examples: int = 5) -> dict[str, Any]:
        """What happened, as plain values: the nearest examples, and how the weights moved."""
        return {
            "source": self.source,
            "translation": self.text,
            "examples": len(self.hits),
            "similarity": float(np.mean([hit.similarity for hit in self.hits])) if self.hits else 0.0,
            "strength": self.local.strength,
            "nearest": [
                {
                    "number": hit.number,
                    "similarity": hit.similarity,
                    "source": (example := hit.example()).source,
                    "references": list(example.references),
                }
                for hit in self.hits[:examples]
            ],
            "moved": self.local.moved(baseline),
        }


class LocalTranslator:
    """Translates each sentence with weights made from the examples nearest to it.

    The memory is looked at again for every sentence, so that what was added just now is used. Any number of
    threads may use one.
    """

    def __init__(
        self,
        system: System,
        memory: Memory,
        retrieval: RetrievalOptions | None = None,
        update: UpdateOptions | None = None,
    ) -> None:
        memory.check_system(system)
        self.system, self.memory = system, memory
        self.retrieval = retrieval or RetrievalOptions()
        self.update = update or UpdateOptions()
        self._mine = threading.local()

    def weights(self, sentence: str) -> tuple[list[Hit], LocalWeights]:
        """The examples for a sentence and the weights they make."""
        self.memory.refresh()
        hits = self.memory.search(sentence, self.retrieval)
        similarities = [hit.similarity for hit in hits]
        baseline = dict(self.system.weights)
        return hits, local_weights(self.memory.candidates(hits), similarities, baseline, self.update)

    def translate_one(
        self, sentence: str, *, nbest: int = 1, max_words: int = DEFAULT_MAX_WORDS
    ) -> LocallyTranslated:
        """Translate a sentence and say how."""
        if not isinstance(sentence, str):
            raise ConfigError("local training translates sentences, not lattices")
        hits, local = self.weights(sentence)
        decoder = self._decoder()
        decoder.set_dense(local.weights)
        store = decoder.nbest([sentence], nbest=nbest, max_words=max_words)
        from isogloss.search.system import best_lines

        text = next(best_lines(store, [sentence]))
        return LocallyTranslated(source=sentence, text=text, hits=hits, local=local, nbest=store)

    def translate(
        self,
        sentences: Iterable[str],
        *,
        nbest: int = 1,
        threads: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
    ) -> Iterator[LocallyTranslated]:
        """Translate sentences, in order, as the results are asked for."""
        if threads < 1:
            raise ConfigError(f"threads must be at least 1, got {threads}")

        def work(sentence: str) -> LocallyTranslated:
            return self.translate_one(sentence, nbest=nbest, max_words=max_words)

        if threads == 1:
            yield from map(work, sentences)
            return
        waiting = iter(sentences)
        with ThreadPoolExecutor(threads) as pool:
            while batch := list(islice(waiting, _BATCH * threads)):
                yield from pool.map(work, batch)

    def _decoder(self) -> Decoder:
        """A decoder of this thread alone: its weights change with every sentence."""
        decoder: Decoder | None = getattr(self._mine, "decoder", None)
        if decoder is None:
            decoder = self.system.decoder.copy()
            self._mine.decoder = decoder
        return decoder
