"""Words that were never seen: what do parts, related forms and a dictionary gain?

    ISOGLOSS_DATA=... python benchmarks/unknown_words.py FOLDER [--corpora NAME...] [--set dev|test]
        [--demo ENGINE] [--cases N]

Each corpus is trained once (hierarchical rules, dense features) and tuned with batch MIRA per setting:
`off` copies unknown words, `on` offers their parts and related forms, `dictionary` adds a dictionary, to
the search and to word alignment, `pairs` adds its entries to the training text instead. BLEU and chrF are
of all sentences and of those with a word that no rule of `off` translates; p is from the paired bootstrap:
`on` against `off`, `pairs` against `on`, `dictionary` against both. `--time` measures the time
of the processor for translating the development set on one thread, `off` with the weights of `on`, and for
learning how words are made. With `--set dev`, each half of the development set is
translated with weights tuned on the other half. `demo` is the text of the engine that `isogloss demo` has
trained in the folder ENGINE. `--cases` prints unknown words of the test set, drawn at random, with what was
done with each, to be judged by eye. FOLDER keeps models, weights and translations; an
interrupted run resumes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from learning import Corpus, Part, four_references, prepare, write
from sacremoses import MosesTokenizer

from isogloss.align import align_corpus
from isogloss.align.bitext import read_sides
from isogloss.decoder import Decoder, SearchOptions, System, default_weights, read_weights, write_weights
from isogloss.decoder.unknown_list import list_unknown_words
from isogloss.decoder.unknown_words import UnknownWords
from isogloss.grammar import ExtractOptions, extract_rules
from isogloss.grammar.dictionary import store_dictionary
from isogloss.grammar.table import RuleTable
from isogloss.grammar.word_forms import WordForms, learn_word_forms, store_word_forms
from isogloss.io.streams import read_lines
from isogloss.lm import LanguageModel, LmOptions, build
from isogloss.metric import Bleu, References, paired_bootstrap, sacre_chrf
from isogloss.tuning import TuneOptions, tune

CORPORA = ("multi30k-de", "multi30k-fr", "quran", "tanaka", "fisher", "demo", "indian-ur", "indian-bn")
AGAINST = {"on": ("off",), "pairs": ("on",), "dictionary": ("on", "pairs")}
RUNS = 3
COPIES = 16
TUNING = TuneOptions(method="batch-mira", iterations=5)


@dataclass(frozen=True)
class Task:
    corpus: Corpus
    dictionary: tuple[tuple[str, str], ...] = ()

    @property
    def settings(self) -> tuple[str, ...]:
        return ("off", "on", "pairs", "dictionary") if self.dictionary else ("off", "on")


def demo(engine: Path) -> Corpus:
    """The tokens of the engine that the demo trained."""
    texts = engine / "work" / "tokens"
    dev, test = (Part(texts / f"{name}.source", (texts / f"{name}.target.000",)) for name in ("dev", "test"))
    return Corpus(texts / "source", texts / "target", dev, test)


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


def with_pairs(corpus: Corpus, folder: Path, entries: Sequence[tuple[str, str]]) -> Corpus:
    """A corpus with the entries of a dictionary as further pairs of sentences."""
    source, target = (
        write(folder / f"pairs.{side}", [*read_lines(path), *(pair[i] for pair in entries)])
        for i, (side, path) in enumerate((("source", corpus.source), ("target", corpus.target)))
    )
    return Corpus(source, target, corpus.dev, corpus.test)


def models(folder: Path, job: Task, setting: str) -> tuple[Path, Path]:
    """The rules and the language model of a setting."""
    corpus, rules, lm = job.corpus, folder / f"rules-{setting}", folder / "lm"
    if setting in ("pairs", "dictionary"):
        corpus, lm = with_pairs(corpus, folder, job.dictionary), folder / "lm-pairs"
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
        found = align_corpus(read_sides(corpus.source, corpus.target))
        found.alignments.write(folder / "links")
        options = ExtractOptions.for_grammar("hiero", tight=False, word_forms=setting != "off")
        extract_rules(corpus.source, corpus.target, folder / "links", part, options, threads=1)
        if setting == "dictionary":
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


def translations(folder: Path, job: Task, setting: str, where: str) -> list[str]:
    """The translations of a set."""
    kept = folder / f"{where}.{setting}.json"
    if not kept.exists():
        made = system(folder, job, setting)
        dev = list(read_lines(job.corpus.dev.source))
        streams = [list(read_lines(path)) for path in job.corpus.dev.targets]
        folds = [(range(len(dev)), list(read_lines(job.corpus.test.source)))]
        if where == "dev":
            folds = [(range(i, len(dev), 2), dev[1 - i :: 2]) for i in (0, 1)]
        lines: list[list[str]] = []
        for number, (learned, text) in enumerate(folds):
            weights = folder / f"weights.{where}.{setting}.{number}"
            tuned(made, weights, [dev[i] for i in learned], [[one[i] for i in learned] for one in streams])
            lines.append([" ".join(line.tokens) for line in made.translate(text, tokenized=True)])
        found = lines[0]
        if where == "dev":
            found = [lines[1 - i % 2][i // 2] for i in range(len(dev))]
        kept.write_text(json.dumps({"lines": found}), encoding="utf-8")
    return list(json.loads(kept.read_text(encoding="utf-8"))["lines"])


def measure(name: str, folder: Path, job: Task) -> None:
    """Print what offers cost, in time of the processor: the lowest of several runs, in turn."""
    lines = list(read_lines(job.corpus.dev.source))
    spent: dict[str, list[float]] = {"off": [], "on": []}
    systems = {setting: system(folder, job, setting) for setting in spent}
    found = next(path for path in sorted(folder.glob("weights.*.on.0")))
    weights = read_weights(found, systems["on"].decoder.names)
    for made in systems.values():
        made.decoder.set_weights({key: weights[key] for key in made.decoder.names})
    for _ in range(RUNS):
        for setting in spent:
            made = system(folder, job, setting)  # nothing is remembered of the run before
            made.decoder.set_weights(systems[setting].decoder.weights)
            begun = time.process_time()
            list(made.translate(lines, tokenized=True))
            spent[setting].append(time.process_time() - begun)
    off, on = (1000 * min(spent[setting]) / len(lines) for setting in ("off", "on"))
    begun = time.process_time()
    store_word_forms(models(folder, job, "on")[0])
    learning = time.process_time() - begun
    copies = Copies(RuleTable.open(models(folder, job, "on")[0]), COPIES)
    begun = time.process_time()
    learn_word_forms(copies)  # type: ignore[arg-type]
    more = time.process_time() - begun
    print(
        f"{name}: {off:.2f} ms per sentence, {on:.2f} with offers ({on / off - 1:+.1%}); "
        f"learning {learning:.1f} s, of {len(copies.source_words):,} words {more:.1f} s",
        flush=True,
    )


class Copies:
    """A table whose words are there several times, each time with other letters: as many words and
    likenesses among them as the table of a larger text has."""

    def __init__(self, table: RuleTable, copies: int) -> None:
        words = table.source_words.words()
        letters = sorted({letter for word in words for letter in word.lower() if letter.isalpha()})
        turned = [
            str.maketrans(dict(zip(letters, letters[i:] + letters[:i], strict=True))) for i in range(copies)
        ]
        self.arrays = {
            "lexicon_offsets": np.concatenate(
                [
                    np.asarray(table.arrays["lexicon_offsets"])[:-1].astype(np.int64)
                    + i * self._entries(table)
                    for i in range(copies)
                ]
                + [np.array([copies * self._entries(table)])]
            ),
            "lexicon_targets": np.tile(np.asarray(table.arrays["lexicon_targets"]), copies),
            "lexicon_probabilities": np.tile(
                np.asarray(table.arrays["lexicon_probabilities"]).reshape(-1, 2), (copies, 1)
            ),
        }
        self.source_words = Words([word.lower().translate(one) for one in turned for word in words])
        self.target_words = table.target_words

    @staticmethod
    def _entries(table: RuleTable) -> int:
        return len(table.arrays["lexicon_targets"])


class Words(list[str]):
    def words(self) -> list[str]:
        return self


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
        lines = translations(folder, job, setting, where)
        rows[setting] = {key: metric.statistics(lines, references) for key, metric in metrics.items()}
    for which, chosen in (("all", np.ones(len(sources), bool)), ("unknown words", unknown)):
        for key, metric in metrics.items():
            cells = []
            for setting, row in rows.items():
                tests = [
                    paired_bootstrap(metric, [rows[other][key][chosen]], [row[key][chosen]]).p_value
                    for other in AGAINST.get(setting, ())
                ]
                shown = f" (p {' '.join(f'{p:.3f}' for p in tests)})" if tests else ""
                cells.append(f"{metric.score(row[key][chosen].sum(axis=0)):6.2f}{shown}")
            print(f"{name:12} {which:14} {chosen.sum():5,} {key}  {'  '.join(cells)}", flush=True)


def cases(folder: Path, job: Task, count: int) -> None:
    """Print unknown words of the test set, drawn at random: what was done with them, and where."""
    made = system(folder, job, "on")
    made.decoder.set_weights(read_weights(folder / "weights.test.on.0", made.decoder.names))
    sources = list(read_lines(job.corpus.test.source))
    answers = dict(zip(sources, read_lines(job.corpus.test.targets[0]), strict=True))
    found = sorted(list_unknown_words(made, sources), key=lambda one: one.word)
    for one in random.Random(1).sample(found, min(count, len(found))):
        print(f"{one.word}\t{one.origin}\t{one.translation}\t{one.example}\t{answers[one.example]}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpora", nargs="+", default=CORPORA, choices=CORPORA)
    parser.add_argument("--set", default="dev", choices=["dev", "test"])
    parser.add_argument("--demo", type=Path, help="the engine of the demo")
    parser.add_argument("--cases", type=int, help="print so many unknown words instead of scores")
    parser.add_argument("--time", action="store_true", help="print times instead of scores")
    arguments = parser.parse_args()
    for name in arguments.corpora:
        folder = arguments.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        if name != "demo":
            job = task(name, Path(os.environ["ISOGLOSS_DATA"]), arguments.folder)
        elif arguments.demo is None:
            continue
        else:
            job = Task(demo(arguments.demo))
        if arguments.cases:
            cases(folder, job, arguments.cases)
        elif arguments.time:
            measure(name, folder, job)
        else:
            report(name, folder, job, arguments.set)


if __name__ == "__main__":
    main()
