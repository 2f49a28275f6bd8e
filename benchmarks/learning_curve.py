"""BLEU of an engine by number of sentence pairs: trains on growing parts of the demo's corpus.

    isogloss demo
    python benchmarks/learning_curve.py isogloss-demo/corpus --picture docs/pictures/learning-curve.svg

The peer is a translation memory of the same pairs (the nearest example). BLEU counts every placeholder as one
word, so that copying placeholders gains nothing.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from isogloss.experiments.demo.outcome import Marker
from isogloss.io.streams import read_lines
from isogloss.metric import EvaluateOptions, References, SystemOutput, evaluate_systems
from isogloss.pipeline import train as train_system
from isogloss.pipeline.similarity import memory_translations, nearest_sources
from isogloss.report import Line, line_plot


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--language", default="de")
    parser.add_argument("--sizes", type=int, nargs="+", default=[500, 1000, 2000, 4000, 8000])
    parser.add_argument("--iterations", type=int, default=2)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    curves: dict[str, list[tuple[float, float]]] = {"engine": [], "translation memory": []}
    print(f"{'pairs':>8} {'engine':>8} {'memory':>8}")
    for size in given.sizes:
        pairs, scores = measure(given, size)
        for name, score in scores.items():
            curves[name].append((pairs, score))
        print(f"{pairs:>8,} {scores['engine']:>8.1f} {scores['translation memory']:>8.1f}", flush=True)
    if given.picture is not None:
        lines = [Line(name, points) for name, points in curves.items()]
        title = "BLEU on messages that were not learned from"
        svg = line_plot(title, lines, x_label="sentence pairs to learn from", y_label="BLEU")
        given.picture.write_text(svg + "\n", encoding="utf-8")


def measure(given: argparse.Namespace, size: int) -> tuple[int, dict[str, float]]:
    """The number of pairs that there were, and the scores of engine and memory."""

    def file(part: str, side: str) -> Path:
        return given.corpus / f"{part}.{side}"

    with TemporaryDirectory() as name:
        folder = Path(name)
        for side in ("en", given.language):
            lines = list(read_lines(file("train", side)))
            size = min(size, len(lines))
            chosen = [lines[place * len(lines) // size] for place in range(size)]  # spread over all catalogs
            (folder / f"train.{side}").write_text("".join(f"{line}\n" for line in chosen), encoding="utf-8")
        trained = train_system(
            str(folder / "engine"),
            source=folder / "train.en",
            target=folder / f"train.{given.language}",
            dev_source=file("dev", "en"),
            dev_target=[file("dev", given.language)],
            placeholders=("catalog",),
            method="mert",
            tune={"iterations": given.iterations},
            threads=given.threads,
        )
        system = trained.load()
        assert system.text is not None
        test = list(read_lines(file("test", "en")))
        work = folder / "engine" / "work"
        training = list(read_lines(work / "clean/source")), list(read_lines(work / "clean/target"))
        known, tokens = list(read_lines(work / "tokens" / "source")), list(map(system.text.tokenize, test))
        nearest = nearest_sources(known, tokens)
        outputs = {
            "engine": list(system.translate(test, threads=given.threads or 2)),
            "translation memory": memory_translations(nearest, training, test, system.text.placeholders),
        }
        marker = Marker(test)
        references = References([marker.marked(list(read_lines(file("test", given.language))))])
        systems = [SystemOutput(name, (marker.marked(lines),)) for name, lines in outputs.items()]
        found = evaluate_systems(systems, references, EvaluateOptions(metrics=("bleu",), test="none"))
        return len(chosen), {result.name: result.scores[0].score for result in found.systems}


if __name__ == "__main__":
    main()
