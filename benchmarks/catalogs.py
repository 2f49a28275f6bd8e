"""Catalogs in twelve languages: the engine without options, an earlier engine, and the translation memory.

    python benchmarks/catalogs.py FOLDER [--before PYTHON] [--languages tr ...] [--examples N]

Fetches catalogs from packages (benchmarks/catalog_files.py lists them with their licences) and takes a random
part of the translations out of each. Each system trains on the rest and fills the same file, as a user would:

    isogloss train ENGINE --source catalog.po
    isogloss catalog fill ENGINE catalog.po --output filled.po

- `now` is the installation that runs this script. It gets no options at all.
- `before` is the installation of another interpreter, from before `isogloss catalog fill` (as of cd92041). It
  gets what its documentation asked for: the languages, placeholders for TMX, and `--case keep` where it stops
  without.
- `memory` is the translation of the most similar training source (by edits of characters).

Scores are of sacreBLEU, on characters for Japanese and Chinese; what is left empty counts as empty. p is that
of a paired bootstrap. Columns after it are about `now`: strings that were left empty, strings in which a
placeholder, tag, name or address differs from the source, files that differ elsewhere than in filled entries,
and new complaints of `msgfmt --check`. Results stay in FOLDER: what is there is not made again.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path

from catalog_files import (
    SOURCES,
    SUFFIXES,
    Source,
    Split,
    complaints,
    damaged,
    fingerprint,
    only_filled,
    prepare,
    read_back,
)
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.significance import PairedTest

SAMPLES = 2000
_BY_CHARACTER = ("ja", "zh")


def memory(split: Split) -> list[str]:
    """The translation of the most similar source."""
    known = [source for source, _ in split.train]
    found = []
    for sources in split.sources.values():
        best = process.extractOne(sources[-1], known, scorer=Levenshtein.normalized_similarity)
        found.append(split.train[best[2]][1])
    return found


def used() -> float:
    """CPU seconds of all finished child processes."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def run(command: list[str], log: Path) -> str:
    """Run a command; return what it said if it failed."""
    with log.open("a", encoding="utf-8") as stream:
        stream.write(f"$ {' '.join(command)}\n")
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        stream.write(done.stdout)
    return done.stdout if done.returncode else ""


def filled_now(python: str, source: Source, split: Split, folder: Path) -> str:
    """Train and fill without options."""
    log, engine = folder / "log", str(folder / "engine")
    output = str(folder / f"filled{SUFFIXES[source.format]}")
    isogloss = [python, "-m", "isogloss"]
    failed = run([*isogloss, "train", engine, "--source", str(split.file)], log)
    failed = failed or run([*isogloss, "catalog", "fill", engine, str(split.file), "--output", output], log)
    if failed:
        raise SystemExit(f"{source.language}: {failed}")
    return "none"


def filled_before(python: str, source: Source, split: Split, folder: Path) -> str:
    """Train and fill with the options that the documentation of that time asked for."""
    log, engine = folder / "log", str(folder / "engine")
    output = str(folder / f"filled{SUFFIXES[source.format]}")
    isogloss = [python, "-m", "isogloss"]
    options = ["--source-language", "en", "--target-language", source.language]
    options += ["--placeholders", "catalog"] if source.format == "tmx" else []
    train = [*isogloss, "train", engine, "--source", str(split.file), *options]
    failed = run(train, log)
    if "case" in failed:
        options += ["--case", "keep"]
        shutil.rmtree(engine, ignore_errors=True)
        failed = run([*train, "--case", "keep"], log)
    option = "--po" if source.format == "po" else "--tmx" if source.format == "tmx" else "--xliff"
    command = [*isogloss, "translate", engine, option, str(split.file), "--output", output]
    failed = failed or run(command + (options[:4] if source.format == "tmx" else []), log)
    if failed:
        raise SystemExit(f"{source.language}: {failed}")
    return " ".join(options)


def measured(name: str, python: str, source: Source, split: Split, folder: Path) -> dict[str, object]:
    """Translations of a system, from its folder if it has made them."""
    place = folder / f"{name}-{fingerprint(python)}"
    stored = place / "result.json"
    if not stored.exists():
        place.mkdir(parents=True, exist_ok=True)
        begun = used()
        fill = filled_now if name == "now" else filled_before
        options = fill(python, source, split, place)
        file = place / f"filled{SUFFIXES[source.format]}"
        lines = list(read_back(source.format, file, list(split.references)).values())
        result = {"options": options, "cpu": used() - begun, "lines": lines, "file": str(file)}
        stored.write_text(json.dumps(result, ensure_ascii=False, indent=1), encoding="utf-8")
    return dict(json.loads(stored.read_text("utf-8")))


def flat(lines: list[str]) -> list[str]:
    return [" ".join(line.split()) for line in lines]


def compared(source: Source, split: Split, systems: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """BLEU, chrF and p of each system against the first one."""
    references = [flat(list(split.references.values()))]
    tokenizer = "char" if source.language in _BY_CHARACTER else "13a"
    metrics = {"bleu": BLEU(tokenize=tokenizer, references=references), "chrf": CHRF(references=references)}
    named = [(name, flat(lines)) for name, lines in systems.items()]
    _, scores = PairedTest(named, metrics, references=None, test_type="bs", n_samples=SAMPLES)()
    found: dict[str, dict[str, float]] = {name: {} for name, _ in named}
    for metric, name_of in (("bleu", "BLEU"), ("chrf", "chrF2")):
        for (name, _), result in zip(named, scores[name_of], strict=True):
            found[name][metric] = result.score
            found[name][f"p_{metric}"] = result.p_value if result.p_value is not None else 1.0
    for name, lines in named:
        exact = sum(line == reference for line, reference in zip(lines, references[0], strict=True))
        found[name]["exact"] = 100 * exact / len(lines)
    return found


def table_row(source: Source, arguments: argparse.Namespace) -> dict[str, object]:
    folder = arguments.folder / source.language
    split = prepare(source, folder, arguments.folder / "packages", arguments.seed)
    results = {"now": measured("now", sys.executable, source, split, folder)}
    if arguments.before:
        results["before"] = measured("before", arguments.before, source, split, folder)
    systems = {name: result["lines"] for name, result in results.items()}
    systems["memory"] = memory(split)
    scores = compared(source, split, systems)
    now, file = systems["now"], Path(results["now"]["file"])
    wrong = [
        (sources, line, names)
        for sources, line in zip(split.sources.values(), now, strict=True)
        if line and (names := damaged(sources, line))
    ]
    before, after = split.file.read_bytes(), file.read_bytes()
    new = complaints(file) - complaints(split.file) if source.format == "po" else {}
    examples(source, split, systems, wrong, arguments.examples)
    for complaint in new:
        print(f"  msgfmt: {complaint}")
    return {
        "language": source.language,
        "package": f"{source.package} {source.version}",
        "licence": source.licence,
        "format": source.format,
        "trained": len(split.train),
        "strings": len(now),
        "scores": scores,
        "cpu": {name: result["cpu"] for name, result in results.items()},
        "options": {name: result["options"] for name, result in results.items()},
        "empty": sum(not line for line in now),
        "damaged": len(wrong),
        "changed elsewhere": not only_filled(source.format, before, after),
        "msgfmt": sum(new.values()),
    }


def examples(source: Source, split: Split, systems: dict[str, list[str]], wrong: list, count: int) -> None:
    """Print strings that are damaged or empty, and strings that `now` translates worse than another."""
    for sources, line, names in wrong[:count]:
        print(f"  damaged {names}: {sources[0]!r} -> {line!r}")
    metric = CHRF()
    rows = []
    for at, (key, reference) in enumerate(split.references.items()):
        score = {name: metric.sentence_score(lines[at], [reference]).score for name, lines in systems.items()}
        worse = max(score.values()) - score["now"]
        rows.append(
            (worse, split.sources[key], reference, {name: lines[at] for name, lines in systems.items()})
        )
    for worse, sources, reference, lines in sorted(rows, key=lambda row: -row[0])[:count]:
        print(f"  {worse:.0f} {sources[0]!r}\n      ref {reference!r}")
        for name, line in lines.items():
            print(f"      {name[:3]} {line!r}")


def shown(rows: list[dict]) -> None:
    print(
        f"{'':3} {'package':30} {'licence':10} {'format':6} {'train':>5} {'test':>4}  "
        f"{'BLEU memory':>11} {'before':>6} {'now':>6} {'p':>6} {'p mem':>6}  "
        f"{'chrF memory':>11} {'before':>6} {'now':>6} {'empty':>5} {'damaged':>7} {'diff':>4} {'msgfmt':>6}"
    )
    for row in rows:
        scores = row["scores"]
        cells = [f"{scores['memory']['bleu']:11.1f}"]
        cells += [f"{scores[name]['bleu']:6.1f}" if name in scores else " " * 6 for name in ("before", "now")]
        cells += [
            f"{scores[name]['p_bleu']:6.3f}" if name in scores else " " * 6 for name in ("before", "memory")
        ]
        cells += [f" {scores['memory']['chrf']:11.1f}"]
        cells += [f"{scores[name]['chrf']:6.1f}" if name in scores else " " * 6 for name in ("before", "now")]
        print(
            f"{row['language']:3} {row['package'][:30]:30} {row['licence']:10} {row['format']:6} "
            f"{row['trained']:5} {row['strings']:4}  {' '.join(cells)} {row['empty']:5} {row['damaged']:7} "
            f"{'yes' if row['changed elsewhere'] else 'no':>4} {row['msgfmt']:6}"
        )
    for metric in ("bleu", "chrf", "exact"):
        means = {
            name: sum(row["scores"][name][metric] for row in rows) / len(rows) for name in rows[0]["scores"]
        }
        print(f"mean {metric}: " + ", ".join(f"{name} {value:.2f}" for name, value in means.items()))
    spent = {name: sum(row["cpu"][name] for row in rows) for name in rows[0]["cpu"]}
    print("CPU seconds of training and filling: " + ", ".join(f"{n} {s:.0f}" for n, s in spent.items()))
    given = {row["language"]: row["options"].get("before") for row in rows}
    print("options of before: " + "; ".join(f"{language}: {o}" for language, o in given.items() if o))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--before", help="Python interpreter of the earlier installation.")
    parser.add_argument("--languages", nargs="*", default=[source.language for source in SOURCES])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=0, help="Strings to show per language.")
    arguments = parser.parse_args()
    arguments.folder = arguments.folder.resolve()
    rows = []
    for source in SOURCES:
        if source.language in arguments.languages:
            rows.append(table_row(source, arguments))
            text = json.dumps(rows, ensure_ascii=False, indent=1)
            (arguments.folder / "results.json").write_text(text + "\n", encoding="utf-8")
            print(f"{source.language}: {rows[-1]['scores']}", flush=True)
    shown(rows)


if __name__ == "__main__":
    main()
