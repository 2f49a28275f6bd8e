"""``isogloss oracle``: the best that a system could do, or how it would reach the references."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from isogloss.decoder import Searched
    from isogloss.metric import References

__all__ = ["oracle"]

_BATCH = 20  # sentences per thread


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
    format: Format = OutputFormat.text,
    weights: Weights = None,
    threads: Threads = 1,
    beam_size: BeamSize = None,
    pop_limit: PopLimit = None,
) -> None:
    """Find the translations a system could give that have the highest sentence BLEU, or that are references.

    Scores in lists are sentence BLEU from 0 to 1, or with --force the system's own.
    """
    from isogloss.decoder import SearchOptions, load
    from isogloss.io.streams import read_lines
    from isogloss.metric import References
    from isogloss.metric.references import check_length

    check_list(nbest, format)
    threads = thread_count(threads)
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


def _pieces(found: Searched, format: OutputFormat, first: int, count: int) -> Iterator[str]:
    """What was found for ``count`` sentences as text; the number of the first is ``first``."""
    from isogloss.nbest import jsonl, moses
    from isogloss.nbest.edit import best_rows

    store = replace(found.store, sentence_ids=found.store.sentence_ids + first)
    if format is OutputFormat.text:
        yield from (line + "\n" for line in found.store.lines(best_rows(found.store), count))
    elif format is OutputFormat.moses:
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
