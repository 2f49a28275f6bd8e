"""Text from tokens alone: the share of held-out lines that come back exactly, per language.

    ISOGLOSS_DATA=... python benchmarks/detokenizing.py [--catalogs FOLDER] [--errors N] [--languages de ...]

Spaces are learned from one part of a corpus. Of lines of another part, which share no line with the first,
only the tokens are kept, without any mark of how they were spaced; they are joined again and compared with
the line. Runs of several spaces count as one. In catalogs, placeholders are tokens, and nothing of the source
is known; the column "source %" is what an engine does, which knows the spacing of the source around the same
placeholders and marks.

The peer is sacremoses: its detokenizer on its own tokens of the same lines. Catalogs are those of Python
packages (Django, Wagtail, Plone; each its own corpus), downloaded into FOLDER by pip; nothing of them is kept
elsewhere.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zipfile import ZipFile

from sacremoses import MosesDetokenizer, MosesTokenizer

from isogloss.corpus.languages import base_language, language_tag
from isogloss.corpus.placeholders import DEFAULT_KINDS
from isogloss.corpus.po import read_po
from isogloss.corpus.processing import SideOptions, TextProcessing, TextSide
from isogloss.corpus.spacing import observed_spaces
from isogloss.corpus.tokenizer import usual_tokenizer
from isogloss.experiments.demo.packages import Package, fetch

PACKAGES = (
    ("django", "5.2.19", "5965d974a5218a2b68a11dd1276434707f23886525c23f0598eccedaf4f4ca00"),
    ("wagtail", "8.0.1", "1e6ad5c7891a54efce1400e168298b5a2cc343b642cee89c31bf5ec30c98b26c"),
    ("plone_app_locales", "7.0.4", "de96a5d0dc1fe5ab540fa6f993805c09da80a9518aa7a309e8cd1f433e3ae6aa"),
)
LANGUAGES = re.findall(
    r"\w+",
    "ar bg ca cs da de el es et eu fi fr gl he hr hu it ja ko lt lv nl pl pt_BR ro ru sk sl sv tr uk zh_Hans",
)
CORPORA = {
    "multi30k en": ("multi30k/train.en", "multi30k/test_2016.en"),
    "multi30k de": ("multi30k/train.de", "multi30k/test_2016.de"),
    "multi30k fr": ("multi30k/train.fr", "multi30k/test_2016.fr"),
    "quran en": ("quran/train.en.0", "quran/test.en.0"),
    "tatoeba en": ("tatoeba-zh/train.en", "tatoeba-zh/test.en.0"),
    "tatoeba ar": ("tatoeba-ar/train.ar", "tatoeba-ar/test.ar"),
    "tatoeba zh": ("tatoeba-zh/train.zh", "tatoeba-zh/test.zh"),
    "callhome en": ("callhome/train.en", "callhome/dev.en"),
    "indian bn": ("indian-bn/dev.bn", "indian-bn/test.bn"),
    "indian ur": ("indian-ur/dev.ur", "indian-ur/test.ur"),
}
CATALOG = re.compile(r"/locales?/([A-Za-z_]+)/LC_MESSAGES/[^/]+\.po$")
FEWEST = 500
KINDS = {
    "beside a placeholder or tag": r"[%{$&<].+",
    "slash": "/+",
    "quotation mark": "[\"'`“”„«»‘’״]+",
    "bracket": r"[][(){}<>]",
    "mark of punctuation": "[.,:;?!…،؛؟。、]+",
    "hyphen or dash": "[-–—]+",
}
Pair = tuple[str, str]


@dataclass
class Result:
    lines: int = 0
    exact: int = 0
    with_source: int = 0
    peer: int = 0
    tokens: int = 0
    seconds: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)

    def __iadd__(self, other: Result) -> Result:
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def row(self, name: str) -> str:
        share = [f"{100 * n / self.lines:9.2f}" for n in (self.exact, self.with_source, self.peer)]
        return f"{name:14} {self.lines:7,} {' '.join(share)} {1e6 * self.seconds / self.tokens:9.1f}"


def plain(line: str) -> str:
    return re.sub(" {2,}", " ", line.strip())


def measure(
    train: list[Pair], test: list[Pair], language: str, kinds: tuple[str, ...], errors: int
) -> Result:
    side = TextSide(SideOptions(tokenizer=usual_tokenizer(language), language=language))
    english = TextSide(SideOptions(tokenizer="words", language="en"))
    text = TextProcessing(source=english, target=side, placeholders=kinds)
    lines = [text.spaced_line(target, source) for source, target in train]
    side = side.learn_spacing(line for line in lines if line is not None)
    moses = MosesTokenizer(lang=base_language(language))
    peer = MosesDetokenizer(lang=base_language(language))
    found = Result()
    for source, target in test:
        line = text.spaced_line(target, source)
        tokens = side.split(target) if line is None else line.tokens
        begun = time.perf_counter()
        joined = side.join(tokens)
        found.seconds += time.perf_counter() - begun
        found.tokens += len(tokens)
        found.lines += 1
        found.exact += joined == target
        found.with_source += side.join(tokens, line.beside if line else ()) == target
        found.peer += peer.detokenize(moses.tokenize(target, escape=False), unescape=False) == target
        if joined != target and errors > 0:
            errors -= 1
            at = next((i for i, c in enumerate(joined) if target[i : i + 1] != c), len(joined))
            begin = max(0, at - 20)
            print(f"    {target[begin : at + 15]!r} became {joined[begin : at + 15]!r}")
        if joined != target:
            found.kinds[kind_of_error(tokens, joined, target)] += 1
    return found


def kind_of_error(tokens: Sequence[str], joined: str, target: str) -> str:
    """What stands at the first place where a line did not come back."""
    spaces = observed_spaces(joined, tokens), observed_spaces(target, tokens)
    if spaces[0] is None or spaces[1] is None:
        return "not made of its tokens"
    at = next(at for at, pair in enumerate(zip(*spaces, strict=True)) if pair[0] != pair[1])
    if spaces[0][at] and spaces[1][at]:
        return "another kind of space"
    around = tokens[at], tokens[at + 1]
    for name, pattern in KINDS.items():
        if any(re.fullmatch(pattern, token) for token in around):
            return name
    return "others"


def corpora(folder: Path) -> Iterator[tuple[str, str, list[Pair], list[Pair]]]:
    for name, files in CORPORA.items():
        train, test = (
            [plain(line) for line in (folder / file).read_text("utf-8").splitlines()] for file in files
        )
        known = set(train)
        held = [line for line in dict.fromkeys(test) if line and line not in known]
        yield name, name.split()[1], [("", line) for line in train if line], [("", line) for line in held]


def catalogs(wheel: Path, language: str, folder: Path) -> list[Pair]:
    found: dict[str, str] = {}
    with ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            match = CATALOG.search(name)
            if match and match[1] == language:
                path = folder / "catalog.po"
                path.write_bytes(archive.read(name))
                for pair in read_po([path]):
                    sides = [side.split("\n") for side in (pair.source, pair.target)]
                    if len(sides[0]) == len(sides[1]):
                        found |= {
                            plain(t): plain(s) for s, t in zip(*sides, strict=True) if t.strip() != s.strip()
                        }
    return [(source, target) for target, source in found.items() if target and source]


def wheels_in(folder: Path) -> list[Path]:
    return fetch([Package(name, v, f"{name}-{v}-py3-none-any.whl", sha) for name, v, sha in PACKAGES], folder)


def held_out(line: str) -> bool:
    return hashlib.blake2b(line.encode(), digest_size=1).digest()[0] < 32


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--catalogs", type=Path)
    parser.add_argument("--errors", type=int, default=0)
    parser.add_argument("--languages", nargs="*", default=LANGUAGES)
    options = parser.parse_args()
    print(f"{'':14} {'lines':>7} {'tokens %':>9} {'source %':>9} {'peer %':>9} {'µs/token':>9}")
    if data := os.environ.get("ISOGLOSS_DATA"):
        for name, language, train, test in corpora(Path(data)):
            print(measure(train, test, language, (), options.errors).row(name), flush=True)
    if options.catalogs:
        wheels = wheels_in(options.catalogs)
        shares: dict[str, Result] = defaultdict(Result)
        for language in options.languages:
            for wheel in wheels:
                pairs = catalogs(wheel, language, options.catalogs)
                test = [pair for pair in pairs if held_out(pair[1])]
                train = [pair for pair in pairs if not held_out(pair[1])]
                if len(train) >= FEWEST:
                    tag = language_tag(language)
                    shares[language] += measure(train, test, tag, DEFAULT_KINDS, options.errors)
            print(shares[language].row(language), flush=True)
        mean = sum(found.exact / found.lines for found in shares.values()) / len(shares)
        print(f"mean of {len(shares)} languages: {100 * mean:.2f} %; lines that did not come back:")
        kinds = sum((found.kinds for found in shares.values()), Counter[str]())
        for kind, count in kinds.most_common():
            print(f"{count:7,} {kind}")


if __name__ == "__main__":
    main()
