"""Mutations of inputs, seeded: the same seed gives the same inputs.

Bytes alone rarely get past the door of XML and JSON. Inputs in these are also changed as trees: elements and values
are doubled, removed, nested and exchanged, and the result is well-formed.
"""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["VALUES", "change_value", "mutated"]

VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1 << 31, 1 << 62, 1e308, -1e308, 1e-320, float("nan"), "", "x", "../x", "a" * 300,
    [], [0], ["x"], [[1, 2]], {}, {"x": 1}, {"file": "x"},
)  # fmt: skip
_LONGEST = 1 << 16
_LONG = 1000
_TOKEN = re.compile(rb"<[^>]*>|[^<]+")
_ATTRIBUTE = re.compile(rb"""\s[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*')""")
_TEXTS = (
    b"",
    b" ",
    b"a",
    b"%s %d",
    b"&amp;&lt;b&gt;",
    b"\n\n",
    b"\xe2\x80\xa8",
    b"&#13;",
    b"]]&gt;",
    b"<x/>",
    b"{n, plural, ",
)


def mutated(corpus: Sequence[bytes], words: Sequence[bytes], rng: random.Random) -> bytes:
    """An input made from one or two of the corpus."""
    data = rng.choice(corpus)
    if len(data) > _LONG and rng.random() < 0.95:  # long ones take most of the time, and change least
        data = min(data, rng.choice(corpus), rng.choice(corpus), key=len)
    change = _by_shape(data)
    if change is not None and rng.random() < 0.7:
        return change(data, rng)[:_LONGEST]
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 8))):
        _step(changed, corpus, words, rng)
    return bytes(changed[:_LONGEST])


def _by_shape(data: bytes) -> Callable[[bytes, random.Random], bytes] | None:
    start = data.lstrip()[:1]
    return _changed_xml if start == b"<" else _changed_json if start in (b"{", b"[") else None


def _changed_xml(data: bytes, rng: random.Random) -> bytes:
    """Change elements, attributes and texts; tags stay balanced if they were."""
    tokens = _TOKEN.findall(data)
    for _ in range(rng.choice((1, 1, 2, 3)) if tokens else 0):
        at = rng.randrange(len(tokens))
        if not tokens[at].startswith(b"<"):
            tokens[at] = rng.choice(_TEXTS)
            continue
        end = _closing(tokens, at)
        if end is None:
            continue
        what = rng.randrange(6)
        if what == 0:
            del tokens[at : end + 1]
        elif what == 1:
            tokens[at:at] = tokens[at : end + 1] * rng.choice((1, 1, 3))
        elif what == 2 and end > at:
            depth = rng.choice((1, 1, 2, 2, 2, 200))
            tokens[at : end + 1] = [*[tokens[at]] * depth, *tokens[at : end + 1], *[tokens[end]] * depth]
        elif what == 3:
            tokens[at] = _ATTRIBUTE.sub(b"", tokens[at], count=rng.choice((1, 2)))
        elif what == 4:
            value = rng.choice((b"", b"x", b"9" * 30, b"no", b"*all*", b"new", b"2.0", b"../x"))
            tokens[at] = re.sub(rb"""(=\s*)("[^"]*"|'[^']*')""", rb'\1"' + value + b'"', tokens[at], count=1)
        else:
            tokens.insert(at + 1 if end > at else at, rng.choice(_TEXTS))
        if not tokens:
            break
    return b"".join(tokens)


def _closing(tokens: Sequence[bytes], at: int) -> int | None:
    """Where the element that begins here ends; None if none does."""
    if tokens[at].startswith((b"</", b"<?", b"<!")):
        return None
    depth = 0
    for place in range(at, len(tokens)):
        token = tokens[place]
        if not token.startswith(b"<") or token.startswith((b"<?", b"<!")):
            continue
        depth += -1 if token.startswith(b"</") else 0 if token.endswith(b"/>") else 1
        if depth == 0:
            return place
    return None


def _changed_json(data: bytes, rng: random.Random) -> bytes:
    """Change values of a document, or of one document per line."""
    lines = data.split(b"\n")
    at = rng.choice([place for place, line in enumerate(lines) if line.strip()])
    try:
        value = json.loads(lines[at])
    except (ValueError, RecursionError):
        return data
    for _ in range(rng.choice((1, 1, 2, 3))):
        change_value(value, rng)
    lines[at] = json.dumps(value).encode()
    return b"\n".join(lines)


def change_value(value: Any, rng: random.Random) -> None:
    """Change something inside: deeper with each step."""
    while isinstance(value, dict | list):
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = rng.choice(keys)
        if not (isinstance(value[key], dict | list) and value[key] and rng.random() < 0.8):
            break
        value = value[key]
    else:
        return
    what = rng.random()
    if what < 0.15:
        del value[key]
    elif what < 0.3 and isinstance(value[key], int | float):
        value[key] += rng.choice((-1, 1, 2, 1000))
    elif what < 0.4 and isinstance(value, dict):
        value[key] = copy.deepcopy(value[rng.choice(keys)])
    else:
        value[key] = copy.deepcopy(rng.choice(VALUES))


def _step(data: bytearray, corpus: Sequence[bytes], words: Sequence[bytes], rng: random.Random) -> None:
    at = rng.randrange(len(data) + 1)
    until = min(len(data), at + rng.choice((1, 1, 2, 4, 16, 64)))
    what = rng.randrange(10)
    if what == 0 and data:
        data[at % len(data)] ^= 1 << rng.randrange(8)
    elif what == 1:
        del data[at:until]
    elif what == 2:
        data[at:at] = data[at:until] * rng.choice((1, 2, 20))
    elif what == 3:
        data[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice((1, 2, 8))))
    elif what in (4, 5) and words:
        data[at : rng.choice((at, until))] = rng.choice(words)
    elif what == 6:
        other = rng.choice(corpus)
        begin = rng.randrange(len(other) + 1)
        data[at:until] = other[begin : begin + rng.choice((8, 64, 512))]
    elif what in (7, 8):
        _change_lines(data, rng)
    else:
        data[at:until] = rng.choice(
            (b"", b" ", b"\n", b"\t", b"\0", b"\xe2\x80\xa8", b"\xed\xa0\x80", b"9" * 30)
        )


def _change_lines(data: bytearray, rng: random.Random) -> None:
    """Shuffle, double, drop or join whole lines, or change one word of a line."""
    lines = bytes(data).split(b"\n")
    at, what = rng.randrange(len(lines)), rng.randrange(5)
    if what == 0:
        rng.shuffle(lines)
    elif what == 1:
        lines.insert(at, rng.choice(lines))
    elif what == 2:
        del lines[at]
    elif what == 3:
        lines[at : at + 2] = [b" ".join(lines[at : at + 2])]
    else:
        parts = re.split(rb"([\s|=\"]+)", lines[at])
        parts[rng.randrange(len(parts))] = rng.choice((b"", b"-1", b"1e308", b"x", b"0", rng.choice(parts)))
        lines[at] = b"".join(parts)
    data[:] = b"\n".join(lines)
