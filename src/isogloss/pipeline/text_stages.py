"""The stages that turn text into tokens: clean, hold out, tokenize, sample, join."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from itertools import chain, islice, starmap
from pathlib import Path
from typing import IO, Any, TypeVar

from isogloss.align.bitext import read_sides
from isogloss.corpus.case import case_follows, case_leads, small_in_titles
from isogloss.corpus.check import CheckOptions, Row
from isogloss.corpus.clean import clean_corpus
from isogloss.corpus.formats import FORMATS, Conversion, PairFiles
from isogloss.corpus.inputs import several_files
from isogloss.corpus.pairs import ReadOptions
from isogloss.corpus.plain import one_line
from isogloss.corpus.processing import SideOptions, TextProcessing, TextSide
from isogloss.corpus.spacing import SpacedLine
from isogloss.corpus.term_lists import read_terms, term_format
from isogloss.corpus.tsv import read_tsv
from isogloss.decoder.matches import in_context, write_matches
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.executor import Executor
from isogloss.io.progress import Track
from isogloss.io.streams import atomic_output, atomic_outputs, read_lines
from isogloss.pipeline.sharded_text import split_in_shards, split_pairs
from isogloss.selection import SampleOptions, read_text, sample_corpus

__all__ = ["clean", "fold_in", "hold_out", "join", "keep_contexts", "sample", "set_aside", "tokenize"]

T = TypeVar("T")
Paths = Mapping[str, Path]
Options = Mapping[str, Any]

_SET_SIZE = 1000
_DEV_SHARE, _TEST_SHARE = 10, 20
_BATCH = 20_000
"""Lines that the engine tokenizes at once."""
_SPACED_LINES = 30_000
"""Lines to learn spacing from; more add little."""
_SAME_MARKS = 500
"""Lines with the same punctuation marks to learn spacing from; more add nothing."""
_MARKS = re.compile(r"[^\w\s]+")
LEAST_TUNED = 10
"""Smallest development set, in sentences, that is worth tuning on."""


def clean(inputs: Paths, outputs: Paths, options: Options, *, track: Track) -> None:
    """Drop bad training pairs and record the reasons."""
    sources, targets = (
        [inputs[name] for name in sorted(inputs) if name.startswith(side)] for side in ("source", "target")
    )
    source = several_files(sources, targets)
    languages = {name: options[name] for name in ("source_language", "target_language")}

    def watch(rows: Iterable[Row]) -> Iterable[Row]:
        return track(rows, "cleaning")

    report = clean_corpus(
        Conversion(
            source=source,
            target=PairFiles(FORMATS["plain"], (outputs["source"], outputs["target"])),
            # Plain text has no languages to choose from.
            options=ReadOptions() if targets else ReadOptions(**languages),
        ),
        CheckOptions(**{**options["check"], "patterns": tuple(options["check"]["patterns"])}),
        keep=options["keep"],
        dropped=outputs["dropped"],
        watch=watch,
    )
    if not report.kept:
        raise DataFormatError(
            f"none of the {report.dropped:,} sentence pairs can be used ({_reasons(report.reasons)})"
            if report.dropped
            else "there are no sentence pairs",
            sources[0],
            hint="run 'isogloss corpus check' for details",
        )
    facts = {"kept": report.kept, "dropped": report.dropped, "reasons": dict(report.reasons.most_common())}
    with atomic_output(outputs["facts"]) as stream:
        stream.write(json.dumps(facts, indent=1) + "\n")


def _reasons(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{rule}: {count:,}" for rule, count in counts.items())


def hold_out(inputs: Paths, outputs: Paths, options: Options, *, warn: Callable[[str], None]) -> None:
    """Hold out pairs from the whole text for tuning and testing; their sources are not trained on.

    The choice depends on the sources and the seed, not on the order of files. Each source counts once.
    """
    first: dict[str, int] = {}  # first line of each source
    for number, (source, _) in enumerate(read_sides(inputs["source"], inputs["target"])):
        first.setdefault(source, number)
    dev, test = _set_sizes(len(first), options, warn)
    drawn = sorted(first, key=partial(_drawn, seed=options["seed"]))[: test + dev]
    chosen = {
        first[source]: "test" if place < test else "dev" for place, source in enumerate(drawn)
    }  # the test set does not depend on the size of the development set
    aside = set(drawn)
    parts: dict[str, list[tuple[str, str]]] = {"dev": [], "test": []}
    with atomic_outputs([outputs["source"], outputs["target"]]) as streams:
        for number, pair in enumerate(read_sides(inputs["source"], inputs["target"])):
            if pair[0] not in aside:
                for stream, line in zip(streams, pair, strict=True):
                    stream.write(line + "\n")
            elif number in chosen:
                parts[chosen[number]].append(pair)
    for name, pairs in parts.items():
        if f"{name}_source" in outputs:
            with atomic_outputs([outputs[f"{name}_source"], outputs[f"{name}_target_000"]]) as streams:
                for pair in pairs:
                    for stream, line in zip(streams, pair, strict=True):
                        stream.write(line + "\n")


def _drawn(source: str, seed: int) -> bytes:
    return blake2b(
        source.encode(errors="surrogatepass"), digest_size=16, salt=str(seed).encode()[:16]
    ).digest()


def fold_in(inputs: Paths, outputs: Paths, options: Options) -> None:
    """Replace the training pairs of corrected sources with the corrections."""
    aside = {line for name in inputs if name.endswith("_source") for line in read_lines(inputs[name])}
    corrected = {pair.source: pair.target for pair in read_tsv([inputs["corrections"]])}
    corrected = {source: target for source, target in corrected.items() if source not in aside}
    with atomic_outputs([outputs["source"], outputs["target"]]) as streams:
        known = (pair for pair in read_sides(inputs["source"], inputs["target"]) if pair[0] not in corrected)
        for pair in chain(known, corrected.items()):
            for stream, line in zip(streams, pair, strict=True):
                stream.write(line + "\n")


def _set_sizes(count: int, options: Options, warn: Callable[[str], None]) -> tuple[int, int]:
    """Return how many pairs to hold out for tuning and for testing."""
    dev = min(_SET_SIZE, count // _DEV_SHARE) if options["dev"] == "usual" else options["dev"]
    test = min(_SET_SIZE, count // _TEST_SHARE) if options["test"] == "usual" else options["test"]
    if options["dev"] == "usual" and dev < LEAST_TUNED:
        needed = LEAST_TUNED * _DEV_SHARE
        warn(
            f"{count:,} different sentence pairs are too few to tune on: the usual weights are used, and "
            f"nothing is tested. From {needed:,} pairs on a part is set aside for both; give more files with "
            "--source, or sets of your own with --dev-source and --dev-target"
        )
        dev, test = 0, test if options["test"] != "usual" else 0
    if dev + test and count <= 2 * (dev + test):
        raise ConfigError(
            f"{count:,} sentence pairs are too few to set {dev + test:,} aside for tuning and testing; "
            "give a development set with --dev-source and --dev-target, or fewer with --dev-size"
        )
    return dev, test


def tokenize(
    inputs: Paths,
    outputs: Paths,
    options: Options,
    *,
    threads: int,
    track: Track,
    executor: Executor | None = None,
) -> None:
    """Tokenize everything; the truecaser is trained on the training text.

    Inputs and outputs have the same names; those with ``source`` in the name are in the source language.
    """
    raw = TextProcessing(placeholders=tuple(options["placeholders"]))
    sides = _tokenize_training(raw, inputs, outputs, options, threads=threads, track=track, executor=executor)
    for name in inputs:
        if name not in sides:
            side = sides["source" if name.endswith("source") else "target"]
            lines = track(_protected(raw, inputs, name), f"tokenizing {name}")
            with atomic_output(outputs[name]) as stream:
                for batch in _batches(lines):
                    split = side.split_lines(batch, threads=threads)
                    _write(stream, side.cased_lines(split, threads=threads))
    text = replace(raw, source=sides["source"], target=sides["target"])
    step = 1 + sum(1 for _ in read_lines(inputs["target"])) // _SPACED_LINES
    spaced = track(_spaced_lines(text, inputs, step), "learning spaces")
    pairs = partial(read_sides, inputs["source"], inputs["target"])
    text = replace(
        text,
        target=text.target.learn_spacing(spaced),
        case_follows=case_follows(pairs(), text.target.options.language),
        case_leads=case_leads(starmap(text.protect_pair, islice(pairs(), 0, None, step))),
        small_in_titles=small_in_titles(pairs()),
    )
    text.save(outputs["text"])
    if "matches" in outputs:
        write_matches(outputs["matches"], pairs, text)


def take_dictionary(inputs: Paths, outputs: Paths, options: Options) -> None:
    """Turn a dictionary into pairs. In TSV, a line is a word or phrase, and after tabs one or several
    translations; CSV and TBX are read as term lists."""
    path = inputs["dictionary"]
    with atomic_outputs([outputs["source"], outputs["target"]]) as (sources, targets):
        for number, (source, *translations) in _dictionary_rows(path, options):
            if not source or not any(translations):
                raise DataFormatError(
                    f"'{source[:60]}' has no translation"
                    if source
                    else "the line has no word at its beginning",
                    path,
                    number,
                    "write a word, a tab and its translation; more translations follow after more tabs",
                )
            for translation in filter(None, translations):
                sources.write(one_line(source) + "\n")
                targets.write(one_line(translation) + "\n")


def _dictionary_rows(path: Path, options: Options) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line that is not empty, with its number."""
    if term_format(path) == "tsv":
        for number, line in enumerate(read_lines(path), start=1):
            if line.strip():
                yield number, [cell.strip() for cell in line.split("\t")]
        return
    for row in read_terms(path, *options.get("languages", ())):
        yield row.line, [row.term.strip(), (row.translation or "").strip()]


def keep_contexts(inputs: Paths, outputs: Paths, options: Options) -> None:
    """Store the translations that the training text has for a source in a context."""
    sources = [inputs[name] for name in sorted(inputs) if name.startswith("source")]
    known = set(read_lines(inputs["train"]))
    pairs = [
        (in_context(one_line(pair.source), pair.context or pair.id), one_line(pair.target))
        for pair in several_files(sources).read(ReadOptions(**options))
        if (pair.context or pair.id) and pair.target.strip() and one_line(pair.source) in known
    ]
    write_matches(outputs["contexts"], lambda: pairs, TextProcessing.open(inputs["text"]))


def _spaced_lines(text: TextProcessing, inputs: Paths, step: int) -> Iterator[SpacedLine]:
    """Take every ``step``-th line of the training text to learn spacing from, if its marks are not common."""
    pairs = zip(read_lines(inputs["target"]), read_lines(inputs["source"]), strict=False)
    seen: Counter[str] = Counter()
    for target, source in islice(pairs, 0, None, step):
        marks = " ".join(_MARKS.findall(target))
        seen[marks] += 1
        line = text.spaced_line(target, source) if seen[marks] <= _SAME_MARKS else None
        if line is not None:
            yield line


def _protected(text: TextProcessing, inputs: Paths, name: str) -> Iterable[str]:
    """Replace placeholders with marks; a target gets the marks of its source."""
    if name.endswith("source"):
        return map(text.protect, read_lines(inputs[name]))
    source = inputs[name[: name.index("target")] + "source"]
    return map(text.protect_target, read_lines(inputs[name]), read_lines(source))


def _tokenize_training(
    text: TextProcessing,
    inputs: Paths,
    outputs: Paths,
    options: Options,
    *,
    threads: int,
    track: Track,
    executor: Executor | None = None,
) -> dict[str, TextSide]:
    """Tokenize the training text; in a pair, only text that occurs on both sides counts as a placeholder."""
    sides = {name: TextSide(SideOptions(**options[name])) for name in ("source", "target")}
    split = {name: outputs[name].with_name(outputs[name].name + ".split") for name in sides}
    with atomic_outputs(list(split.values())) as streams:
        if executor is not None and executor.distributed:
            files, facts = (inputs["source"], inputs["target"]), (options["source"], options["target"])
            split_in_shards(executor, files, streams, text.placeholders, facts, outputs["source"].parent)
        else:
            pairs = read_sides(inputs["source"], inputs["target"])
            for batch in _batches(track(pairs, "tokenizing")):
                for lines, stream in zip(
                    split_pairs(text, sides.values(), batch, threads), streams, strict=True
                ):
                    _write(stream, lines)
    for name, path in split.items():
        sides[name] = sides[name].learn_case(read_lines(path))
        with atomic_output(outputs[name]) as stream:
            for tokens in _batches(read_lines(path)):
                _write(stream, sides[name].cased_lines(tokens, threads=threads))
        path.unlink()
    return sides


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(items)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def _write(stream: IO[str], lines: Iterable[str]) -> None:
    stream.writelines(line + "\n" for line in lines)


def set_aside(inputs: Paths, outputs: Paths, options: Options) -> None:
    """Sample training pairs to tune on, and remove their sources from the rest.

    Several translations of a source become references, up to the number that the development set has.
    """
    sources = list(read_lines(inputs["source"]))
    wanted = options["pairs"]
    if len(sources) <= 2 * wanted:
        raise ConfigError(
            f"{len(sources):,} sentence pairs are too few to tune on {wanted:,} of them; set a lower number"
        )
    translations: dict[str, list[str]] = {
        sources[number * len(sources) // wanted]: [] for number in range(wanted)
    }
    sides = ("source", "target", "links")
    with atomic_outputs([outputs[side] for side in sides]) as streams:
        for lines in zip(*(read_lines(inputs[side]) for side in sides), strict=True):
            known = translations.get(lines[0])
            if known is None:
                for stream, line in zip(streams, lines, strict=True):
                    stream.write(line + "\n")
            elif lines[1] not in known:
                known.append(lines[1])
    targets = sorted(name for name in outputs if name.startswith("tune_target"))
    _write_lines(outputs["tune_source"], translations)
    for number, name in enumerate(targets):
        _write_lines(
            outputs[name],
            (known[number] if number < len(known) else "" for known in translations.values()),
        )


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with atomic_output(path) as stream:
        stream.writelines(line + "\n" for line in lines)


def sample(inputs: Paths, outputs: Paths, options: Options, *, threads: int, track: Track) -> None:
    """Keep the aligned pairs that are similar to the text to adapt to, and measure the effect.

    Extra pairs after the training pairs are kept too.
    """
    text = read_text([inputs[name] for name in sorted(inputs) if name.startswith("adapt_")])
    plain = FORMATS["plain"]
    with tempfile.TemporaryDirectory(prefix="isogloss-sample-") as folder:
        found = sample_corpus(
            Conversion(
                source=PairFiles(plain, (inputs["source"], inputs["target"])),
                target=PairFiles(plain, (Path(folder) / "source", Path(folder) / "target")),
                options=ReadOptions(),
            ),
            text,
            SampleOptions(**options),
            threads=threads,
            track=track,
        )
    if not len(found.chosen.numbers):
        raise ConfigError(
            "no training pair shares a word with the text to adapt to; is it in the source language and "
            "tokenized in the same way?"
        )
    chosen = set(found.chosen.numbers.tolist())
    for name in ("source", "target", "links"):
        with atomic_output(outputs[name]) as stream:
            for number, line in enumerate(read_lines(inputs[f"aligned_{name}"])):
                if number in chosen or number >= found.chosen.sentences:
                    stream.write(line + "\n")
    with atomic_output(outputs["facts"]) as stream:
        stream.write(json.dumps(found.as_dict(), indent=1) + "\n")


def join(inputs: Paths, outputs: Paths, options: Options) -> None:
    """Append extra pairs to the training pairs, without pairs that have an empty side."""
    extra = sorted(name.removesuffix("_source") for name in inputs if name.endswith("_source"))
    with atomic_outputs([outputs["source"], outputs["target"]]) as streams:
        for pair in read_sides(inputs["source"], inputs["target"]):
            for stream, line in zip(streams, pair, strict=True):
                stream.write(line + "\n")
        for name in extra:
            for pair in read_sides(inputs[f"{name}_source"], inputs[f"{name}_target"]):
                if all(pair):
                    for stream, line in zip(streams, pair, strict=True):
                        stream.write(line + "\n")
