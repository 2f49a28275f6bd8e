"""A plot of a derivation: a row for every rule, in the order of the target words."""

from __future__ import annotations

import html
from collections.abc import Sequence

from isogloss.decoder.derivation import DerivationStep

__all__ = ["derivation_plot"]

_ROW, _TOP, _LETTER, _GAP = 30, 30, 7.85, 14  # width of a letter of 13 points
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def derivation_plot(words: Sequence[str], steps: Sequence[DerivationStep]) -> str:
    """An SVG element: the source words on top; in each row, the words that a rule covers and writes.

    Filled boxes are the source words of the rule, dashed boxes are its non-terminals, which later rules
    translate. The target words so far are on the right, with new words in color.
    """
    widths = [max(18.0, _LETTER * len(word)) + _GAP for word in words]
    starts = [10.0]
    for width in widths:
        starts.append(starts[-1] + width)
    right = starts[-1] + 30
    written = [step.target.split(" [X,")[0] for step in steps]
    wide = right + _LETTER * (sum(map(len, written)) + len(written)) + 20
    high = _TOP + _ROW * len(steps) + 12
    parts = [
        f'<svg viewBox="0 0 {wide:.0f} {high}" width="{wide:.0f}" role="img" font-size="13" '
        'xmlns="http://www.w3.org/2000/svg" font-family="monospace">'
        f"<title>{html.escape(' '.join(words))}</title>"
    ]
    for word, start, width in zip(words, starts, widths, strict=False):
        parts.append(_text(start + width / 2, 18, word, anchor="middle"))
    for number, step in enumerate(steps):
        top = _TOP + _ROW * number
        color = _COLORS[number % len(_COLORS)]
        begin, end = step.source_span
        left = set(range(begin, end)) - {at for gap in step.gaps for at in range(*gap)}
        parts.append(_line(starts[begin] + 3, starts[end] - 3, top + _ROW / 2, color))
        parts += [_box(starts[at], starts[at + 1], top, color, filled=True) for at in sorted(left)]
        parts += [_box(starts[gap[0]], starts[gap[1]], top, color, filled=False) for gap in step.gaps]
        before = " ".join(written[:number])
        parts.append(_text(right, top + 20, before, color="#777"))
        shift = _LETTER * (len(before) + bool(before))
        parts.append(_text(right + shift, top + 20, written[number], color=color, bold=True))
    return "".join(parts) + "</svg>"


def _box(left: float, right: float, top: float, color: str, *, filled: bool) -> str:
    style = f'fill="{color}"' if filled else f'fill="#fff" stroke="{color}" stroke-dasharray="4 3"'
    return (
        f'<rect x="{left + 2:.1f}" y="{top + 6}" width="{right - left - 4:.1f}" height="18" rx="4" {style}/>'
    )


def _line(left: float, right: float, height: float, color: str) -> str:
    return f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{height}" y2="{height}" stroke="{color}"/>'


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", color: str = "#222", bold: bool = False
) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}" fill="{color}"{weight}>{html.escape(text)}</text>'
    )
