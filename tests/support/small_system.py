"""Translation systems made from the synthetic corpus, for tests that translate."""

from __future__ import annotations

from pathlib import Path

from isogloss.cli.main import main


def make_systems(folder: Path) -> Path:
    """Write the corpus, its models and a system for each search into a folder: hierarchical, phrase."""
    corpus = folder / "corpus"
    run("corpus", "synthetic", corpus, "--pairs", "3000", "--seed", "5")
    sides = [corpus / "train.src", corpus / "train.tgt", corpus / "train.align"]
    run("extract", *sides, "--output", folder / "rules")
    run("extract", *sides, "--grammar", "phrase", "--output", folder / "phrases")
    run("lm", "build", corpus / "train.tgt", "--order", "3", "--binary", folder / "lm")
    for search, rules in (("hierarchical", "rules"), ("phrase", "phrases")):
        models = ["--rules", folder / rules, "--lm", folder / "lm"]
        run("system", "create", folder / search, *models, "--search", search)
    return folder


def run(*arguments: str | Path) -> None:
    code = main(["--quiet", *map(str, arguments)])
    assert code == 0, arguments
