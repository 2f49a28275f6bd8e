"""A sentence of the training text is decoded as if its pair had not been there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from isogloss.adapt import Example, LocalTranslator, Memory, MemoryOptions, build_memory
from isogloss.adapt.leave_one_out import OtherPairs
from isogloss.decoder import System, create_system
from isogloss.grammar.extraction import extract_rules
from isogloss.grammar.options import ExtractOptions
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError
from support.small_system import run

Pair = tuple[str, str, str]
PAIRS = 60


@pytest.fixture(scope="module")
def pairs(systems: Path) -> list[Pair]:
    sides = [
        (systems / "corpus" / f"train.{name}").read_text().splitlines()[:PAIRS]
        for name in ("src", "tgt", "align")
    ]
    return list(zip(*sides, strict=True))


def extracted(folder: Path, pairs: list[Pair], options: ExtractOptions) -> Path:
    folder.mkdir()
    source, target, links = files = [folder / name for name in ("source", "target", "links")]
    for file, lines in zip(files, zip(*pairs, strict=True), strict=True):
        file.write_text("".join(f"{line}\n" for line in lines))
    extract_rules(source, target, links, folder / "rules", options, threads=1)
    return folder / "rules"


@pytest.fixture(scope="module", params=["hiero", "phrase"])
def system(
    request: pytest.FixtureRequest,
    systems: Path,
    pairs: list[Pair],
    tmp_path_factory: pytest.TempPathFactory,
) -> System:
    folder = tmp_path_factory.mktemp("own")
    rules = extracted(folder / "all", pairs, ExtractOptions.for_grammar(request.param))
    return create_system(folder / "system", rules=rules, lm=systems / "lm")


Scores = dict[tuple[tuple[str, ...], tuple[str, ...]], dict[str, float]]


def scores(table: RuleTable) -> Scores:
    return {(rule.source, rule.target): dict(rule.scores) for rule in table.rules()}


def test_a_pair_without_rules_takes_nothing_out(system: System, pairs: list[Pair]) -> None:
    before = scores(RuleTable.open(system.path / "rules"))
    others = OtherPairs(system.path / "rules", system.decoder)
    with others.without([(pairs[0][0], pairs[0][1], "")]) as decoder:
        assert scores(others._table) == before
        assert decoder.nbest([pairs[0][0]], nbest=1).num_sentences == 1


@pytest.mark.parametrize("number", [3, 17, 41])
def test_counts_are_those_of_the_other_pairs(
    number: int, system: System, pairs: list[Pair], tmp_path: Path
) -> None:
    options = ExtractOptions(**RuleTable.open(system.path / "rules").attributes["extraction"])
    others = OtherPairs(system.path / "rules", system.decoder)
    before = others._scores.copy()
    own = scores(RuleTable.open(extracted(tmp_path / "own", [pairs[number]], options)))
    rest = scores(RuleTable.open(extracted(tmp_path / "rest", pairs[:number] + pairs[number + 1 :], options)))
    with others.without([pairs[number]]):
        left = scores(others._table)
    sides = {source for source, _ in own}
    gone = 0
    for rule, found in left.items():
        if rule not in rest:
            assert rule in own
            assert found["target_given_source"] == -np.inf
            gone += 1
        elif rule[0] in sides:
            assert found["target_given_source"] == pytest.approx(rest[rule]["target_given_source"], abs=1e-3)
        if rule in own and rule in rest:
            assert found["source_given_target"] == pytest.approx(rest[rule]["source_given_target"], abs=1e-3)
    assert gone > 3
    assert rest.keys() <= left.keys()
    np.testing.assert_array_equal(others._scores, before)


def test_a_word_that_only_this_pair_has_passes_through(system: System, tmp_path: Path) -> None:
    table = RuleTable.open(system.path / "rules")
    pair = ("zorb is", "zorba", "0-0 1-0")
    options = ExtractOptions(**table.attributes["extraction"])
    rules = extracted(tmp_path / "one", [pair, ("is", "va", "0-0")], options)
    alone = create_system(tmp_path / "system", rules=rules, lm=system.path / "lm")
    assert "zorb" not in alone.translate("zorb is").split()
    with OtherPairs(rules, alone.decoder).without([pair]) as decoder:
        found = decoder.nbest(["zorb is"], nbest=5)
    assert all("zorb" in text.split() for text in found.texts())
    assert np.all(np.isfinite(found.dense))


def test_a_memory_of_the_training_text(system: System, pairs: list[Pair], tmp_path: Path) -> None:
    examples = [Example(source=source, references=(target,)) for source, target, _ in pairs[:8]]
    links = [links for _, _, links in pairs[:8]]
    with pytest.raises(ConfigError, match="the word alignment of the training text or an alignment model"):
        build_memory(tmp_path / "no", system, examples, MemoryOptions(leave_one_out=True))
    with pytest.raises(ConfigError, match="one line of links"):
        build_memory(tmp_path / "no", system, examples, MemoryOptions(leave_one_out=True), links=links[1:])
    plain = build_memory(tmp_path / "plain", system, examples, MemoryOptions(nbest=10, batch=5))
    left_out = build_memory(
        tmp_path / "memory",
        system,
        examples,
        MemoryOptions(nbest=10, batch=5, leave_one_out=True),
        links=links,
    )
    others = OtherPairs(system.path / "rules", system.decoder)
    hits = {hit.number: hit for hit in left_out.search(examples[6].source)}
    with others.without([(examples[6].source, examples[6].references[0], links[6])]) as decoder:
        expected = decoder.nbest([examples[6].source], nbest=10)
    np.testing.assert_allclose(left_out.candidates([hits[6]]).dense, expected.dense, rtol=1e-5, atol=1e-5)
    quality = [
        np.mean([memory.candidates([hit]).statistics[0, 2] for hit in memory.search(examples[6].source)])
        for memory in (plain, left_out)
    ]
    assert quality[0] >= quality[1]
    translator = LocalTranslator(system, Memory.open(left_out.path))
    assert translator.retrieval.skip_identical
    assert 6 not in [hit.number for hit in translator.translate_one(examples[6].source).hits]


def test_the_command_line(systems: Path, tmp_path: Path) -> None:
    corpus = systems / "corpus"
    for name in ("src", "tgt", "align"):
        lines = (corpus / f"train.{name}").read_text().splitlines()[:4]
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    files = ["--source", tmp_path / "src", "--reference", tmp_path / "tgt", "--alignment", tmp_path / "align"]
    run("memory", "build", tmp_path / "m", "--system", systems / "phrase", *files, "--leave-one-out")
    assert Memory.open(tmp_path / "m").of_training_text
