"""What a reranker changes, sentence by sentence, and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from isogloss.learn.metrics import sentence_scores
from isogloss.metric.interface import FloatArray
from isogloss.nbest import NbestList
from isogloss.nbest.edit import best_rows, highest_rows
from isogloss.report import Page, Rows
from isogloss.report.rows import Row
from isogloss.rerank.assembly import assemble
from isogloss.rerank.model import RerankModel
from isogloss.rerank.preparation import context_of, list_problem

__all__ = ["ChangedSentence", "Changes", "changes"]

_SHOWN = 5  # features that explain a choice


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedSentence:
    """A sentence for which the reranker takes another candidate than the decoder."""

    sentence: int
    source: str | None
    before: str
    after: str
    reference: str | None
    difference: float | None
    """Change of the sentence score, on the metric's own scale; None without references."""
    reasons: dict[str, float]
    """What each feature contributes to the difference of the two scores, the largest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes(Rows):
    """All changes of a list; the rows are sentences, the largest change of quality first."""

    sentences: int
    changed: tuple[ChangedSentence, ...]

    def rows(self) -> list[Row]:
        """Sentence, choices and reasons in words."""
        return [
            {
                "sentence": one.sentence,
                "difference": one.difference,
                "before": one.before,
                "after": one.after,
                "reasons": _reasons(one),
            }
            for one in self.changed
        ]

    def to_dict(self) -> dict[str, Any]:
        """As plain values, with all digits."""
        return {"sentences": self.sentences, "changed": [asdict(one) for one in self.changed]}

    def report(self, most: int = 500) -> Page:
        """An HTML page with the changes."""
        page = Page("What the reranker changes")
        known = [one.difference for one in self.changed if one.difference is not None]
        page.paragraph(
            f"{len(self.changed):,} of {self.sentences:,} sentences changed"
            + (
                f"; {sum(d > 0 for d in known):,} better, {sum(d < 0 for d in known):,} worse."
                if known
                else "."
            )
        )
        page.table(
            ["sentence", "change", "source", "before", "after", "reference", "why"],
            [
                [
                    str(one.sentence + 1),
                    "" if one.difference is None else f"{one.difference:+.1f}",
                    one.source or "",
                    one.before,
                    one.after,
                    one.reference or "",
                    _reasons(one),
                ]
                for one in self.changed[:most]
            ],
        )
        return page


def _reasons(one: ChangedSentence) -> str:
    return ", ".join(f"{name} {value:+.2f}" for name, value in list(one.reasons.items())[:_SHOWN])


def changes(model: RerankModel, nbest: NbestList, *, threads: int = 1) -> Changes:
    """Compare the reranker's choices with those of the decoder."""
    context = context_of(nbest, training=False, threads=threads)
    model.check_list(nbest.store, nbest.name)
    model.check_resources()
    assembled = assemble(context, model.columns, model.functions)
    after = highest_rows(nbest.store, model.scores_of(assembled, threads=threads))
    before = best_rows(nbest.store)
    quality = _quality(nbest)
    contributions = model.scaling(assembled.dense) * model.dense.mean(axis=0)
    texts, source, references = nbest.texts(), nbest.source, nbest.references
    found = []
    for place in np.flatnonzero(before != after).tolist():
        number, old, new = int(nbest.store.sentence_ids[place]), int(before[place]), int(after[place])
        gains = dict(
            zip(model.feature_names, (contributions[new] - contributions[old]).tolist(), strict=True)
        )
        ordered = sorted(gains, key=lambda name: -abs(gains[name]))
        found.append(
            ChangedSentence(
                sentence=number,
                source=None if source is None else source[number],
                before=texts[old],
                after=texts[new],
                reference=None if references is None else references.of(number)[0],
                difference=None if quality is None else float(quality[new] - quality[old]),
                reasons={name: gains[name] for name in ordered if gains[name]},
            )
        )
    found.sort(key=lambda one: -abs(one.difference or 0.0))
    return Changes(sentences=nbest.store.num_sentences, changed=tuple(found))


def _quality(nbest: NbestList) -> FloatArray | None:
    if nbest.references is None:
        return None
    problem = list_problem(nbest)
    return sentence_scores(problem.metric, problem.stats())
