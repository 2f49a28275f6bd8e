"""Completions as the service answers with them."""

from __future__ import annotations

from isogloss.decoder.completion import first_word
from isogloss.serve.engines import Engine
from isogloss.serve.schemas import Alternative, CompleteAnswer, CompleteRequest

__all__ = ["completed_text"]


def completed_text(engine: Engine, request: CompleteRequest) -> CompleteAnswer:
    """How the translation of a request goes on."""
    terms = engine.known_terms()
    source = engine.source(request.source, terms=[] if terms is None else [terms])
    found = engine.system().complete(source, request.typed, count=1 + request.alternatives)
    best = found[0]
    return CompleteAnswer(
        system=engine.name,
        completion=best.completion,
        text=best.text,
        next_word=first_word(best.completion),
        match=best.match,
        edits=best.edits,
        alternatives=[
            Alternative(text=first_word(one.completion), completion=one.completion, score=one.score)
            for one in found[1:]
        ],
    )
