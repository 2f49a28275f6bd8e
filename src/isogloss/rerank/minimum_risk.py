"""Minimum Bayes risk: choose the candidate that agrees best with the others, without training."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, as_track
from isogloss.learn.mbr import AGGREGATED, UTILITIES, expected_utility, sample_shares
from isogloss.metric.interface import FloatArray
from isogloss.nbest import NbestLike, NbestList, NbestStore, as_nbest
from isogloss.nbest.store import Int64
from isogloss.rerank.user_code import call_user_code, load_function, required_parameters

__all__ = ["UtilityFunction", "mbr"]

_PARTS = 20  # sentences per step of the progress display

UtilityFunction = (
    Callable[[str, str], float]
    | Callable[[str, str, str], float]
    | Callable[[Sequence[str], Sequence[str]], Sequence[float]]
    | Callable[[Sequence[str], Sequence[str], Sequence[str]], Sequence[float]]
)
"""A function of a candidate and a reference, or of source, candidate and reference; with ``batch_size``, of
lists of them."""


def mbr(
    nbest: NbestLike,
    utility: str | UtilityFunction = "bleu",
    *,
    scale: float = 1.0,
    references: int = 0,
    aggregate: bool = False,
    prune: int = 0,
    prune_by: str = "chrf",
    batch_size: int = 0,
    threads: int = 1,
    progress: bool | Track = False,
) -> NbestList:
    """The list ordered by expected utility: how well each candidate agrees with the others of its sentence.

    ``utility`` is ``bleu``, ``chrf``, ``ter`` (1 − TER), a function of two strings, a candidate and another
    one used as the reference, or ``python:FILE`` for the function ``utility`` of a file; higher is better. A
    function with three parameters gets the source first. With ``batch_size``, the function gets lists of so
    many strings and returns as many numbers, as neural metrics want it.

    The others are weighted by their probability, P(candidate) ∝ exp(``scale`` · score); with ``scale`` 0, and
    in a list without scores, by how often they were drawn (column ``Count``), else all alike.

    Time grows with candidates times references. With ``references`` above 0, only this many of the most
    probable candidates are used as references. ``aggregate`` takes the mean of all as the only reference,
    which is nearly as good for BLEU and chrF. ``prune`` above 0 keeps the best candidates by the cheap
    utility ``prune_by``, and the expensive ``utility`` chooses among them, with the same number of references
    unless ``references`` says otherwise. The new scores are the expected utilities, in 0 to 1 for BLEU and
    chrF.

    >>> samples = [["a big house", "a big house", "the house", "one tree"]]
    >>> mbr(samples, utility="chrf").best()
    ['a big house']
    >>> def same_length(candidate: str, reference: str) -> float:
    ...     return float(len(candidate.split()) == len(reference.split()))
    >>> mbr(samples, same_length).scores.round(2).tolist()
    [0.5, 0.5, 0.5, 0.5]
    """
    listed, track = as_nbest(nbest), as_track(progress)
    function = _function(utility, batch_size, listed)
    _check(function, scale, references, aggregate, prune, prune_by)
    store = listed.store
    if not store.num_candidates:
        return listed
    shares = _shares(store, scale)
    if prune:
        cheap = _expected(store, shares, prune_by, references, False, threads, track)
        kept = _best(store, cheap, prune)
        references = references or prune
    else:
        cheap, kept = np.zeros(store.num_candidates), np.arange(store.num_candidates)
    if isinstance(function, str):
        # All candidates stay references, so the expected utilities of the kept ones are exact.
        exact = _expected(store, shares, function, references, aggregate, threads, track)[kept]
    else:
        exact = function.expected(listed, shares, kept, references, track)
    found = np.full(store.num_candidates, -np.inf)
    found[kept] = exact
    dropped = np.setdiff1d(np.arange(store.num_candidates), kept)
    if len(dropped):
        # Behind all others, in the order of the cheap utility.
        found[dropped] = exact.min() - 1 + (cheap[dropped] - cheap[dropped].max())
    return listed.reordered(found)


def _check(
    function: str | _Function, scale: float, references: int, aggregate: bool, prune: int, prune_by: str
) -> None:
    if not 0 <= scale < math.inf:
        raise ConfigError(f"scale must be at least 0, got {scale}")
    for name, value in (("references", references), ("prune", prune)):
        if value < 0:
            raise ConfigError(f"{name} must be at least 0, got {value}")
    if aggregate and function not in AGGREGATED:
        raise ConfigError(f"aggregate is for the utilities {' and '.join(AGGREGATED)}")
    if prune_by not in UTILITIES:
        raise ConfigError(f"unknown utility '{prune_by}' to prune by; choose one of: {', '.join(UTILITIES)}")


@dataclass(frozen=True, slots=True)
class _Function:
    """A user's utility."""

    code: Callable[..., object]
    name: str
    takes_source: bool
    batch_size: int

    def expected(
        self, nbest: NbestList, shares: FloatArray, kept: Int64, references: int, track: Track
    ) -> FloatArray:
        """The expected utility of the kept candidates."""
        store, texts = nbest.store, nbest.texts()
        sources = nbest.source or []
        owners, likely = store.sentence_of_row(), _most_probable(store, shares, references)
        pairs: list[tuple[int, int, int]] = []  # place among the kept, candidate, reference
        found, weights = np.zeros(len(kept)), np.zeros(len(kept))
        size = max(self.batch_size, 1)

        def score() -> None:
            candidates, others = [texts[row] for _, row, _ in pairs], [texts[other] for _, _, other in pairs]
            places = np.array([place for place, _, _ in pairs])
            lines = [sources[int(store.sentence_ids[owners[row]])] for _, row, _ in pairs] if sources else []
            values = self._values(lines, candidates, others)
            share = shares[[other for _, _, other in pairs]]
            np.add.at(found, places, values * share)
            np.add.at(weights, places, share)
            pairs.clear()

        for place, row in enumerate(track(kept.tolist(), "minimum Bayes risk", len(kept))):
            for other in likely[int(owners[row])].tolist():
                pairs.append((place, row, other))
                if len(pairs) == size:
                    score()
        if pairs:
            score()
        return np.asarray(found / np.where(weights > 0, weights, 1))

    def _values(self, sources: list[str], candidates: list[str], references: list[str]) -> FloatArray:
        arguments = [*([sources] if self.takes_source else []), candidates, references]
        if not self.batch_size:
            arguments = [one[0] for one in arguments]  # type: ignore[misc]
        found = call_user_code(self.code, arguments, self.name)
        try:
            values = np.asarray(found if self.batch_size else [found], dtype=np.float64).reshape(-1)
        except (TypeError, ValueError):
            raise ConfigError(f"{self.name} gave {found!r:.60}; numbers are expected") from None
        if len(values) != len(candidates):
            raise ConfigError(f"{self.name} gave {len(values):,} numbers for {len(candidates):,} candidates")
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise ConfigError(
                f"{self.name} is not a finite number for the candidate '{candidates[int(bad[0])]:.60}'"
            )
        return values


def _function(utility: str | UtilityFunction, batch_size: int, nbest: NbestList) -> str | _Function:
    if batch_size < 0:
        raise ConfigError(f"batch_size must be at least 0, got {batch_size}")
    code: Callable[..., object]
    if isinstance(utility, str):
        if not utility.startswith("python:"):
            if utility not in UTILITIES:
                raise ConfigError(
                    f"unknown utility '{utility}'; choose one of: {', '.join(UTILITIES)}, python:FILE, or "
                    "give a function"
                )
            if batch_size:
                raise ConfigError("batch_size is for utilities that are functions")
            return utility
        path, _, given = utility.removeprefix("python:").partition(",")
        name = given.removeprefix("function=") or "utility"
        code = load_function(path, name)
        shown = f"{path}: {name}()"
    else:
        code, shown = utility, f"the utility {getattr(utility, '__name__', type(utility).__name__)}()"
    needed = required_parameters(code)
    if needed not in (None, 2, 3):
        raise ConfigError(f"{shown} must take (candidate, reference) or (source, candidate, reference)")
    if needed == 3 and nbest.source is None:
        raise ConfigError(f"{shown} needs the source text: give source= (--source)")
    return _Function(code, shown, needed == 3, batch_size)


def _shares(store: NbestStore, scale: float) -> FloatArray:
    """The probability of each candidate within its sentence."""
    missing = np.isnan(store.scores)
    if scale == 0 or np.all(missing):
        return sample_shares(store, 0.0, store.scores)
    if np.any(missing):
        row = int(np.flatnonzero(missing)[0])
        raise ConfigError(
            f"candidate {row + 1} of the list has no score, but others have one; use scale=0 to give all the "
            "same weight"
        )
    return sample_shares(store, scale, store.scores)


def _expected(
    store: NbestStore,
    shares: FloatArray,
    utility: str,
    references: int,
    aggregate: bool,
    threads: int,
    track: Track,
) -> FloatArray:
    found = np.empty(store.num_candidates)
    parts = list(_parts(store))
    for begin, end in track(parts, "minimum Bayes risk", len(parts)):
        found[begin:end] = expected_utility(
            store.select(np.arange(begin, end)),
            shares[begin:end],
            utility=utility,
            references=references,
            aggregate=aggregate,
            threads=threads,
        )
    return found


def _parts(store: NbestStore) -> Iterator[tuple[int, int]]:
    """Rows of some sentences at a time."""
    step = max(1, store.num_sentences // _PARTS)
    for first in range(0, store.num_sentences, step):
        last = min(first + step, store.num_sentences)
        yield int(store.sentence_offsets[first]), int(store.sentence_offsets[last])


def _most_probable(store: NbestStore, shares: FloatArray, most: int) -> list[Int64]:
    """The rows of every sentence that are references."""
    lists = []
    for sentence in range(store.num_sentences):
        rows = np.array(store.rows_of(sentence))
        lists.append(rows[np.argsort(-shares[rows], kind="stable")[: most or len(rows)]])
    return lists


def _best(store: NbestStore, values: FloatArray, most: int) -> Int64:
    """The rows of the best candidates of every sentence, in ascending order."""
    return np.sort(np.concatenate(_most_probable(store, values, most)))
