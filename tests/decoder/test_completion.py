"""Completion: translations that begin with what somebody has typed, against plain enumeration."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from isogloss.decoder import Decoder, SearchOptions, System, load
from isogloss.decoder.completion import first_word
from isogloss.io.errors import ConfigError, DataFormatError
from support.engine_search import EXHAUSTIVE, make_model, make_table
from support.random_cases import TARGET_WORDS, random_case
from support.shared import shared_folder
from support.small_engine import make_engine

COST = 3.0


def edits_of_beginning(words: Sequence[str], typed: Sequence[str], half: str) -> int:
    """The fewest words to leave out, add or exchange so that a beginning of the words is what was typed."""
    wanted = [*typed, *([half] if half else [])]

    def same(word: str, place: int) -> bool:
        begins = half and place == len(typed) and word.startswith(half)
        return word == wanted[place] or bool(begins)

    rows = [[0] * (len(wanted) + 1) for _ in range(len(words) + 1)]
    for i in range(len(words) + 1):
        for j in range(len(wanted) + 1):
            ways = [0] if i == j == 0 else []
            if i:
                ways.append(rows[i - 1][j] + 1)
            if j:
                ways.append(rows[i][j - 1] + 1)
            if i and j:
                ways.append(rows[i - 1][j - 1] + (not same(words[i - 1], j - 1)))
            rows[i][j] = min(ways)
    return min(row[-1] for row in rows)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("most", [0, 1, 9])
def test_the_best_translation_that_begins_as_typed(seed: int, most: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    case = random_case(rng, hierarchical=seed % 2 == 0, lattice=False, most=400)
    options = case.options
    decoder = Decoder(
        make_table(case.grammar, tmp_path),
        make_model(case.arpa, tmp_path),
        SearchOptions(
            **EXHAUSTIVE,
            hierarchical=options.hierarchical,
            max_span=options.max_span,
            distortion_limit=options.distortion_limit,
            gap_rules=options.gap_rules,
            reordering_glue=options.reordering_glue,
            phrase_order=options.phrase_order,  # type: ignore[arg-type]
        ),
    )
    decoder.set_weights({name: case.weights.get(name, 0.0) for name in decoder.names})
    source = " ".join(case.source)  # type: ignore[arg-type]
    everything = decoder.nbest([source], nbest=100_000)
    known = [
        (line.split(), score)
        for line, score in zip(everything.texts(), everything.scores.tolist(), strict=True)
    ]
    reachable = sorted({word for words, _ in known for word in words})
    for _ in range(6):
        typed = list(rng.choice(known)[0])
        typed = typed[: rng.randrange(len(typed) + 1)]
        if typed and rng.random() < 0.5:
            typed[rng.randrange(len(typed))] = rng.choice(reachable)
        half = typed.pop()[: rng.randrange(1, 3)] if typed and rng.random() < 0.6 else ""
        found = decoder.begun(
            source, typed, [half] if half else [], nbest=100_000, most_edits=most, edit_cost=COST
        )
        expected = {
            " ".join(words): score - COST * edits
            for words, score in known
            if (edits := edits_of_beginning(words, typed, half)) <= most
        }
        made = dict(zip(found.texts(), found.scores.tolist(), strict=True))
        assert made == pytest.approx(expected, abs=1e-3), (typed, half)


def test_a_typed_word_that_no_rule_yields_stands_for_any_word(tmp_path: Path) -> None:
    rng = random.Random(3)
    case = random_case(rng, hierarchical=False, lattice=False, most=400)
    decoder = Decoder(
        make_table(case.grammar, tmp_path), make_model(case.arpa, tmp_path), SearchOptions(hierarchical=False)
    )
    decoder.set_weights({name: case.weights.get(name, 0.0) for name in decoder.names})
    source = " ".join(case.source)  # type: ignore[arg-type]
    best = decoder.nbest([source]).text(0)
    assert "unheard" not in TARGET_WORDS
    assert decoder.begun(source, ["unheard"]).text(0) == best
    assert decoder.begun(source, [], ["unhea"]).text(0) == best


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> System:
    return load(shared_folder(tmp_path_factory, "engine-phrase", make_engine), corrections=True, matches=True)


@pytest.mark.parametrize(
    ("source", "typed", "completion"),
    [
        ("Der müde König lacht.", "", "The tired king laughs."),
        ("Der müde König lacht.", "T", "he tired king laughs."),
        ("Der müde König lacht.", "The", " tired king laughs."),
        ("Der müde König lacht.", "The ", "tired king laughs."),
        ("Der müde König lacht.", "The ti", "red king laughs."),
        ("Der müde König lacht.", "The tired king laughs", "."),
        ("Der müde König lacht.", "The tired king laughs.", ""),
        ("Der müde König lacht.", "The tired emperor ", "laughs."),
        ("Der müde König lacht.", "the ti", "red king laughs."),
        ("Lösche %s morgen?", "Delete ", "%s morgen?"),
        ("Lösche %s morgen?", "Delete %", "s morgen?"),
        ("Der alte könig schläft heute.", "The old", " king sleeps today."),
    ],
)
def test_what_follows_is_what_is_still_to_be_typed(
    system: System, source: str, typed: str, completion: str
) -> None:
    found = system.complete(source, typed)[0]
    assert found.completion == completion
    assert found.text == typed + completion


def test_ways_to_go_on_differ_in_their_next_word(system: System) -> None:
    found = system.complete("Der müde König lacht heute.", "The tired ", count=4)
    assert len(found) == 4
    assert found[0].completion == "king laughs today."
    assert len({first_word(one.completion) for one in found}) == 4
    assert all(one.text.startswith("The tired ") for one in found)


def test_whatever_is_typed_stays(system: System) -> None:
    rng = random.Random(5)
    letters = "Thekingstired. %s\u0301\u202e漢"
    for _ in range(60):
        typed = "".join(rng.choice(letters) for _ in range(rng.randrange(12)))
        found = system.complete("Der Zwerg lacht %s mal.", typed, count=3)
        assert found
        assert all(one.text == typed + one.completion for one in found)


def test_what_is_far_from_any_translation_goes_on_after_its_nearest_words(system: System) -> None:
    typed = "old king " * 15 + "The tired king "
    found = system.complete("Der müde König lacht heute.", typed)[0]
    assert found.text == typed + found.completion
    assert found.edits > 20
    assert found.completion == "laughs today."


def test_known_translations_come_first(system: System) -> None:
    found = system.complete("Lösche %d heute?", "Del", count=2)
    assert (found[0].match, found[0].completion) == ("training", "ete %d today?")


def test_a_long_sentence_is_completed_too(system: System) -> None:
    source = " ".join(["Der Hund lacht."] * 60)
    found = system.complete(source, "The dog l")[0]
    assert found.completion.startswith("aughs.")


def test_bad_arguments(system: System) -> None:
    with pytest.raises(ConfigError, match="count must be at least 1"):
        system.complete("Der Hund", "", count=0)
    with pytest.raises(DataFormatError, match="NUL byte"):
        system.decoder.begun("Der Hund", ["\0"])
