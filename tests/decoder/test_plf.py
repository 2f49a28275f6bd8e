from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.decoder import Arc, Lattice, format_plf, parse_plf
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import read_lines
from support.properties import examples

WORDS = st.text(st.characters(codec="utf-8", exclude_characters=" \t\n\v\f\r\0"), min_size=1)
SCORES = st.floats(min_value=-1e30, max_value=1e30)


@st.composite
def lattices(draw: st.DrawFn) -> Lattice:
    places = draw(st.integers(1, 6))
    arcs = [Arc(i, i + 1, draw(WORDS), draw(SCORES)) for i in range(places - 1)]
    for _ in range(draw(st.integers(0, 5)) if places > 1 else 0):
        begin = draw(st.integers(0, places - 2))
        arcs.append(Arc(begin, draw(st.integers(begin + 1, places - 1)), draw(WORDS), draw(SCORES)))
    return Lattice(places, tuple(sorted(arcs, key=lambda arc: arc.begin)))


@examples(40)
@given(lattices())
def test_a_lattice_survives_being_written(lattice: Lattice) -> None:
    assert parse_plf(format_plf(lattice)) == lattice


@examples(40)
@given(lattices())
def test_the_notation_is_pythons(lattice: Lattice) -> None:
    columns = ast.literal_eval(format_plf(lattice))
    arcs = [Arc(i, i + step, word, score) for i, arcs in enumerate(columns) for word, score, step in arcs]
    assert tuple(arcs) == lattice.arcs
    assert parse_plf(repr(columns)) == lattice or "\\x" in repr(columns) or "\\u" in repr(columns).lower()


@given(st.text("()',\"\\ab 01-.e\t", max_size=30))
def test_any_text_is_a_lattice_or_an_error(text: str) -> None:
    try:
        parse_plf(text)
    except DataFormatError as error:
        assert str(error).startswith("lattice: not a lattice: ")  # noqa: PT017


def test_reading() -> None:
    read = parse_plf(""" ((('it\\'s', -.5, 1) , ("a\\"b",1e-1,2)), (('x',0,1,),),) """)
    assert read == Lattice(3, (Arc(0, 1, "it's", -0.5), Arc(0, 2, 'a"b', 0.1), Arc(1, 2, "x", 0.0)))
    assert parse_plf("()") == parse_plf("") == parse_plf("  ") == Lattice(1, ())
    assert parse_plf("((('a',0,2),),(),)") == Lattice(3, (Arc(0, 2, "a", 0.0),))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a b", "'a b' at column 1 is not allowed in a lattice"),
        ("(", "'(' expected, the line ends"),
        ("((('a', 0, 1),)", "'(' expected, the line ends"),
        ("((('a', 0, 1),),) x", "'x' at column 18 is not allowed in a lattice"),
        ("((('a', 0, 1),),) ()", "the end of the line expected at column 19, found '('"),
        ("((('a', 0),),)", "',' expected at column 10, found ')'"),
        ("((('a', b, 1),),)", "'b, 1),),)' at column 8 is not allowed in a lattice"),
        ("(((0, 'a', 1),),)", "a word in quotes expected at column 4, found '0'"),
        ("((('a', 0, -1),),)", "an arc leads -1 nodes ahead, a whole number above 0 is expected"),
        ("((('a', 0, 1.0),),)", "an arc leads 1.0 nodes ahead, a whole number above 0 is expected"),
        (
            "((('a', 0, 0),),)",
            "the arc 'a' leads from node 0 to 0; arcs must lead to a higher node, at most 1",
        ),
        (
            "((('a', 0, 2),),)",
            "the arc 'a' leads from node 0 to 2; arcs must lead to a higher node, at most 1",
        ),
        ("((('a', 0, 1),),(),)", "no path leads from the first node to the last one, 2"),
        ("((('', 0, 1),),)", "the word '' is empty or contains whitespace"),
        ("((('a b', 0, 1),),)", "the word 'a b' is empty or contains whitespace"),
        ("((('a', 1e40, 1),),)", "the score of 'a' is 1e+40, a finite number is expected"),
        ("(" * 100_000, "a word in quotes expected at column 4, found '('"),
        ("(" + "(('a',0,1),)," * 5000 + ")", "the lattice has 5001 nodes; it must have between 1 and 4096"),
    ],
)
def test_what_is_no_lattice(line: str, problem: str) -> None:
    with pytest.raises(DataFormatError) as caught:
        parse_plf(line, "file", 3)
    assert str(caught.value) == (
        f"file:3: not a lattice: {problem}; write a lattice as ((('word', -0.5, 1),),)"
    )


@pytest.mark.slow
@pytest.mark.corpora
def test_lattices_of_a_recognizer(corpora: Path) -> None:
    read = [parse_plf(line) for line in read_lines(corpora / "fisher" / "dev.plf.es")]
    assert len(read) > 3000
    assert all(parse_plf(format_plf(lattice)) == lattice for lattice in read)
