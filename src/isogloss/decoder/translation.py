"""A translation: a string with its score, features, alignment and derivation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from functools import cached_property
from typing import Any

from isogloss.decoder.confidence import ConfidenceModel, translation_confidences
from isogloss.decoder.derivation import Derivation
from isogloss.decoder.matches import MatchKind
from isogloss.decoder.near_examples import NearExample
from isogloss.decoder.plf import Lattice
from isogloss.decoder.sentence import Sentence, Source, split_words
from isogloss.nbest.store import Int64, NbestStore

__all__ = ["DecodedBatch", "Translation", "TranslationFacts"]

Link = tuple[int, int]
Explain = Callable[[Source], tuple[NbestStore, Sequence[Derivation]]]
"""Translates a source again, in the same way, and returns word alignment and derivation."""

_GAPS = ("[X,1]", "[X,2]")


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationFacts:
    """Everything known about a translation."""

    source: str = ""
    score: float = 0.0
    confidence: float = 1.0
    features: Mapping[str, float] = field(default_factory=dict)
    source_tokens: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    alignment: tuple[Link, ...] = ()
    derivation: Derivation = ()
    unknown: tuple[str, ...] = ()
    match: MatchKind = ""
    example: NearExample | None = None


class Translation(str):
    """The translation of a sentence: a string with score, features, alignment and derivation.

    Use it like any ``str``. Its attributes are computed on first use; ``alignment``, ``derivation`` and
    ``unknown`` then translate the sentence a second time. ``pandas.DataFrame`` accepts a list of translations
    as a table with the columns text, source, score and confidence.

    >>> import isogloss
    >>> found = isogloss.Translation("the old house", source="das alte Haus", score=-3.5)
    >>> print(found, len(found), found.score)
    the old house 13 -3.5
    >>> found.upper()
    'THE OLD HOUSE'
    """

    __slots__ = ("_facts",)
    _facts: TranslationFacts | _LazyFacts

    def __new__(
        cls,
        text: str,
        *,
        source: str = "",
        score: float = 0.0,
        confidence: float = 1.0,
        features: Mapping[str, float] | None = None,
        source_tokens: Sequence[str] = (),
        tokens: Sequence[str] = (),
        alignment: Sequence[Link] = (),
        derivation: Derivation = (),
        unknown: Sequence[str] = (),
        match: MatchKind = "",
        example: NearExample | None = None,
    ) -> Translation:
        """Make a translation from its parts, for example in tests; systems make their own."""
        return cls.known(
            text,
            TranslationFacts(
                source=source,
                score=score,
                confidence=confidence,
                features=dict(features or {}),
                source_tokens=tuple(source_tokens),
                tokens=tuple(tokens),
                alignment=tuple(alignment),
                derivation=tuple(derivation),
                unknown=tuple(unknown),
                match=match,
                example=example,
            ),
        )

    @classmethod
    def known(cls, text: str, facts: TranslationFacts | _LazyFacts) -> Translation:
        """Make a translation from a text and its facts."""
        made = str.__new__(cls, text)
        made._facts = facts
        return made

    @property
    def text(self) -> str:
        """The translation as a plain string."""
        return str(self)

    @property
    def source(self) -> str:
        """The source as it was given."""
        return self._facts.source

    @property
    def score(self) -> float:
        """The model score. Compare it only with other translations of the same sentence."""
        return self._facts.score

    @property
    def confidence(self) -> float:
        """Confidence between 0 and 1: the expected chrF of the translation, divided by 100, as the engine
        learned it from held-out text. An engine that did not learn it gives a rule of thumb, which only
        ranks. A translation that was there already has confidence 1."""
        return self._facts.confidence

    @property
    def features(self) -> dict[str, float]:
        """Dense feature values by name; ``System.explain`` also shows sparse ones."""
        return dict(self._facts.features)

    @property
    def source_tokens(self) -> tuple[str, ...]:
        """The source tokens; empty for a lattice."""
        return self._facts.source_tokens

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of the translation."""
        return self._facts.tokens

    @property
    def alignment(self) -> tuple[Link, ...]:
        """Word alignment: pairs of source and target token positions, counted from 0."""
        return self._facts.alignment

    @property
    def derivation(self) -> Derivation:
        """The rules used, in the order of their target words; empty for an external decoder."""
        return self._facts.derivation

    @property
    def unknown(self) -> tuple[str, ...]:
        """Source words that were left as they are, because nothing translates them. Those that their parts or
        related forms translate have that ``origin`` in the derivation."""
        return self._facts.unknown

    @property
    def match(self) -> MatchKind:
        """Where it comes from: ``correction`` or ``training`` if it was there already for the same source,
        ``near`` if it is the edited translation of a similar source, empty if the search made it."""
        return self._facts.match

    @property
    def example(self) -> NearExample | None:
        """The example of a near match, with ``source``, ``target``, ``similarity`` and ``origin``."""
        return self._facts.example

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain values, ready for JSON."""
        facts = self._facts
        return {
            "text": str(self),
            "source": facts.source,
            "score": facts.score,
            "confidence": facts.confidence,
            "features": dict(facts.features),
            "source_tokens": list(facts.source_tokens),
            "tokens": list(facts.tokens),
            "alignment": [list(link) for link in facts.alignment],
            "derivation": [step._asdict() for step in facts.derivation],
            "unknown": list(facts.unknown),
            "match": facts.match,
            "example": None if facts.example is None else facts.example.to_dict(),
        }

    def __copy__(self) -> Translation:
        return self

    def __deepcopy__(self, memo: object) -> Translation:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        facts = self._facts
        whole = facts if isinstance(facts, TranslationFacts) else facts.materialized()
        return _restored, (str(self), {one.name: getattr(whole, one.name) for one in fields(whole)})


def _restored(text: str, facts: dict[str, Any]) -> Translation:
    return Translation.known(text, TranslationFacts(**facts))


# Columns of a table of translations. pandas.DataFrame turns a list of dataclasses into rows and recognizes
# them by this attribute; a list of plain strings would become one column.
_COLUMNS = make_dataclass("_COLUMNS", ["text", "source", "score", "confidence"])
setattr(Translation, "__dataclass_fields__", {one.name: one for one in fields(_COLUMNS)})  # noqa: B010


def _words(item: str | Sentence) -> tuple[str, ...]:
    return tuple(split_words(item)) if isinstance(item, str) else item.words


class DecodedBatch:
    """Sentences that were translated together; their translations look up their attributes here."""

    __slots__ = (
        "_confidences",
        "_derivations",
        "_explain",
        "chosen",
        "confidence",
        "inputs",
        "rows",
        "store",
    )

    def __init__(
        self,
        store: NbestStore,
        chosen: Int64,
        inputs: Sequence[Source],
        *,
        explain: Explain | None = None,
        derivations: Sequence[Derivation] = (),
        confidence: ConfidenceModel | None = None,
    ) -> None:
        """``chosen`` has one row for every input. Without ``explain``, the store must have word alignments,
        and ``derivations`` those of its candidates."""
        self.store, self.chosen, self.inputs = store, chosen, inputs
        self.rows: list[int] = chosen.tolist()
        self._explain, self._derivations = explain, derivations
        self.confidence = confidence
        self._confidences: list[float] | None = None

    def confidence_of(self, number: int) -> float:
        """The confidence of one translation; those of all are computed together, which is much faster."""
        if self._confidences is None:
            lengths = [
                item.places - 1 if isinstance(item, Lattice) else len(_words(item)) for item in self.inputs
            ]
            self._confidences = translation_confidences(self.store, self.chosen, lengths, self.confidence)
        return self._confidences[number]

    def translation(self, number: int, text: str, source: str) -> Translation:
        """The translation of one sentence, given its text."""
        return Translation.known(text, _LazyFacts(self, number, source))

    def explained(self, number: int) -> tuple[NbestStore, int, Derivation]:
        """A list with word alignments, the row in it, and the derivation."""
        if self._explain is None:
            row = self.rows[number]
            return self.store, row, self._derivations[row] if len(self._derivations) else ()
        store, derivations = self._explain(self.inputs[number])
        return store, 0, derivations[0]


class _LazyFacts:
    """The attributes of a translation, computed on first use."""

    def __init__(self, batch: DecodedBatch, number: int, source: str) -> None:
        self._batch, self._number, self.source = batch, number, source
        self.match: MatchKind = ""
        self.example: NearExample | None = None

    @property
    def _row(self) -> int:
        return self._batch.rows[self._number]

    @cached_property
    def score(self) -> float:
        return float(self._batch.store.scores[self._row])

    @cached_property
    def features(self) -> dict[str, float]:
        store = self._batch.store
        return dict(zip(store.dense_names, store.dense[self._row].tolist(), strict=True))

    @cached_property
    def source_tokens(self) -> tuple[str, ...]:
        item = self._batch.inputs[self._number]
        return () if isinstance(item, Lattice) else _words(item)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        return tuple(self._batch.store.text(self._row).split())

    @cached_property
    def confidence(self) -> float:
        return self._batch.confidence_of(self._number)

    @cached_property
    def _explained(self) -> tuple[tuple[Link, ...], Derivation]:
        store, row, derivation = self._batch.explained(self._number)
        links = () if store.alignment is None else store.alignment.row(row).tolist()
        return tuple((source, target) for source, target in links), derivation

    @property
    def alignment(self) -> tuple[Link, ...]:
        return self._explained[0]

    @property
    def derivation(self) -> Derivation:
        return self._explained[1]

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        if not self.features.get("unknown", 1.0):
            return ()
        found = [step for step in self.derivation if step.origin == "unknown"]
        found.sort(key=lambda step: step.source_span)
        return tuple(word for step in found for word in step.source.split() if word not in _GAPS)

    def materialized(self) -> TranslationFacts:
        """Compute all attributes."""
        return TranslationFacts(**{one.name: getattr(self, one.name) for one in fields(TranslationFacts)})
