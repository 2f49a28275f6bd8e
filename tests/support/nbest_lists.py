"""N-best lists for tests: random ones, a slow obvious reading of the notation, and plain comparison.

Everything here is written from the description of the formats, one candidate at a time, with no columns.
"""

from __future__ import annotations

import os
import random
import re
import struct
import tempfile
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st

from isogloss._engine import MosesReader, NbestBuilder
from isogloss.nbest import NbestStore

SPACES = " \t\n\v\f\r"


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for many small files, in memory where that can be had: a disk would be waited for."""
    return tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


@dataclass(frozen=True)
class Candidate:
    """One line of a list. Dense features and sparse ones are pairs in the order of the line."""

    sentence: int
    words: tuple[str, ...] = ()
    score: float | None = None
    dense: tuple[tuple[str, tuple[float, ...]], ...] = ()
    sparse: tuple[tuple[str, float], ...] = ()
    alignment: tuple[tuple[int, int], ...] = ()
    segmentation: tuple[tuple[int, int, int, int], ...] = ()


@dataclass(frozen=True)
class Plain:
    """What a store holds, as plain values: groups, and one row per candidate in store order."""

    groups: tuple[tuple[str, int], ...]
    rows: tuple[Candidate, ...]


def exact(plain: Plain) -> str:
    """All of it as text that tells -0.0 from 0.0; ``==`` on Plain does not."""
    return repr(plain)


def expected(candidates: list[Candidate]) -> Plain:
    """The list as a store should hold it: by rising sentence, zeros for missing dense features."""
    sizes: dict[str, int] = {}
    for candidate in candidates:
        for name, values in candidate.dense:
            if values and sizes.setdefault(name, len(values)) != len(values):
                raise ValueError("sizes differ")
    rows = []
    for candidate in sorted(candidates, key=lambda c: c.sentence):
        given = {name: values for name, values in candidate.dense if values}
        if len(given) < sum(1 for _, values in candidate.dense if values):
            raise ValueError("a dense feature twice")
        sparse: dict[str, np.float32] = {}
        for name, value in candidate.sparse:
            sparse[name] = _finite(sparse[name] + _narrow(value)) if name in sparse else _narrow(value)
        rows.append(
            replace(
                candidate,
                dense=tuple((name, given.get(name, (0.0,) * size)) for name, size in sizes.items()),
                sparse=tuple((name, float(value)) for name, value in sparse.items()),
            )
        )
    return Plain(tuple(sizes.items()), tuple(rows))


def _narrow(value: float) -> np.float32:
    with np.errstate(over="ignore"):
        return _finite(np.float32(value))


def _finite(value: np.float32) -> np.float32:
    if not np.isfinite(value):
        raise ValueError("too large")
    return value


def plain(store: NbestStore) -> Plain:
    """What is in a store, read out one candidate at a time."""
    names = store.words.words()
    rows = []
    for sentence, number in enumerate(store.sentence_ids.tolist()):
        for row in range(store.sentence_offsets[sentence], store.sentence_offsets[sentence + 1]):
            values, dense = store.dense[row].tolist(), []
            for group in store.dense_groups:
                dense.append((group.name, tuple(values[: group.size])))
                values = values[group.size :]
            assert values == []
            score = float(store.scores[row])
            rows.append(
                Candidate(
                    sentence=number,
                    words=tuple(names[word] for word in store.tokens.row(row)),
                    score=None if np.isnan(score) else score,
                    dense=tuple(dense),
                    sparse=_sparse_of(store, row),
                    alignment=tuple(map(tuple, store.alignment.row(row).tolist())) if store.alignment else (),
                    segmentation=(
                        tuple(map(tuple, store.segmentation.row(row).tolist())) if store.segmentation else ()
                    ),
                )
            )
    assert len(rows) == store.num_candidates == len(store.dense) == len(store.scores)
    return Plain(tuple(tuple(group) for group in store.dense_groups), tuple(rows))


def _sparse_of(store: NbestStore, row: int) -> tuple[tuple[str, float], ...]:
    sparse = store.sparse
    if sparse is None:
        return ()
    begin, end = sparse.events.offsets[row : row + 2].tolist()
    events = list(
        zip(sparse.events.values[begin:end].tolist(), sparse.event_counts[begin:end].tolist(), strict=True)
    )
    if sparse.event_features is None:
        return tuple((sparse.names.word(event), count) for event, count in events)
    total: dict[int, float] = {}
    for event, count in events:
        begin, end = sparse.event_features.offsets[event : event + 2].tolist()
        for k in range(begin, end):
            value = 1.0 if sparse.feature_values is None else float(sparse.feature_values[k])
            column = int(sparse.event_features.values[k])
            total[column] = total.get(column, 0.0) + count * value
    return tuple((sparse.names.word(column), value) for column, value in sorted(total.items()))


# Making lists ------------------------------------------------------------------------------------------

# Characters that some tool somewhere takes for a space, a line end, a separator or a byte order mark.
_TRICKY = '\x1c\x1f\x85\xa0\u2028\u3000\ufeff|=:-"\\{é漢😀'
_CHARACTERS = st.one_of(
    st.sampled_from("abc01." + _TRICKY),
    st.characters(exclude_categories=["Cs"], exclude_characters=SPACES + "\0"),
)
names = st.text(_CHARACTERS, min_size=1, max_size=6).filter(lambda text: "|||" not in text)
words = st.one_of(st.sampled_from(["a", "house", "the", "of"]), names)
doubles = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, -1.5, 1e-320, 1.7976931348623157e308, 0.1]),
)
# Three of these under one name do not leave the range of 32 bits.
floats = st.floats(allow_nan=False, allow_infinity=False, width=32, max_value=2.0**126, min_value=-(2.0**126))
sentences = st.one_of(st.integers(0, 3), st.integers(0, 40), st.sampled_from([2**63 - 1, 10**12]))
positions = st.one_of(st.integers(0, 9), st.sampled_from([65535]))


@st.composite
def spans(draw: st.DrawFn) -> tuple[int, int]:
    first, last = sorted((draw(positions), draw(positions)))
    return first, last


@st.composite
def candidates(draw: st.DrawFn, *, segmented: bool = True, sentence_numbers=sentences) -> list[Candidate]:
    """A list of one candidate or more, in any order of sentences, as a file may hold it."""
    sizes = draw(st.dictionaries(names, st.integers(1, 3), max_size=4))
    sparse_names = draw(st.lists(names, max_size=4, unique=True))
    aligned, segmented = draw(st.booleans()), segmented and draw(st.booleans())

    def one() -> Candidate:
        groups = draw(st.lists(st.sampled_from(sorted(sizes)), unique=True)) if sizes else []
        if sizes and draw(st.booleans()):
            groups = sorted(sizes)
        sparse = st.tuples(st.sampled_from(sparse_names), floats) if sparse_names else st.nothing()
        pairs = st.tuples(positions, positions)
        phrases = st.builds(lambda a, b: a + b, spans(), spans())
        return Candidate(
            sentence=draw(sentence_numbers),
            words=tuple(draw(st.lists(words, max_size=4))),
            score=draw(st.one_of(st.none(), doubles)),
            dense=tuple(
                (name, tuple(draw(st.lists(doubles, min_size=sizes[name], max_size=sizes[name]))))
                for name in groups
            ),
            sparse=tuple(draw(st.lists(sparse, max_size=3))) if sparse_names else (),
            alignment=tuple(draw(st.lists(pairs, max_size=3))) if aligned else (),
            segmentation=tuple(draw(st.lists(phrases, max_size=2))) if segmented else (),
        )

    return [one() for _ in range(draw(st.integers(1, 6)))]


def random_list(rng: random.Random) -> list[Candidate]:
    """Such a list from a seeded generator: a hundred times faster, but a failing one does not shrink."""

    def name() -> str:
        while True:
            text = "".join(rng.choice("ab01." + _TRICKY) for _ in range(rng.randint(1, 6)))
            text += chr(rng.randint(0x21, 0xD7FF)) * rng.randint(0, 1)
            if "|||" not in text:
                return text

    def number() -> float:
        if rng.random() < 0.5:
            return rng.choice([0.0, -0.0, 1.0, -1.5, 0.1, 5e-324, 1.7976931348623157e308])
        value = struct.unpack("<d", rng.randbytes(8))[0]
        return value if np.isfinite(value) else 0.25

    def narrow() -> float:
        value = struct.unpack("<f", rng.randbytes(4))[0]
        return value if abs(value) < 2.0**126 else -0.0

    def some(make, most: int) -> tuple:
        return tuple(make() for _ in range(rng.randint(0, most)))

    def pair() -> tuple[int, int]:
        return rng.choice([0, 1, 9, 65535]), rng.randint(0, 65535)

    def span() -> tuple[int, int]:
        return tuple(sorted(pair()))

    sizes = {name(): rng.randint(1, 3) for _ in range(rng.randint(0, 4))}
    features = [name() for _ in range(rng.randint(0, 4))]
    aligned, segmented = rng.random() < 0.5, rng.random() < 0.5
    known = ["a", "house", *(name() for _ in range(5))]
    return [
        Candidate(
            sentence=rng.choice([0, 1, 2, 3, rng.randint(0, 30)]),
            words=some(lambda: rng.choice(known), 5),
            score=rng.choice([None, number()]),
            dense=tuple(
                (group, tuple(number() for _ in range(sizes[group])))
                for group in rng.sample(sorted(sizes), rng.randint(0, len(sizes)))
            ),
            sparse=some(lambda: (rng.choice(features), narrow()), 3) if features else (),
            alignment=some(pair, 3) if aligned else (),
            segmentation=some(lambda: span() + span(), 2) if segmented else (),
        )
        for _ in range(rng.randint(1, 8))
    ]


def moses_line(candidate: Candidate) -> str:
    """A candidate in the notation of Moses, without the line end."""
    features = []
    for name, values in candidate.dense:
        features += [f"{name}=", *map(repr, values)]
    features += [f"{name}={value!r}" for name, value in candidate.sparse]
    fields = [str(candidate.sentence), " ".join(candidate.words)]
    more = candidate.score is not None or candidate.alignment or candidate.segmentation
    if features or more or candidate.sentence % 2:  # with nothing behind them, the words may end the line
        fields.append(" ".join(features))
    if more:
        fields.append("" if candidate.score is None else repr(candidate.score))
    if candidate.segmentation:
        phrases = [(_span(a, b), _span(c, d)) for a, b, c, d in candidate.segmentation]
        fields.append(" ".join(f"{source}={target}" for source, target in phrases))
    if candidate.alignment:
        fields.append(" ".join(f"{source}-{target}" for source, target in candidate.alignment))
    return " ||| ".join(fields)


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def moses_text(given: list[Candidate]) -> bytes:
    """A whole list in the notation of Moses."""
    return "".join(moses_line(candidate) + "\n" for candidate in given).encode()


def read_moses(*pieces: bytes) -> NbestStore:
    """What the engine makes of a list that comes in these pieces."""
    reader = MosesReader()
    for piece in pieces:
        reader.feed(piece)
    return NbestStore.from_columns(reader.finish())


def build(given: list[Candidate]) -> NbestStore:
    """The same list through the builder, which has no place for segmentations."""
    builder = NbestBuilder()
    for candidate in given:
        builder.add(
            candidate.sentence,
            " ".join(candidate.words),
            score=candidate.score,
            dense=[(name, list(values)) for name, values in candidate.dense],
            sparse=list(candidate.sparse),
            alignment=list(candidate.alignment),
        )
    return NbestStore.from_columns(builder.finish())


seeds = st.integers(0, 2**64 - 1)
random_lists = seeds.map(lambda seed: random_list(random.Random(seed)))
stores = candidates().map(lambda given: read_moses(moses_text(given)))


# Reading Moses's notation, slowly ------------------------------------------------------------------------

_SPACE = rb"[ \t\n\v\f\r]"
_SEPARATOR = re.compile(rb"(?:(?<=" + _SPACE + rb")|(?<![\s\S]))\|\|\|(?=" + _SPACE + rb"|\Z)")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class RefusedError(ValueError):
    """The line is not what the notation asks for."""


def parse_moses(text: bytes) -> list[Candidate]:
    """Every line of a list, by the words of the description; RefusedError if one of them is wrong."""
    lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return [_parse_line(line) for line in lines]


def _parse_line(line: bytes) -> Candidate:
    fields = _SEPARATOR.split(line)
    if not 2 <= len(fields) <= 6:
        raise RefusedError("number of fields")
    number = fields[0].strip(SPACES.encode())
    if not re.fullmatch(rb"[0-9]+", number) or int(number) >= 2**63:
        raise RefusedError("sentence number")
    dense, sparse = _parse_features(_tokens(fields[2]) if len(fields) > 2 else [])
    score = None
    if len(fields) > 3:
        tokens = _tokens(fields[3])
        if len(tokens) > 1:
            raise RefusedError("score")
        score = _parse_number(tokens[0]) if tokens else None
    alignment, segmentation = [], []
    for token in [token for links in fields[4:] for token in _tokens(links)]:
        if "=" in token:
            source, target = token.split("=", 1)
            segmentation.append(_parse_span(source) + _parse_span(target))
        elif re.fullmatch("[0-9]+-[0-9]+", token):
            alignment.append(tuple(map(_parse_position, token.split("-"))))
        else:
            raise RefusedError("link")
    if any(a > b or c > d for a, b, c, d in segmentation):
        raise RefusedError("phrase ends before it begins")
    return Candidate(
        sentence=int(number),
        words=tuple(_checked(word) for word in _tokens(fields[1])),
        score=score,
        dense=dense,
        sparse=sparse,
        alignment=tuple(alignment),
        segmentation=tuple(segmentation),
    )


def _tokens(field: bytes) -> list[str]:
    try:
        return [token.decode() for token in re.split(_SPACE + rb"+", field) if token]
    except UnicodeDecodeError:
        raise RefusedError("not UTF-8") from None


def _checked(name: str) -> str:
    if name == "" or "|||" in name or "\0" in name:
        raise RefusedError("word or name")
    return name


def _parse_number(text: str) -> float:
    if not _NUMBER.fullmatch(text) or not np.isfinite(float(text)):
        raise RefusedError("number")
    return float(text)


def _parse_position(text: str) -> int:
    if not re.fullmatch("[0-9]+", text) or int(text) > 65535:
        raise RefusedError("position")
    return int(text)


def _parse_span(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    return _parse_position(first), _parse_position(last if dash else first)


def _parse_features(tokens: list[str]):
    dense: list[tuple[str, list[float]]] = []
    sparse: list[tuple[str, float]] = []
    begun: list[float] | None = None  # the values of the group whose name came last
    for token in tokens:
        if token[-1] in "=:":
            if len(token) == 1:
                raise RefusedError("a name is missing")
            begun = []
            dense.append((token[:-1], begun))
        elif "=" in token:
            name, _, value = token.rpartition("=")
            sparse.append((_checked(name), _parse_number(value)))
            begun = None
        elif begun is None:
            raise RefusedError("a value without a name")
        else:
            begun.append(_parse_number(token))
    for name, _ in dense:
        _checked(name)
    return tuple((name, tuple(values)) for name, values in dense), tuple(sparse)
