"""Line plots as inline SVG."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Bar", "Line", "bar_plot", "line_plot", "ticks"]

_WIDTH, _HEIGHT = 560, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 62, 34, 44
_LABEL = 13  # height of the name of a line
# Readable in print and by people who cannot tell red from green (after Okabe and Ito).
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


@dataclass(frozen=True, slots=True)
class Line:
    """A named series of points; the right axis has its own scale."""

    name: str
    points: Sequence[tuple[float, float]]
    right: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """A named value with its confidence interval."""

    name: str
    value: float
    low: float
    high: float


def bar_plot(title: str, bars: Sequence[Bar]) -> str:
    """An SVG element with a bar for every value and a line for its interval.

    >>> bar_plot("BLEU", [Bar("mine", 30.0, 28.5, 31.5)]).count("<rect")
    1
    """
    row, names = 26, max(7.0 * max(len(bar.name) for bar in bars), 60.0) + 16
    axis = _Axis([0.0, *(bar.high for bar in bars)], names, names + 380)
    bottom = _TOP + row * len(bars)
    parts = [
        f'<svg viewBox="0 0 {names + 450:.0f} {bottom + 24}" width="{names + 450:.0f}" role="img" '
        f'xmlns="http://www.w3.org/2000/svg" font-size="11" font-family="sans-serif">'
        f"<title>{html.escape(title)}</title>",
        _text(names + 190, 14, title, size=13),
    ]
    for value in axis.ticks:
        parts.append(_stroke(axis(value), _TOP - 8, axis(value), bottom, "#e4e4e4"))
        parts.append(_text(axis(value), bottom + 14, _number(value)))
    for number, bar in enumerate(bars):
        top = _TOP + row * number
        left, right = axis(0.0), axis(bar.value)
        parts.append(_text(names - 8, top + 13, bar.name, anchor="end", size=12))
        parts.append(
            f'<rect x="{left:.1f}" y="{top}" width="{max(0.0, right - left):.1f}" height="18" rx="2" '
            f'fill="{_COLORS[number % len(_COLORS)]}" fill-opacity="0.75"/>'
        )
        parts.append(_stroke(axis(bar.low), top + 9, axis(bar.high), top + 9, "#222"))
        parts.append(_text(axis(bar.high) + 6, top + 13, f"{bar.value:.1f}", anchor="start"))
    return "".join(parts) + "</svg>"


def line_plot(
    title: str,
    lines: Sequence[Line],
    *,
    x_label: str,
    y_label: str,
    right_label: str = "",
    span: float = 0.0,
    right_span: float = 0.0,
) -> str:
    """An SVG element with one or two vertical axes; names stand beside the ends of their lines.

    Points that are not finite are left out. An axis covers at least ``span``, so that noise looks small.

    >>> svg = line_plot("Loss", [Line("dev", [(1, 3.0), (2, 1.5)])], x_label="sweep", y_label="loss")
    >>> svg.startswith("<svg") and "<polyline" in svg
    True
    """
    drawn = [
        Line(line.name, [p for p in line.points if math.isfinite(p[0]) and math.isfinite(p[1])], line.right)
        for line in lines
    ]
    left = [y for line in drawn if not line.right for _, y in line.points]
    right = [y for line in drawn if line.right for _, y in line.points]
    xs = [x for line in drawn for x, _ in line.points]
    x_axis = _Axis(xs, _LEFT, _WIDTH - _RIGHT)
    y_axis = _Axis(left or right, _HEIGHT - _BOTTOM, _TOP, span)
    right_axis = _Axis(right or left, _HEIGHT - _BOTTOM, _TOP, right_span)
    beside = _WIDTH if right else _WIDTH - _RIGHT + 8
    width = beside + 12 + 6.5 * max((len(line.name) for line in drawn), default=0)
    height = max(_HEIGHT, _TOP + _BOTTOM + _LABEL * len(drawn))
    parts = [
        f'<svg viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" role="img" font-size="11" '
        f'xmlns="http://www.w3.org/2000/svg" font-family="sans-serif"><title>{html.escape(title)}</title>',
        _text(_LEFT, 14, title, size=13, anchor="start"),
    ]
    for value in x_axis.ticks:
        x = x_axis(value)
        parts.append(_stroke(x, _HEIGHT - _BOTTOM, x, _TOP, "#e4e4e4"))
        parts.append(_text(x, _HEIGHT - _BOTTOM + 14, _number(value)))
    for value in y_axis.ticks if left else ():
        y = y_axis(value)
        parts.append(_stroke(_LEFT, y, _WIDTH - _RIGHT, y, "#e4e4e4"))
        parts.append(_text(_LEFT - 6, y + 4, _number(value), anchor="end"))
    for value in right_axis.ticks if right else ():
        parts.append(_text(_WIDTH - _RIGHT + 6, right_axis(value) + 4, _number(value), anchor="start"))
    parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 14, x_label))
    parts.append(_text(14, _HEIGHT / 2, y_label, turn=-90))
    if right:
        parts.append(_text(_WIDTH - 12, _HEIGHT / 2, right_label, turn=90))
    ends = []
    for place, line in enumerate(drawn):
        color = _COLORS[place % len(_COLORS)]
        axis = right_axis if line.right else y_axis
        points = " ".join(f"{x_axis(x):.1f},{axis(y):.1f}" for x, y in line.points)
        dashes = ' stroke-dasharray="5 3"' if line.right else ""
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.6"{dashes}/>')
        ends.append(axis(line.points[-1][1]) if line.points else float(_HEIGHT - _BOTTOM))
    for place, y in enumerate(_apart(ends, _TOP)):
        color = _COLORS[place % len(_COLORS)]
        parts.append(_text(beside, y + 4, drawn[place].name, anchor="start", color=color))
    return "".join(parts) + "</svg>"


def _apart(places: Sequence[float], first: float) -> list[float]:
    """Places of labels, as near to the given ones as their height allows, in the same order."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    found = [0.0] * len(places)
    last = first - _LABEL
    for i in order:
        last = found[i] = max(places[i], last + _LABEL)
    limit = max(float(_HEIGHT - _BOTTOM), first + _LABEL * (len(places) - 1))
    for i in reversed(order):
        limit = found[i] = min(found[i], limit)
        limit -= _LABEL
    return found


class _Axis:
    """Map values to positions."""

    def __init__(self, values: Sequence[float], first: float, last: float, span: float = 0.0) -> None:
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        if low == high:
            low, high = low - 0.5, high + 0.5
        missing = max(0.0, span - (high - low)) / 2
        low, high = low - missing, high + missing
        self._low, self._high, self._first, self._last = low, high, first, last
        self.ticks = ticks(low, high)

    def __call__(self, value: float) -> float:
        share = (value - self._low) / (self._high - self._low)
        return self._first + share * (self._last - self._first)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between two limits.

    >>> ticks(0, 10)
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    """
    step = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(step * factor for factor in (1, 2, 5, 10, 20) if (high - low) / (step * factor) <= most)
    first = math.ceil(low / step - 1e-9)
    return [
        round(number * step, 12) for number in range(first, first + most + 2) if number * step <= high + 1e-9
    ]


def _number(value: float) -> str:
    return f"{value:g}"


def _stroke(x1: float, y1: float, x2: float, y2: float, color: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}"/>'


def _text(
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "middle",
    size: int = 11,
    turn: int = 0,
    color: str = "#222",
) -> str:
    turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{color}"{turned}>'
        f"{html.escape(text)}</text>"
    )
