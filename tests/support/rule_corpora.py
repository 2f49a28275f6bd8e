"""Small aligned corpora and the tables made from them."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from isogloss.grammar import ExtractOptions, RuleTable, extract_rules

Lines = list[tuple[str, str, str]]

TOY: Lines = [
    # A verb in two parts on the source side, one on the target side.
    ("ich habe das buch gelesen", "i read the book", "0-0 1-1 4-1 2-2 3-3"),
    ("ich habe das haus gesehen", "i saw the house", "0-0 1-1 4-1 2-2 3-3"),
    ("das buch", "the book", "0-0 1-1"),
    ("das haus ist gross", "the house is big", "0-0 1-1 2-2 3-3"),
    ("ja ich habe das", "yes i have that", "0-0 1-1 2-2 3-3"),
]


def write_corpus(folder: Path, lines: Lines) -> tuple[Path, Path, Path]:
    source, target, links = (folder / name for name in ("source", "target", "links"))
    for file, column in zip((source, target, links), zip(*lines, strict=True), strict=True):
        file.write_text("".join(f"{line}\n" for line in column), encoding="utf-8")
    return source, target, links


def extracted(folder: Path, lines: Lines, options: ExtractOptions | None = None, **arguments) -> RuleTable:
    extract_rules(*write_corpus(folder, lines), folder / "table", options, **arguments)
    return RuleTable.open(folder / "table")


def many_lines(pairs: int = 2000) -> Lines:
    """Pairs over a growing vocabulary, with reordering and unaligned words."""
    lines = []
    for i in range(pairs):
        words = [f"w{(i * k) % (7 + i)}" for k in range(1, 12)]
        order = sorted(range(len(words)), key=lambda k: (k + i % 3) // 2)
        lines.append(
            (
                " ".join(words),
                " ".join(words[k].upper() for k in order),
                " ".join(f"{s}-{t}" for t, s in enumerate(order) if (s + i) % 7),
            )
        )
    return lines


def stored_bytes(folder: Path) -> dict[str, bytes]:
    """The content of a stored folder's arrays by name."""
    return {file.name.rsplit("-", 1)[0]: file.read_bytes() for file in folder.glob("*.bin")}


words = st.integers(0, 4).map("abcde".__getitem__)


@st.composite
def sentence_pairs(draw: st.DrawFn, longest: int = 7) -> tuple[str, str, str]:
    source = draw(st.lists(words, min_size=1, max_size=longest))
    target = draw(st.lists(words.map(str.upper), min_size=1, max_size=longest))
    links = draw(
        st.sets(
            st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1)),
            max_size=len(source) + len(target),
        )
    )
    return " ".join(source), " ".join(target), " ".join(f"{s}-{t}" for s, t in links)


@st.composite
def diagonal_pairs(draw: st.DrawFn, longest: int = 9) -> tuple[str, str, str]:
    """Mostly one-to-one links, so that there are many rules with gaps."""
    source = draw(st.lists(words, min_size=2, max_size=longest))
    order = draw(st.permutations(range(len(source)))) if draw(st.booleans()) else range(len(source))
    dropped = draw(st.sets(st.integers(0, len(source) - 1), max_size=3))
    target = [source[i].upper() for i in order]
    links = [f"{s}-{t}" for t, s in enumerate(order) if s not in dropped]
    return " ".join(source), " ".join(target), " ".join(links)
