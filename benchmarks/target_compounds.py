"""Compounds of the target language that were never seen: what does joining their parts gain?

    ISOGLOSS_DATA=... python benchmarks/target_compounds.py FOLDER [--most 5 ...] [--set dev|test]

English to German on Multi30k. `off` is the default; with `--most N`, compounds that occur at most N times in
the training text are written as their parts, with `@@` where the next part joins (0: all compounds). What a
compound is was learned by the German-to-English system: both parts must translate to words that the whole
translates to. Translations are joined before they are scored. FOLDER keeps models, weights and translations,
and is that of `unknown_words.py`.
"""

from __future__ import annotations

import argparse
import math
import os
from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np
from learning import Corpus, Part, multi30k, write
from unknown_words import Task, models, translations

from isogloss.decoder.unknown_words import UnknownWords
from isogloss.grammar.table import RuleTable
from isogloss.grammar.word_forms import WordForms, _Learning, fold, is_word
from isogloss.io.streams import read_lines
from isogloss.metric import Bleu, References, paired_bootstrap, sacre_chrf

MARK = "@@"
SHORTEST = 3  # letters of a part
DOUBT = 2.0  # how many examples the average counts as
CHANGED = 0.3  # what it costs a first part to lose letters
LEAST = math.log(0.05)


def _trust(counts: list[int], average: float) -> float:
    """Logarithm of how often a word was right as a part of compounds."""
    right, seen = counts
    return 0.5 * math.log((right + DOUBT * average) / (seen + DOUBT))


def joined(line: str) -> str:
    return line.replace(f"{MARK} ", "").removesuffix(MARK)


class Splitter:
    """Splits compounds of the source side of a table, as they are written."""

    def __init__(self, table: RuleTable, counts: Counter[str], most: int) -> None:
        forms = WordForms.of(table)
        assert forms is not None
        offers = UnknownWords(table, forms)
        words = [
            word for word in table.source_words.words() if len(word) >= SHORTEST and offers.translates(word)
        ]
        self._known = {fold(word): word for word in words if word[1:] == fold(word)[1:]}
        self._known |= {word: word for word in words}
        self._parts = {word: forms.parts[table.source_words.find(word)].tolist() for word in words}
        self._joints = {key: (right + 0.2) / (seen + DOUBT) for key, (right, seen) in forms.joints.items()}
        right, seen = (sum(pair[i] for pair in forms.lengths) for i in (0, 1))
        average = (right + 0.1) / (seen + 1)
        self._lengths = [(r + DOUBT * average) / (n + DOUBT) for r, n in forms.lengths]
        self._learned, self._counts, self._most = _Learning(table), counts, most
        self.split = lru_cache(None)(self._split)

    def _split(self, word: str) -> tuple[str, ...]:
        if not is_word(word) or (self._most and self._counts[word] > self._most):
            return (word,)
        form, ways = fold(word), []
        for at in range(SHORTEST, len(form) - SHORTEST + 1):
            last = self._known.get(form[at:])
            if last is None:
                continue
            score = _trust(self._parts[last][2:], self._lengths[len(form) - at])
            for (lost, joined), share in self._joints.items():
                first = self._known.get(form[:at].removesuffix(joined) + lost)
                if first is not None and form[:at].endswith(joined) and self._right(form, first, last):
                    more = _trust(self._parts[first][:2], share) - (CHANGED if lost else 0)
                    if score + more >= LEAST:
                        ways.append((score + more, at))
        if not ways:
            return (word,)
        at = max(ways)[1]
        rest = self.split(word[at:])
        return (word[:at] + MARK, *rest)

    def _right(self, form: str, first: str, last: str) -> bool:
        learned = self._learned
        whole, one, other = (learned.forms.get(fold(word)) for word in (form, first, last))
        if one is None or other is None:
            return False
        return whole is None or learned._explained(whole, one, other)

    def line(self, line: str) -> str:
        return " ".join(part for word in line.split() for part in self.split(word))


def english_german(data: Path) -> Corpus:
    corpus = multi30k(data, "de")

    def turned(part: Part) -> Part:
        return Part(part.targets[0], (part.source,))

    return Corpus(corpus.target, corpus.source, turned(corpus.dev), turned(corpus.test))


def split_corpus(corpus: Corpus, table: RuleTable, most: int, out: Path) -> Corpus:
    counts = Counter(word for line in read_lines(corpus.target) for word in line.split())
    splitter = Splitter(table, counts, most)
    found = [word for word in counts if len(splitter.split(word)) > 1]
    print(f"most {most}: {len(found):,} of {len(counts):,} words split, such as {found[:10]}", flush=True)

    def part(name: str, given: Part) -> Part:
        return Part(given.source, (write(out / name, map(splitter.line, read_lines(given.targets[0]))),))

    target = write(out / "train", map(splitter.line, read_lines(corpus.target)))
    return Corpus(corpus.source, target, part("dev", corpus.dev), part("test", corpus.test))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=int, nargs="+", default=[5])
    parser.add_argument("--set", default="dev", choices=["dev", "test"])
    arguments = parser.parse_args()
    data = Path(os.environ["ISOGLOSS_DATA"])
    german = arguments.folder / "multi30k-de"
    german.mkdir(parents=True, exist_ok=True)
    table = RuleTable.open(models(german, Task(multi30k(data, "de")), "on")[0])
    corpus = english_german(data)
    jobs = {"off": (arguments.folder / "multi30k-en-de", Task(corpus))}
    for most in arguments.most:
        folder = arguments.folder / f"multi30k-en-de-{most}"
        jobs[f"most {most}"] = folder, Task(split_corpus(corpus, table, most, folder / "corpus"))
    part = corpus.test if arguments.set == "test" else corpus.dev
    references = References([list(read_lines(path)) for path in part.targets])
    metrics = {"BLEU": Bleu(tokenize="none"), "chrF": sacre_chrf()}
    known = {word for line in read_lines(corpus.target) for word in line.split()}
    rows: dict[str, dict[str, np.ndarray]] = {}
    for name, (folder, job) in jobs.items():
        folder.mkdir(parents=True, exist_ok=True)
        lines = list(map(joined, translations(folder, job, "on", arguments.set)))
        rows[name] = {key: metric.statistics(lines, references) for key, metric in metrics.items()}
        scores = {key: metric.score(rows[name][key].sum(axis=0)) for key, metric in metrics.items()}
        tests = {
            key: paired_bootstrap(metric, [rows["off"][key]], [rows[name][key]]).p_value
            for key, metric in metrics.items()
        }
        made = [
            (word, word in reference.split())
            for line, reference in zip(lines, read_lines(part.targets[0]), strict=True)
            for word in line.split()
            if word not in known and is_word(word)
        ]
        print(
            f"{name:8} BLEU {scores['BLEU']:.2f} (p {tests['BLEU']:.3f}) chrF {scores['chrF']:.2f} "
            f"(p {tests['chrF']:.3f}), "
            f"{len(made)} new words, {sum(right for _, right in made)} of them in the reference",
            flush=True,
        )


if __name__ == "__main__":
    main()
