"""What a reranker changes, sentence by sentence, and why."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from isogloss.learn.metrics import sentence_scores
from isogloss.learn.problem import Problem
from isogloss.nbest import NbestList
from isogloss.nbest.edit import best_rows, highest_rows
from isogloss.nbest.store import Int64
from isogloss.report import Page, Rows
from isogloss.report.rows import Row
from isogloss.rerank.assembly import assemble
from isogloss.rerank.length_ratios import length_ratio, length_text
from isogloss.rerank.model import RerankModel
from isogloss.rerank.preparation import context_of, list_problem

__all__ = ["ChangedSentence", "Changes", "ChosenScore", "changes"]

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

    def title(self) -> str:
        """Its line in the text, counted from 1, and the change."""
        change = "" if self.difference is None else f", {self.difference:+.1f}"
        return f"sentence {self.sentence + 1}{change}"

    def why(self) -> str:
        """The largest reasons in words."""
        return ", ".join(f"{name} {value:+.2f}" for name, value in list(self.reasons.items())[:_SHOWN])


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenScore:
    """The choice for a whole list."""

    score: float
    """On the metric's own scale."""
    length_ratio: float | None
    """Words of the choice per word of the references."""

    def text(self) -> str:
        """Score and length."""
        return f"{self.score:.2f}{length_text(self.length_ratio)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes(Rows):
    """All changes of a list; the rows are sentences, the largest change of quality first."""

    sentences: int
    changed: tuple[ChangedSentence, ...]
    metric: str | None = None
    before: ChosenScore | None = None
    """What the decoder chose; None without references."""
    after: ChosenScore | None = None

    def summary(self) -> list[str]:
        """How many sentences changed, how many for the better, and what the whole list gains."""
        known = [one.difference for one in self.changed if one.difference is not None]
        balance = (
            f"; {sum(d > 0 for d in known):,} better, {sum(d < 0 for d in known):,} worse" if known else ""
        )
        lines = [f"{len(self.changed):,} of {self.sentences:,} sentences changed{balance}"]
        if self.before is not None and self.after is not None:
            lines.append(f"{self.metric}: before {self.before.text()}, after {self.after.text()}")
        return lines

    def rows(self) -> list[Row]:
        """Sentence, choices and reasons in words."""
        return [
            {
                "sentence": one.sentence,
                "difference": one.difference,
                "before": one.before,
                "after": one.after,
                "reasons": one.why(),
            }
            for one in self.changed
        ]

    def to_dict(self) -> dict[str, Any]:
        """As plain values, with all digits."""
        return {
            "sentences": self.sentences,
            "metric": self.metric,
            "before": None if self.before is None else asdict(self.before),
            "after": None if self.after is None else asdict(self.after),
            "changed": [asdict(one) for one in self.changed],
        }

    def report(self, most: int = 500) -> Page:
        """An HTML page with the changes."""
        page = Page("What the reranker changes")
        for line in self.summary():
            page.paragraph(f"{line}.")
        page.note("Numbers after a feature are what it adds to the difference of the two scores.")
        for one in self.changed[:most]:
            page.change(
                one.before,
                one.after,
                source=one.source or "",
                reference=one.reference or "",
                note=f"{one.title()}: {one.why()}",
            )
        if len(self.changed) > most:
            page.note(f"{len(self.changed) - most:,} more sentences changed.")
        return page


def changes(model: RerankModel, nbest: NbestList, *, threads: int = 1) -> Changes:
    """Compare the reranker's choices with those of the decoder."""
    context = context_of(nbest, training=False, threads=threads)
    model.check_list(nbest.store, nbest.name)
    model.check_resources()
    assembled = assemble(context, model.columns, model.functions)
    after = highest_rows(nbest.store, model.scores_of(assembled, threads=threads))
    before = best_rows(nbest.store)
    problem = None if nbest.references is None else list_problem(nbest)
    quality = None if problem is None else sentence_scores(problem.metric, problem.stats())
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
    return Changes(
        sentences=nbest.store.num_sentences,
        changed=tuple(found),
        metric=None if problem is None else problem.metric.name,
        before=_choice(problem, before),
        after=_choice(problem, after),
    )


def _choice(problem: Problem | None, rows: Int64) -> ChosenScore | None:
    if problem is None:
        return None
    score = problem.reported(problem.score_of_rows(rows))
    return ChosenScore(score=score, length_ratio=length_ratio(problem, rows))
