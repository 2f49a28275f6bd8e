"""The stages that make tokens from text: clean, set aside, tokenise, sample, join."""

from __future__ import annotations

import json
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from isogloss.align.bitext import read_sides
from isogloss.corpus.check import CheckOptions, Row
from isogloss.corpus.clean import clean_corpus
from isogloss.corpus.formats import FORMATS, Conversion, PairFiles, split_files
from isogloss.corpus.pairs import ReadOptions
from isogloss.corpus.processing import LEARNT_CASES, SideOptions, TextProcessing, TextSide
from isogloss.corpus.tsv import read_tsv
from isogloss.decoder.matches import write_matches
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.progress import Track
from isogloss.io.streams import atomic_output, atomic_outputs, read_lines
from isogloss.selection import SampleOptions, read_text, sample_corpus

__all__ = ["clean", "fold_in", "hold_out", "join", "sample", "set_aside", "tokenize"]

Paths = Mapping[str, Path]
Options = Mapping[str, Any]

_DEV_SIZE = 1000
_DEV_SHARE = 10


def clean(inputs: Paths, outputs: Paths, options: Options, *, track: Track) -> None:
    """Leave out training pairs with which something is wrong, and say which and why."""
    if "target" in inputs:
        source = PairFiles(FORMATS["plain"], (inputs["source"], inputs["target"]))
    else:
        source, _ = split_files([inputs["source"]])
    languages = {name: options[name] for name in ("source_language", "target_language")}

    def watch(rows: Iterable[Row]) -> Iterable[Row]:
        return track(rows, "cleaning")

    report = clean_corpus(
        Conversion(
            source=source,
            target=PairFiles(FORMATS["plain"], (outputs["source"], outputs["target"])),
            # Plain text holds no languages to choose from.
            options=ReadOptions() if "target" in inputs else ReadOptions(**languages),
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
            inputs["source"],
            hint="see 'isogloss corpus check'",
        )
    facts = {"kept": report.kept, "dropped": report.dropped, "reasons": dict(report.reasons.most_common())}
    with atomic_output(outputs["facts"]) as stream:
        stream.write(json.dumps(facts, indent=1) + "\n")


def _reasons(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{rule}: {count:,}" for rule, count in counts.items())


def hold_out(inputs: Paths, outputs: Paths, options: Options) -> None:
    """Set the last pairs aside for tuning and testing; what has the same source is not trained on."""
    dev, test = options["dev"], options["test"]
    count = 0
    last: deque[tuple[str, str]] = deque(maxlen=(dev if dev != "usual" else _DEV_SIZE) + test)
    for pair in read_sides(inputs["source"], inputs["target"]):
        last.append(pair)
        count += 1
    if dev == "usual":
        dev = min(_DEV_SIZE, count // _DEV_SHARE)
    wanted = dev + test
    if count <= 2 * wanted:
        raise ConfigError(
            f"{count:,} sentence pairs are too few to set {wanted:,} aside for tuning and testing; "
            "give a development set with --dev-source and --dev-target, or fewer with --dev-size"
        )
    aside = list(last)[len(last) - wanted :]
    parts = {"dev": aside[:dev], "test": aside[dev:]}
    sources = {source for source, _ in aside}
    with atomic_outputs([outputs["source"], outputs["target"]]) as streams:
        for number, pair in enumerate(read_sides(inputs["source"], inputs["target"])):
            if number < count - wanted and pair[0] not in sources:
                for stream, line in zip(streams, pair, strict=True):
                    stream.write(line + "\n")
    for name, pairs in parts.items():
        if f"{name}_source" in outputs:
            with atomic_outputs([outputs[f"{name}_source"], outputs[f"{name}_target_000"]]) as streams:
                for pair in pairs:
                    for stream, line in zip(streams, pair, strict=True):
                        stream.write(line + "\n")


def fold_in(inputs: Paths, outputs: Paths, options: Options) -> None:
    """Put corrections in the place of what the training text has for their sources."""
    aside = {line for name in inputs if name.endswith("_source") for line in read_lines(inputs[name])}
    corrected = {pair.source: pair.target for pair in read_tsv([inputs["corrections"]])}
    corrected = {source: target for source, target in corrected.items() if source not in aside}
    with atomic_outputs([outputs["source"], outputs["target"]]) as streams:
        known = (pair for pair in read_sides(inputs["source"], inputs["target"]) if pair[0] not in corrected)
        for pair in chain(known, corrected.items()):
            for stream, line in zip(streams, pair, strict=True):
                stream.write(line + "\n")


def tokenize(inputs: Paths, outputs: Paths, options: Options, *, track: Track) -> None:
    """Make tokens of everything; the case of words is learnt from the training text.

    Inputs and outputs have the same names, and those with ``source`` in them are of the source language.
    """
    raw = TextProcessing(placeholders=tuple(options["placeholders"]))
    sides = {}
    for name in ("source", "target"):
        side = TextSide(SideOptions(**options[name]))
        lines = track(_protected(raw, inputs, name), f"tokenising {name}")
        sides[name] = _tokenize_training(side, lines, outputs[name])
    for name in inputs:
        if name not in sides:
            side = sides["source" if name.endswith("source") else "target"]
            lines = track(_protected(raw, inputs, name), f"tokenising {name}")
            _write(outputs[name], map(side.tokenize, lines))
    text = replace(raw, source=sides["source"], target=sides["target"])
    text.save(outputs["text"])
    write_matches(outputs["matches"], partial(read_sides, inputs["source"], inputs["target"]), text)


def _protected(text: TextProcessing, inputs: Paths, name: str) -> Iterable[str]:
    """Lines with marks for placeholders; a target has those of its source."""
    if name.endswith("source"):
        return map(text.protect, read_lines(inputs[name]))
    source = inputs[name[: name.index("target")] + "source"]
    return map(text.protect_target, read_lines(inputs[name]), read_lines(source))


def _tokenize_training(side: TextSide, text: Iterable[str], output: Path) -> TextSide:
    lines: Iterator[list[str]] = map(side.split, text)
    if side.options.case not in LEARNT_CASES:
        _write(output, map(side.cased, lines))
        return side
    split = output.with_name(output.name + ".split")
    _write(split, lines)
    learnt = side.learn_case(line.split(" ") for line in read_lines(split))
    _write(output, (learnt.cased(line.split(" ")) if line else [] for line in read_lines(split)))
    split.unlink()
    return learnt


def _write(path: Path, lines: Iterable[Sequence[str]]) -> None:
    with atomic_output(path) as stream:
        stream.writelines(" ".join(tokens) + "\n" for tokens in lines)


def set_aside(inputs: Paths, outputs: Paths, options: Options) -> None:
    """Take pairs from all over the training text to tune on; what is left has not seen their sources.

    A source that stands there with several translations has as many references as the development set.
    """
    sources = list(read_lines(inputs["source"]))
    wanted = options["pairs"]
    if len(sources) <= 2 * wanted:
        raise ConfigError(
            f"{len(sources):,} sentence pairs are too few to tune on {wanted:,} of them; ask for fewer"
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
    """Keep the aligned pairs that are like the text to adapt to, and say what that is worth.

    What comes after the training pairs in the aligned ones is kept too.
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
        raise ConfigError("no training pair shares a word with the text to adapt to")
    chosen = set(found.chosen.numbers.tolist())
    for name in ("source", "target", "links"):
        with atomic_output(outputs[name]) as stream:
            for number, line in enumerate(read_lines(inputs[f"aligned_{name}"])):
                if number in chosen or number >= found.chosen.sentences:
                    stream.write(line + "\n")
    with atomic_output(outputs["facts"]) as stream:
        stream.write(json.dumps(found.as_dict(), indent=1) + "\n")


def join(inputs: Paths, outputs: Paths, options: Options) -> None:
    """Training pairs and further ones after them; of these, pairs with an empty side are left out."""
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
