"""Translating with local weights and with an overlay: what changes, and what must not."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import isogloss
from isogloss.adapt import (
    Example,
    LocallyTranslated,
    LocalOptions,
    LocalSystem,
    LocalTranslator,
    Memory,
    MemoryOptions,
    adapted_system,
    add_examples,
    build_memory,
    compact_memory,
    remove_examples,
)
from isogloss.align import AlignmentModel
from isogloss.cli.main import main
from isogloss.decoder import Lattice, System
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError, ModelFormatError
from support.small_system import run

STRONG = LocalOptions(strength=1.0, sharpness=20.0, gate=0.0)


@pytest.fixture(scope="module")
def built(
    system: System, examples: list[Example], systems: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A memory that can align what is added to it."""
    corpus = systems / "corpus"
    sides = [(corpus / name).read_text().splitlines()[:600] for name in ("train.src", "train.tgt")]
    aligner = AlignmentModel.train(list(zip(*sides, strict=True)))
    path = tmp_path_factory.mktemp("memory") / "memory"
    build_memory(path, system, examples[:40], MemoryOptions(nbest=10), aligner=aligner)
    return path


@pytest.fixture
def memory(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "memory"))


@pytest.fixture(scope="module")
def sources(examples: list[Example]) -> list[str]:
    return [example.source for example in examples[40:52]]


def test_without_strength_it_is_the_baseline(built: Path, system: System, sources: list[str]) -> None:
    for method in ("mbuu", "ebuu"):
        update = LocalOptions(method=method, strength=0.0)
        translator = LocalTranslator(system, Memory.open(built), update=update)
        done = list(translator.translate(["", *sources], nbest=3))
        assert [one.text for one in done] == list(system.translate(["", *sources]))
        assert all(one.local.weights == system.weights for one in done)
        store = system.nbest(["", *sources], nbest=3)
        assert np.array_equal(LocalSystem(translator).nbest(["", *sources], nbest=3).dense, store.dense)


@pytest.mark.parametrize("method", ["mbuu", "ebuu"])
def test_weights_move_and_scores_follow(built: Path, system: System, sources: list[str], method: str) -> None:
    update = LocalOptions(method=method, strength=1.0, gate=0.0)
    own = dict(system.weights)
    translator = LocalTranslator(system, Memory.open(built), update=update)
    done = list(translator.translate(sources, nbest=4, threads=2))
    for one in done:
        moved = np.array(list(one.local.weights.values()))
        assert one.local.weights != own
        assert one.nbest.scores == pytest.approx(one.nbest.dense @ moved, rel=1e-4, abs=1e-3)
    again = translator.translate(sources, nbest=4)
    assert [one.text for one in again] == [one.text for one in done]  # whatever the number of threads
    assert system.weights == own


def test_the_report(built: Path, system: System, sources: list[str]) -> None:
    translator = LocalTranslator(system, Memory.open(built), update=STRONG)
    report = translator.translate_one(sources[0]).report(system.weights, examples=2)
    assert json.loads(json.dumps(report)) == report
    nearest = report["nearest"]
    assert len(nearest) == 2
    assert nearest[0]["similarity"] >= nearest[1]["similarity"] > 0
    assert report["moved"]


def test_a_local_system_translates_with_local_weights(
    built: Path, system: System, sources: list[str]
) -> None:
    update = LocalOptions(method="mbuu", strength=1000.0, gate=0.0)
    translator = LocalTranslator(system, Memory.open(built), update=update)
    expected = [done.text for done in translator.translate(sources)]
    assert list(LocalSystem(translator).translate(sources)) == expected
    assert LocalSystem(translator).translate(sources[0]) == expected[0]
    assert expected != list(system.translate(sources))


def test_a_local_system_is_a_translator(built: Path, system: System, sources: list[str]) -> None:
    told: list[LocallyTranslated] = []
    adapted = adapted_system(system, built, "mbuu", watch=told.append, strength=1000.0, gate=0.0)
    for source, found in zip(sources, adapted.translate(sources, threads=2), strict=True):
        assert " ".join(found.tokens) == found
        assert max(step.target_span[1] for step in found.derivation) == len(found.tokens)
        assert found.alignment
        assert found.source == source
    assert [one.source for one in told] == sources
    assert adapted.explain(sources[0]).translation == adapted.translate(sources[0])
    assert list(adapted.translate([])) == []


def test_lattices_are_refused(built: Path, system: System) -> None:
    with pytest.raises(ConfigError, match="cannot translate lattices"):
        LocalTranslator(system, Memory.open(built)).translate_one(Lattice.from_words(["a"]))


def test_an_empty_memory_gives_the_baseline(system: System, sources: list[str], tmp_path: Path) -> None:
    empty = build_memory(tmp_path / "memory", system, [])
    translator = LocalTranslator(system, empty, update=STRONG)
    assert [one.text for one in translator.translate(sources)] == list(system.translate(sources))


def test_a_correction_is_used_at_once(memory: Path, system: System, sources: list[str]) -> None:
    """A word that no rule has: the overlay brings it, for this sentence and others, until it is removed."""
    translator = LocalTranslator(system, Memory.open(memory), update=LocalOptions(strength=0.0))
    first, similar, other = f"zzyzx {sources[0]}", f"{sources[1]} zzyzx", sources[2]
    before = [translator.translate_one(text).text for text in (first, similar, other)]
    assert "zzyzx" in before[0]
    wanted = f"grumble {system.translate(sources[0])}"
    (number,) = add_examples(memory, system, [Example(source=first, references=(wanted,))])
    after = [translator.translate_one(text, nbest=5, derivations=True) for text in (first, similar, other)]
    for one in after[:2]:
        assert "grumble" in one.text
        assert "zzyzx" not in one.text
    assert after[2].text == before[2]
    for one in after:
        weights = np.array(list(system.weights.values()))
        assert one.nbest.scores == pytest.approx(one.nbest.dense @ weights, rel=1e-4, abs=1e-3)
        assert len(one.derivations) == one.nbest.num_candidates
    without = LocalTranslator(system, Memory.open(memory), update=LocalOptions(strength=0.0), overlay=False)
    assert without.translate_one(first).text == before[0]

    compact_memory(memory)
    assert translator.translate_one(first).text == after[0].text
    remove_examples(memory, [number])
    assert [translator.translate_one(text).text for text in (first, similar, other)] == before


def test_examples_can_stay_out_of_the_overlay(memory: Path, system: System, sources: list[str]) -> None:
    translator = LocalTranslator(system, Memory.open(memory), update=LocalOptions(strength=0.0))
    text = f"zzyzx {sources[0]}"
    before = translator.translate_one(text).text
    add_examples(memory, system, [Example(source=text, references=("grumble",))], overlay=False)
    assert translator.translate_one(text).text == before


def test_an_overlay_of_another_table_is_refused(system: System, tmp_path: Path) -> None:
    for name, text in (("source", "c a\n"), ("target", "x y\n"), ("links", "0-0 1-1\n")):
        (tmp_path / name).write_text(text)
    sides = [tmp_path / name for name in ("source", "target", "links")]
    run("extract", *sides, "--grammar", "phrase", "--output", tmp_path / "rules")
    with pytest.raises(ModelFormatError, match="a different rule table"):
        system.decoder.copy(RuleTable.open(tmp_path / "rules"))


def test_the_command_line(
    memory: Path,
    systems: Path,
    sources: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def translate(*options: str) -> str:
        text = io.BytesIO("".join(f"{source}\n" for source in sources).encode())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(text))
        assert main(["--quiet", "translate", str(systems / "phrase"), *options]) == 0
        return capsys.readouterr().out

    plain = translate()
    local = ["--local", "mbuu", "--memory", str(memory)]
    assert translate(*local, "--local-strength", "0") == plain
    report = tmp_path / "report"
    strong = translate(*local, "--local-strength", "3", "--local-report", str(report), "--threads", "2")
    entries = [json.loads(line) for line in report.read_text().splitlines()]
    assert [entry["translation"] for entry in entries] == strong.splitlines()
    translate(*local, "--local-size", "3", "--local-edit-share", "0.5", "--local-report", str(report))
    assert [json.loads(line)["examples"] for line in report.read_text().splitlines()] == [3] * len(sources)
    translate(*local, "--local-similarity", "1", "--local-report", str(report))
    assert {json.loads(line)["similarity"] for line in report.read_text().splitlines()} <= {0.0, 1.0}
    assert translate(*local, "--nbest", "2", "--format", "jsonl").count("derivation") >= len(sources)

    moved = []
    for dev in ([], ["--local-dev", str(memory)]):
        translate(*local, *dev, "--local-report", str(report))
        moved.append([json.loads(line)["moved"] for line in report.read_text().splitlines()])
    assert moved[0] != moved[1]

    explain = ["explain", str(systems / "phrase"), sources[0], *local, "--json"]
    assert main(explain) == 0
    shown = capsys.readouterr()
    assert "moved most: " in shown.err
    weights = {row["name"]: row["weight"] for row in json.loads(shown.out)["dense"]}
    translator = LocalTranslator(isogloss.load(str(systems / "phrase")), Memory.open(memory))
    translator.update = Memory.open(memory).update_options("mbuu")
    own = translator.weights(sources[0])[1].weights
    assert weights == pytest.approx({name: own[name] for name in weights})

    assert main(["translate", str(systems / "phrase"), "--local", "mbuu"]) == 2
    assert "--local and --memory must be given together" in capsys.readouterr().err
    assert main(["translate", str(systems / "phrase"), "--local-size", "3"]) == 2
    assert "options that begin with --local need --local METHOD" in capsys.readouterr().err
    assert main(["translate", str(systems / "hierarchical"), *local]) == 2
    assert "built with a different system" in capsys.readouterr().err


def test_tuned_settings_are_used(memory: Path, systems: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = systems / "corpus"
    for name in ("dev.src", "dev.tgt.0"):
        lines = (corpus / name).read_text().splitlines()[:6]
        (memory.parent / name).write_text("".join(f"{line}\n" for line in lines))
    held_out = ["--source", memory.parent / "dev.src", "--reference", memory.parent / "dev.tgt.0"]
    settings = ["--strength", "10", "--strength", "20", "--sharpness", "5", "--threads", "2", "--size", "9"]
    run("local", "tune", systems / "phrase", "--memory", memory, *held_out, *settings)
    assert "difference" in capsys.readouterr().out
    tuned = Memory.open(memory).update_options("ebuu")
    assert tuned.strength in (0.0, 10.0, 20.0)
    assert tuned.sharpness == 5
    assert Memory.open(memory).retrieval_options("ebuu").size == 9
    assert Memory.open(memory).retrieval_options("mbuu").size == 100
    assert Memory.open(memory).update_options("ebuu", strength=0.7).strength == 0.7
    assert isogloss.load(str(systems / "phrase")).weights  # untouched
