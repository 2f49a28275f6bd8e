"""Translate with weights trained for each sentence."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isogloss.adapt.decoding import ExampleDecoder
from isogloss.adapt.lists import Candidates, StoredLists, one_candidate_set
from isogloss.adapt.memory import Hit, Memory
from isogloss.adapt.options import LocalMethod, LocalOptions, RetrievalOptions
from isogloss.adapt.update import LocalWeights, local_weights
from isogloss.adapt.weight_scale import Units, find_units
from isogloss.decoder.decoder import DEFAULT_MAX_WORDS, Decoder
from isogloss.decoder.derivation import Derivation
from isogloss.decoder.plf import Lattice
from isogloss.decoder.sentence import Source
from isogloss.decoder.system import System
from isogloss.decoder.translation import DecodedBatch
from isogloss.decoder.translator import best_lines
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError
from isogloss.io.streams import StrPath
from isogloss.nbest.edit import best_rows, merge
from isogloss.nbest.store import NbestStore

if TYPE_CHECKING:
    from isogloss.decoder.sentence import Sentence

__all__ = ["LocalSystem", "LocalTranslator", "LocallyTranslated", "adapted_system"]

_MEASURED = 400  # number of examples for measuring the scale of weights
_BATCH = 20  # sentences per thread and call: Ctrl-C works between calls


@dataclass(frozen=True, slots=True, kw_only=True)
class LocallyTranslated:
    """A sentence translated with its own weights."""

    source: str
    text: str
    hits: Sequence[Hit]
    """The examples that were used, most similar first."""
    local: LocalWeights
    nbest: NbestStore
    """Its best translations, with features."""
    derivations: Sequence[Derivation] = ()
    """Their derivations, if requested."""

    def report(self, baseline: Mapping[str, float], examples: int = 5) -> dict[str, Any]:
        """The examples used and the changes of the weights, as plain values."""
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


class _MeasuredUnits(NamedTuple):
    """Units and the state of the memory they were measured on."""

    changes: int
    """Number of changes to the memory when this was measured."""
    examples: Set[int]
    found: Units | None


class LocalTranslator:
    """Translates each sentence with weights trained on the most similar examples.

    The memory is refreshed for every sentence, so that recent additions are used, and so are the phrases of
    its overlay unless ``overlay`` is False. With ``dev``, a memory of the development set, weights are
    trained on all its examples as well as on those retrieved. Several threads may share one.
    """

    def __init__(
        self,
        system: System,
        memory: Memory,
        retrieval: RetrievalOptions | None = None,
        update: LocalOptions | None = None,
        *,
        overlay: bool = True,
        dev: Memory | None = None,
    ) -> None:
        memory.check_system(system)
        if dev is not None:
            dev.check_system(system)
        self.system, self.memory, self.dev = system, memory, dev
        self.retrieval = retrieval or RetrievalOptions(skip_identical=memory.of_training_text)
        self.update = update or LocalOptions()
        self._use_overlay = overlay
        self._mine = threading.local()
        self._units: _MeasuredUnits | None = None

    def weights(self, sentence: str) -> tuple[list[Hit], LocalWeights]:
        """The examples for a sentence and the weights trained on them."""
        self.memory.refresh()
        hits = self.memory.search(sentence, self.retrieval, tokenized=True)
        lists = [[(hit.lists, hit.list_position)] for hit in hits]
        local = self._trained(hits, lists)
        for _ in range(self.update.decodings - 1 if hits and local.strength > 0 else 0):
            again = self._decoded_again(hits, local).fresh(lists, len(self.memory.names))
            lists = [[*known, (again, position)] for position, known in enumerate(lists)]
            local = self._trained(hits, lists, local)
        return hits, local

    def _trained(
        self,
        hits: Sequence[Hit],
        lists: Sequence[Sequence[tuple[StoredLists, int]]],
        start: LocalWeights | None = None,
    ) -> LocalWeights:
        beside = [] if self.dev is None else self.dev.everything()
        parts = [part for known in lists for part in known]
        sizes = [*map(len, lists), *[1] * len(beside)]
        candidates = one_candidate_set([*parts, *beside], len(self.memory.names), sizes)
        sparse = self._sparse_weights(candidates)
        numbers = [] if candidates.sparse_ids is None else candidates.sparse_ids.tolist()
        return local_weights(
            candidates,
            [hit.similarity for hit in hits],
            dict(self.system.weights),
            self.update,
            units=self._find_units(),
            sparse_baseline=dict(zip(numbers, sparse.tolist(), strict=True)),
            start=None if start is None else start.weights,
            beside=len(beside),
        )

    def _sparse_weights(self, candidates: Candidates) -> npt.NDArray[np.float64]:
        """The system's weight of each sparse column."""
        weights, numbers = self.system.decoder.sparse_weights, candidates.sparse_ids
        if numbers is None:
            return np.zeros(0)
        return np.zeros(len(numbers)) if weights is None else np.asarray(weights.weights(numbers), np.float64)

    def _find_units(self) -> Units | None:
        """Units measured on a sample of the memory, measured again when the memory changes."""
        changes = self.memory.changes
        if self._units is not None and self._units.changes == changes:
            return self._units.found
        parts = self.memory.some(_MEASURED)
        if self._units is not None and self._units.examples == parts.keys():
            found = self._units.found
        else:
            candidates = one_candidate_set(list(parts.values()), len(self.memory.names))
            dense = np.array(list(self.system.weights.values()))
            scores = candidates.scores(dense, self._sparse_weights(candidates))
            found = find_units(candidates, scores, dense, self.update.units)
        self._units = _MeasuredUnits(changes, set(parts), found)
        return found

    def _decoded_again(self, hits: Sequence[Hit], local: LocalWeights) -> StoredLists:
        """Lists of the examples decoded with the current weights."""
        decoder, options = self._decoder(), self.memory.options
        with decoder.using(local.weights, local.sparse):
            columns = ExampleDecoder(decoder, options).lists([hit.example() for hit in hits])
        return StoredLists(columns, self.memory.path)

    def system_for(self, sentence: str) -> tuple[System, list[Hit], LocalWeights]:
        """A system with the weights of a sentence, for inspection."""
        hits, local = self.weights(sentence)
        return self.system_with(local), hits, local

    def system_with(self, local: LocalWeights) -> System:
        """A separate system with these weights and the phrases of the memory."""
        decoder = self.system.decoder.copy(self._added_rules())
        decoder.change(local.weights, local.sparse)
        return System(decoder, self.system.path, self.system.text)

    def translate_one(
        self,
        sentence: Source,
        *,
        nbest: int = 1,
        max_words: int = DEFAULT_MAX_WORDS,
        time_limit: float | None = None,
        derivations: bool = False,
    ) -> LocallyTranslated:
        """Translate a sentence; the result has the examples and weights used."""
        if isinstance(sentence, Lattice):
            raise ConfigError("local training cannot translate lattices; give sentences")
        text = sentence if isinstance(sentence, str) else " ".join(sentence.words)
        hits, local = self.weights(text)
        decoder = self._decoder()
        rules: Sequence[Derivation] = ()
        limits: dict[str, Any] = {"nbest": nbest, "max_words": max_words, "time_limit": time_limit}
        with decoder.using(local.weights, local.sparse):
            if derivations:
                store, rules = decoder.explained([sentence], **limits)
            else:
                store = decoder.nbest([sentence], **limits)
        return LocallyTranslated(
            source=text,
            text=next(best_lines(store, [sentence])),
            hits=hits,
            local=local,
            nbest=store,
            derivations=rules,
        )

    def translate(
        self, sentences: Iterable[str | Sentence], *, threads: int = 1, **limits: Any
    ) -> Iterator[LocallyTranslated]:
        """Translate sentences lazily and in order; limits as in ``translate_one``."""
        if threads < 1:
            raise ConfigError(f"threads must be at least 1, got {threads}")

        def work(sentence: str | Sentence) -> LocallyTranslated:
            return self.translate_one(sentence, **limits)

        if threads == 1:
            yield from map(work, sentences)
            return
        waiting = iter(sentences)
        with ThreadPoolExecutor(threads) as pool:
            while batch := list(islice(waiting, _BATCH * threads)):
                yield from pool.map(work, batch)

    def _added_rules(self) -> RuleTable | None:
        """Phrases of what was added to the memory, or, if there are none, of the system's corrections."""
        table = self.memory.overlay if self._use_overlay else None
        return table or self.system.overlay

    def _decoder(self) -> Decoder:
        """A decoder for this thread only, because its weights change with every sentence."""
        table = self._added_rules()
        known: tuple[Decoder, RuleTable | None] | None = getattr(self._mine, "decoder", None)
        if known is None or known[1] is not table:
            known = self.system.decoder.copy(table), table
            self._mine.decoder = known
        return known[0]


class LocalSystem(System):
    """A system that translates with local training; ``watch`` is called for each translation."""

    def __init__(
        self, translator: LocalTranslator, watch: Callable[[LocallyTranslated], None] = lambda done: None
    ) -> None:
        own = translator.system
        super().__init__(
            own.decoder,
            own.path,
            own.text,
            corrections=own._corrections,
            matches=own._matches,
            contexts=own._contexts,
            near=own._near,
        )
        self.translator, self._watch = translator, watch

    def _decoded(
        self, batch: list[Source], *, threads: int, max_words: int, time_limit: float | None
    ) -> DecodedBatch:
        # Compute derivations now: the memory, and so the weights, may change later.
        store, derivations = self.explained(
            batch, threads=threads, max_words=max_words, time_limit=time_limit
        )
        return DecodedBatch(
            store, best_rows(store), batch, derivations=derivations, confidence=self.confidence_model
        )

    def nbest(self, sentences: Iterable[Source], **limits: Any) -> NbestStore:
        """Like ``System``."""
        return self._joined(sentences, limits)[0]

    def explained(self, sentences: Iterable[Source], **limits: Any) -> tuple[NbestStore, list[Derivation]]:
        """Like ``System``."""
        return self._joined(sentences, {**limits, "derivations": True})

    def for_sentence(self, sentence: Source) -> System:
        """A system with the weights of a tokenized sentence."""
        done = self.translator.translate_one(sentence)
        self._watch(done)
        return self.translator.system_with(done.local)

    def _joined(
        self, sentences: Iterable[Any], limits: dict[str, Any]
    ) -> tuple[NbestStore, list[Derivation]]:
        stores: list[NbestStore] = []
        derivations: list[Derivation] = []
        for number, done in enumerate(self.translator.translate(sentences, **limits)):
            self._watch(done)
            stores.append(replace(done.nbest, sentence_ids=done.nbest.sentence_ids + number))
            derivations += done.derivations
        if not stores:
            return super().nbest([]), []
        return merge(stores), derivations


def adapted_system(
    system: System,
    memory: StrPath,
    method: LocalMethod = "ebuu",
    *,
    dev: StrPath | None = None,
    watch: Callable[[LocallyTranslated], None] = lambda done: None,
    **changes: Any,
) -> LocalSystem:
    """A system that translates with local training on a stored memory.

    ``changes`` are fields of ``RetrievalOptions`` and ``LocalOptions``; the others are the tuned settings of
    the memory. ``dev`` is a memory of the development set; all its examples are trained on too.
    """
    opened = Memory.open(memory, system)
    names = {field.name for field in fields(RetrievalOptions)}
    translator = LocalTranslator(
        system,
        opened,
        opened.retrieval_options(method, **{name: changes[name] for name in changes if name in names}),
        opened.update_options(method, **{name: changes[name] for name in changes if name not in names}),
        dev=None if dev is None else Memory.open(dev, system),
    )
    return LocalSystem(translator, watch)
