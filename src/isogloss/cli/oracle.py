"""``isogloss oracle``: the best that a system could do, or how it would reach the references."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli import console
from isogloss.errors import ConfigError

if TYPE_CHECKING:
    from isogloss.metric import References
    from isogloss.search import Searched

__all__ = ["oracle"]

_BATCH = 20  # sentences per thread


class _Format(StrEnum):
    text = "text"
    moses = "moses"
    jsonl = "jsonl"


def oracle(
    system: Annotated[
        str, typer.Argument(metavar="DIR", help="Stored system, as 'isogloss system create' makes it.")
    ],
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Tokenised sentences, one per line.")],
    reference: Annotated[
        list[str],
        typer.Option(
            metavar="FILE", help="Tokenised reference translations, one per line; once per translator."
        ),
    ],
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Find the best derivations, by the system's own weights, that give exactly a reference; a "
            "sentence without any stays empty.",
        ),
    ] = False,
    nbest: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Translations of each sentence, all different; with --force: derivations of a reference.",
        ),
    ] = 1,
    format: Annotated[
        _Format,
        typer.Option(
            help="text: the best translation, a line per sentence; moses: n-best list; jsonl: n-best list, a "
            "JSON object per translation with score, features, word alignment and derivation."
        ),
    ] = _Format.text,
    weights: Annotated[
        str | None, typer.Option(metavar="FILE", help="Weights to use instead of the system's own.")
    ] = None,
    threads: Annotated[
        int,
        typer.Option(metavar="N", help="Threads; 0 uses all processors. Results do not depend on it."),
    ] = 1,
    beam_size: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Hypotheses kept per number of covered words; 0 keeps all.",
            show_default="the system's",
        ),
    ] = None,
    pop_limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Extensions tried per number of covered words; 0 tries all.",
            show_default="the system's",
        ),
    ] = None,
) -> None:
    """Find the translations a system could give that have the highest sentence BLEU, or that are references.

    Scores in lists are sentence BLEU from 0 to 1, or with --force the system's own.
    """
    from isogloss.corpus.streams import read_lines
    from isogloss.metric import References
    from isogloss.metric.references import check_length
    from isogloss.search import SearchOptions, load

    if nbest < 1:
        raise ConfigError(f"--nbest must be at least 1, got {nbest}")
    if nbest > 1 and format is _Format.text:
        raise ConfigError("--nbest above 1 needs --format moses or jsonl")
    if threads < 0:
        raise ConfigError(f"--threads must be at least 0, got {threads}")
    threads = threads or os.cpu_count() or 1
    sentences = list(read_lines(source))
    references = References.read(reference)
    check_length(source, len(sentences), reference[0], len(references))
    loaded = load(system, weights=weights)
    limits = {"beam_size": beam_size, "pop_limit": pop_limit}
    given = {name: value for name, value in limits.items() if value is not None}
    if given:
        options = SearchOptions.from_mapping({**asdict(loaded.options), **given})
        loaded = load(system, weights=weights, options=options)
    search = loaded.decoder.force if force else loaded.decoder.oracle
    size = _BATCH * threads
    best: dict[int, str] = {}
    for begin in console.track(range(0, len(sentences), size), "batches"):
        batch = sentences[begin : begin + size]
        texts = [references.of(number) for number in range(begin, begin + len(batch))]
        found = search(batch, texts, nbest=nbest, threads=threads)
        for piece in _pieces(found, format, begin, len(batch)):
            sys.stdout.write(piece)
        for sentence in range(found.store.num_sentences):
            number = begin + int(found.store.sentence_ids[sentence])
            best[number] = found.store.text(found.store.rows_of(sentence)[0])
    console.note(_summary(best, references, force=force))


def _pieces(found: Searched, format: _Format, first: int, count: int) -> Iterator[str]:
    """What was found for ``count`` sentences as text; the number of the first is ``first``."""
    from isogloss.nbest import jsonl, moses
    from isogloss.nbest.edit import best_rows

    store = replace(found.store, sentence_ids=found.store.sentence_ids + first)
    if format is _Format.text:
        yield from (line + "\n" for line in found.store.lines(best_rows(found.store), count))
    elif format is _Format.moses:
        yield from moses.write(store)
    else:
        for entry, derivation in zip(jsonl.entries(store), found.derivations, strict=True):
            entry["derivation"] = [step._asdict() for step in derivation]
            yield json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n"


def _summary(best: dict[int, str], references: References, *, force: bool) -> str:
    from isogloss.metric import Bleu

    if force:
        return f"{len(best):,} of {len(references):,} sentences reach a reference"
    metric = Bleu()
    lines = [best.get(number, "") for number in range(len(references))]
    bleu = metric.score(metric.statistics(lines, references).sum(axis=0))
    return f"BLEU of the best translations as a document: {bleu:.2f}"
