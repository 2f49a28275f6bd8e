"""Lines to translate, as they arrive on a stream, and what is written for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from isogloss.corpus.processing import TextProcessing
from isogloss.decoder.decoder import DEFAULT_MAX_WORDS
from isogloss.decoder.factors import factor_names, parse_factors
from isogloss.decoder.markup import parse_markup
from isogloss.decoder.plf import parse_plf
from isogloss.decoder.sentence import Sentence, Source
from isogloss.decoder.system import System, best_lines, source_text
from isogloss.decoder.terms import Terms
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.options import Above, AtLeast, DefaultText, Options
from isogloss.io.streams import StrPath, split_chunks
from isogloss.nbest import jsonl, moses
from isogloss.nbest.store import Int64, NbestStore

__all__ = ["InputOptions", "OutputOptions", "ReadLine", "arriving_batches", "line_reader", "written"]

_BATCH = 50  # inputs per thread


@dataclass(frozen=True, slots=True, kw_only=True)
class InputOptions(Options):
    """How lines to translate are read."""

    input: Literal["text", "plf"] = "text"
    """What a line is: ``text`` for a sentence, ``plf`` for a word lattice."""
    tokenized: bool = False
    """Take and give tokens separated by spaces, even if the system was trained with a tokenizer."""
    markup: bool = False
    """Read ``<t translation="...">words</t>`` as a given translation and ``<t>words</t>`` as words to keep.
    Then ``&lt; &gt; &amp; &quot;`` stand for characters. Needs tokens."""
    terms: StrPath | None = None
    """Terminology file: term TAB translation, one per line."""
    factors: str = ""
    """Names of the factors that come with each word (word|POS|...), separated by commas, or how many there
    are."""
    replace_invalid: bool = False
    """Replace bytes that are not UTF-8 with U+FFFD; otherwise such a line is bad."""
    bad_lines: Literal["report", "stop"] = "report"
    """What to do with lines that cannot be read. ``report`` leaves their translation empty, goes on, and ends
    with exit code 2; ``stop`` ends at the first."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.input == "plf" and (self.markup or self.terms or self.factors):
            raise ConfigError("markup, terms and factors are for sentences, not for lattices")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions(Options):
    """What is written for each line, and how long it may take."""

    nbest: Annotated[int, AtLeast(1)] = 1
    """Translations to give for each sentence, all different. More than 1 needs format ``moses`` or
    ``jsonl``."""
    format: Literal["text", "moses", "jsonl"] = "text"
    """``text``: the best translation; ``moses``: an n-best list; ``jsonl``: one JSON object per translation
    with score, features, word alignment and derivation."""
    max_words: Annotated[int, AtLeast(1)] = DEFAULT_MAX_WORDS
    """Translate longer sentences in windows of at most this many words."""
    time_limit: Annotated[float | None, Above(0), DefaultText("none")] = None
    """Seconds per sentence after which it is finished quickly. Results then vary from run to run."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.nbest > 1 and self.format == "text":
            raise ConfigError("nbest above 1 needs format moses or jsonl")


ReadLine = Callable[[str, int], Source]
"""What a line with a number is; raises DataFormatError."""


def line_reader(path: StrPath, options: InputOptions, text: TextProcessing | None) -> ReadLine:
    """How to read the lines of a file: lattices, or sentences with any of markup, factors and terms.

    Sentences are tokenized by ``text``; without it they are tokens, and only then may have markup or factors.
    """
    if text is not None and (options.markup or options.factors):
        raise ConfigError(
            "markup and factors are for tokens, and this system was trained with a tokenizer: give tokens, "
            "with tokenized"
        )
    names = factor_names(options.factors) if options.factors else ()
    terms = None if options.terms is None else Terms.read(options.terms)

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
) -> Iterator[list[Source]]:
    """Yield what is to be translated, enough for all threads at a time, as soon as lines are complete.

    Whoever writes line by line and waits for an answer gets one. A line that cannot be read is told to
    ``bad_line`` and is empty; without ``bad_line``, what comes before it is yielded and the error raised.
    """
    number, size = 0, _BATCH * threads
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
    """Translate a batch and yield what is written for it; the number of its first sentence is ``first``.

    Of ``nbest`` translations (by default those that are written), ``choose`` says which is the best. Where
    the translation is known already, text is that; lists are what the search finds, and JSON says both.
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
        numbered = replace(store, sentence_ids=store.sentence_ids + first)
        for entry, derivation in zip(jsonl.entries(numbered), derivations, strict=True):
            entry["derivation"] = [step._asdict() for step in derivation]
            if (match := matches[entry["sentence"] - first]) is not None:
                entry["match"] = match._asdict()
            yield json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n"
        return
    given = [item for item, match in zip(batch, matches, strict=True) if match is None]
    lines: Iterator[str] = iter(())
    if given:
        store = system.nbest(given, nbest=size, threads=threads, **limits)
        lines = best_lines(store, given, choose(store) if choose else None)
    if text is not None:
        lines = map(text.detokenize, lines, map(source_text, given))
    for match in matches:
        yield (next(lines) if match is None else match.text) + "\n"


def _text(line: bytes, path: StrPath, number: int, replace_invalid: bool) -> str:
    if (zero := line.find(b"\0")) >= 0:
        raise DataFormatError(f"a zero byte at column {zero + 1}, which is no text", path, number)
    try:
        text = line.decode("utf-8", "replace" if replace_invalid else "strict")
    except UnicodeDecodeError as error:
        raise DataFormatError(
            f"byte 0x{line[error.start]:02x} at column {error.start + 1} is not valid UTF-8",
            path,
            number,
            "--replace-invalid writes U+FFFD for such bytes",
        ) from None
    return text.removeprefix("\ufeff") if number == 1 else text
