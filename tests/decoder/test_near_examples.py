"""Examples of near matches: what is found, and how similar it is."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from isogloss.decoder.edits import edit_regions
from isogloss.decoder.near_examples import AlignedPair, NearExamples, example_columns
from isogloss.io.errors import ModelFormatError
from isogloss.storage.folder import open_folder, write_folder


def pair(source: str, target: str, *links: tuple[int, int]) -> AlignedPair:
    return AlignedPair(tuple(source.split()), tuple(target.split()), links)


def test_the_most_similar_come_first() -> None:
    draw = random.Random(7)
    sources = {" ".join(draw.choice("abcde") for _ in range(1 + draw.randrange(8))) for _ in range(60)}
    examples = NearExamples.of(pair(one, one.upper(), (0, 0)) for one in sorted(sources))
    assert len(examples) == len(sources)
    for _ in range(40):
        words = [draw.choice("abcdef") for _ in range(1 + draw.randrange(8))]

        def similarity(other: str, words: list[str] = words) -> float:
            edits = edit_regions(other.split(), words)
            cost = sum(max(one.end - one.begin, one.new_end - one.new_begin) for one in edits)
            return 1 - cost / max(len(words), len(other.split()))

        found = examples.find(words, most=5, at_least=0.4)
        expected = sorted(filter(lambda one: one >= 0.4, map(similarity, sources)), reverse=True)[:5]
        assert [one.similarity for one in found] == pytest.approx(expected)
        assert all(one.target == one.source.upper() for one in found)


def test_placeholders_count_as_equal() -> None:
    examples = NearExamples.of([pair("delete ǁ0ǁ now", "ǁ0ǁ jetzt löschen", (0, 2), (1, 0), (2, 1))])
    (found,) = examples.find(["delete", "ǁ1ǁ", "now"], most=3, at_least=0.5)
    assert (found.similarity, found.source, found.origin) == (1.0, "delete ǁ0ǁ now", "training")
    assert found.pair.links == ((0, 2), (1, 0), (2, 1))
    assert not examples.find(["delete", "ǁ1ǁ", "now"], most=3, at_least=0.5, skip_identical=True)


def test_of_several_translations_the_most_frequent_is_kept() -> None:
    examples = NearExamples.of([pair("a b", "x"), pair("a b", "y"), pair("a b", "y"), pair("", "z")])
    assert len(examples) == 1
    assert examples.find(["a", "b"], most=5, at_least=0)[0].target == "y"


def test_examples_can_be_hidden() -> None:
    examples = NearExamples.of([pair("a b c", "x"), pair("a b d", "y")])
    (found,) = examples.without({"a b c"}).find(["a", "b", "c"], most=5, at_least=0.1)
    assert found.source == "a b d"


def test_nothing_is_found_without_examples_or_words() -> None:
    assert NearExamples.of([]).find(["a"], most=5, at_least=0) == []
    assert NearExamples.of([pair("a", "b")]).find([], most=5, at_least=0) == []


@pytest.mark.parametrize("name", ["links", "source_ends", "words", "counts", "posting_offsets"])
def test_damaged_arrays_give_an_error(tmp_path: Path, name: str) -> None:
    columns = example_columns([pair("a b", "x y", (0, 0), (1, 1)), pair("a c", "x z", (0, 0), (1, 1))])
    columns[name] = columns[name][:-1] if name != "links" else columns[name] + 7
    write_folder(tmp_path / "e", kind="examples", version=1, arrays=columns, attributes={})
    examples = NearExamples(open_folder(tmp_path / "e", kind="examples", version=1).arrays, tmp_path / "e")
    with pytest.raises(ModelFormatError, match="damaged"):
        examples.find(["a", "c"], most=5, at_least=0)
