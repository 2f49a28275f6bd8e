"""Translate a stream of lines as they arrive."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Annotated, Any, Literal

from isogloss.corpus.processing import TextProcessing
from isogloss.decoder.decoder import DEFAULT_MAX_WORDS
from isogloss.decoder.factors import factor_names, parse_factors
from isogloss.decoder.keeping import fixed_marks, lines_without_marks, with_marks
from isogloss.decoder.markup import parse_markup
from isogloss.decoder.plf import parse_plf
from isogloss.decoder.sentence import Sentence, Source
from isogloss.decoder.system import System
from isogloss.decoder.terms import Terms
from isogloss.decoder.translator import best_lines, source_text
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.options import Above, AtLeast, DefaultText, Options
from isogloss.io.streams import StrPath, split_chunks
from isogloss.nbest import jsonl, moses
from isogloss.nbest.edit import best_rows
from isogloss.nbest.store import Int64, NbestStore

__all__ = ["InputOptions", "OutputOptions", "ReadLine", "arriving_batches", "line_reader", "written"]

_BATCH = 50  # inputs per thread


@dataclass(frozen=True, slots=True, kw_only=True)
class InputOptions(Options):
    """How to read the lines."""

    input: Literal["text", "plf"] = "text"
    """Format of a line: ``text`` for a sentence, ``plf`` for a word lattice."""
    tokenized: bool = False
    """Read and write tokens separated by spaces, even if the system was trained with a tokenizer."""
    markup: bool = False
    """Read ``<t translation="...">words</t>`` as a given translation and ``<t>words</t>`` as words to keep.
    The characters < > & " are then written ``&lt; &gt; &amp; &quot;``. Needs tokenized input."""
    terms: StrPath | None = None
    """Terminology file: term and translation in a TSV, CSV or TBX file."""
    terms_ignore_case: bool = False
    """Ignore case when looking for terms."""
    factors: str = ""
    """Names of the factors that follow each word (word|POS|...), separated by commas; or the number of
    factors."""
    replace_invalid: bool = False
    """Replace bytes that are not valid UTF-8 with U+FFFD. By default, such a line cannot be read."""
    bad_lines: Literal["report", "stop"] = "report"
    """What to do with lines that cannot be read. ``report`` leaves the translation empty, continues, and
    exits with code 2 at the end; ``stop`` stops at the first one."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.input == "plf" and (self.markup or self.terms or self.factors):
            raise ConfigError("markup, terms and factors cannot be used with lattices")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions(Options):
    """What to write for each line, and limits."""

    nbest: Annotated[int, AtLeast(1)] = 1
    """Number of different translations to write for each sentence. More than 1 needs format ``moses`` or
    ``jsonl``."""
    format: Literal["text", "moses", "jsonl"] = "text"
    """``text``: the best translation; ``moses``: an n-best list; ``jsonl``: one JSON object per translation
    with score, features, word alignment and derivation."""
    max_words: Annotated[int, AtLeast(1)] = DEFAULT_MAX_WORDS
    """Translate longer sentences in windows of at most this many words."""
    time_limit: Annotated[float | None, Above(0), DefaultText("none")] = None
    """Seconds per sentence after which the search takes shortcuts to finish. Results then vary from run to
    run."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.nbest > 1 and self.format == "text":
            raise ConfigError("nbest above 1 needs format moses or jsonl")


ReadLine = Callable[[str, int], Source]
"""Parses a line with its number; raises DataFormatError."""


def line_reader(path: StrPath, options: InputOptions, text: TextProcessing | None) -> ReadLine:
    """A function that reads the lines of a file: lattices, or sentences with markup, factors and terms.

    ``text`` tokenizes sentences; without it they are tokens, and only then may have markup or factors.
    """
    if text is not None and (options.markup or options.factors):
        raise ConfigError(
            "markup and factors need tokenized input, but this system was trained with a tokenizer; give "
            "tokens and set `tokenized`"
        )
    names = factor_names(options.factors) if options.factors else ()
    terms = None
    if options.terms is not None:
        terms = Terms.read(options.terms, text, ignore_case=options.terms_ignore_case)

    def sentence(line: str, number: int) -> Sentence:
        if options.markup:
            return parse_markup(line, factor_names=names, path=path, number=number)
        if names:
            return parse_factors(line, names, path=path, number=number)
        return Sentence.of(line) if text is None else Sentence.of(text.tokenize(line), text=line)

    if options.input == "plf":
        return lambda line, number: parse_plf(line, path, number)
    if terms is not None:
        return lambda line, number: terms.apply(sentence(line, number))
    return sentence


def arriving_batches(
    chunks: Iterable[bytes],
    path: StrPath,
    read: ReadLine,
    *,
    threads: int = 1,
    replace_invalid: bool = False,
    bad_line: Callable[[DataFormatError], None] | None = None,
    first: int = 0,
) -> Iterator[list[Source]]:
    """Yield batches of inputs, large enough for all threads, as soon as lines are complete.

    So a client that writes one line and waits gets its answer. ``bad_line`` is called for a line that cannot
    be read, which becomes empty; without ``bad_line``, the inputs before it are yielded and the error is
    raised. ``first`` is the number of lines before these.
    """
    number, size = first, _BATCH * threads
    for lines in split_chunks(chunks, path, allow_zero=True):
        batch: list[Source] = []
        for line in lines:
            number += 1
            try:
                batch.append(read(_text(line, path, number, replace_invalid), number))
            except DataFormatError as error:
                if bad_line is None:
                    if batch:
                        yield batch
                    raise
                bad_line(error)
                batch.append("")
            if len(batch) == size:
                yield batch
                batch = []
        if batch:
            yield batch


def written(
    system: System,
    batch: list[Source],
    options: OutputOptions,
    *,
    first: int = 0,
    text: TextProcessing | None = None,
    choose: Callable[[NbestStore], Int64] | None = None,
    nbest: int | None = None,
    threads: int = 1,
) -> Iterator[str]:
    """Translate a batch and yield its output; ``first`` is the number of its first sentence.

    ``choose`` selects the best of ``nbest`` translations (by default, as many as are written). Where a
    translation is known already, that is the text; n-best lists are search output, and JSON has both.
    """
    size = nbest or options.nbest
    limits: dict[str, Any] = {"max_words": options.max_words, "time_limit": options.time_limit}
    if options.format == "moses":
        store = system.nbest(batch, nbest=size, threads=threads, **limits)
        yield from moses.write(replace(store, sentence_ids=store.sentence_ids + first))
        return
    matches = [system.match(item, tokenized=text is None) for item in batch]
    if options.format == "jsonl":
        store, derivations = system.explained(batch, nbest=size, threads=threads, **limits)
        nearest = system.near_matches(batch, store, best_rows(store), threads=threads)
        numbered = replace(store, sentence_ids=store.sentence_ids + first)
        for entry, derivation in zip(jsonl.entries(numbered), derivations, strict=True):
            entry["derivation"] = [step._asdict() for step in derivation]
            at = entry["sentence"] - first
            if (match := matches[at]) is not None:
                entry["match"] = match._asdict()
            elif (near := nearest[at]) is not None:
                line = near.line if text is None else text.detokenize(near.line, source_text(batch[at]))
                entry["match"] = {"text": line, "kind": "near", "example": near.example.to_dict()}
            yield json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n"
        return
    given = [item for item, match in zip(batch, matches, strict=True) if match is None]
    lines: list[str] = []
    if given:
        store = system.nbest(given, nbest=size, threads=threads, **limits)
        lines = list(best_lines(store, given, choose(store) if choose else None))
        near = [] if choose else system.near_matches(given, store, best_rows(store), threads=threads)
        lines = [match.line if match else line for line, match in zip_longest(lines, near)]
    if text is not None:
        wrong = lines_without_marks(given, lines)
        again: list[Source] = [fixed_marks(given[at]) for at in wrong]
        if again:
            store = system.nbest(again, nbest=1, threads=threads, **limits)
            for at, line in zip(wrong, best_lines(store, again), strict=True):
                lines[at] = with_marks(given[at], line)
        lines = list(map(text.detokenize, lines, map(source_text, given)))
    searched = iter(lines)
    for match in matches:
        yield (next(searched) if match is None else match.text) + "\n"


def _text(line: bytes, path: StrPath, number: int, replace_invalid: bool) -> str:
    if (zero := line.find(b"\0")) >= 0:
        raise DataFormatError(f"contains a NUL byte at column {zero + 1}", path, number)
    try:
        text = line.decode("utf-8", "replace" if replace_invalid else "strict")
    except UnicodeDecodeError as error:
        raise DataFormatError(
            f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not valid UTF-8",
            path,
            number,
            "use --replace-invalid to replace such bytes with U+FFFD",
        ) from None
    return text.removeprefix("\ufeff") if number == 1 else text
