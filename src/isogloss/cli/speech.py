"""``isogloss speech``: translate all that a recogniser may have heard, and choose."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli import console
from isogloss.cli.decoding import thread_count
from isogloss.cli.nbest import FormatName, _write, read_list
from isogloss.io.errors import ConfigError

if TYPE_CHECKING:
    from isogloss.cli.translate import Reported
    from isogloss.decoder import Lattice
    from isogloss.speech import Utterance

__all__ = ["speech"]


class _Input(StrEnum):
    nbest = "nbest"
    plf = "plf"
    text = "text"


def speech(
    system: Annotated[str, typer.Argument(metavar="DIR", help="System, as 'isogloss train' makes it.")],
    heard: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="What the recogniser heard: n-best list, word lattices or text; - is stdin."
        ),
    ],
    input: Annotated[
        _Input,
        typer.Option(
            help="nbest: a list with scores, in any format that 'isogloss nbest' reads; plf: a word lattice "
            "per line; text: a string per line."
        ),
    ] = _Input.nbest,
    hypotheses: Annotated[
        int, typer.Option(metavar="N", min=1, help="Strings of each utterance that are translated.")
    ] = 20,
    nbest: Annotated[int, typer.Option(metavar="N", min=1, help="Translations of each string.")] = 10,
    source_lm: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="Language model of the source language, which gives two more features."
        ),
    ] = None,
    scale: Annotated[
        float, typer.Option(metavar="X", help="P(string) ∝ exp(X · score), for confidences.")
    ] = 1.0,
    reranker: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="What 'isogloss rerank train' learned from such a list: it chooses, or orders the list.",
            show_default="the highest translation score plus confidence",
        ),
    ] = None,
    count: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Utterances, if the last of them are not in the n-best list.",
            show_default="as many as the list has",
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", metavar="FILE", help="Where to write; - is stdout.")
    ] = "-",
    to: Annotated[
        FormatName | None,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="Write all candidates with their features as an n-best list in this format.",
            show_default="the best translation of each utterance, a line each",
        ),
    ] = None,
    tokenized: Annotated[
        bool,
        typer.Option(
            "--tokenized", help="What was heard and what is written are tokens; lists always hold tokens."
        ),
    ] = False,
    threads: Annotated[
        int, typer.Option(metavar="N", help="Threads; 0 uses all processors. Results do not depend on it.")
    ] = 1,
) -> None:
    """Translate what a recogniser of speech heard: all strings of an utterance, one choice from the union.

    To translate lattices as such, see 'isogloss translate --input plf'. An utterance of which nothing was
    heard has an empty translation, so that lines match utterances.
    """
    from isogloss.cli.translate import Reported
    from isogloss.decoder import load
    from isogloss.io.streams import atomic_output
    from isogloss.nbest.edit import best_rows
    from isogloss.rerank import Reranker
    from isogloss.speech import SpeechOptions, best_lines, translate_speech

    threads = thread_count(threads)
    if count is not None and input is not _Input.nbest:
        raise ConfigError("--count is for n-best lists: other input has a line for each utterance")
    options = SpeechOptions(nbest=nbest, scale=scale, source_lm=source_lm)
    model = None if reranker is None else Reranker.load(reranker)
    loaded = load(system)
    reported = Reported(heard)
    utterances = _read(heard, input, hypotheses, count, reported)
    store = translate_speech(
        loaded, utterances, options, tokenized=tokenized, threads=threads, track=console.track
    )
    if model is not None:
        source = [list(utterance[0].words) if utterance else [] for utterance in utterances]
        store = model.rerank(store, source=source, threads=threads).store
    if to is not None:
        _write(store, output, to)
    else:
        with atomic_output(output) as stream:
            lines = best_lines(store, best_rows(store), len(utterances), loaded, tokenized=tokenized)
            stream.writelines(line + "\n" for line in lines)
    reported.finish()


def _read(
    path: str, input: _Input, hypotheses: int, count: int | None, reported: Reported
) -> list[Utterance]:
    from isogloss.decoder import Lattice, parse_plf
    from isogloss.io.errors import DataFormatError
    from isogloss.io.streams import read_lines
    from isogloss.speech import lattice_utterances, list_utterances, text_utterances

    if input is _Input.nbest:
        return list_utterances(read_list(path, None), hypotheses, count)
    if input is _Input.text:
        return text_utterances(read_lines(path))

    def lattice(line: str, number: int) -> Lattice:
        try:
            return parse_plf(line, path, number)
        except DataFormatError as error:
            reported(error)
            return Lattice(1, ())

    lines = enumerate(console.track(read_lines(path), "lattices"), start=1)
    return lattice_utterances((lattice(line, number) for number, line in lines), hypotheses)
