"""Text from tokens alone: the share of held-out lines that come back exactly, per language.

    ISOGLOSS_DATA=... python benchmarks/detokenizing.py [--catalogs FOLDER] [--errors N] [--languages de ...]
    python benchmarks/detokenizing.py --catalogs FOLDER --draw 20

Spaces are learned from one part of a corpus. Of lines of another part, which share no line with the first,
only the tokens are kept, without any mark of how they were spaced; they are joined again and compared with
the line. Runs of several spaces count as one. In catalogs, placeholders are tokens, and nothing of the source
is known; the column "source %" is what an engine does, which knows the spacing of the source around the same
placeholders and marks.

The peer is sacremoses: its detokenizer on its own tokens of the same lines. Catalogs are those of Python
packages (each its own corpus), downloaded into FOLDER by pip; nothing of them is kept elsewhere. What the
model looks at was chosen on parts of Django, Wagtail and Plone. ``--draw N`` measures N languages drawn at
random from six other packages instead.

"wrong" counts the gaps between tokens that came back otherwise, per thousand gaps beside a mark, a
placeholder or a script without spaces. "unclear" counts those that the catalog itself spaces otherwise than
it mostly does between the same four tokens: a model that sees no more cannot do better there.

Lines that did not come back are sorted by what the rest of the catalog does in the same situation, which
is the longest context that occurs there at least twice: four tokens, three, two, their shapes, or the
characters beside the gap. If the line itself is the exception, it is "against the habit" of its own catalog;
"habit %" is the share of lines that would come back if these did. What is left are ties, situations that do
not occur elsewhere, and mistakes of the model.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from zipfile import ZipFile

from sacremoses import MosesDetokenizer, MosesTokenizer

from isogloss.corpus.languages import base_language, language_tag
from isogloss.corpus.placeholders import ALL_KINDS
from isogloss.corpus.po import read_po
from isogloss.corpus.processing import SideOptions, TextProcessing, TextSide
from isogloss.corpus.profile import UNSPACED, script_of
from isogloss.corpus.spacing import SpacedLine, observed_spaces
from isogloss.corpus.spacing_tokens import EDGE, PROPERTIES, TokenTypes, paired
from isogloss.corpus.tokenizer import usual_tokenizer
from isogloss.experiments.demo.packages import Package, fetch

PACKAGES = (
    ("django", "5.2.19", "5965d974a5218a2b68a11dd1276434707f23886525c23f0598eccedaf4f4ca00"),
    ("wagtail", "8.0.1", "1e6ad5c7891a54efce1400e168298b5a2cc343b642cee89c31bf5ec30c98b26c"),
    ("plone_app_locales", "7.0.4", "de96a5d0dc1fe5ab540fa6f993805c09da80a9518aa7a309e8cd1f433e3ae6aa"),
)
OTHER_PACKAGES = (
    ("django_oscar", "4.2.1", "adbb95ea0130859c204cc6fb221052d6d437ecbaa90800e8418a809f72645e9c"),
    ("indico", "3.2.9", "194d2e31ccaabd2b9af7809e67d60d942faee35a6b4de36f0c2c280a32ed84c3"),
    ("django_allauth", "65.21.1", "7bdf018c9f3f0a32c80677f84e7777272d9c833b180bd6734314c4831c802a9e"),
    ("sphinx", "9.0.4", "5bebc595a5e943ea248b99c13814c1c5e10b3ece718976824ffa7959ff95fffb"),
    ("mezzanine", "6.1.1", "abb8a3d7ee91b724d8aa89fa971bad1cf8e368c21055da4913e20e1418a96d1b"),
    ("modoboa", "2.12.0", "f3ad5957a2069f3221814979f7144aeb2a541539009a03a534ec19b4f65306e0"),
)
SEED = 20
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
CATALOG = re.compile(r"/(?:locales?|translations)/([A-Za-z_]+)/LC_MESSAGES/[^/]+\.po$")
FEWEST = 500
KINDS = {
    "beside a placeholder or tag": r"[%{$&<].+",
    "slash": "/+",
    "quotation mark": "[\"'`“”„«»‘’״]+",
    "bracket": r"[][(){}<>]",
    "mark of punctuation": "[.,:;?!…،؛؟。、]+",
    "hyphen or dash": "[-–—]+",
}
REASONS = (
    "against the habit",
    "a tie",
    "situations that do not occur elsewhere",
    "mistakes of the model",
)
Pair = tuple[str, str]
Situation = tuple[int, ...]


@dataclass
class Result:
    lines: int = 0
    exact: int = 0
    with_source: int = 0
    peer: int = 0
    tokens: int = 0
    gaps: int = 0
    wrong: int = 0
    repeated: int = 0
    unclear: int = 0
    seconds: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    source_reasons: Counter[str] = field(default_factory=Counter)

    def __iadd__(self, other: Result) -> Result:
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def row(self, name: str) -> str:
        share = [f"{100 * n / self.lines:9.2f}" for n in (self.exact, self.with_source, self.peer)]
        gaps = 1e3 * self.wrong / max(self.gaps, 1), 1e3 * self.unclear / max(self.repeated, 1)
        return (
            f"{name:14} {self.lines:7,} {' '.join(share)} {100 * self.habit / self.lines:9.2f} "
            f"{gaps[0]:9.2f} {gaps[1]:9.2f} {1e6 * self.seconds / self.tokens:9.2f}"
        )

    @property
    def habit(self) -> int:
        """Lines that come back, or that are exceptions in their own catalog."""
        return self.exact + self.reasons["against the habit"]

    @property
    def source_habit(self) -> int:
        return self.with_source + self.source_reasons["against the habit"]


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
    held = [text.spaced_line(target, source) for source, target in test]
    known = [line for line in lines + held if line is not None]
    count_unclear(known, found)
    habits = Habits(known)
    split = [
        line.tokens if line else side.split(target) for line, (_, target) in zip(held, test, strict=True)
    ]
    assert side.spacing is not None
    begun = time.process_time()
    texts = side.spacing.join_all(split)
    found.seconds = time.process_time() - begun
    with_source = side.spacing.join_all(split, [line.beside if line else () for line in held])
    for (_, target), tokens, line, joined, other in zip(test, split, held, texts, with_source, strict=True):
        found.tokens += len(tokens)
        found.lines += 1
        found.exact += joined == target
        found.with_source += other == target
        if line is not None:
            count_wrong(line, joined, found)
        found.peer += peer.detokenize(moses.tokenize(target, escape=False), unescape=False) == target
        if joined != target and errors > 0:
            errors -= 1
            at = next((i for i, c in enumerate(joined) if target[i : i + 1] != c), len(joined))
            begin = max(0, at - 20)
            print(f"    {target[begin : at + 15]!r} became {joined[begin : at + 15]!r}")
        if joined != target:
            found.kinds[kind_of_error(tokens, joined, target)] += 1
            found.reasons[habits.reason(line, joined)] += 1
        if other != target:
            found.source_reasons[habits.reason(line, other)] += 1
    return found


class Habits:
    """How a catalog spaces its tokens."""

    def __init__(self, lines: Sequence[SpacedLine]) -> None:
        self._types = TokenTypes()
        self._seen: dict[Situation, Counter[str]] = defaultdict(Counter)
        for line in lines:
            for at, space in enumerate(line.spaces):
                for situation in self._situations(line.tokens, at):
                    self._seen[situation][space] += 1

    def reason(self, line: SpacedLine | None, joined: str) -> str:
        """Why a line may have come back otherwise; the reason that excuses it most counts."""
        if line is None or (spaces := observed_spaces(joined, line.tokens)) is None:
            return "not made of its tokens"
        pairs = enumerate(zip(line.spaces, spaces, strict=True))
        found = {self._of_gap(line.tokens, at, *pair) for at, pair in pairs if pair[0] != pair[1]}
        return next((reason for reason in REASONS if reason in found), "not made of its tokens")

    def _of_gap(self, tokens: Sequence[str], at: int, right: str, ours: str) -> str:
        for situation in self._situations(tokens, at):
            others = self._seen[situation] - Counter([right])
            if others.total() > 1:
                if others[right] == others[ours]:
                    return "a tie"
                return "against the habit" if others[right] < others[ours] else "mistakes of the model"
        return "situations that do not occur elsewhere"

    @cache  # noqa: B019
    def _properties(self, token: str) -> Situation:
        """The word, its shape, and the classes of its last and first character."""
        number = self._types[token]
        row = self._types.arrays()[0][number]
        return tuple(int(row[PROPERTIES.index(name)]) for name in "WSLF")

    def _situations(self, tokens: Sequence[str], at: int) -> list[Situation]:
        rows = [self._properties(token) for token in [EDGE, *paired(tokens), EDGE][at : at + 4]]
        words = tuple(row[0] for row in rows)
        shapes, ends = (rows[1][1], rows[2][1]), (rows[1][2], rows[2][3])
        return [(0, *words), (1, *words[:3]), (2, *words[1:]), (3, *words[1:3]), (4, *shapes), (5, *ends)]


def is_decided(first: str, second: str) -> bool:
    """Whether the space between two tokens is not clear from their being words."""
    words = first[-1].isalnum() and second[0].isalnum()
    return not words or script_of(first[-1]) in UNSPACED or script_of(second[0]) in UNSPACED


def count_wrong(line: SpacedLine, joined: str, found: Result) -> None:
    spaces = observed_spaces(joined, line.tokens)
    assert spaces is not None
    for pair, right, ours in zip(pairwise(line.tokens), line.spaces, spaces, strict=True):
        if is_decided(*pair):
            found.gaps += 1
            found.wrong += right != ours


def count_unclear(lines: Sequence[SpacedLine], found: Result) -> None:
    seen: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for line in lines:
        tokens = ["", *line.tokens, ""]
        for at, space in enumerate(line.spaces):
            if is_decided(*tokens[at + 1 : at + 3]):
                seen[tuple(tokens[at : at + 4])][space] += 1
    for spaces in seen.values():
        if spaces.total() > 1:
            found.repeated += spaces.total()
            found.unclear += spaces.total() - max(spaces.values())


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


@cache
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


def wheels_in(folder: Path, packages: Sequence[tuple[str, str, str]] = PACKAGES) -> list[Path]:
    rows = [(name, v, "py2.py3" if name == "mezzanine" else "py3", sha) for name, v, sha in packages]
    return fetch(
        [Package(name, v, f"{name}-{v}-{tag}-none-any.whl", sha) for name, v, tag, sha in rows], folder
    )


def drawn(wheels: Sequence[Path], count: int, folder: Path) -> Iterator[str]:
    """Draw languages that have a catalog with enough lines."""
    names = [name for wheel in wheels for name in ZipFile(wheel).namelist()]
    languages = sorted({match[1] for match in map(CATALOG.search, names) if match and match[1][:2] != "en"})
    random.Random(SEED).shuffle(languages)
    for language in languages:
        sizes = [sum(not held_out(pair[1]) for pair in catalogs(wheel, language, folder)) for wheel in wheels]
        if max(sizes) >= FEWEST and count > 0:
            count -= 1
            yield language
        if not count:
            return


def held_out(line: str) -> bool:
    return hashlib.blake2b(line.encode(), digest_size=1).digest()[0] < 32


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--catalogs", type=Path)
    parser.add_argument("--errors", type=int, default=0)
    parser.add_argument("--languages", nargs="*", default=LANGUAGES)
    parser.add_argument("--draw", type=int, default=0)
    options = parser.parse_args()
    heads = "tokens % source % peer % habit % wrong unclear µs/token"
    heads = " ".join(f"{head:>9}" for head in re.findall(r"\S+(?: %)?", heads))
    print(f"{'':14} {'lines':>7} {heads}")
    if (data := os.environ.get("ISOGLOSS_DATA")) and not options.draw:
        for name, language, train, test in corpora(Path(data)):
            print(measure(train, test, language, (), options.errors).row(name), flush=True)
    if options.catalogs:
        wheels = wheels_in(options.catalogs, OTHER_PACKAGES if options.draw else PACKAGES)
        shares: dict[str, Result] = defaultdict(Result)
        for language in drawn(wheels, options.draw, options.catalogs) if options.draw else options.languages:
            for wheel in wheels:
                pairs = catalogs(wheel, language, options.catalogs)
                test = [pair for pair in pairs if held_out(pair[1])]
                train = [pair for pair in pairs if not held_out(pair[1])]
                if len(train) >= FEWEST:
                    tag = language_tag(language)
                    shares[language] += measure(train, test, tag, ALL_KINDS, options.errors)
            print(shares[language].row(language), flush=True)
        means = [
            100 * sum(getattr(found, name) / found.lines for found in shares.values()) / len(shares)
            for name in ("exact", "with_source", "peer", "habit", "source_habit")
        ]
        print(f"mean of {len(shares):3}    {'':7} " + " ".join(f"{mean:9.2f}" for mean in means[:4]))
        print(f"habit % with the source: {means[4]:.2f}")
        for name, title in (
            ("kinds", "lines that did not come back, from tokens alone:"),
            ("reasons", "the same lines:"),
            ("source_reasons", "lines that did not come back, with the source:"),
        ):
            print(title)
            for kind, count in sum(
                (getattr(one, name) for one in shares.values()), Counter[str]()
            ).most_common():
                print(f"{count:7,} {kind}")


if __name__ == "__main__":
    main()
