"""The steps of the demo: which commands run, in which order, on which files.

Every step except the first and the last is a command that a user could type, with redirected files.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.corpus.languages import language_tag
from isogloss.corpus.tokenizer import usual_tokenizer
from isogloss.decoder import load
from isogloss.experiments.demo.catalogs import DemoCorpus
from isogloss.io.streams import atomic_output, read_lines
from isogloss.pipeline.evaluation import scoring
from isogloss.pipeline.similarity import memory_translations, nearest_sources

__all__ = ["METHODS", "SYSTEMS", "DemoStep", "Journey"]

SYSTEMS = {
    "source": "copying the source",
    "nearest": "nearest example (translation memory)",
    "mert": "MERT, dense features",
    "default": "the default",
}
"""The systems to compare, by file name."""
METHODS = {"mert": "mert", "default": "auto"}
"""The methods that tune them."""
_USUAL = "moses"
_SHORTEST, _LONGEST, _SHOWN = 4, 16, 10  # words of a sentence that is shown, and how many are


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoStep:
    """A command and what it is for."""

    purpose: str
    arguments: list[str]
    stdin: Path | None = None
    stdout: Path | None = None

    def __str__(self) -> str:
        redirected = [f" {sign} {shlex.quote(str(file))}" for sign, file in self._files()]
        return f"isogloss {shlex.join(self.arguments)}" + "".join(redirected)

    def _files(self) -> Iterator[tuple[str, Path]]:
        if self.stdin is not None:
            yield "<", self.stdin
        if self.stdout is not None:
            yield ">", self.stdout


class Journey:
    """All steps of the demo after its corpus is made; everything goes into one folder."""

    def __init__(self, folder: Path, corpus: DemoCorpus) -> None:
        self.folder, self.corpus = folder, corpus
        self.system = folder / "system"

    @property
    def tokenizer(self) -> str:
        """The tokenizer of the target language."""
        usual = usual_tokenizer(language_tag(self.corpus.languages[1]))
        return _USUAL if usual == "words" else usual

    def output(self, name: str) -> Path:
        """The translation of the test set by one of ``SYSTEMS``."""
        return self.folder / "test" / f"{name}.txt"

    def train(self, name: str) -> DemoStep:
        """Train one of ``SYSTEMS``; what the one before has made is used again where it fits."""
        corpus = self.corpus
        words = ["train", str(self.system)]
        words += [f"--source={corpus.source('train')}", f"--target={corpus.target('train')}"]
        for part in ("dev", "test"):
            words += [f"--{part}-source={corpus.source(part)}", f"--{part}-target={corpus.target(part)}"]
        purpose = (
            "Train: clean, tokenize, align, extract rules, language model; MERT tunes the dense features"
            if name == "mert"
            else "Train again as is usual: held-out text chooses search, features and weights"
        )
        words.append(f"--target-language={corpus.languages[1].partition('_')[0]}")
        words.append("--source-case=usual")  # labels are in title case
        if self.tokenizer != _USUAL:
            words.append(f"--target-tokenizer={self.tokenizer}")
        return DemoStep(purpose=purpose, arguments=[*words, f"--method={METHODS[name]}"])

    def history(self, name: str) -> Path:
        """The tuning history of a method."""
        return self.folder / "test" / f"{name}.history.json"

    def keep_result(self, name: str) -> None:
        """Store the translations of the test set and the tuning history of the current system."""
        self._write(self.output(name), read_lines(self.system / "test.translation"))
        self._write(self.history(name), read_lines(self.system / "work" / "tuning" / "history.json"))

    def baselines(self) -> None:
        """The baselines."""
        text = load(self.system).text
        assert text is not None
        work, test = self.system / "work", list(read_lines(self.corpus.source("test")))
        nearest = nearest_sources(
            list(read_lines(work / "tokens" / "source")), [text.tokenize(line) for line in test]
        )
        training = list(read_lines(work / "clean/source")), list(read_lines(work / "clean/target"))
        self._write(self.output("source"), test)
        self._write(self.output("nearest"), memory_translations(nearest, training, test, text.placeholders))

    def compare(self) -> DemoStep:
        """Compare the two methods, with significance tests."""
        return DemoStep(
            purpose="Does the default beat MERT? A paired test says how sure that is",
            arguments=[
                "evaluate",
                *(str(self.output(name)) for name in METHODS),
                f"--reference={self.corpus.target('test')}",
                f"--tokenize={scoring(self.tokenizer, 'truecase')['tokenize']}",
            ],
        )

    def explain(self) -> DemoStep:
        """Explain one translation."""
        return DemoStep(
            purpose="Why is a sentence translated as it is? The rules, and what every feature contributed",
            arguments=["explain", str(self.system), self.shown()[0][1], "--strongest=3"],
        )

    def write_catalog(self) -> None:
        """An untranslated catalog: some messages of the test set."""
        lines = ['msgid ""', 'msgstr ""', r'"Content-Type: text/plain; charset=UTF-8\n"']
        for source in dict.fromkeys(source for _, source in self.shown()):
            quoted = source.replace("\\", r"\\").replace('"', r"\"")
            lines += ["", f'msgid "{quoted}"', 'msgstr ""']
        self._write(self.folder / "untranslated.po", lines)

    def fill_catalog(self) -> DemoStep:
        """Fill a catalog, as a translation team would."""
        return DemoStep(
            purpose="Fill a catalog: drafts for what is empty, each with a confidence",
            arguments=[
                "catalog",
                "fill",
                str(self.system),
                f"{self.folder}/untranslated.po",
                f"--output={self.folder}/drafts.po",
            ],
        )

    def shown(self) -> list[tuple[int, str]]:
        """Some informative sentences of the test set, with their positions."""
        lines = list(enumerate(read_lines(self.corpus.source("test"))))
        fit = [item for item in lines if _SHORTEST <= len(item[1].split()) <= _LONGEST]
        step = max(1, len(fit) // _SHOWN)
        return (fit[step // 2 :: step] or lines)[:_SHOWN]

    @staticmethod
    def _write(path: Path, lines: Sequence[str] | Iterator[str]) -> None:
        path.parent.mkdir(exist_ok=True)
        with atomic_output(path) as stream:
            stream.writelines(f"{line}\n" for line in lines)
