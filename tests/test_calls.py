"""Opening, training and tuning from Python: files or lists, with the tokenizer of the system."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.adapt import LocalSystem
from isogloss.corpus.synthetic.text import write_corpus
from isogloss.decoder import Lattice
from isogloss.metric import References

QUICK: dict[str, Any] = {"lm": {"order": 2}, "decoder": {"beam_size": 10, "pop_limit": 20}}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Text as people write it, with two references."""
    folder = tmp_path_factory.mktemp("calls") / "corpus"
    write_corpus(folder, pairs=200, seed=3, references=2, dev=16, test=10, raw=True)
    return folder


def lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def train(folder: Path, corpus: Path, **more: Any) -> isogloss.Trained:
    given: dict[str, Any] = {
        "source": corpus / "train.src",
        "target": corpus / "train.tgt",
        "dev_source": corpus / "dev.src",
        "dev_target": [corpus / "dev.tgt.0", corpus / "dev.tgt.1"],
        "method": "none",
        "options": QUICK,
        "threads": 1,
    }
    return isogloss.train(folder, **{**given, **more})


@pytest.fixture(scope="module")
def engine(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(tmp_path_factory.mktemp("engine") / "engine", corpus).folder


def test_a_plain_sentence_is_translated_without_heavy_imports(engine: Path) -> None:
    program = (
        "import sys, isogloss\n"
        "print(isogloss.load(sys.argv[1]).translate('The old king.'))\n"
        "heavy = ('scipy', 'sacrebleu', 'sacremoses', 'rich', 'joblib', 'typer', 'cyclopts')\n"
        "print([name for name in heavy if name in sys.modules])\n"
        "print([name for name in sys.modules if name.startswith('isogloss.pipeline')])\n"
    )
    command = [sys.executable, "-c", program, str(engine)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    translation, *imported = done.stdout.splitlines()
    assert translation == isogloss.load(engine).translate("The old king.")
    assert imported == ["[]", "[]"]


def test_lists_are_as_good_as_files(engine: Path, corpus: Path, tmp_path: Path) -> None:
    text = {
        name: lines(corpus / name) for name in ("train.src", "train.tgt", "dev.src", "dev.tgt.0", "dev.tgt.1")
    }
    given: dict[str, Any] = {
        "source": text["train.src"],
        "target": iter(text["train.tgt"]),
        "dev_source": tuple(text["dev.src"]),
        "dev_target": list(zip(text["dev.tgt.0"], text["dev.tgt.1"], strict=True)),
    }
    trained = train(tmp_path / "engine", corpus, **given)
    assert trained.results == train(engine, corpus).results
    again = train(tmp_path / "engine", corpus, **{**given, "target": text["train.tgt"]})
    assert [record.start for record in again.records] == [record.start for record in trained.records]
    other = train(
        tmp_path / "engine",
        corpus,
        **{**given, "source": text["train.src"][::-1], "target": text["train.tgt"]},
    )
    assert other.records[0].key != trained.records[0].key


def test_options_are_a_mapping_or_an_object_and_parameters_count_more(engine: Path, corpus: Path) -> None:
    first = train(engine, corpus)
    assert (first.options.method, first.options.lm.order, first.options.tune.iterations) == ("none", 2, 0)
    again = isogloss.train(engine, options=first.options, threads=1)
    assert again.options == first.options
    with pytest.raises(isogloss.ConfigError, match="has no option 'speed'"):
        train(engine, corpus, options=QUICK, method="mert:speed=1")
    with pytest.raises(isogloss.ConfigError, match="no option is called 'colour'"):
        train(engine, corpus, options={"colour": "red"})


def test_what_cannot_be_trained_on_leaves_nothing_behind(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(isogloss.ConfigError, match="source: sentence 2 contains a line break"):
        train(tmp_path / "new", corpus, source=["one", "two\nthree"], target=["a", "b"])
    with pytest.raises(isogloss.InputFileError, match="a single string is the name of a file"):
        train(tmp_path / "new", corpus, source="The miller sees the goats.")
    assert not (tmp_path / "new").exists()
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.tex").write_text("mine")
    with pytest.raises(isogloss.OutputError, match="did not write"):
        train(foreign, corpus, source=["one"], target=["a"])
    assert [path.name for path in foreign.iterdir()] == ["thesis.tex"]


def test_progress_is_told_of_every_loop(corpus: Path, tmp_path: Path) -> None:
    seen: set[str] = set()

    def progress(items: Any, description: str, total: int | None = None, /) -> Any:
        seen.add(description)
        return items

    train(tmp_path / "engine", corpus, progress=progress)
    assert {"cleaning", "learning", "translating dev"} <= seen


def test_tuning_takes_text_in_any_form(engine: Path, corpus: Path, tmp_path: Path) -> None:
    system = isogloss.load(engine)
    before = dict(system.weights)
    options = isogloss.TuneOptions(nbest=10, restarts=0)
    files = isogloss.tune(
        engine, corpus / "dev.src", corpus / "dev.tgt.0", method="mert", iterations=1, options=options
    )
    listed = isogloss.tune(
        system,
        lines(corpus / "dev.src"),
        lines(corpus / "dev.tgt.0"),
        method="mert:restarts=0",
        iterations=1,
        options=isogloss.TuneOptions(nbest=10),
        threads=2,
    )
    scores = [step.dev_score for step in files.history]
    assert len(set(scores)) == 2  # the second turn has other weights
    assert [step.dev_score for step in listed.history] == scores
    assert files.dense == listed.dense
    assert dict(system.weights) == before
    assert system.text is not None
    tokens = [system.text.tokenize(line) for line in lines(corpus / "dev.src")]
    sides = zip(lines(corpus / "dev.tgt.0"), lines(corpus / "dev.src"), strict=True)
    references = References([[system.text.tokenize_target(line, of) for line, of in sides]])
    again = isogloss.tune(
        system, tokens, references, method="mert", iterations=1, options=options, tokenized=True
    )
    assert [step.dev_score for step in again.history] == scores


def test_tuned_weights_are_saved_when_asked_for(engine: Path, corpus: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(engine, tmp_path / "engine"))
    sources, references = lines(corpus / "dev.src"), lines(corpus / "dev.tgt.0")
    told: list[str] = []
    steps: list[int] = []
    found = isogloss.tune(
        copy,
        sources[:10],
        references[:10],
        method="kbmira",
        iterations=1,
        held_out=(sources[10:], references[10:]),
        options=isogloss.TuneOptions(nbest=10),
        save=True,
        report=lambda step: steps.append(step.iteration),
        warn=told.append,
    )
    assert dict(isogloss.load(copy).weights) == found.dense
    assert told == ["'kbmira' is now called 'batch-mira'"]
    assert steps == [1, 2]
    assert found.best.held_out_score is not None


def test_what_cannot_be_tuned_is_told(engine: Path, corpus: Path) -> None:
    with pytest.raises(isogloss.ConfigError, match="references for 1 sentences only, 2 are expected"):
        isogloss.tune(engine, ["a", "b"], ["a"])
    other = isogloss.ExternalDecoder(["cat", "{weights}"], weights={"w": 1.0})
    with pytest.raises(isogloss.ConfigError, match="save needs a stored system"):
        isogloss.tune(other, ["a"], ["a"], method="mert", save=True)
    with pytest.raises(isogloss.ConfigError, match="'auto' works only with the decoder of Isogloss"):
        isogloss.tune(other, ["a"], ["a"])


TURN = """
import sys
for number, line in enumerate(sys.stdin):
    weight = dict(row.split("\\t") for row in open(sys.argv[1]))["turned"]
    for turned in sorted((0, 1), key=lambda turned: -turned * float(weight)):
        words = line.split()[:: 1 - 2 * turned]
        print(number, " ".join(words), f"turned= {turned}", turned * float(weight), sep=" ||| ")
"""


def test_a_command_is_tuned_from_its_weights(tmp_path: Path) -> None:
    (tmp_path / "turn.py").write_text(TURN)
    command = [sys.executable, "-S", "-E", str(tmp_path / "turn.py"), "{weights}"]
    decoder = isogloss.ExternalDecoder(command, weights={"turned": -1.0})
    sources = [f"a{i} b{i} c{i} d{i}" for i in range(20)]
    references = [" ".join(line.split()[::-1]) for line in sources]
    tuned = isogloss.tune(decoder, sources, references, method="mert", iterations=2)
    assert tuned.dense["turned"] > 0


def test_lattices_are_tuned_on_too(engine: Path, corpus: Path) -> None:
    system = isogloss.load(engine)
    assert system.text is not None
    sources = [Lattice.from_words(system.text.tokenize(line).split()) for line in lines(corpus / "dev.src")]
    options = isogloss.TuneOptions(method="mert", nbest=5, restarts=0, iterations=1)
    assert isogloss.tune(system, sources, corpus / "dev.tgt.0", options=options).dense


def test_a_memory_takes_text_and_its_system_translates_with_it(
    engine: Path, corpus: Path, tmp_path: Path
) -> None:
    system = isogloss.load(engine)
    sources, targets = lines(corpus / "dev.src"), lines(corpus / "dev.tgt.0")
    memory = isogloss.Memory.build(
        tmp_path / "memory",
        system,
        [*sources, "left out"],
        [*targets, ""],
        options=isogloss.MemoryOptions(nbest=5),
    )
    assert len(memory) == len(sources)
    (hit, *_) = memory.search(sources[0], isogloss.RetrievalOptions(size=2))
    assert (hit.number, round(hit.similarity, 6)) == (0, 1.0)
    assert system.text is not None
    assert hit.example().source == system.text.tokenize(sources[0])
    number = memory.add("The zorb is old!", ["Zorbin va staro!", "Zorbin staro va!"])
    assert memory.search("The zorb is old!")[0].number == number
    assert len(memory.find(number).references) == 2
    memory.remove(number)
    assert memory.search("zorb", isogloss.RetrievalOptions(min_similarity=0.5)) == []

    adapted = isogloss.load(engine, memory=tmp_path / "memory", local="mbuu")
    assert isinstance(adapted, LocalSystem)
    assert adapted.translator.update == isogloss.LocalOptions(method="mbuu")
    assert isinstance(adapted.translate(sources[0]), isogloss.Translation)
    with pytest.raises(isogloss.ConfigError, match="opened without its system"):
        isogloss.Memory.open(tmp_path / "memory").add("a", "b")
    with pytest.raises(isogloss.ConfigError, match="must not be empty"):
        memory.add("a", "")
    with pytest.raises(isogloss.ConfigError, match="give memory too"):
        isogloss.load(engine, local="mbuu")
