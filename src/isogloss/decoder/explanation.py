"""Explain a translation: the rules used and the contribution of every feature."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from isogloss.decoder.derivation import Derivation
from isogloss.decoder.derivation_plot import derivation_plot
from isogloss.decoder.matches import MatchKind
from isogloss.decoder.near_examples import NearExample
from isogloss.decoder.sentence import Source
from isogloss.decoder.translator import source_text
from isogloss.decoder.unknown_words import KINDS
from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, Options
from isogloss.nbest.edit import best_rows
from isogloss.nbest.store import NbestStore
from isogloss.neural import PredictedWord, predicted_words

if TYPE_CHECKING:
    from isogloss.decoder.system import System

__all__ = ["Contribution", "ExplainOptions", "Explanation", "explain", "explanation_of"]

_NAMED = ("unknown", *KINDS)  # origins that are named beside a rule

_KNOWN = {"correction": "a correction", "training": "its translation in the training text"}
_GROUPS = (
    ("language model", ("lm",)),
    ("neural joint model", ("joint",)),
    ("orientation", ("previous_", "next_")),
    ("reordering", ("backtrack", "distance_", "reordering")),
    ("glue", ("glue_",)),
    ("unknown words", ("split", "related", "dictionary", "rewritten")),
    ("counts", ("words", "rules", "unknown", "insertions", "deletions", "arcs")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainOptions(Options):
    """Options of an explanation."""

    tokenized: bool = False
    """Treat the sentence as tokens separated by spaces, even if the system was trained with a tokenizer."""
    format: Literal["text", "html"] = "text"
    """``text`` for a terminal; ``html`` for a web page that draws the derivation."""
    strongest: Annotated[int, AtLeast(0)] = 10
    """Features to show in each list, the strongest first."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """A feature's value times its weight, here and in the second-best translation."""

    name: str
    value: float
    weight: float
    second_value: float | None = None

    @property
    def points(self) -> float:
        """Its contribution to the score."""
        return self.value * self.weight

    @property
    def advantage(self) -> float:
        """How much more it contributes here than in the second-best translation."""
        return self.points - (self.second_value or 0.0) * self.weight


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The rules and feature contributions of a translation. Scores are sums of contributions."""

    source: str
    """The source sentence, as tokens."""
    translation: str
    """The best translation, as tokens."""
    text: str
    """The best translation, detokenized."""
    score: float
    steps: Derivation
    dense: tuple[Contribution, ...]
    sparse: tuple[Contribution, ...]
    """Sparse features that fired and have a weight, the strongest first."""
    second: str | None
    """The second-best translation, if there is one."""
    second_score: float | None
    match: MatchKind = ""
    """Where the translation comes from that is used instead of the search's; empty if that is used."""
    used: str = ""
    """That translation, as text."""
    example: NearExample | None = None
    """The example of a near match."""
    predicted: tuple[PredictedWord, ...] = ()
    """What the neural joint model says of each word and of the end, if there is such a model."""

    def origin(self) -> str:
        """What is used instead of the search's translation, and why; empty if nothing is."""
        if not self.match:
            return ""
        if self.example is None:
            return f"translated as '{self.used}', which is {_KNOWN[self.match]}; the search alone:"
        source = "a correction" if self.example.origin == "correction" else "the training text"
        return (
            f"translated as '{self.used}', edited from {source} (similarity {self.example.similarity:.2f}): "
            f"'{self.example.source}' → '{self.example.target}'; the search alone:"
        )

    def groups(self) -> dict[str, float]:
        """Contributions by kind of feature."""
        found: dict[str, float] = {}
        for item in self.dense:
            group = next((name for name, starts in _GROUPS if item.name.startswith(starts)), "rule scores")
            found[group] = found.get(group, 0.0) + item.points
        for item in self.sparse:
            group = item.name.split(":")[0]
            found[group] = found.get(group, 0.0) + item.points
        return found

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""

        def rows(items: tuple[Contribution, ...]) -> list[dict[str, Any]]:
            return [
                {
                    "name": item.name,
                    "value": item.value,
                    "weight": item.weight,
                    "points": item.points,
                    "advantage": item.advantage,
                }
                for item in items
            ]

        return {
            "source": self.source,
            "translation": self.translation,
            "text": self.text,
            "score": self.score,
            "derivation": [step._asdict() for step in self.steps],
            "groups": self.groups(),
            "dense": rows(self.dense),
            "sparse": rows(self.sparse),
            "second": self.second,
            "second_score": self.second_score,
            "match": self.match,
            "used": self.used,
            "example": None if self.example is None else self.example.to_dict(),
            "predicted": [word.to_dict() for word in self.predicted],
        }

    to_json = to_dict

    def to_text(self, strongest: int = 10) -> str:
        """As text for a terminal."""
        lines = [
            f"source       {self.source}",
            f"translation  {self.translation}",
            f"score        {self.score:.4f}",
        ]
        if self.second is not None and self.second_score is not None:
            lines.append(f"second best  {self.second}  ({self.second_score:.4f})")
        lines.append("\nrules, in the order of the translation")
        rows = [
            (
                f"{step.source_span[0]}-{step.source_span[1]}",
                step.source,
                step.target + (f"  ({step.origin})" if step.origin in _NAMED else ""),
            )
            for step in self.steps
        ]
        wide = [max((len(row[i]) for row in rows), default=0) for i in range(2)]
        lines += [f"  {span:<{wide[0]}}  {source:<{wide[1]}}  →  {target}" for span, source, target in rows]
        lines.append("\npoints by kind of feature")
        for name, points in sorted(self.groups().items(), key=lambda item: -abs(item[1])):
            lines.append(f"  {points:>10.4f}  {name}")
        for title, items in self._selections(strongest):
            if items:
                lines.append(f"\n{title}")
                lines += [f"  {number:>10.4f}  {item.name}" for item, number in items]
        if self.predicted:
            lines.append("\nneural joint model, log probability of each word")
            lines += [f"  {score}  {word}  (most likely: {likely})" for score, word, likely in self._words()]
        return "\n".join(lines)

    def _words(self) -> list[tuple[str, str, str]]:
        return [
            (f"{one.score:>10.2f}", one.word or "(end)", ", ".join(word or "(end)" for word in one.likely))
            for one in self.predicted
        ]

    def _selections(self, strongest: int) -> list[tuple[str, list[tuple[Contribution, float]]]]:
        everything = [*self.dense, *self.sparse]
        points = sorted(((item, item.points) for item in everything), key=lambda pair: pair[1])
        chosen = [
            ("strongest features for it", [pair for pair in points[::-1] if pair[1] > 0][:strongest]),
            ("strongest features against it", [pair for pair in points if pair[1] < 0][:strongest]),
        ]
        if self.second is not None:
            gains = sorted(((item, item.advantage) for item in everything), key=lambda pair: -abs(pair[1]))
            chosen.append(("against the second best", [pair for pair in gains if pair[1] != 0][:strongest]))
        return chosen

    def to_html(self, strongest: int = 20) -> str:
        """A self-contained HTML page."""
        escape = html.escape

        def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
            top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
            body = "".join(
                "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
            )
            return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"

        steps = [
            (
                f"{step.source_span[0]}–{step.source_span[1]}",
                step.source,
                step.target,
                f"{step.kind} ({step.origin})" if step.origin in _NAMED else step.kind,
            )
            for step in self.steps
        ]
        groups = [(f"{points:.4f}", name) for name, points in self.groups().items()]
        parts = [
            f"<h1>{escape(self.source)}</h1>"
            + (f"<p>{escape(self.origin())}</p>" if self.match else "")
            + f"<p class=t>{escape(self.translation)}</p>",
            f"<p>Score {self.score:.4f}"
            + (f"; second best: {escape(self.second)} ({self.second_score:.4f})" if self.second else "")
            + "</p>",
            "<h2>Rules</h2>"
            + self._picture()
            + table(("source words", "source side", "target side", "kind"), steps),
            "<h2>Points by kind of feature</h2>" + table(("points", "kind"), groups),
        ]
        for title, items in self._selections(strongest):
            rows = [(f"{number:.4f}", item.name) for item, number in items]
            parts.append(f"<h2>{escape(title.capitalize())}</h2>" + table(("points", "feature"), rows))
        if self.predicted:
            head = ("log probability", "word", "most likely")
            parts.append("<h2>Neural joint model</h2>" + table(head, self._words()))
        return (
            "<!doctype html><html lang=en><meta charset=utf-8><title>Explanation</title><style>"
            "body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
            "table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:left;"
            "border-bottom:1px solid #ddd}.t{font-size:1.3em}</style>" + "".join(parts) + "</html>\n"
        )

    def _picture(self) -> str:
        """A plot of the derivation, unless the source is a lattice."""
        words = self.source.split()
        whole = max((step.source_span[1] for step in self.steps), default=0)
        return derivation_plot(words, self.steps) if whole == len(words) else ""


def explain(system: System, sentence: Source, *, tokenized: bool = False) -> Explanation:
    """Translate a sentence and explain the translation.

    The sentence is plain text if the system was trained with a tokenizer, unless you set ``tokenized``. With
    local training, the weights of the sentence are used.
    """
    text = None if tokenized else system.text
    given = text.tokenize(sentence) if text is not None and isinstance(sentence, str) else sentence
    whole, system = system, system.for_sentence(given)
    store, derivations = system.explained([given], nbest=2)

    def detokenize(line: str) -> str:
        return line if text is None else text.detokenize(line, source_text(sentence))

    found = explanation_of(
        given,
        store,
        derivations,
        system.weights,
        sparse=_sparse(system, given, store),
        detokenize=detokenize,
    )
    found = replace(found, predicted=_predicted(system, given, store))
    if (known := whole.match(sentence, tokenized=text is None)) is not None:
        return replace(found, match=known.kind, used=known.text)
    (near,) = whole.near_matches([given], store, best_rows(store))
    if near is not None:
        return replace(found, match="near", used=detokenize(near.line), example=near.example)
    return found


def explanation_of(
    sentence: Source,
    store: NbestStore,
    derivations: Sequence[Derivation],
    weights: Mapping[str, float],
    *,
    sparse: tuple[Contribution, ...] = (),
    detokenize: Callable[[str], str] | None = None,
) -> Explanation:
    """Explain the best translation of a list with one or two of them."""
    texts = list(store.texts())
    if not texts or not texts[0]:
        raise ConfigError("the sentence has no words, so there is nothing to explain")
    has_second = len(texts) > 1
    second = store.dense[1] if has_second else np.zeros(store.dense.shape[1])
    dense = tuple(
        Contribution(name, float(value), weights.get(name, 0.0), float(other) if has_second else None)
        for name, value, other in zip(store.dense_names, store.dense[0], second, strict=True)
        if value != 0 or other != 0
    )
    return Explanation(
        source=sentence if isinstance(sentence, str) else str(sentence),
        translation=texts[0],
        text=texts[0] if detokenize is None else detokenize(texts[0]),
        score=float(store.scores[0]),
        steps=derivations[0] if derivations else (),
        dense=dense,
        sparse=sparse,
        second=texts[1] if has_second else None,
        second_score=float(store.scores[1]) if has_second else None,
    )


def _predicted(system: System, sentence: Source, store: NbestStore) -> tuple[PredictedWord, ...]:
    """What the joint model expects; in a lattice, words have no positions."""
    model = system.decoder.joint
    if model is None or store.alignment is None or not isinstance(sentence, str):
        return ()
    links = [(int(source), int(target)) for source, target in store.alignment.row(0).reshape(-1, 2)]
    words = next(iter(store.texts())).split()
    return tuple(predicted_words(model, sentence.split(), words, links))


def _sparse(system: System, sentence: Source, store: NbestStore) -> tuple[Contribution, ...]:
    decoder = system.decoder
    if decoder.sparse is None or decoder.sparse_weights is None:
        return ()
    searched = decoder.search([sentence], nbest=2)
    rows = list(range(searched.store.num_candidates))
    found = searched.sparse(0, rows)
    values: list[dict[int, float]] = [
        dict(zip(row.features.tolist(), row.counts.tolist(), strict=True)) for row in map(found.row, rows)
    ]
    features = np.unique(found.features)
    numbers = decoder.sparse_weights.weights(features)
    active = features[numbers != 0]
    names = searched.names(0, rows, active)
    items = [
        Contribution(
            names[feature],
            values[0].get(feature, 0.0),
            float(weight),
            values[1].get(feature, 0.0) if len(rows) > 1 else None,
        )
        for feature, weight in zip(active.tolist(), numbers[numbers != 0].tolist(), strict=True)
    ]
    return tuple(sorted(items, key=lambda item: (-abs(item.points), item.name)))
