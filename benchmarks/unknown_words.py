"""Words that were never seen: what do parts, related forms and a dictionary gain?

    ISOGLOSS_DATA=... python benchmarks/unknown_words.py FOLDER [--corpora NAME...] [--set dev|test]

Each corpus is trained once (hierarchical rules, dense features) and tuned with batch MIRA per setting:
`off` copies unknown words, `on` offers their parts and related forms, `dictionary` adds a dictionary, to
the search and to word alignment. BLEU and chrF are of all sentences and of those with a word that no rule
of `off` translates; p is from the paired bootstrap against the setting before. The time is that of the
processor, for translating the set on one thread. With `--set dev`, each half of the development set is
translated with weights tuned on the other half. FOLDER keeps models, weights and translations; an
interrupted run resumes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from learning import Corpus, four_references, prepare, write
from sacremoses import MosesTokenizer

from isogloss.align import align_corpus
from isogloss.align.bitext import read_sides
from isogloss.decoder import Decoder, SearchOptions, System, default_weights, read_weights, write_weights
from isogloss.decoder.unknown_words import UnknownWords
from isogloss.grammar import ExtractOptions, extract_rules
from isogloss.grammar.dictionary import store_dictionary
from isogloss.grammar.table import RuleTable
from isogloss.grammar.word_forms import WordForms, store_word_forms
from isogloss.io.streams import read_lines
from isogloss.lm import LanguageModel, LmOptions, build
from isogloss.metric import Bleu, References, paired_bootstrap, sacre_chrf
from isogloss.tuning import TuneOptions, tune

CORPORA = ("multi30k-de", "multi30k-fr", "quran", "tanaka", "indian-ur", "indian-bn")
TUNING = TuneOptions(method="batch-mira", iterations=5)


@dataclass(frozen=True)
class Task:
    corpus: Corpus
    dictionary: tuple[tuple[str, str], ...] = ()

    @property
    def settings(self) -> tuple[str, ...]:
        return ("off", "on", "dictionary") if self.dictionary else ("off", "on")


def task(name: str, data: Path, folder: Path) -> Task:
    if not name.startswith("indian"):
        return Task(prepare(name, data, folder))
    language, out = name[-2:], folder / "corpora" / name
    english, other = MosesTokenizer("en"), MosesTokenizer(language)

    def target(line: str) -> str:
        return " ".join(english.tokenize(line, escape=False)).lower()

    def source(line: str) -> str:
        return " ".join(other.tokenize(line, escape=False))

    for part in ("dev", "devtest", "test"):
        write(out / "raw" / f"{part}.{language}", map(source, read_lines(data / name / f"{part}.{language}")))
        for i in range(4):
            shutil.copy(data / name / f"{part}.en.{i}", out / "raw" / f"{part}.en.{i}")
    parts = {
        part: four_references(out / "raw" / part, language, out / part, target)
        for part in ("dev", "devtest", "test")
    }
    train = parts["dev"]
    sources = list(read_lines(train.source)) * 4
    targets = [line for path in train.targets for line in read_lines(path)]
    corpus = Corpus(
        write(out / "train.source", sources),
        write(out / "train.target", targets),
        parts["devtest"],
        parts["test"],
    )
    words = (read_lines(data / name / f"dict.{side}") for side in (language, "en"))
    entries = ((source(a), target(b)) for a, b in zip(*words, strict=True))
    return Task(corpus, tuple(pair for pair in entries if all(pair)))


def models(folder: Path, job: Task, setting: str) -> tuple[Path, Path]:
    """The rules and the language model of a setting."""
    corpus, rules, lm = job.corpus, folder / f"rules-{setting}", folder / "lm"
    if not lm.exists():
        options = LmOptions(special_words="unknown")
        build([corpus.target], options=options, binary=folder / "lm.part", threads=1)
        (folder / "lm.part").rename(lm)
    if rules.exists():
        return rules, lm
    part = folder / "rules.part"
    shutil.rmtree(part, ignore_errors=True)
    if setting == "on":
        shutil.copytree(models(folder, job, "off")[0], part)
        store_word_forms(part)
    else:
        extra = job.dictionary if setting == "dictionary" else ()
        found = align_corpus(read_sides(corpus.source, corpus.target), extra=extra)
        found.alignments.write(folder / "links")
        forms = setting == "dictionary"
        options = ExtractOptions.for_grammar("hiero", tight=False, word_forms=forms)
        extract_rules(corpus.source, corpus.target, folder / "links", part, options, threads=1)
        if forms:
            store_dictionary(part, job.dictionary)
    part.rename(rules)
    return rules, lm


def system(folder: Path, job: Task, setting: str) -> System:
    rules, lm = models(folder, job, setting)
    decoder = Decoder(RuleTable.open(rules), LanguageModel.load(lm), SearchOptions())
    decoder.set_weights(default_weights(decoder.names, hierarchical=True))
    return System(decoder, rules)


def tuned(made: System, path: Path, sources: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    if not path.exists():
        write_weights(path, tune(made, list(sources), References(references), TUNING, threads=1).dense)
    made.decoder.set_weights(read_weights(path, made.decoder.names))


def translations(folder: Path, job: Task, setting: str, where: str) -> tuple[list[str], float]:
    """The translations of a set, and seconds of the processor."""
    kept = folder / f"{where}.{setting}.json"
    if not kept.exists():
        made = system(folder, job, setting)
        dev = list(read_lines(job.corpus.dev.source))
        streams = [list(read_lines(path)) for path in job.corpus.dev.targets]
        folds = [(range(len(dev)), list(read_lines(job.corpus.test.source)))]
        if where == "dev":
            folds = [(range(i, len(dev), 2), dev[1 - i :: 2]) for i in (0, 1)]
        lines: list[list[str]] = []
        seconds = 0.0
        for number, (learned, text) in enumerate(folds):
            weights = folder / f"weights.{where}.{setting}.{number}"
            tuned(made, weights, [dev[i] for i in learned], [[one[i] for i in learned] for one in streams])
            begun = time.process_time()
            lines.append([" ".join(line.tokens) for line in made.translate(text, tokenized=True)])
            seconds += time.process_time() - begun
        found = lines[0]
        if where == "dev":
            found = [lines[1 - i % 2][i // 2] for i in range(len(dev))]
        kept.write_text(json.dumps({"lines": found, "seconds": seconds}), encoding="utf-8")
    row = json.loads(kept.read_text(encoding="utf-8"))
    return row["lines"], row["seconds"]


def report(name: str, folder: Path, job: Task, where: str) -> None:
    part = job.corpus.test if where == "test" else job.corpus.dev
    sources = list(read_lines(part.source))
    references = References([list(read_lines(path)) for path in part.targets])
    table = RuleTable.open(models(folder, job, "off")[0])
    known = UnknownWords(table, WordForms())
    unknown = np.array([not all(map(known.translates, line.split())) for line in sources])
    metrics = {"BLEU": Bleu(tokenize="none"), "chrF": sacre_chrf()}
    rows = {}
    for setting in job.settings:
        lines, seconds = translations(folder, job, setting, where)
        rows[setting] = {key: metric.statistics(lines, references) for key, metric in metrics.items()}
        print(f"{name}: {setting} takes {1000 * seconds / len(sources):.1f} ms per sentence", flush=True)
    for which, chosen in (("all", np.ones(len(sources), bool)), ("unknown words", unknown)):
        for key, metric in metrics.items():
            scores = [metric.score(row[key][chosen].sum(axis=0)) for row in rows.values()]
            tests = [
                paired_bootstrap(metric, [rows[a][key][chosen]], [rows[b][key][chosen]]).p_value
                for a, b in zip(job.settings, job.settings[1:], strict=False)
            ]
            cells = [f"{scores[0]:6.2f}"]
            cells += [f"{score:6.2f} (p {p:.3f})" for score, p in zip(scores[1:], tests, strict=True)]
            print(f"{name:12} {which:14} {chosen.sum():5,} {key}  {'  '.join(cells)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpora", nargs="+", default=CORPORA, choices=CORPORA)
    parser.add_argument("--set", default="dev", choices=["dev", "test"])
    arguments = parser.parse_args()
    for name in arguments.corpora:
        folder = arguments.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        job = task(name, Path(os.environ["ISOGLOSS_DATA"]), arguments.folder)
        report(name, folder, job, arguments.set)


if __name__ == "__main__":
    main()
