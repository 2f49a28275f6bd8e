"""Training on a sample, with extra pairs, token columns and the text options of speech."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli import console
from isogloss.cli.declared import Declared
from isogloss.cli.main import main
from isogloss.corpus.processing import SideOptions, TextProcessing
from isogloss.corpus.spacing import SpacedLine
from isogloss.corpus.synthetic.text import write_corpus
from isogloss.decoder import load
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.progress import no_track
from isogloss.pipeline import TrainOptions, text_stages
from isogloss.pipeline import train as train_system


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("adaptation") / "corpus"
    write_corpus(folder, pairs=400, seed=3, references=1, dev=24, test=24)
    return folder


def settings(corpus: Path, **more: Any) -> dict[str, Any]:
    return {
        "source": corpus / "train.src",
        "target": corpus / "train.tgt",
        "dev_source": corpus / "dev.src",
        "dev_target": [corpus / "dev.tgt.0"],
        "tokenizer": "none",
        "method": "none",
        "lm": {"order": 2},
        "decoder": {"beam_size": 10, "pop_limit": 20},
        **more,
    }


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


def test_sample_and_extra_pairs(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "extra.src").write_text("qqq www\n\nqqq\n")
    (tmp_path / "extra.tgt").write_text("one two\nthree\none\n")
    trained = train_system(
        tmp_path / "system",
        **settings(
            corpus,
            adapt_to=[corpus / "test.src", corpus / "dev.src"],
            sample={"coverage": 1, "size": 100},
            extra_bitext=[[tmp_path / "extra.src", tmp_path / "extra.tgt"]],
        ),
    )
    work = tmp_path / "system" / "work"
    pairs = list(zip(lines(work / "sample" / "source"), lines(work / "sample" / "target"), strict=True))
    assert pairs[-2:] == [("qqq www", "one two"), ("qqq", "one")]
    links = lines(work / "sample" / "links")
    del pairs[-2:]
    everything = list(zip(lines(work / "tokens" / "source"), lines(work / "tokens" / "target"), strict=True))
    assert len(pairs) == 100
    assert set(pairs) < set(everything)
    joined = [*(source for source, _ in everything), "qqq www", "qqq"]
    assert lines(work / "joined" / "source") == joined
    of_pair = dict(
        zip(zip(joined, lines(work / "joined" / "target"), strict=True), lines(work / "links"), strict=True)
    )
    assert [of_pair[pair] for pair in pairs] == links[:-2]
    assert trained.training_pairs == 100
    assert trained.sampling is not None
    assert trained.sampling["chosen"] == 100
    perplexity = trained.sampling["perplexity"]
    assert perplexity["all"]["sentences"] == len(everything)
    assert "What 3-gram models" in trained.report.read_text()
    rules = RuleTable.open(work / "rules")
    assert rules.source_words.find("qqq") < len(rules.source_words)
    stages = {record.stage: record for record in trained.records}
    assert list(stages)[:5] == ["clean", "tokenize", "join", "align", "sample"]
    again = train_system(tmp_path / "system", **settings(corpus))  # without: nothing of it is left
    assert again.sampling is None
    assert [record.stage for record in again.records][:3] == ["clean", "tokenize", "align"]


def test_text_options_of_speech(tmp_path: Path) -> None:
    source = [f"Word{i % 7} , other{i % 5} thing{i % 3} ?" for i in range(60)]
    target = [f"Wort{i % 7} , andere{i % 5} Sache{i % 3} ?" for i in range(60)]
    for name, text in (("s", source), ("t", target)):
        (tmp_path / name).write_text("".join(line + "\n" for line in text))
    trained = train_system(
        tmp_path / "system",
        source=tmp_path / "s",
        target=tmp_path / "t",
        tokenizer="none",
        method="none",
        dev_size=10,
        keep=["duplicate", "copied"],
        source_case="lowercase",
        source_punctuation="remove",
        clean={"patterns": ["Word3"]},
        lm={"order": 2},
    )
    work = tmp_path / "system" / "work"
    tokens = lines(work / "tokens" / "source")
    assert "word1 other1 thing1" in tokens
    assert not any("word3" in line for line in tokens)
    assert set(lines(work / "tokens" / "target")) <= set(target)
    assert trained.cleaning["reasons"]["pattern"] == 9
    system = trained.load()
    assert system.text is not None
    assert "," in system.translate("Word1 , other1 thing1 ?").split()  # restored by the target side
    assert system.translate("Word1 other1 thing1") == system.translate("word1 , other1 thing1 !")


def test_token_columns(corpus: Path, tmp_path: Path) -> None:
    words = sorted({word for line in lines(corpus / "train.src") for word in line.split()})
    (tmp_path / "pos").write_text("".join(f"{word}\tN{len(word)}\n" for word in words))
    arguments = settings(
        corpus,
        method="online-mira",
        source_columns={"pos": tmp_path / "pos"},
        classes={"classes": 4, "restarts": 0},
        tune={"iterations": 1, "online": {"nbest": 20}},
    )
    trained = train_system(tmp_path / "system", **arguments)
    sparse = trained.load().decoder.sparse
    assert sparse is not None
    assert sparse.options.source_types == ("surface", "class", "pos")
    assert sparse.options.target_types == ("surface", "class")


def test_options_from_the_command_line(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pos").write_text("a\tX\n")
    (tmp_path / "config.toml").write_text(
        'extra_bitext = [["a", "b"]]\nadapt_to = ["text"]\n[source_columns]\npos = "pos"\n'
    )
    declared = Declared({"options": TrainOptions}, {}, only_shown=False)
    files = {"source": "s", "target": "t"}
    made = declared.build(files, tmp_path / "config.toml", ())["options"]
    assert made.source_columns == {"pos": str(tmp_path / "pos")}
    assert made.extra_bitext == ((str(tmp_path / "a"), str(tmp_path / "b")),)
    assert made.sparse_features.source_types == ("surface", "class", "pos")
    files = [f"--{name.replace('_', '-')}" for name in ("source", "target", "dev_source", "dev_target")]
    paths = [corpus / name for name in ("train.src", "train.tgt", "dev.src", "dev.tgt.0")]
    code = main([
        "--quiet", "train", str(tmp_path / "system"),
        *(str(word) for pair in zip(files, paths, strict=True) for word in pair),
        "--tokenizer", "none", "--tuner", "none", "--lm-order", "2", "--json",
        "--adapt-to", str(corpus / "dev.src"), "--sample-coverage", "1", "--sample-size", "50",
        "--extra-bitext", f"{corpus / 'dev.src'}:{corpus / 'dev.tgt.0'}", "--pattern", "[0-9]",
        "--source-punctuation", "remove", "--source-case", "lowercase",
    ])  # fmt: skip
    console.set_quiet(False)
    captured = capsys.readouterr()
    assert code == 0, captured.err
    stages = [stage["stage"] for stage in json.loads(captured.out)["stages"]]
    assert stages[:5] == ["clean", "tokenize", "join", "align", "sample"]
    assert len(lines(tmp_path / "system" / "work" / "sample" / "source")) == 50 + 24


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"source_columns": {"pos": "x"}}, "token columns need sparse features, and there are none"),
        ({"source_columns": {"class": "x"}, "method": "online-mira"}, "'class' is the name of a built-in"),
        ({"extra_bitext": ("ab",)}, "extra_bitext must be pairs of files, source and target, got 'ab'"),
        ({"source_case": "upper"}, "source_case must be one of keep, lowercase, truecase, usual, got 'up"),
        ({"source_punctuation": "some"}, "source_punctuation must be one of keep, remove, got 'some'"),
        ({"isolate_script": "klingon"}, "'klingon' is not the name of a script"),
    ],
)
def test_options_that_cannot_work(more: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        TrainOptions(**{"source": "s", "target": "t", "method": "none", **more})


def test_files_that_are_missing(corpus: Path, tmp_path: Path) -> None:
    for more in ({"adapt_to": ["nowhere"]}, {"extra_bitext": [["nowhere", corpus / "dev.src"]]}):
        with pytest.raises(OSError, match="nowhere: No such file"):
            train_system(tmp_path / "system", **settings(corpus, **more))


def held_out(folder: Path, seed: int = 1) -> dict[str, list[str]]:
    """The source sentences of each part of 200 different ones, of which every third is there twice."""
    lines = [f"sentence {number}" for number in range(200)]
    lines += lines[::3]
    for name in ("source", "target"):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    names = ("source", "target", "dev_source", "dev_target_000", "test_source", "test_target_000")
    outputs = {name: folder / f"out.{name}" for name in names}
    inputs = {name: folder / name for name in ("source", "target")}
    text_stages.hold_out(inputs, outputs, {"dev": "usual", "test": "usual", "seed": seed}, warn=pytest.fail)
    parts = {"train": "source", "dev": "dev_source", "test": "test_source"}
    return {part: outputs[name].read_text(encoding="utf-8").splitlines() for part, name in parts.items()}


def test_what_is_set_aside_is_not_trained_on_and_comes_from_all_over(tmp_path: Path) -> None:
    parts = held_out(tmp_path)
    train, dev, test = (set(parts[name]) for name in ("train", "dev", "test"))
    assert not train & dev
    assert not train & test
    assert not dev & test
    assert len(train | dev | test) == 200
    assert (len(parts["dev"]), len(parts["test"])) == (20, 10)
    numbers = sorted(int(line.split()[1]) for line in dev)
    assert numbers[0] < 50
    assert numbers[-1] >= 150
    assert held_out(tmp_path) == parts
    assert held_out(tmp_path, seed=2) != parts


def test_a_dictionary_has_one_or_several_translations(tmp_path: Path) -> None:
    path, sides = tmp_path / "dictionary.tsv", {side: tmp_path / side for side in ("source", "target")}
    path.write_text("Haus\thouse\thome\n\nHaus\tbuilding\n", encoding="utf-8")
    text_stages.take_dictionary({"dictionary": path}, sides, {})
    assert sides["source"].read_text(encoding="utf-8") == "Haus\n" * 3
    assert sides["target"].read_text(encoding="utf-8") == "house\nhome\nbuilding\n"
    for wrong, line in (("Haus\thouse\nTisch\n", 2), ("\thouse\n", 1)):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(DataFormatError, match=f"dictionary.tsv:{line}: "):
            text_stages.take_dictionary({"dictionary": path}, sides, {})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", 'Haus;house\n"Eis am Stiel";"ice\nlolly"\n'),
        (
            "a.tbx",
            '<martif><text><body><termEntry><langSet xml:lang="en"><tig><term>house</term></tig></langSet>'
            '<langSet xml:lang="de"><tig><term>Haus</term></tig></langSet></termEntry><termEntry>'
            '<langSet xml:lang="de"><tig><term>Eis am Stiel</term></tig></langSet>'
            '<langSet xml:lang="en"><tig><term>ice lolly</term></tig></langSet>'
            "</termEntry></body></text></martif>",
        ),
    ],
)
def test_a_dictionary_may_be_a_term_list(tmp_path: Path, name: str, content: str) -> None:
    path, sides = tmp_path / name, {side: tmp_path / side for side in ("source", "target")}
    path.write_text(content, encoding="utf-8")
    text_stages.take_dictionary({"dictionary": path}, sides, {"languages": ["de", "en"]})
    assert sides["source"].read_text(encoding="utf-8") == "Haus\nEis am Stiel\n"
    assert sides["target"].read_text(encoding="utf-8") == "house\nice lolly\n"


def test_training_with_a_dictionary(corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "dictionary.tsv"
    path.write_text("qqq\tzebra\n", encoding="utf-8")
    trained = train_system(tmp_path / "system", **settings(corpus, dictionary=path))
    system = load(tmp_path / "system")
    assert [record.stage for record in trained.records][:4] == ["clean", "dictionary", "tokenize", "align"]
    found = system.translate("qqq")
    assert found == "zebra"
    assert [step.origin for step in found.derivation] == ["table"]  # its entries are training pairs
    pairs = len(lines(tmp_path / "system" / "work" / "tokens" / "source"))
    assert len(lines(tmp_path / "system" / "work" / "links")) == pairs  # entries have links of their own
    assert "qqq" in "".join(map(str, RuleTable.open(tmp_path / "system" / "work" / "rules").rules()))


def test_spaces_are_learned_from_few_lines_with_the_same_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    common, rare = ["The old house stands."] * 800, ["It is «old» ,they say."] * 20
    inputs = {name: tmp_path / name for name in ("source", "target")}
    for path in inputs.values():
        path.write_text("".join(f"{line}\n" for line in common + rare))
    taken = []
    spaced_line = TextProcessing.spaced_line

    def watched(self: TextProcessing, target: str, source: str) -> SpacedLine | None:
        taken.append(target)
        return spaced_line(self, target, source)

    monkeypatch.setattr(TextProcessing, "spaced_line", watched)
    side = asdict(SideOptions(tokenizer="words"))
    outputs = {name: tmp_path / f"{name}.tokens" for name in inputs} | {"text": tmp_path / "text"}
    options = {"source": side, "target": side, "placeholders": ()}
    text_stages.tokenize(inputs, outputs, options, threads=1, track=no_track)
    assert len(taken) == 500 + len(rare)
    assert taken[-1] == rare[-1]
    side_after = TextProcessing.open(outputs["text"]).target
    assert side_after.join(side_after.split(rare[-1])) == rare[-1]
