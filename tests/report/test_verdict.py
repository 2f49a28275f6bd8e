"""How good is it: the verdict of training, in Python, as JSON, from ``inspect`` and in the report."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import isogloss
from isogloss.cli import console
from isogloss.cli.main import main
from isogloss.corpus.synthetic.text import write_corpus
from isogloss.decoder import load
from isogloss.decoder.unknown_words import KINDS
from isogloss.io.errors import ModelFormatError
from isogloss.metric import evaluate
from isogloss.pipeline import Trained
from isogloss.pipeline import train as train_system
from isogloss.pipeline.calibration import LEAST_CALIBRATED
from isogloss.report.verdict import Verdict


@pytest.fixture(autouse=True)
def _not_quiet_afterwards() -> Iterator[None]:
    yield
    console.set_quiet(False)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """An engine that sets its own sets aside; not tuned, so that the test is quick."""
    folder = tmp_path_factory.mktemp("verdict")
    write_corpus(folder / "corpus", pairs=900, seed=3, raw=True)
    return train_system(
        folder / "engine",
        source=folder / "corpus/train.src",
        target=folder / "corpus/train.tgt",
        method="none",
        decoder={"beam_size": 20, "pop_limit": 30},
        lm={"order": 3},
    )


def read(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_it_is_about_the_test_set(trained: Trained) -> None:
    verdict, folder = trained.verdict, trained.folder
    sources, references = (read(folder / f"work/held-out/test.{side}") for side in ("source", "target"))
    lines = read(folder / "test.translation")
    assert verdict.set == "test"
    whole = verdict.parts["all"]
    assert whole.strings == len(lines) == len(sources) > 30
    assert whole.engine.right == sum(a == b for a, b in zip(lines, references, strict=True))
    found = evaluate(lines, references)
    for metric, score in whole.engine.scores.items():
        assert score.score == pytest.approx(found.score(metric))
        assert score.score == pytest.approx(trained.results["test"]["scores"][metric]["score"])
    assert whole.engine.scores["chrF2"].score > whole.memory.scores["chrF2"].score + 10
    for one in (*verdict.best, *verdict.worst):
        at = one.line - 1
        assert (one.source, one.translation, one.reference) == (sources[at], lines[at], references[at])
    assert min(one.chrf for one in verdict.best) >= max(one.chrf for one in verdict.worst)
    known = {word for line in read(folder / "work/tokens/source") for word in line.split()}
    in_dev = [word for line in read(folder / "work/tokens/dev.source") for word in line.split()]
    assert verdict.unknown_words
    assert all(item.word not in known and item.word in in_dev for item in verdict.unknown_words)
    assert {item.origin for item in verdict.unknown_words} <= {"unknown", "table", *KINDS}
    assert all(item.translation == item.word for item in verdict.unknown_words if item.origin == "unknown")
    assert "what was done" in (folder / "report.html").read_text(encoding="utf-8")
    assert verdict.pairs == len(read(folder / "work/tokens/source"))


def test_confidence_is_learned_and_holds(trained: Trained) -> None:
    system = trained.load()
    assert system.confidence_model is not None
    assert system.confidence_model.sentences == len(read(trained.folder / "work/held-out/dev.source"))
    assert system.confidence_model.sentences >= LEAST_CALIBRATED
    check = trained.verdict.confidence
    assert check is not None
    assert check.calibrated
    assert check.correlation is not None
    assert check.correlation > 0.2
    assert check.error < 0.15
    first = read(trained.folder / "work/held-out/test.source")[trained.verdict.worst[0].line - 1]
    # What was tested; the finished engine knows the translations of the test set.
    tested = load(trained.folder / "work" / "system", near_matches=True)
    found = next(tested.translate([first])).confidence
    assert found == pytest.approx(trained.verdict.worst[0].confidence)
    assert next(system.translate([first])).match == "training"


def test_it_is_stored_and_the_same_everywhere(
    trained: Trained, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    again = Verdict.read(trained.folder)
    assert again is not None
    assert again.to_dict() == trained.verdict.to_dict()
    assert again.text() == trained.verdict.text()
    assert main(["inspect", str(trained.folder)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(again.text())
    assert "\nconfidence/\n" in out
    assert main(["inspect", str(trained.folder), "--json", "--verify"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["verdict"] == json.loads(json.dumps(again.to_dict()))
    assert facts["kind"] == "system"
    assert facts["parts"]["confidence"]["attributes"]["predicts"].startswith("the expected chrF")
    assert trained.to_dict()["verdict"] == again.to_dict()
    # A folder of an earlier version has none; one that was cut off is said to be damaged.
    copy = tmp_path / "engine"
    shutil.copytree(trained.folder, copy)
    (copy / "verdict.json").unlink()
    assert Verdict.read(copy) is None
    assert main(["inspect", str(copy)]) == 0
    (copy / "verdict.json").write_text('{"version": 1, "headline": ""')
    with pytest.raises(ModelFormatError, match=r"verdict\.json: is damaged"):
        Verdict.read(copy)


def test_the_report_opens_with_it(trained: Trained) -> None:
    page = trained.report.read_text(encoding="utf-8")
    body = page[page.index("<body>") :]
    places = [
        body.index(text)
        for text in (
            trained.verdict.headline().split(";")[0],
            "What would help most",
            "<h2>Text</h2>",
            "worst translations",
            "<h2>Confidence</h2>",
            "<h2>Tuning</h2>",
            "<summary>Weights of dense features</summary>",
        )
    ]
    assert places == sorted(places)
    assert body.count('class="example"') == 20
    assert "<del>" in body
    assert "<ins>" in body
    assert not re.search(r"""(src|href)\s*=|url\(|@import|<script""", page)


def test_tuned_on_the_development_set_the_curve_ends_where_the_table_says(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", pairs=300, seed=3, dev=44, raw=True)
    corpus = tmp_path / "corpus"
    trained = train_system(
        tmp_path / "engine",
        source=corpus / "train.src",
        target=corpus / "train.tgt",
        dev_source=corpus / "dev.src",
        dev_target=[corpus / "dev.tgt.0"],
        method="mert",
        tune={"iterations": 1, "nbest": 20, "restarts": 1},
        decoder={"beam_size": 10, "pop_limit": 20},
        lm={"order": 3},
    )
    steps = trained.history["iterations"]
    best = next(step for step in steps if step["iteration"] == trained.history["best"])
    tokens = trained.results["dev"]["tokens"]["BLEU"]
    assert tokens == pytest.approx(best["dev_score"], abs=0.01)
    assert tokens != pytest.approx(trained.results["dev"]["scores"]["BLEU"]["score"], abs=0.01)
    page = trained.report.read_text(encoding="utf-8")
    assert f"BLEU {tokens:.2f} in tokens" in page
    assert "BLEU of tokens" in page
    assert trained.verdict.set == "dev"
    assert any("these strings were tuned on" in text for text in trained.verdict.warnings)
    # Another tuning forgets the confidence that belongs to these weights, and learns it anew.
    system = trained.load()
    assert system.confidence_model is not None
    before = replace(system.confidence_model, bias=7.0)
    system.save_confidence(before)
    words = ["tune", str(trained.folder), "--dev-source", str(corpus / "dev.src"), "--dev-target"]
    words += [str(corpus / "dev.tgt.0"), "--method", "batch-mira", "--iterations", "1", "--nbest", "10"]
    assert main(["--quiet", *words]) == 0
    after = isogloss.load(trained.folder).confidence_model
    assert after is not None
    assert abs(after.bias) < 5


WORDS = ("book", "house", "letter", "picture", "bridge", "window", "garden", "table", "lamp", "road", "river")
FRAMES = ("Open the {}.", "Where is the {}?", "The {} is old.", "I see the {} here.", "No {}, please!")
MORE = ("Sell my {} today", "{} and more", "Do not touch the {}", "This {} again", "One {} only", "the {}")


def catalog(path: Path, strings: int) -> Path:
    lines = ['msgid ""', 'msgstr ""', r'"Language: cy\n"', r'"Content-Type: text/plain; charset=UTF-8\n"']
    texts = [frame.replace("{}", word) for word in WORDS for frame in (*FRAMES, *MORE)]
    for text in texts[:strings]:
        target = " ".join("".join(reversed(word)) for word in text.split())
        lines += ["", f'msgid "{text}"', f'msgstr "{target}"']
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_strings_that_combine_others_are_called_so(tmp_path: Path) -> None:
    trained = train_system(
        tmp_path / "engine", source=catalog(tmp_path / "cy.po", 120), method="none", test_size=30
    )
    assert trained.verdict.languages == ("en", "cy")
    assert any("are pieces of training strings" in text for text in trained.verdict.warnings)
    assert any("30 strings are too few to tell" in text for text in trained.verdict.warnings)


@pytest.mark.parametrize("strings", [8, 50])
def test_tiny_catalogs_train_and_say_what_is_missing(
    strings: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = catalog(tmp_path / "cy.po", strings)
    assert main(["train", str(tmp_path / "engine"), f"--source={path}"]) == 0
    out, err = capsys.readouterr()
    assert "too few to tune on" in err
    assert "Nothing is known about its quality" in out
    assert "too few training pairs to hold any out" in out
    assert main(["inspect", str(tmp_path / "engine")]) == 0
    assert capsys.readouterr().out.startswith("How good is it?\nNothing is known")
    assert "Nothing is known" in (tmp_path / "engine" / "report.html").read_text(encoding="utf-8")
    assert main(["translate", str(tmp_path / "engine"), "--help"]) == 0
