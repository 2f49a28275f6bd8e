"""``isogloss speech``: translate all hypotheses of a speech recognizer and choose the best translation."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from isogloss.cli import console
from isogloss.cli.declared import Changes, declares, heading
from isogloss.cli.translate import Reported
from isogloss.decoder import SearchOptions, load
from isogloss.io.config import Settings
from isogloss.io.resources import Threads
from isogloss.io.streams import atomic_output
from isogloss.nbest import FormatName, best_rows, write_nbest
from isogloss.rerank import Reranker
from isogloss.speech import (
    HeardOptions,
    SpeechOptions,
    best_hypotheses,
    read_heard,
    spoken_lines,
    translate_speech,
)

__all__ = ["speech"]

_GROUPS = {
    "Input": ("input", "hypotheses", "count", "tokenized"),
    "Search": ("nbest",),
    "Choice": ("scale", "source_lm"),
    "Resources": ("threads",),
}


@declares(
    _GROUPS,
    options=HeardOptions,
    translation=SpeechOptions,
    search=Changes(SearchOptions, "the system's"),
    resources=Threads,
)
def speech(
    engine: Annotated[str, Parameter(help="Folder of the engine, as written by 'isogloss train'.")],
    heard: Annotated[
        str,
        Parameter(help="Output of the recognizer: n-best list, word lattices or text; - is standard input."),
    ],
    /,
    *,
    options: HeardOptions,
    translation: SpeechOptions,
    search: Settings,
    resources: Threads,
    reranker: Annotated[
        str | None,
        Parameter(
            metavar="FOLDER",
            group=heading("Choice"),
            help="Rerank the translations with this model, trained by 'isogloss rerank train' on such a "
            "list. By default, the highest sum of translation score and confidence wins.",
        ),
    ] = None,
    output: Annotated[
        str,
        Parameter(
            name=["--output", "-o"],
            metavar="FILE",
            group=heading("Output"),
            help="File to write; - is standard output.",
        ),
    ] = "-",
    to: Annotated[
        FormatName | None,
        Parameter(
            metavar="NAME",
            group=heading("Output"),
            help="Write all candidates with their features as an n-best list in this format. By default, "
            "writes the best translation of each utterance, one per line.",
        ),
    ] = None,
) -> None:
    """Translate the output of a speech recognizer, using all its hypotheses.

    Translates every hypothesis of an utterance and chooses the best of all translations. If the recognizer
    has no hypothesis for an utterance, its line is empty. To decode word lattices directly, use 'isogloss
    translate --input plf'.
    """
    model = None if reranker is None else Reranker.load(reranker)
    system = load(engine, changes=search, corrections=True)
    reported = Reported(heard)
    utterances = read_heard(
        heard,
        options,
        bad_line=reported,
        warn=console.warn,
        track=console.track,
        watch=lambda chunks: console.track_bytes(chunks, f"reading {heard}"),
    )
    store = translate_speech(
        system,
        utterances,
        translation,
        tokenized=options.tokenized,
        threads=resources.count,
        track=console.track,
    )
    if model is not None:
        store = model.rerank(store, source=best_hypotheses(utterances), threads=resources.count).store
    if to is not None:
        write_nbest(store, output, format=to, warn=console.warn)
        console.note(f"{output}: {store.num_candidates:,} candidates of {store.num_sentences:,} sentences")
    else:
        with atomic_output(output) as stream:
            lines = spoken_lines(
                store, best_rows(store), len(utterances), system, tokenized=options.tokenized
            )
            stream.writelines(line + "\n" for line in lines)
    reported.finish()
