"""Words that were never seen: their parts, related forms, and what is said of them."""

from __future__ import annotations

import io
import itertools
import json
import random
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.cli.main import main
from isogloss.decoder import System, Terms, create_system, explain, list_unknown_words, load
from isogloss.decoder.options import SearchOptions
from isogloss.decoder.unknown_words import UnknownWords
from isogloss.grammar import ExtractOptions, extract_rules
from isogloss.grammar.dictionary import read_dictionary, store_dictionary
from isogloss.grammar.storage import KIND, VERSION
from isogloss.grammar.table import RuleTable
from isogloss.grammar.word_forms import LONGEST_WORD, WordForms, is_word
from isogloss.io.errors import ModelFormatError
from isogloss.lm import LmOptions, build
from isogloss.storage.folder import ArrayFolder, update_folder
from support.damage import reseal
from support.word_ways import WordWays

_NOUNS = {
    "draht": "wire",
    "zaun": "fence",
    "haus": "house",
    "tisch": "table",
    "regen": "rain",
    "schirm": "screen",
    "holz": "wood",
    "eisen": "iron",
}
_UNSEEN = ("regen", "tisch")  # the compound that is never seen
_MARKED = {"bälke": "balke", "kläpfe": "klapfe", "zänte": "zante"}  # the same with a mark
_SEPARABLE = (("ab", "holten"), ("ab", "suchten"), ("auf", "holten"), ("auf", "suchten"))  # also with -zu-
_PLURALS = ("draht", "zaun", "tisch", "regen")  # nouns seen with the ending -el; the plural of haus is not


def _pairs() -> Iterator[tuple[str, str, str]]:
    """Sources, targets and links: nouns, their plurals, and compounds with the letters -er- between."""
    for noun, meaning in _NOUNS.items():
        for _ in range(3):
            yield f"das {noun}", f"the {meaning}", "0-0 1-1"
    for noun in _PLURALS:
        yield f"die {noun}el", f"the {_NOUNS[noun]}s", "0-0 1-1"
    for marked, plain in _MARKED.items():
        for word in (marked, plain):
            yield f"das {word}", f"the {plain[0]}eam", "0-0 1-1"
    yield "das kranse", "the wreath", "0-0 1-1"
    yield "das Übel", "the evil", "0-0 1-1"
    for number, (before, after) in enumerate(_SEPARABLE):
        for inside in ("", "zu"):
            yield f"wir {before}{inside}{after}", f"we {'ABCD'[number]}", "0-0 1-1"
    yield "wir ausholten", "we reach", "0-0 1-1"
    for number, other in (
        ("1.200,5", "1,200.5"),
        ("3.400,75", "3,400.75"),
        ("12,5", "12.5"),
        ("8,25", "8.25"),
    ):
        yield f"das {number}", f"the {other}", "0-0 1-1"
    for first, last in itertools.permutations(_NOUNS, 2):
        if (first, last) != _UNSEEN:
            yield f"das {first}er{last}", f"the {_NOUNS[first]} {_NOUNS[last]}", "0-0 1-1 1-2"


def _system(folder: Path, *, forms: bool, hierarchical: bool = True) -> System:
    columns = list(zip(*_pairs(), strict=True))
    files = [folder / name for name in ("source", "target", "links")]
    for file, lines in zip(files, columns, strict=True):
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    grammar = "hiero" if hierarchical else "phrase"
    options = ExtractOptions.for_grammar(grammar, word_forms=forms, max_length=4)
    extract_rules(files[0], files[1], files[2], folder / "rules", options, threads=1)
    (folder / "more").write_text("the rain table\n" * 3, encoding="utf-8")
    build(
        [files[1], folder / "more"],
        options=LmOptions(order=3, discount_fallback=(0.5, 1, 1.5)),
        binary=folder / "lm",
    )
    return create_system(
        folder / "system",
        rules=folder / "rules",
        lm=folder / "lm",
        options=SearchOptions(hierarchical=hierarchical),
    )


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> System:
    return _system(tmp_path_factory.mktemp("forms"), forms=True)


def test_learns_joining_letters_and_endings(system: System) -> None:
    forms = WordForms.of(RuleTable.open(system.path / "rules"))
    assert forms is not None
    right, seen = forms.joints["", "er"]
    assert right > 40
    assert right / seen > 0.9
    assert forms.endings["el", ""][0] == len(_PLURALS)
    assert not forms.beginnings


def test_translates_an_unseen_compound_by_its_parts(system: System) -> None:
    found = system.translate("das regenertisch")
    assert found == "the rain table"
    assert found.unknown == ()
    assert found.features["split"] < 0
    assert found.features["unknown"] == 0
    assert set(found.alignment) == {(0, 0), (1, 1), (1, 2)}
    assert {step.origin for step in found.derivation if step.source_span[1] == 2} >= {"split"}
    assert all(end <= 2 for step in found.derivation for end in step.source_span)


@pytest.mark.parametrize(
    ("word", "translation"),
    [
        ("regen-tisch", "rain table"),
        ("Regen-tisch", "rain table"),
        ("holz-eisen-haus", "wood iron house"),
    ],
)
def test_translates_the_parts_of_a_hyphenated_word(system: System, word: str, translation: str) -> None:
    """No hyphen occurs in the training text, so nothing is learned about it: it tells by itself."""
    assert system.translate(f"das {word}") == f"the {translation}"


def test_translates_an_unseen_form_as_a_related_one(system: System) -> None:
    found = system.translate("die hausel")
    assert found == "the house"
    assert found.features["related"] < 0
    assert [step.source for step in found.derivation if step.origin == "related"] == ["haus"]


def test_a_part_may_be_known_with_a_capital_only(system: System) -> None:
    assert system.translate("das holzerübel") == "the wood evil"
    assert system.translate("das übel") == "the evil"


def test_letters_inside_and_marks_are_learned(system: System) -> None:
    forms = WordForms.of(RuleTable.open(system.path / "rules"))
    assert forms is not None
    assert forms.insides["zu", ""] == (len(_SEPARABLE), len(_SEPARABLE))
    assert forms.insides["ä", "a"] == (len(_MARKED), len(_MARKED))


@pytest.mark.parametrize(("word", "known"), [("auszuholten", "ausholten"), ("kränse", "kranse")])
def test_a_form_with_other_letters_inside_is_related(system: System, word: str, known: str) -> None:
    found = system.translate(word)
    assert [step.source for step in found.derivation if step.origin == "related"] == [known]
    assert found == system.translate(known)


def test_two_changes_are_tried_if_one_does_not_help(system: System) -> None:
    known = system.decoder.unknown_words
    assert known is not None
    (offer,) = known.offers("kränseel")
    assert offer.words == ("kranse",)
    one = known.offers("kränse")[0]
    assert offer.score == pytest.approx(one.score + known.offers("hausel")[0].score)


def test_the_last_part_of_a_compound_may_have_another_ending(system: System) -> None:
    known = system.decoder.unknown_words
    assert known is not None
    assert [offer.words for offer in known.offers("holzerholzel")] == [("holz", "holz")]
    assert system.translate("das holzerholzel") == "the wood wood"


def test_case_variants_are_related(system: System) -> None:
    assert system.translate("das Haus") == "the house"


@pytest.mark.parametrize("hierarchical", [True, False])
def test_scores_are_sums_of_weighted_features(tmp_path: Path, hierarchical: bool) -> None:
    system = _system(tmp_path, forms=True, hierarchical=hierarchical)
    store = system.nbest(["das regenertisch die hausel das xyz Zaun"], nbest=50)
    weights = [system.weights[name] for name in store.dense_names]
    assert store.num_candidates > 5
    assert store.dense @ weights == pytest.approx(store.scores, abs=1e-3)
    for name in ("split", "related"):
        assert (store.dense[:, store.dense_names.index(name)] < 0).any()


def test_forced_decoding_reaches_what_parts_translate_to(system: System) -> None:
    found = system.force(["das regenertisch"], [["the rain table"]])
    assert list(found.store.texts()) == ["the rain table"]


def test_without_word_forms_the_word_is_copied_and_features_stay(tmp_path: Path) -> None:
    system = _system(tmp_path, forms=False)
    found = system.translate("das regenertisch")
    assert found == "the regenertisch"
    assert found.unknown == ("regenertisch",)
    assert "split" not in found.features


def test_pruned_table_keeps_what_was_learned(system: System, tmp_path: Path) -> None:
    from isogloss.grammar.selection import filter_table

    (tmp_path / "text").write_text("das regen tisch\n", encoding="utf-8")
    filter_table(system.path / "rules", tmp_path / "rules", [tmp_path / "text"])
    kept, whole = (WordForms.of(RuleTable.open(path)) for path in (tmp_path / "rules", system.path / "rules"))
    assert kept is not None
    assert whole is not None
    assert kept.attributes() == whole.attributes()


def test_long_words_take_no_time(system: System) -> None:
    known = system.decoder.unknown_words
    assert known is not None
    assert known.offers("drahter" * 1500) == ()
    for letters in range(LONGEST_WORD - 20, LONGEST_WORD + 1):
        offers = known.offers(("drahter" * 9)[:letters])
        assert all(len(offer.words) <= 4 for offer in offers)
    assert system.translate("drahter" * 1500 + " haus").endswith("house")


def _made_up(words: list[str], rng: random.Random) -> str:
    """A word like those that were never seen: several joined, letters lost and added."""
    word = rng.choice(["", "er", "-"]).join(rng.choices(words, k=rng.randint(1, 3)))
    for _ in range(rng.randint(0, 2)):
        at, more = (
            rng.randrange(len(word) + 1),
            rng.choice(["", "el", "er", "ab", "ge", "zu", "ä", "abz", "ter"]),
        )
        word = word[:at] + more + word[at + rng.randint(0, 3) :]
    return rng.choice([word, word, word.title(), word.upper()])


def test_offers_are_those_of_every_known_word_asked(system: System) -> None:
    table = system.decoder.rules
    learned = WordForms.of(table)
    assert learned is not None
    rng = random.Random(1)

    def counts(keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], tuple[int, int]]:
        return {key: (rng.randint(1, 12), rng.randint(12, 20)) for key in keys}

    # More than this text can teach, and trusted more and less.
    affixes = ["", "e", "el", "er", "ab", "ge", "zu", "abz", "ter", "aus"]
    forms = replace(
        learned,
        joints={**learned.joints, **counts([("el", ""), ("", "el"), ("e", "er"), ("", "")])},
        endings=counts(itertools.permutations(affixes, 2)),
        beginnings=counts(itertools.permutations(affixes, 2)),
        insides={**learned.insides, **counts([("e", ""), ("r", ""), ("ra", ""), ("zu", "")])},
        parts=np.array([[rng.randint(0, 3), rng.randint(3, 9)] * 2 for _ in learned.parts], np.uint16),
    )
    offers = UnknownWords(table, forms)
    words = sorted({word for source, _, _ in _pairs() for word in source.split() if word.isalpha()})
    known = [word for word in table.source_words.words() if offers.translates(word)]
    parts = {word: forms.parts[table.source_words.find(word)].tolist() for word in known}
    oracle = WordWays(known, forms, parts)
    seen, kinds = 0, set()
    for word in sorted({_made_up(words, rng) for _ in range(2000)}):
        if not offers.translates(word) and is_word(word) and len(word) <= LONGEST_WORD:
            found, wanted = offers.offers(word), oracle.ways(word)
            assert [(one.words, one.kind == "split") for one in found] == [way[:2] for way in wanted], word
            assert [one.score for one in found] == pytest.approx([way[2] for way in wanted]), word
            seen += bool(found)
            kinds |= {one.kind for one in found}
    assert seen > 500
    assert kinds == {"split", "related"}


@pytest.mark.parametrize("evidence", ["joints", "endings", "beginnings", "insides", "numbers"])
@pytest.mark.parametrize("counts", [[0, 3], [-1, 3], [2, -2]])
def test_evidence_that_cannot_be_is_refused(
    system: System, tmp_path: Path, evidence: str, counts: list[int]
) -> None:
    def change(folder: ArrayFolder) -> tuple[dict[str, Any], tuple[str, ...], dict[str, Any]]:
        forms = {**folder.attributes["word_forms"], evidence: [["e", "n", *counts]]}
        return {}, (), {**folder.attributes, "word_forms": forms}

    shutil.copytree(system.path / "rules", tmp_path / "rules")
    update_folder(tmp_path / "rules", kind=KIND, version=VERSION, change=change)
    with pytest.raises(ModelFormatError, match="out of range"):
        UnknownWords.of(RuleTable.open(tmp_path / "rules"))


def test_damage_is_named_where_it_is_met(system: System, tmp_path: Path) -> None:
    shutil.copytree(system.path, tmp_path / "system")
    reseal(tmp_path / "system" / "rules", {"extraction": []})
    assert load(tmp_path / "system").translate("das haus") == "the house"
    reseal(tmp_path / "system" / "rules", {"extraction": [1]})
    with pytest.raises(ModelFormatError, match="the rule table is damaged"):
        load(tmp_path / "system")
    reseal(tmp_path / "system" / "rules", {"extraction": {}})
    (file,) = (tmp_path / "system" / "rules").glob("nodes-*.bin")
    nodes = np.fromfile(file, "<u4").reshape(-1, 3)
    nodes[1::2, 2] = 0xFFFFFFFF  # where the rules of a node begin
    nodes.tofile(file)
    damaged = load(tmp_path / "system").decoder.unknown_words
    assert damaged is not None
    with pytest.raises(ModelFormatError, match="the rule table is damaged"):
        damaged.translates("haus")


def test_explanation_names_where_options_came_from(system: System) -> None:
    text = explain(system, "das regenertisch").to_text()
    assert "(split)" in text
    assert "(unknown)" not in text
    assert "xyz  (unknown)" in explain(system, "das xyz").to_text()
    assert "unknown words" in explain(system, "das regenertisch").groups()


def test_lists_unknown_words_by_frequency(system: System) -> None:
    found = list_unknown_words(system, ["das regenertisch", "die xyz", "das regenertisch die hausel"])
    assert [(one.word, one.count, one.origin, one.used, one.translation) for one in found] == [
        ("regenertisch", 2, "split", "regen tisch", "rain table"),
        ("hausel", 1, "related", "haus", "house"),
        ("xyz", 1, "unknown", "", "xyz"),
    ]
    assert found[0].example == "das regenertisch"


def test_dictionary_translates_unknown_words_and_competes_for_known_ones(
    system: System, tmp_path: Path
) -> None:
    shutil.copytree(system.path, tmp_path / "system")
    entries = [("xyz", "the rain"), ("xyz", "iron"), ("haus", "home"), ("zwei worte", "two words")]
    assert store_dictionary(tmp_path / "system" / "rules", entries) == 3
    assert read_dictionary(RuleTable.open(tmp_path / "system" / "rules")) == {
        "haus": (("home",),),
        "xyz": (("iron",), ("the", "rain")),
    }
    changed = load(tmp_path / "system")
    found = changed.translate("xyz")
    assert found in ("iron", "the rain")
    assert [step.origin for step in found.derivation] == ["dictionary"]
    assert found.features["dictionary"] < 0
    assert "home" in {str(line) for line in changed.nbest(["haus"], nbest=50).texts()}
    assert changed.translate("haus") == "house"  # the table has seen it three times


def test_an_entry_of_a_dictionary_that_a_rule_has_does_not_count_twice(
    system: System, tmp_path: Path
) -> None:
    shutil.copytree(system.path, tmp_path / "system")
    store_dictionary(tmp_path / "system" / "rules", [("haus", "house"), ("haus", "home")])
    offers = load(tmp_path / "system").decoder.unknown_words
    assert offers is not None
    assert [offer.translation for offer in offers.offers("haus")] == [("home",)]


def test_unknown_lists_words_as_terms(
    system: System, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text, terms = tmp_path / "text", tmp_path / "terms.tsv"
    text.write_text("das regenertisch\ndie xyz\n", encoding="utf-8")
    assert main(["corpus", "unknown", str(system.path), str(text)]) == 0
    assert capsys.readouterr().out == "regenertisch\train table\nxyz\txyz\n"
    assert main(["corpus", "unknown", str(system.path), str(text), "-o", str(terms)]) == 0
    assert len(Terms.read(terms)) == 2
    terms.write_text(terms.read_text(encoding="utf-8").replace("\txyz", "\tiron"), encoding="utf-8")
    engine = tmp_path / "engine"
    shutil.copytree(system.path, engine)

    def given(path: Path) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes()), encoding="utf-8"))

    given(text)
    assert main(["translate", str(engine), "--terms", str(terms)]) == 0
    assert capsys.readouterr().out == "the rain table\nthe iron\n"
    given(terms)
    assert main(["correct", str(engine)]) == 0
    assert load(engine, corrections=True).translate("xyz") == "iron"  # alone: this engine has no aligner
    capsys.readouterr()
    assert main(["corpus", "unknown", str(system.path), str(text), "--details"]) == 0
    assert "regenertisch\train table\t1\tsplit\tregen tisch\tdas regenertisch" in capsys.readouterr().out
    assert main(["corpus", "unknown", str(system.path), str(text), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[1]["origin"] == "unknown"


def test_writes_numbers_as_the_target_language_does(system: System) -> None:
    for number, other in (("7,5", "7.5"), ("4.711,3", "4,711.3"), ("2.345.678,9", "2,345,678.9")):
        found = system.translate(f"das {number}")
        assert found == f"the {other}"
        assert "rewritten" in {step.origin for step in found.derivation}
    assert system.translate("das 7/5") == "the 7/5"


def test_a_known_part_may_be_translated_beside_one_that_nobody_knows(system: System) -> None:
    store, derivations = system.explained(["das drahtqqq"], nbest=50)
    texts = list(store.texts())
    assert {"the drahtqqq", "the wire qqq"} <= set(texts)
    row = texts.index("the wire qqq")
    assert store.dense[row, store.dense_names.index("unknown")] == 1
    assert {step.origin for step in derivations[row]} == {"table", "split", "unknown"}
