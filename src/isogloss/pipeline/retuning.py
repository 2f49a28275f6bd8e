"""Tune a stored system again and replace its weights."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from isogloss.corpus.processing import TextProcessing
from isogloss.decoder import Source, load, parse_plf, read_weights
from isogloss.decoder.decoder import Decoder
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.executor import Executor, absolute, shared_scratch
from isogloss.io.options import DefaultText, Options
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, read_lines
from isogloss.metric import References
from isogloss.pipeline.calibration import Sample, learn_confidence
from isogloss.pipeline.report import REPORT, history_of, tuning_section
from isogloss.report import Page
from isogloss.tuning import TuneIteration, TuneOptions, TuneResult, tune
from isogloss.tuning.sharded_decoding import elsewhere

__all__ = ["TuningFiles", "tune_stored"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningFiles(Options):
    """The files for tuning a stored system."""

    dev_source: StrPath
    """Source sentences to tune on, one per line: plain text if the system was trained with a tokenizer,
    otherwise tokens."""
    dev_target: tuple[StrPath, ...]
    """Their references, one file per translator."""
    held_out_source: StrPath | None = None
    """Held-out source sentences; the iteration that translates them best is kept."""
    held_out_target: tuple[StrPath, ...] = ()
    """Their references, one file per translator."""
    initial_weights: Annotated[StrPath | None, DefaultText("the system's own")] = None
    """File of dense weights to start from."""
    work: StrPath | None = None
    """Folder for the state of the run. An interrupted run resumes from it if you repeat the command."""
    input: Literal["text", "plf"] = "text"
    """Format of a line: ``text`` for a sentence, ``plf`` for a word lattice, whose scores become a feature
    with a weight."""
    tokenized: bool = False
    """Treat all sentences as tokens, even if the system was trained with a tokenizer."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if (self.held_out_source is None) != (not self.held_out_target):
            raise ConfigError("held_out_source and held_out_target must be given together")


@dataclass(frozen=True, slots=True)
class StoredDecoder:
    """Opens the decoder of a stored system."""

    folder: str

    def open(self) -> Decoder:
        """The decoder, with the stored weights."""
        return load(self.folder).decoder


def tune_stored(
    folder: StrPath,
    files: TuningFiles,
    options: TuneOptions | None = None,
    *,
    threads: int = 1,
    track: Track = no_track,
    report: Callable[[TuneIteration], None] | None = None,
    executor: Executor | None = None,
) -> TuneResult:
    """Tune a stored system and store its new weights if tuning completes."""
    options = options or TuneOptions()
    system = load(folder)
    text = None if files.tokenized else system.text
    plf = files.input == "plf"
    sources, references = _read(files.dev_source, files.dev_target, text, plf)
    held_out = None
    if files.held_out_source is not None:
        held_out = _read(files.held_out_source, files.held_out_target, text, plf)
    start = files.initial_weights
    with contextlib.ExitStack() as stack:
        work = files.work
        if work is None and (shared := shared_scratch(executor, None, folder)) is not None:
            work = stack.enter_context(tempfile.TemporaryDirectory(prefix=".isogloss-tune-", dir=shared))
        result = tune(
            system,
            sources,
            references,
            options,
            held_out=held_out,
            start=None if start is None else read_weights(start, system.decoder.names),
            threads=threads,
            track=track,
            report=report,
            work=None if work is None else Path(work),
            elsewhere=elsewhere(StoredDecoder(absolute(folder)), executor),
        )
    system.save_weights(result.dense, result.sparse)
    if not plf and not (files.tokenized and system.text):
        raw = list(read_lines(files.dev_source)), References.read(files.dev_target)
        sample = Sample(*raw, sources, references)
        tuning = None if options.method.startswith("relevant-set") else options
        system.save_confidence(learn_confidence(system, sample, tuning, threads=threads))
    if (page_file := Path(folder) / REPORT).exists():
        page = Page(f"Tuned again on {files.dev_source}")
        tuning_section(page, history_of(result, options.method))
        page.append_to(page_file)
    return result


def _read(
    source: StrPath, targets: Sequence[StrPath], text: TextProcessing | None, plf: bool
) -> tuple[list[Source], References]:
    lines, references = list(read_lines(source)), References.read(targets)
    if len(lines) != len(references):
        raise DataFormatError(
            f"{len(lines):,} lines, but {targets[0]} has {len(references):,}",
            source,
            hint="line i of one file must be the translation of line i of the other",
        )
    if text is not None:
        sources = lines if not plf else [""] * len(lines)
        streams = [
            [line and text.tokenize_target(line, of) for line, of in zip(stream, sources, strict=True)]
            for stream in references.streams
        ]
        references = References(streams, references.names)
    if plf:
        return [parse_plf(line, source, number) for number, line in enumerate(lines, start=1)], references
    return [line if text is None else text.tokenize(line) for line in lines], references
