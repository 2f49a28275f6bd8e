"""Near matches: the translation of a similar sentence, with the words that differ translated anew.

For every sentence that has a similar example, the example's translation is edited (``edits``): holes are left
where the sentences differ, the decoder fills them, and the language model chooses among its fillings. A
linear model then chooses between these candidates and the decoder's own translation. Its weights are learned
on training sentences that neither the examples nor the decoder's models have seen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import islice, product
from typing import Any, NamedTuple

import numpy.typing as npt

from isogloss.corpus.placeholders import MARK
from isogloss.decoder.decoder import Decoder
from isogloss.decoder.edits import Frame, Hole, frames
from isogloss.decoder.near_examples import NearExample, NearExamples
from isogloss.decoder.plf import Lattice
from isogloss.decoder.sentence import Source, split_words
from isogloss.io.errors import ModelFormatError
from isogloss.io.streams import StrPath
from isogloss.nbest.store import NbestStore
from isogloss.storage.folder import open_folder, write_folder

__all__ = [
    "FEATURES",
    "NearCandidate",
    "NearChoice",
    "NearMatch",
    "best_near_matches",
    "near_candidates",
    "open_examples",
    "write_examples",
]

Array = npt.NDArray[Any]

KIND, VERSION = "examples", 1
FEATURES = (
    "candidate",  # always 1
    "lm",  # log probability, more than that of the decoder's translation
    "words",  # words, more than the decoder's translation has
    "difference",  # 1 minus the similarity of the example
    "edits",  # words of the source that differ
    "fillings",  # model score of the fillings, without the language model
    "draft",  # the same of the decoder's translation
    "torn",
    "widened",
    "kept",  # words of the example's translation that stay
    "dropped",
    "agreement",  # similarity to the decoder's translation
    "correction",  # whether the example is a correction
)
_SIMILAR = 0.4  # examples that are less similar are not looked at
_EXAMPLES = 3
_FILLINGS = 4
_MOST_COMBINATIONS = 16
_LN10 = math.log(10)

# About what is learned on software catalogs in three languages; with few sentences to learn from, the weights
# stay near these.
_DEFAULTS = {
    "candidate": 0.2,
    "lm": 0.43,
    "words": 0.0,
    "difference": -5.0,
    "edits": -0.1,
    "fillings": 0.08,
    "draft": -0.07,
    "torn": -2.5,
    "widened": -0.3,
    "kept": 0.39,
    "dropped": -0.3,
    "agreement": 5.0,
    "correction": 0.0,
}


class NearMatch(NamedTuple):
    """A near match that was chosen, and the example that it comes from; all texts are tokens."""

    line: str
    example: NearExample

    def confidence(self, draft: float) -> float:
        """The confidence, given that of the decoder's translation: it counts for the words that differ."""
        return round(self.example.similarity + (1 - self.example.similarity) * draft, 3)


class NearCandidate(NamedTuple):
    """An edited translation and its features."""

    line: str
    example: NearExample
    features: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NearChoice:
    """Weights that choose between candidates and the decoder's own translation, whose score is 0."""

    weights: Mapping[str, float] = field(default_factory=lambda: dict(_DEFAULTS))
    enabled: bool = True
    """Whether near matches gained on sentences that their weights were not learned from."""

    def best(self, candidates: Sequence[NearCandidate]) -> NearCandidate | None:
        """The best candidate; None if the decoder's translation is better."""
        weights = [self.weights.get(name, 0.0) for name in FEATURES]
        best, most = None, 0.0
        for one in candidates:
            score = math.fsum(map(float.__mul__, weights, one.features))
            if score > most:
                best, most = one, score
        return best


def write_examples(
    path: StrPath, columns: Mapping[str, Array], choice: NearChoice, facts: Mapping[str, Any]
) -> None:
    """Store examples with the weights that choose among them."""
    attributes = {"weights": dict(choice.weights), "enabled": choice.enabled, "measured": dict(facts)}
    write_folder(path, kind=KIND, version=VERSION, arrays=columns, attributes=attributes)


def open_examples(path: StrPath) -> tuple[NearExamples | None, NearChoice]:
    """Open a folder of ``write_examples``; there are no examples if near matches are disabled."""
    folder = open_folder(path, kind=KIND, version=VERSION)
    try:
        weights = {str(name): float(value) for name, value in folder.attributes["weights"].items()}
        enabled = folder.attributes["enabled"] is True
        if not all(map(math.isfinite, weights.values())) or (enabled and "norms" not in folder.arrays):
            raise ValueError("weights or arrays are missing")
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise ModelFormatError(f"not sound ({error})", folder.path, "train the engine again") from None
    choice = NearChoice(weights=weights, enabled=enabled)
    return NearExamples(folder.arrays, folder.path) if enabled else None, choice


def best_near_matches(
    decoder: Decoder,
    sources: Sequence[NearExamples],
    choice: NearChoice,
    sentences: Sequence[Source],
    drafts: NbestStore,
    rows: Sequence[int],
    *,
    threads: int = 1,
) -> list[NearMatch | None]:
    """The near match to use for every sentence; None where the decoder's translation is better.

    Lattices and sentences with given translations have none.
    """
    words = [
        ()
        if isinstance(item, Lattice)
        else tuple(split_words(item))
        if isinstance(item, str)
        else item.words
        if not item.fixed
        else ()
        for item in sentences
    ]
    found = near_candidates(decoder, sources, words, drafts, rows, threads=threads)
    best = map(choice.best, found)
    return [None if one is None else NearMatch(one.line, one.example) for one in best]


class _Work(NamedTuple):
    words: tuple[str, ...]
    frames: list[tuple[NearExample, Frame]]


def near_candidates(
    decoder: Decoder,
    sources: Sequence[NearExamples],
    sentences: Sequence[tuple[str, ...]],
    drafts: NbestStore,
    rows: Sequence[int],
    *,
    threads: int = 1,
    skip_identical: bool = False,
) -> list[list[NearCandidate]]:
    """Edited translations of every sentence; ``rows`` are those of the decoder's own in ``drafts``.

    Examples come from all ``sources``, the first ones first if they are equally similar.
    """
    work = [_framed(words, sources, skip_identical) for words in sentences]
    parts = {" ".join(part) for one in work for _, frame in one.frames for part in _parts(one.words, frame)}
    if not any(one.frames for one in work):
        return [[] for _ in work]
    fillings = _fillings(decoder, sorted(parts), threads)
    scale = abs(decoder.weights.get("lm", 0.0)) or 1.0
    filled = [
        [_combined(one.words, frame, fillings) for _, frame in one.frames] for one in work
    ]  # by sentence and frame: lines with the score of their fillings
    lines = [line for some in filled for combined in some for line, _ in combined]
    scores = iter((decoder.language_model.score_sentences(lines, threads=threads) * _LN10).tolist())
    lm = drafts.dense_names.index("lm")
    found = []
    for one, some, row in zip(work, filled, rows, strict=True):
        draft = _Draft(
            drafts.text(row).split(),
            float(drafts.dense[row][lm]),
            (float(drafts.scores[row]) - decoder.weights["lm"] * float(drafts.dense[row][lm])) / scale,
        )
        candidates = []
        for (example, frame), combined in zip(one.frames, some, strict=True):
            rated = [(score / scale + next(scores), line, score / scale) for line, score in combined]
            if rated:
                total, line, filling = max(rated, key=lambda row: row[0])
                features = _features(one.words, example, frame, line, total - filling, filling, draft)
                candidates.append(NearCandidate(line, example, features))
        found.append(candidates)
    return found


class _Draft(NamedTuple):
    words: list[str]
    lm: float
    rest: float


def _framed(words: tuple[str, ...], sources: Sequence[NearExamples], skip_identical: bool) -> _Work:
    found = [
        example
        for source in sources
        for example in source.find(words, most=_EXAMPLES, at_least=_SIMILAR, skip_identical=skip_identical)
    ]
    found.sort(key=lambda example: -example.similarity)  # stable: the first source comes first
    return _Work(
        words,
        [(example, frame) for example in found[:_EXAMPLES] for frame in frames(*example.pair, words)],
    )


def _parts(words: Sequence[str], frame: Frame) -> Iterator[Sequence[str]]:
    for hole in frame.holes():
        yield words[hole.begin : hole.end]


def _fillings(decoder: Decoder, parts: list[str], threads: int) -> dict[str, list[tuple[str, float]]]:
    """Translations of parts of sentences, with their scores without the language model."""
    found: dict[str, list[tuple[str, float]]] = {part: [] for part in parts}
    if parts:
        store = decoder.nbest(parts, nbest=_FILLINGS, threads=threads)
        scores = store.scores - decoder.weights["lm"] * store.dense[:, store.dense_names.index("lm")]
        owners = store.sentence_ids[store.sentence_of_row()].tolist()
        for owner, text, score in zip(owners, store.texts(), scores.tolist(), strict=True):
            found[parts[owner]].append((text, score))
    return found


def _combined(
    words: Sequence[str], frame: Frame, fillings: Mapping[str, list[tuple[str, float]]]
) -> list[tuple[str, float]]:
    """The frame with all combinations of fillings that have every placeholder mark of the sentence."""
    marks = Counter(word for word in words if MARK.fullmatch(word))
    choices = [fillings[" ".join(part)] for part in _parts(words, frame)]
    size = int(_MOST_COMBINATIONS ** (1 / len(choices))) if choices else 1
    found = []
    for combination in islice(product(*(some[:size] for some in choices)), _MOST_COMBINATIONS):
        texts = iter(combination)
        line = " ".join(
            filter(None, (next(texts)[0] if isinstance(piece, Hole) else piece for piece in frame.pieces))
        )
        if line and Counter(MARK.findall(line)) == Counter(MARK.findall(" ".join(marks.elements()))):
            found.append((line, math.fsum(score for _, score in combination)))
    return found


def _features(
    words: Sequence[str],
    example: NearExample,
    frame: Frame,
    line: str,
    lm: float,
    filling: float,
    draft: _Draft,
) -> tuple[float, ...]:
    made = line.split(" ")
    difference = 1 - example.similarity
    return (
        1.0,
        lm - draft.lm,
        float(len(made) - len(draft.words)),
        difference,
        difference * max(len(words), len(example.pair.source)),
        filling,
        draft.rest,
        float(frame.torn),
        float(frame.widened),
        float(len(frame.pieces) - len(frame.holes())),
        float(frame.dropped),
        SequenceMatcher(None, made, draft.words, autojunk=False).ratio(),
        float(example.origin == "correction"),
    )
