"""What verbs that learn from n-best lists read: lists' sources, references, methods, features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from isogloss.cli import console
from isogloss.io.errors import ConfigError

if TYPE_CHECKING:
    from isogloss.learn import Problem
    from isogloss.learn.learner import Learner
    from isogloss.nbest import NbestStore
    from isogloss.rerank import FeatureFunction

FeatureSets = list[tuple[str, "list[FeatureFunction]"]]


def parse_method(method: str) -> tuple[str, Learner]:
    """A method as it is written today, and the learner: ``splitting:margin=0.5,iterations=20``."""
    from isogloss.learn.registry import canonical_method, make_learner

    return canonical_method(method, decoder=False, warn=console.note), make_learner(method)


def parse_sets(sets: Sequence[str]) -> FeatureSets:
    """Sets of features, each as it was written and as functions."""
    from isogloss.rerank import parse_features

    return [(written.strip() or "(list)", parse_features(written.split())) for written in sets]


def split_columns(columns: str | None) -> tuple[str, ...] | None:
    """Names between commas."""
    return None if columns is None else tuple(name for name in columns.split(",") if name)


def source_of(path: str | None, store: NbestStore) -> list[list[str]] | None:
    """The words of the source sentences of a list."""
    from isogloss.rerank import read_source

    return None if path is None else read_source(path, store)


def count_lines(path: str) -> int:
    """Lines of a text file."""
    from isogloss.io.streams import read_lines

    return sum(1 for _ in read_lines(path))


def problem_of(
    assembled: NbestStore,
    store: NbestStore,
    path: str,
    references: Sequence[str],
    quality: str | None,
    metric: str,
    tokenize: str,
) -> Problem:
    """What is to be learned: a metric of references, or given qualities."""
    from isogloss.learn import Problem, metric_named
    from isogloss.metric import References
    from isogloss.nbest.columns import read_column

    if (quality is None) == (not references):
        raise ConfigError("give either --reference (one or several) or --quality")
    if quality is not None:
        return Problem.of_quality(assembled, read_column(quality, store, path))

    found = References.read(references)
    missing = len(found) - store.num_sentences
    if missing > 0:
        console.warn(f"{path}: {missing:,} of {len(found):,} sentences have no candidates; they play no part")
    return Problem.of(assembled, found, metric_named(metric, tokenize=tokenize, progress=console.track))
