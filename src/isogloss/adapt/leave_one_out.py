"""Leave-one-out decoding: decode a training sentence with the rules of all other pairs.

A system translates its own training text too well to learn from it, because the rules of every sentence are
in its table. So the rules of the pair are extracted again and subtracted from the counts while its sentence
is decoded: rules that no other pair has disappear, and the translation probabilities of the others are those
without the pair. The pair still affects the lexical weights and orientations of its rules, the probabilities
of other source sides with the same target side, and the language model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.decoder.decoder import Decoder
from isogloss.grammar.extraction import SCORE_COLUMNS, extract_rules
from isogloss.grammar.options import ExtractOptions
from isogloss.grammar.storage import KIND, VERSION, rule_scratch
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError
from isogloss.io.streams import StrPath
from isogloss.storage.folder import open_folder

__all__ = ["OtherPairs"]

_LEAST_MEMORY = 64 << 20
_COUNT, _OF_SOURCE, _OF_TARGET, _SEEN = range(4)  # columns of the count table
_TARGET_GIVEN_SOURCE, _SOURCE_GIVEN_TARGET = (SCORE_COLUMNS.index(name) for name in SCORE_COLUMNS[:2])


class OtherPairs:
    """A decoder that can leave out the rules of a pair. Not thread-safe."""

    def __init__(self, rules: StrPath, like: Decoder) -> None:
        """From a decoder, whose rule table, language model, search and weights are used."""
        folder = open_folder(rules, kind=KIND, version=VERSION)
        made_with = folder.attributes.get("extraction")
        if made_with is None or "counts" not in folder.arrays or made_with["smoothing"] != "none":
            raise ConfigError(
                f"{folder.path}: leave_one_out needs a rule table made by 'isogloss extract' without "
                "smoothing"
            )
        self._options = replace(ExtractOptions(**made_with), word_forms=False)
        self._counts = folder.arrays["counts"]
        self._scores = np.array(folder.arrays["scores"])
        self._table = RuleTable(replace(folder, arrays={**folder.arrays, "scores": self._scores}))
        self.decoder = Decoder(
            self._table, like.language_model, like.options, sparse=like.sparse, joint=like.joint
        )
        self.decoder.set_weights(like.weights, like.sparse_weights)

    @contextmanager
    def without(self, pairs: Sequence[tuple[str, str, str]]) -> Iterator[Decoder]:
        """The decoder as if these pairs (source, target, links) had not been in the training text."""
        counts, found = self._own_rules(pairs)
        sides = _Sides.of(found[found[:, 1] >= 0, 1:])
        rows = sides.rows()
        kept = self._scores[rows]
        try:
            self._take_out(counts, found)
            self.decoder.forget()
            yield self.decoder
        finally:
            self._scores[rows] = kept
            self.decoder.forget()

    def _own_rules(self, pairs: Sequence[tuple[str, str, str]]) -> tuple[Any, npt.NDArray[np.int64]]:
        """Counts of the rules of the pairs, and their rows in the system's table."""
        with rule_scratch(None) as scratch:
            source, target, links = files = [scratch / name for name in ("source", "target", "links")]
            for file, lines in zip(files, zip(*pairs, strict=True), strict=True):
                file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            rules = scratch / "rules"
            extract_rules(
                source,
                target,
                links,
                rules,
                self._options,
                memory_limit=_LEAST_MEMORY,
                threads=1,
                scratch=scratch,
            )
            own = RuleTable.open(rules)
            no_rules = np.zeros(
                (0, self._counts.shape[1]), self._counts.dtype
            )  # a pair without links has none
            counts = np.array(own.arrays.get("counts", no_rules))
            found = self._table.engine.find_rules(
                own.engine,
                _numbers(own.source_words, self._table.source_words),
                _numbers(own.target_words, self._table.target_words),
            )
        return counts, found

    def _take_out(self, own: Any, found: npt.NDArray[np.int64]) -> None:
        known = found[:, 0] >= 0
        own, found = own[known].astype(np.float64), found[known]
        rules = found[:, 0]
        counts = self._counts[rules].astype(np.float64)
        left = counts - own
        gone = left[:, _SEEN] < 0.5
        # All rules of a source side, including those of the pair, share its remaining count.
        sides = _Sides.of(found[:, 1:])
        of_side = np.zeros(len(sides.first))
        np.maximum.at(of_side, sides.of_rule, own[:, _OF_SOURCE])
        whole = self._counts[sides.first, _OF_SOURCE].astype(np.float64)
        part = np.where(whole > of_side, whole - of_side, whole)  # nothing is left of the side anyway
        self._scores[sides.rows(), _TARGET_GIVEN_SOURCE] += np.repeat(np.log(whole / part), sides.sizes)
        stays = ~gone
        shares = np.maximum(left[stays, _COUNT], 1e-9)
        change = np.log(shares / counts[stays, _COUNT])
        self._scores[rules[stays], _TARGET_GIVEN_SOURCE] += change
        of_target = counts[stays, _OF_TARGET] / np.maximum(left[stays, _OF_TARGET], shares)
        self._scores[rules[stays], _SOURCE_GIVEN_TARGET] += change + np.log(of_target)
        self._scores[rules[gone], :2] = -np.inf


class _Sides(NamedTuple):
    """Different source sides of a table: first rule, number of rules, and the side of each rule given."""

    first: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]
    of_rule: npt.NDArray[np.int64]

    @classmethod
    def of(cls, ranges: npt.NDArray[np.int64]) -> _Sides:
        """The sides of some rules, given the first rule of each side and the one after its last."""
        first, at, of_rule = np.unique(ranges[:, 0], return_index=True, return_inverse=True)
        return cls(first, ranges[at, 1] - first, of_rule)

    def rows(self) -> npt.NDArray[np.int64]:
        """All rules of the sides."""
        before = np.cumsum(self.sizes) - self.sizes
        rows: npt.NDArray[np.int64] = np.repeat(self.first - before, self.sizes)
        rows += np.arange(len(rows))
        return rows


def _numbers(words: _engine.Vocabulary, other: _engine.Vocabulary) -> npt.NDArray[np.uint32]:
    return np.array([other.find(word) for word in words.words()], np.uint32)
