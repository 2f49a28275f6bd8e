"""The log of fairseq-generate: ``H-<sentence>\\t<score>\\t<words>`` and its companions.

Reads the hypotheses: the detokenized ``D`` lines if there are any, otherwise the ``H`` lines. The per-token
scores of ``P`` lines become two dense columns, ``PositionalSum`` and ``PositionalCount``, so that a reranker
can change the length normalization. The scores of fairseq are logarithms to base 2.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from isogloss._engine import NbestBuilder
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath, decode_lines, naming_file
from isogloss.nbest.format_losses import lost_dense, lost_segmentation, lost_sparse
from isogloss.nbest.store import NbestStore

__all__ = ["losses", "read", "write"]

_LINE = re.compile(r"([STHDPAEIC])-([0-9]+)\t(.*)", re.DOTALL)
_PAIR = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_LAST_SENTENCE = 2**63 - 1


@dataclass(slots=True)
class _Hypothesis:
    sentence: int
    line: int
    score: float | None
    text: str
    positional: list[tuple[str, list[float]]] = field(default_factory=list)
    alignment: list[tuple[int, int]] = field(default_factory=list)


def read(chunks: Iterable[bytes], path: StrPath) -> NbestStore:
    """Read the hypotheses of a log; other lines are ignored."""
    builder = NbestBuilder()
    found = False
    with naming_file(path):
        for hypothesis in _hypotheses(decode_lines(chunks, path), path):
            found = True
            builder.add(
                hypothesis.sentence,
                hypothesis.text,
                score=hypothesis.score,
                dense=hypothesis.positional,
                alignment=hypothesis.alignment,
                line=hypothesis.line,
            )
        if not found:
            raise DataFormatError(
                "no hypotheses found", path, hint="a line such as 'H-0\\t-0.5\\tsome words' is expected"
            )
        return NbestStore.from_columns(builder.finish())


def _hypotheses(lines: Iterable[str], path: StrPath) -> Iterator[_Hypothesis]:
    begun: _Hypothesis | None = None
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        kind, rest = match[1], match[3]
        try:
            sentence = _sentence_number(match[2])
            if kind == "H":
                if begun is not None:
                    yield begun
                begun = _Hypothesis(sentence, number, *_score_and_text(rest))
            elif begun is not None and begun.sentence == sentence:
                if kind == "D":
                    begun.score, begun.text = _score_and_text(rest)
                elif kind == "P":
                    begun.positional = _sum_and_count(rest.split())
                elif kind == "A":
                    begun.alignment = [_aligned_pair(pair) for pair in rest.split()]
        except (ValueError, OverflowError) as error:
            raise DataFormatError(f"damaged {kind} line ({error})", path, number) from None
    if begun is not None:
        yield begun


def _score_and_text(rest: str) -> tuple[float | None, str]:
    score, tab, text = rest.partition("\t")
    if not tab:
        raise ValueError("a score, a tab and the words are expected")
    return (None if score == "None" else _finite(score)), text


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"'{text[:60]}' found, a finite number is expected")
    return value


def _sentence_number(digits: str) -> int:
    if len(digits) > 19 or int(digits) > _LAST_SENTENCE:
        raise ValueError(f"the sentence number {digits[:60]} is too large")
    return int(digits)


def _sum_and_count(values: list[str]) -> list[tuple[str, list[float]]]:
    if not values:
        return []
    total = math.fsum(_finite(value) for value in values)
    return [("PositionalSum", [total]), ("PositionalCount", [float(len(values))])]


def _aligned_pair(pair: str) -> tuple[int, int]:
    match = _PAIR.fullmatch(pair)
    if match is None:
        raise ValueError(f"'{pair[:60]}' is not an alignment link")
    return int(match[1]), int(match[2])


def write(store: NbestStore) -> Iterator[str]:
    """Yield an ``H`` and a ``D`` line per candidate, and an ``A`` line if words are aligned."""
    texts = store.texts()
    for sentence, number in enumerate(store.sentence_ids.tolist()):
        for row in store.rows_of(sentence):
            text, score = next(texts), float(store.scores[row])
            shown = "None" if math.isnan(score) else repr(score)
            yield f"H-{number}\t{shown}\t{text}\nD-{number}\t{shown}\t{text}\n"
            if store.alignment is not None:
                pairs = " ".join(f"{a}-{b}" for a, b in store.alignment.row(row).tolist())
                yield f"A-{number}\t{pairs}\n"


def losses(store: NbestStore) -> list[str]:
    """The format holds only words, score and alignment."""
    return lost_dense(store) + lost_sparse(store) + lost_segmentation(store)
