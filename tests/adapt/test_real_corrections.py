"""The correction loop on real text: what was corrected is translated better afterward."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from isogloss.adapt import (
    Example,
    LocalOptions,
    LocalTranslator,
    Memory,
    MemoryOptions,
    add_examples,
    build_memory,
)
from isogloss.align import AlignmentModel
from isogloss.decoder import load
from isogloss.metric import Bleu, BleuOptions, References
from support.small_system import run

pytestmark = pytest.mark.corpora
PAIRS, CORRECTED, OTHERS = 3000, 12, 40


def lines(path: Path, count: int, first: int = 0) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()[first : first + count]


@pytest.mark.parametrize("search", ["phrase", pytest.param("hierarchical", marks=pytest.mark.slow)])
def test_corrections(search: str, corpora: Path, tmp_path: Path) -> None:
    """By weights alone and with the overlay; sentences that have little to do with it stay as good."""
    corpus = corpora / "multi30k-tok"
    for side in ("de", "en"):
        (tmp_path / side).write_text("\n".join(lines(corpus / f"train.{side}", PAIRS)) + "\n")
    sides = [tmp_path / "de", tmp_path / "en"]
    run("align", *sides, "--output", tmp_path / "links", "--model-output", tmp_path / "aligner")
    grammar = "phrase" if search == "phrase" else "hiero"
    run("extract", *sides, tmp_path / "links", "--grammar", grammar, "--output", tmp_path / "rules")
    run("lm", "build", tmp_path / "en", "--order", "3", "--binary", tmp_path / "lm")
    models = ["--rules", tmp_path / "rules", "--lm", tmp_path / "lm"]
    run("system", "create", tmp_path / "system", *models, "--search", search)
    system = load(tmp_path / "system")
    held = [lines(corpus / f"train.{side}", 200, PAIRS) for side in ("de", "en")]
    examples = [Example(source=a, references=(b,)) for a, b in zip(*held, strict=True)]
    aligner = AlignmentModel.load(tmp_path / "aligner")
    memory = build_memory(tmp_path / "memory", system, examples, MemoryOptions(nbest=50), aligner=aligner)

    sources = lines(corpus / "test_2016.de", CORRECTED + OTHERS)
    references = lines(corpus / "test_2016.en", CORRECTED + OTHERS)
    # Corrections are to be believed: they count by their similarity, and count for much.
    update = LocalOptions(method="ebuu", strength=300.0, emphasis=6.0, gate=0.0, gate_examples=0)
    ways = {
        "weights": LocalTranslator(system, memory, update=update, overlay=False),
        "overlay": LocalTranslator(system, memory, update=LocalOptions(strength=0.0)),
    }

    def scores(translator: LocalTranslator) -> np.ndarray:
        metric = Bleu(BleuOptions(smoothing="add-k", smoothing_value=1.0))
        texts = [done.text for done in translator.translate(sources)]
        return metric.scores(metric.statistics(texts, References([references])))

    before = {name: scores(translator) for name, translator in ways.items()}
    for source, reference in list(zip(sources, references, strict=True))[:CORRECTED]:
        add_examples(memory.path, system, [Example(source=source, references=(reference,))])
    after = {name: scores(translator) for name, translator in ways.items()}
    assert len(Memory.open(memory.path)) == 200 + CORRECTED
    gained = {name: (after[name] - before[name])[:CORRECTED].mean() for name in ways}
    others = {name: (after[name] - before[name])[CORRECTED:].mean() for name in ways}
    assert gained["weights"] > 2
    assert (after["weights"] - before["overlay"])[:CORRECTED].mean() > 1  # and better than the system itself
    assert gained["overlay"] > 20
    assert others["weights"] > -2
    assert others["overlay"] > -2
