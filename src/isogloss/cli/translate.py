"""``isogloss translate``: from standard input to standard output."""

from __future__ import annotations

import contextlib
import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from isogloss.cli import console
from isogloss.cli.decoding import (
    BeamSize,
    Format,
    OutputFormat,
    PopLimit,
    Threads,
    Weights,
    check_list,
    thread_count,
)
from isogloss.io.errors import ConfigError, DataFormatError

if TYPE_CHECKING:
    from isogloss.corpus.processing import TextProcessing
    from isogloss.decoder import Source, System
    from isogloss.nbest.store import Int64, NbestStore

__all__ = ["Reported", "translate"]

_CHUNK = 1 << 16
_BATCH = 50  # inputs per thread
_REPORTED_LINES = 10
_STDIN = "standard input"


class _Input(StrEnum):
    text = "text"
    plf = "plf"


class _Switch(StrEnum):
    on = "on"
    off = "off"


class _Unknown(StrEnum):
    keep = "pass"
    drop = "drop"
    mark = "mark"


class _BadLines(StrEnum):
    report = "report"
    stop = "stop"


class _Utility(StrEnum):
    bleu = "bleu"
    chrf = "chrf"


class _Local(StrEnum):
    mbuu = "mbuu"
    ebuu = "ebuu"


def translate(
    system: Annotated[
        str,
        typer.Argument(
            metavar="DIR", help="System, as 'isogloss train' or 'isogloss system create' makes it."
        ),
    ],
    nbest: Annotated[
        int, typer.Option(metavar="N", help="Translations of each sentence, all different.")
    ] = 1,
    format: Format = OutputFormat.text,
    input: Annotated[
        _Input, typer.Option(help="text: sentences; plf: word lattices; one per line.")
    ] = _Input.text,
    tokenized: Annotated[
        bool,
        typer.Option(
            "--tokenized",
            help="Sentences and translations are tokens with spaces between them, also if the system was "
            "trained with a tokenizer; n-best lists always hold tokens.",
        ),
    ] = False,
    weights: Weights = None,
    threads: Threads = 1,
    max_words: Annotated[
        int,
        typer.Option(metavar="WORDS", help="Longer sentences are translated in windows of at most so many."),
    ] = 100,
    beam_size: BeamSize = None,
    pop_limit: PopLimit = None,
    markup: Annotated[
        _Switch,
        typer.Option(
            help='on: <t translation="...">words</t> gives the translation of words, <t>words</t> keeps '
            "them, and &lt; &gt; &amp; &quot; stand for characters; off: all of it is text."
        ),
    ] = _Switch.off,
    terms: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Terms to translate so: term, tab, translation; a line per term."),
    ] = None,
    factors: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Words come with factors, word|POS|...: their names, with commas between, or how many.",
        ),
    ] = None,
    unknown: Annotated[
        _Unknown | None,
        typer.Option(
            help="Words that nothing translates: pass them on, drop or mark them.",
            show_default="the system's: pass",
        ),
    ] = None,
    unknown_mark: Annotated[
        str | None,
        typer.Option(
            metavar="FORM", help="Form of a marked word.", show_default="the system's: <unk:{word}>"
        ),
    ] = None,
    mbr: Annotated[
        _Utility | None,
        typer.Option(
            help="Choose, of the best translations, the one that agrees best with the others by this metric "
            "(minimum Bayes risk); text format only.",
            show_default="the one with the highest score",
        ),
    ] = None,
    mbr_list: Annotated[
        int, typer.Option(metavar="N", help="How many translations --mbr looks at; time grows with N².")
    ] = 100,
    mbr_scale: Annotated[
        float,
        typer.Option(metavar="X", help="P(translation) ∝ exp(X · score) for --mbr; 0 takes all as equal."),
    ] = 1.0,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="Time per sentence after which it is finished quickly; results cannot be repeated.",
            show_default="none",
        ),
    ] = None,
    local: Annotated[
        _Local | None,
        typer.Option(
            help="Make weights for each sentence from similar examples: by margins (mbuu) or expected error "
            "(ebuu). Needs --memory."
        ),
    ] = None,
    memory: Annotated[
        str | None, typer.Option(metavar="DIR", help="Examples, as 'isogloss memory build' stores them.")
    ] = None,
    local_strength: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="How much the examples count (λ); 0 keeps the system's weights.",
            show_default="what 'isogloss local tune' chose",
        ),
    ] = None,
    local_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Examples per sentence, at most.",
            show_default="what 'isogloss local tune' had, or 100",
        ),
    ] = None,
    local_similarity: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER", help="Leave out examples that are less similar; 0 to 1.", show_default="0"
        ),
    ] = None,
    local_edit_share: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER", help="Share of the edit distance in similarity; 0 to 1.", show_default="0.1"
        ),
    ] = None,
    local_decodings: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="How often weights are made, with the examples decoded anew under those of before: slow.",
        ),
    ] = 1,
    local_dev: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="A memory of the development set, all of which is trained on beside the examples.",
        ),
    ] = None,
    local_report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write which examples were used and how weights moved: a JSON object per sentence.",
        ),
    ] = None,
    catalog: Annotated[
        str | None,
        typer.Option(
            "--po",
            "--xliff",
            "--tmx",
            metavar="FILE",
            help="Translate what is empty in a catalog, an XLIFF file or a memory, in place of standard "
            "input. Needs --output.",
        ),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Where the filled catalog goes.")
    ] = None,
    confidence: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write line, confidence, message and translation of what is filled, the least sure first.",
        ),
    ] = None,
    source_language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Of a memory's units.", show_default="what its header says"),
    ] = None,
    target_language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Of a memory's units.", show_default="what the system writes"),
    ] = None,
    replace_invalid: Annotated[
        bool,
        typer.Option("--replace-invalid", help="Replace bytes that are not UTF-8; else such a line is bad."),
    ] = False,
    bad_lines: Annotated[
        _BadLines,
        typer.Option(
            help="Lines that cannot be read: report says so, leaves the translation empty, goes on and exits "
            "with 2 in the end; stop ends at the first."
        ),
    ] = _BadLines.report,
) -> None:
    """Translate sentences or word lattices, one per line, from standard input to standard output.

    A system that was trained with a tokenizer takes text as people write it, others take tokens. Lines are
    translated as they arrive, in order; an empty line stays empty.

    With --po, --xliff or --tmx, what is empty in such a file is filled and marked as a draft; what is
    translated is never changed.
    """
    from isogloss.decoder import SearchOptions, Terms, factor_names, load
    from isogloss.decoder.stream import arriving_batches, line_reader

    check_list(nbest, format)
    threads = thread_count(threads)
    if mbr is not None and (nbest > 1 or format is not OutputFormat.text):
        raise ConfigError("--mbr gives one translation of each sentence: leave out --nbest and --format")
    if mbr_list < 1 or not 0 <= mbr_scale < math.inf:
        raise ConfigError(
            f"--mbr-list must be at least 1 and --mbr-scale at least 0, got {mbr_list} and {mbr_scale}"
        )
    if time_limit is not None and not 0 < time_limit < math.inf:
        raise ConfigError(f"--time-limit must be above 0 seconds, got {time_limit}")
    if input is _Input.plf and (markup is _Switch.on or terms or factors):
        raise ConfigError("--markup, --terms and --factors are for sentences, not for lattices")
    if (local is None) != (memory is None):
        raise ConfigError("--local and --memory go together")
    retrieval = {"size": local_size, "min_similarity": local_similarity, "edit_share": local_edit_share}
    local_settings = (local_strength, local_report, local_dev, *retrieval.values())
    if local is None and any(value is not None for value in local_settings):
        raise ConfigError("options that begin with --local- need --local")
    if local is not None and input is _Input.plf:
        raise ConfigError("--local is for sentences, not for lattices")
    if (catalog is None) != (output is None) or (catalog is None and confidence is not None):
        raise ConfigError("--po, --xliff and --tmx go with --output, and --confidence with them")
    if catalog is not None and (
        input is _Input.plf
        or markup is _Switch.on
        or factors
        or tokenized
        or mbr
        or format is not OutputFormat.text
    ):
        raise ConfigError(
            "a catalog goes without --input, --markup, --factors, --tokenized, --mbr and --format"
        )
    loaded = load(system, weights=weights)
    text = None if tokenized else loaded.text
    if text is not None and (markup is _Switch.on or factors):
        raise ConfigError(
            "--markup and --factors are for tokens, and this system was trained with a tokenizer: "
            "give tokens and --tokenized"
        )
    read = line_reader(
        _STDIN,
        plf=input is _Input.plf,
        markup=markup is _Switch.on,
        factor_names=factor_names(factors) if factors is not None else (),
        terms=Terms.read(terms) if terms is not None else None,
        tokenize=None if text is None else text.tokenize,
    )
    changes = {
        "beam_size": beam_size,
        "pop_limit": pop_limit,
        "unknown": unknown and unknown.value,
        "unknown_mark": unknown_mark,
    }
    given = {name: value for name, value in changes.items() if value is not None}
    if given:
        options = SearchOptions.from_mapping({**asdict(loaded.options), **given})
        loaded = load(system, weights=weights, options=options)
    report = contextlib.ExitStack()
    if local is not None and memory is not None:
        update = {"strength": local_strength, "decodings": local_decodings}
        loaded = _with_local(loaded, local, memory, retrieval, update, local_dev, local_report, report)
    if catalog is not None and output is not None:
        from isogloss.cli.catalog import translate_catalog

        with report:
            translate_catalog(
                loaded,
                catalog,
                output,
                confidence=confidence,
                terms=Terms.read(terms) if terms is not None else None,
                threads=threads,
                languages=(source_language or "", target_language or ""),
            )
        return
    reported = Reported(_STDIN)
    batches = arriving_batches(
        _arriving(sys.stdin.buffer),
        _STDIN,
        read,
        size=_BATCH * threads,
        replace_invalid=replace_invalid,
        bad_line=reported if bad_lines is _BadLines.report else None,
    )
    choose = None
    if mbr is not None:
        from isogloss.learn.mbr import consensus_rows

        nbest = mbr_list
        choose = partial(consensus_rows, utility=mbr.value, scale=mbr_scale, threads=threads)
    translate_batch = partial(
        _pieces,
        loaded,
        format,
        text,
        choose=choose,
        nbest=nbest,
        threads=threads,
        max_words=max_words,
        time_limit=time_limit,
    )
    first = 0
    with report:
        for batch in console.track(batches, "batches"):
            for piece in translate_batch(batch, first):
                sys.stdout.write(piece)
            sys.stdout.flush()
            first += len(batch)
    reported.finish()


def _with_local(
    system: System,
    method: _Local,
    memory: str,
    retrieval: Mapping[str, float | None],
    update: Mapping[str, float | None],
    dev: str | None,
    report: str | None,
    open_files: contextlib.ExitStack,
) -> System:
    """The system with weights for each sentence; what happens goes into the report, if one is wanted."""
    from isogloss.adapt import LocallyTranslated, LocalSystem, LocalTranslator, Memory
    from isogloss.io.streams import atomic_output

    opened = Memory.open(memory, system)
    beside = None if dev is None else Memory.open(dev, system)
    translator = LocalTranslator(
        system,
        opened,
        opened.retrieval_options(method.value, **retrieval),
        opened.update_options(method.value, **update),
        dev=beside,
    )
    if report is None:
        return LocalSystem(translator)
    stream = open_files.enter_context(atomic_output(report))

    def watch(done: LocallyTranslated) -> None:
        stream.write(json.dumps(done.report(system.weights), ensure_ascii=False) + "\n")

    return LocalSystem(translator, watch)


class Reported:
    """Says which lines could not be read: the first few one by one, then how many there were."""

    def __init__(self, path: str) -> None:
        self._path, self._count = path, 0

    def __call__(self, error: DataFormatError) -> None:
        """Say it, or only count it."""
        self._count += 1
        if self._count <= _REPORTED_LINES:
            console.warn(str(error))

    def finish(self) -> None:
        """Fail if there was any."""
        if self._count:
            lines = "1 line" if self._count == 1 else f"{self._count:,} lines"
            raise DataFormatError(f"{lines} could not be read; the translation is empty there", self._path)


def _arriving(stream: BinaryIO) -> Iterator[bytes]:
    """What there is to read, without waiting for more: somebody may wait for an answer."""
    read = getattr(stream, "read1", stream.read)
    while chunk := read(_CHUNK):
        yield chunk


def _pieces(
    system: System,
    format: OutputFormat,
    text: TextProcessing | None,
    batch: list[Source],
    first: int,
    *,
    choose: Callable[[NbestStore], Int64] | None,
    nbest: int,
    **limits: Any,
) -> Iterator[str]:
    """The translations of a batch as text; the number of its first sentence is ``first``."""
    from isogloss.decoder import best_lines
    from isogloss.decoder.system import source_text
    from isogloss.nbest import jsonl, moses

    if format is OutputFormat.jsonl:
        store, derivations = system.explained(batch, nbest=nbest, **limits)
        numbered = replace(store, sentence_ids=store.sentence_ids + first)
        for entry, derivation in zip(jsonl.entries(numbered), derivations, strict=True):
            entry["derivation"] = [step._asdict() for step in derivation]
            yield json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n"
        return
    store = system.nbest(batch, nbest=nbest, **limits)
    if format is OutputFormat.moses:
        yield from moses.write(replace(store, sentence_ids=store.sentence_ids + first))
    else:
        lines = best_lines(store, batch, choose(store) if choose else None)
        if text is not None:
            lines = map(text.detokenize, lines, map(source_text, batch))
        yield from (line + "\n" for line in lines)
