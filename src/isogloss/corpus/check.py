"""Find suspicious pairs in a bilingual corpus, line by line, using little memory."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from os import fspath
from typing import IO, Annotated, Any

from isogloss.corpus.duplicates import SeenLines, hash_lines
from isogloss.corpus.formats import PairFiles, split_files
from isogloss.corpus.mojibake import find_mojibake
from isogloss.corpus.pairs import Reading, ReadOptions, SentencePair
from isogloss.corpus.placeholders import Protector, parse_kinds
from isogloss.corpus.profile import Profile, scripts_in
from isogloss.corpus.tsv import split_row
from isogloss.io.errors import ConfigError
from isogloss.io.options import Above, AtLeast, Options, Verbatim
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, atomic_outputs, read_byte_lines

__all__ = [
    "RULES",
    "CheckOptions",
    "CheckReport",
    "Examination",
    "Finding",
    "Row",
    "check_corpus",
    "check_files",
]

RULES: dict[str, str] = {
    "unequal-lines": "one file has more lines than the other",
    "invalid-utf8": "bytes that are not UTF-8",
    "empty-side": "nothing but spaces on a side",
    "length-ratio": "one side is much longer than usual for the other",
    "over-long": "too many words or characters",
    "control-character": "characters that are not text, or that end a line for some programs",
    "separator": "'|||', which separates fields in n-best lists and phrase tables",
    "duplicate": "the same pair as an earlier one",
    "copied": "the target is the source, unchanged",
    "placeholders": "the sides have other placeholders (looked for if kinds of them are named)",
    "swapped": "source and target look exchanged",
    "wrong-language": "a side looks like the language of the other",
    "wrong-script": "most letters are of a script that is foreign to the side",
    "wrong-encoding": "UTF-8 that was read as Latin-1, or characters that were lost",
    "unusual": "unlike the rest of its side: a third language, or no language",
    "pattern": "a side matches a pattern that was given",
}
"""Rules and their descriptions."""

_BATCH = 2000
_SAMPLE = 50_000  # pairs to learn the usual values from, limited also by their total characters
_SAMPLE_CHARACTERS = 20_000_000
_FEW = 10  # characters added to both lengths before their ratio is computed
_EVIDENCE = (15.0, 0.5)
"""Log-likelihood ratio, total and per trigram, from which a line seems to belong to the other side."""
_UNUSUAL = (-6.0, -1.5)
"""Deviation and familiarity below which a line is unlike the rest of its side."""
_LEAST_LETTERS = 4
_COPIED_WORDS, _COPIED_LETTERS = 3, 10
# Control characters except tab and line feed; Unicode separators; byte-order marks and non-characters.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions(Options):
    """When a sentence pair counts as suspicious."""

    max_ratio: Annotated[float, Above(1)] = 4.0
    """Report pairs whose length ratio differs from the usual one by more than this factor. Ten characters are
    added to both lengths, so short sentences are judged less strictly."""
    max_words: Annotated[int, AtLeast(1)] = 200
    """Maximum number of words per side, separated by spaces."""
    max_characters: Annotated[int, AtLeast(1)] = 2000
    """Maximum number of characters per side, for languages written without spaces."""
    placeholders: tuple[str, ...] = ()
    """Kinds of placeholders that must be the same on both sides: printf, braces, tags, entities, urls,
    emails, identifiers; ``catalog`` stands for the first four."""
    patterns: Annotated[tuple[str, ...], Verbatim()] = ()
    """Regular expressions that must not match either side, such as ``[0-9]``."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        for pattern in self.patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ConfigError(f"patterns: {pattern!r} is not a regular expression ({error})") from None
        self.kinds  # noqa: B018  # raises an error for an unknown kind

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of placeholders, with ``catalog`` expanded."""
        return parse_kinds(",".join(self.placeholders or ("none",)))


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem found in a line."""

    rule: str
    path: str
    line: int
    detail: str


@dataclass(slots=True)
class Row:
    """A pair and its findings."""

    pair: SentencePair
    findings: list[Finding] = field(default_factory=list)


class Examination:
    """Reads a corpus once and yields its pairs with their findings.

    The first 50,000 pairs are read ahead, to learn what is usual in the corpus. Apart from these, only 12
    bytes per pair are kept, to detect duplicates.
    """

    def __init__(
        self,
        files: PairFiles,
        options: CheckOptions | None = None,
        read_options: ReadOptions | None = None,
        reading: Reading | None = None,
    ) -> None:
        self._files, self._options, self._read_options = files, options or CheckOptions(), read_options
        self._patterns = [re.compile(pattern) for pattern in self._options.patterns]
        self._seen = SeenLines()
        kinds = self._options.kinds
        self._protector = Protector(kinds) if kinds else None
        self._sides = (fspath(files.paths[0]), fspath(files.paths[-1]))
        self.reading = reading if reading is not None else Reading()
        self.unequal: Finding | None = None
        """Set at the end if the files have different numbers of lines."""

    def __iter__(self) -> Iterator[Row]:
        rows = self._rows()
        sample = list(_up_to(rows, _SAMPLE, _SAMPLE_CHARACTERS))
        profile = Profile([row.pair.source for row in sample], [row.pair.target for row in sample])
        remaining = chain(sample, rows)
        del sample
        while batch := list(islice(remaining, _BATCH)):
            self._examine(batch, profile)
            yield from batch

    def _rows(self) -> Iterator[Row]:
        name = self._files.format.name
        if name == "plain":
            return self._plain_rows()
        if name == "tsv":
            return self._tsv_rows()
        return map(Row, self._files.read(self._read_options, self.reading))

    def _plain_rows(self) -> Iterator[Row]:
        source_lines, target_lines = (_decoded(path) for path in self._files.paths)
        for number, (source, target) in enumerate(zip_longest(source_lines, target_lines), start=1):
            if source is None or target is None:
                more = 1 + sum(1 for _ in chain(source_lines, target_lines))
                short, long = self._sides if source is None else self._sides[::-1]
                detail = f"{number - 1:,} lines, but {long} has {number - 1 + more:,}"
                self.unequal = Finding("unequal-lines", short, number, detail)
                return
            row = Row(SentencePair(source[0], target[0], line=number))
            for side, (_, problem) in enumerate((source, target)):
                if problem:
                    row.findings.append(Finding("invalid-utf8", self._sides[side], number, problem))
            yield row

    def _tsv_rows(self) -> Iterator[Row]:
        (path,) = self._files.paths
        columns = self._read_options.columns if self._read_options else None
        for number, (text, problem) in enumerate(_decoded(path), start=1):
            row = Row(split_row(text, path, number, columns))
            if problem:
                row.findings.append(Finding("invalid-utf8", fspath(path), number, problem))
            yield row

    def _examine(self, rows: Sequence[Row], profile: Profile) -> None:
        for row in rows:
            for rule, side, detail in self._look_at(row, profile):
                row.findings.append(Finding(rule, self._sides[side], row.pair.line, detail))
        self._find_duplicates(rows)
        self._find_wrong_languages(rows, profile)

    def _look_at(self, row: Row, profile: Profile) -> Iterator[tuple[str, int, str]]:
        pair = row.pair
        sides = (pair.source, pair.target)
        damaged = any(finding.rule == "invalid-utf8" for finding in row.findings)
        for side, text in enumerate(sides):
            if not text or text.isspace():
                yield "empty-side", side, f"the {_NAMES[side]} is empty"
                continue
            words = text.count(" ") + 1
            if words > self._options.max_words and (words := len(text.split())) > self._options.max_words:
                yield "over-long", side, f"{words:,} words"
            elif len(text) > self._options.max_characters:
                yield "over-long", side, f"{len(text):,} characters"
            if not text.isprintable() and (match := _CONTROL.search(text)):
                yield "control-character", side, f"U+{ord(match.group()):04X} at column {match.start() + 1}"
            for pattern in self._patterns:
                if match := pattern.search(text):
                    yield "pattern", side, f"'{match.group()[:40]}' at column {match.start() + 1}"
                    break
            if "|||" in text:
                yield "separator", side, f"at column {text.index('|||') + 1}"
            if not damaged and not text.isascii():
                yield from _look_at_characters(text, side, profile)
        if pair.source and pair.target:
            yield from self._compare(pair, profile)

    def _compare(self, pair: SentencePair, profile: Profile) -> Iterator[tuple[str, int, str]]:
        usual = len(pair.source) * profile.ratio + _FEW
        times = (len(pair.target) + _FEW) / usual
        if max(times, 1 / times) > self._options.max_ratio:
            how = f"{times:.1f} times longer" if times > 1 else f"{1 / times:.1f} times shorter"
            yield "length-ratio", 1, f"the target is {how} than usual"
        if pair.source == pair.target or pair.source.casefold().strip() == pair.target.casefold().strip():
            words = [word for word in pair.source.split() if any(map(str.isalpha, word))]
            if len(words) >= _COPIED_WORDS or sum(map(len, words)) >= _COPIED_LETTERS:
                yield "copied", 1, "the target is the source"
        if self._protector is not None:
            source, target = (Counter(self._protector.found(text)) for text in (pair.source, pair.target))
            if source != target:
                odd = next(iter((source - target) + (target - source)))
                where = "source" if source[odd] > target[odd] else "target"
                yield "placeholders", 1, f"'{odd[:40]}' is more often in the {where}"

    def _find_duplicates(self, rows: Sequence[Row]) -> None:
        hashes = hash_lines(f"{row.pair.source}\n{row.pair.target}" for row in rows)
        earlier = self._seen.add(hashes, [row.pair.line for row in rows])
        for at in earlier.nonzero()[0].tolist():
            row = rows[at]
            detail = f"the same as line {earlier[at]}"
            row.findings.append(Finding("duplicate", self._sides[0], row.pair.line, detail))

    def _find_wrong_languages(self, rows: Sequence[Row], profile: Profile) -> None:
        sides = [
            profile.likeness(0, [row.pair.source for row in rows]),
            profile.likeness(1, [row.pair.target for row in rows]),
        ]
        other = [(s.evidence < -_EVIDENCE[0]) & (s.mean_evidence < -_EVIDENCE[1]) for s in sides]
        odd = [(s.deviation < _UNUSUAL[0]) & (s.familiarity < _UNUSUAL[1]) for s in sides]
        for at in (other[0] | other[1] | odd[0] | odd[1]).nonzero()[0].tolist():
            row = rows[at]
            line = row.pair.line
            if other[0][at] and other[1][at]:
                detail = "source and target look exchanged"
                row.findings.append(Finding("swapped", self._sides[0], line, detail))
                continue
            for side in (0, 1):
                if other[side][at]:
                    detail = f"the {_NAMES[side]} looks like the language of the {_NAMES[1 - side]}"
                    row.findings.append(Finding("wrong-language", self._sides[side], line, detail))
                elif odd[side][at]:
                    detail = f"the {_NAMES[side]} is unlike the others"
                    row.findings.append(Finding("unusual", self._sides[side], line, detail))


_NAMES = ("source", "target")


def _decoded(path: StrPath) -> Iterator[tuple[str, str]]:
    """Yield each line with its encoding error, if any; undecodable bytes are replaced."""
    for number, line in enumerate(read_byte_lines(path), start=1):
        try:
            text, problem = line.decode("utf-8"), ""
        except UnicodeDecodeError as error:
            text = line.decode("utf-8", errors="replace")
            problem = f"byte 0x{line[error.start]:02x} at column {error.start + 1}"
        yield (text.removeprefix("\ufeff") if number == 1 else text), problem


def _up_to(rows: Iterator[Row], count: int, characters: int) -> Iterator[Row]:
    for row in islice(rows, count):
        yield row
        characters -= len(row.pair.source) + len(row.pair.target)
        if characters < 0:
            return


def _look_at_characters(text: str, side: int, profile: Profile) -> Iterator[tuple[str, int, str]]:
    if "\ufffd" in text:
        column = text.index("\ufffd") + 1
        yield "wrong-encoding", side, f"a character was lost at column {column}"
    elif mistaken := find_mojibake(text):
        yield "wrong-encoding", side, f"'{mistaken[0]}' where '{mistaken[1]}' is meant"
    counts = scripts_in(text)
    total = counts.total()
    if total >= _LEAST_LETTERS:
        foreign = {script: count for script, count in counts.items() if script not in profile.scripts[side]}
        if 4 * sum(foreign.values()) > 3 * total:
            script = max(foreign, key=foreign.__getitem__)
            yield "wrong-script", side, f"{foreign[script]} of {total} letters are {script.capitalize()}"


@dataclass(slots=True, kw_only=True)
class CheckReport:
    """Findings in a corpus."""

    pairs: int = 0
    flagged: int = 0
    """Number of pairs with at least one finding."""
    counts: Counter[str] = field(default_factory=Counter)
    """Number of findings by rule."""
    examples: dict[str, list[Finding]] = field(default_factory=dict)
    """The first findings of each rule."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Number of skipped units of the file, by reason."""

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {
            "pairs": self.pairs,
            "flagged": self.flagged,
            "skipped": dict(self.skipped),
            "findings": {
                rule: {
                    "count": count,
                    "examples": [
                        {"file": found.path, "line": found.line, "detail": found.detail}
                        for found in self.examples.get(rule, ())
                    ],
                }
                for rule, count in self.counts.most_common()
            },
        }

    def add(self, findings: Iterable[Finding], examples: int) -> None:
        """Count findings and keep the first of each rule."""
        for finding in findings:
            self.counts[finding.rule] += 1
            if self.counts[finding.rule] <= examples:
                self.examples.setdefault(finding.rule, []).append(finding)


def check_corpus(
    examination: Examination,
    *,
    examples: int = 3,
    table: IO[str] | None = None,
    watch: Callable[[Iterable[Row]], Iterable[Row]] = iter,
) -> CheckReport:
    """Check a whole corpus; with a ``table``, write every finding to it: file, line, rule and detail.

    ``watch`` wraps the rows, for example to show progress.
    """
    report = CheckReport(skipped=examination.reading.skipped)
    for row in watch(examination):
        report.pairs += 1
        report.flagged += bool(row.findings)
        report.add(row.findings, examples)
        _write_table(row.findings, table)
    if examination.unequal is not None:
        report.add([examination.unequal], examples)
        _write_table([examination.unequal], table)
    return report


def check_files(
    files: Sequence[StrPath],
    options: CheckOptions | None = None,
    *,
    read: ReadOptions | None = None,
    format: str | None = None,
    examples: int = 3,
    table: StrPath | None = None,
    track: Track = no_track,
) -> tuple[PairFiles, CheckReport]:
    """Check one bilingual file or two plain text files; return the detected format and the report.

    Every finding is written to the file ``table``: file, line, rule and detail.
    """
    corpus, rest = split_files(files, format=format)
    if rest:
        raise ConfigError(f"one file too many: '{rest[0]}' after {' and '.join(map(str, corpus.paths))}")
    with atomic_outputs([table] if table is not None else []) as tables:
        report = check_corpus(
            Examination(corpus, options, read),
            examples=examples,
            table=tables[0] if tables else None,
            watch=lambda rows: track(rows, "pairs"),
        )
    return corpus, report


def _write_table(findings: Sequence[Finding], table: IO[str] | None) -> None:
    if table is not None:
        table.writelines(f"{found.path}\t{found.line}\t{found.rule}\t{found.detail}\n" for found in findings)
