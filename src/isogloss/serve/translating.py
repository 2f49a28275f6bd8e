"""Translate, explain and complete the texts of requests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from isogloss.decoder import Source, System, Terms, Translation
from isogloss.decoder.translator import source_text
from isogloss.serve.engines import Engine
from isogloss.serve.jobs import Job
from isogloss.serve.schemas import (
    CandidateText,
    ExplainAnswer,
    ExplainRequest,
    FeaturePoints,
    TranslatedText,
    TranslateRequest,
    TranslationDetails,
)
from isogloss.serve.spans import token_spans, with_placeholders

__all__ = ["explained_text", "translated_texts"]


def translated_texts(
    engine: Engine, request: TranslateRequest, texts: Sequence[str], job: Job
) -> Iterator[TranslatedText]:
    """Translate texts as a request asks, in order."""
    system = engine.weighted(request.weights) if request.weights else engine.system()
    if not request.matches:
        system = System(system.decoder, system.path, system.text)
    terms = _terms(engine, request)
    how = {"tokenized": request.tokenized, "markup": request.markup}
    sources = [engine.source(text, terms=terms, **how) for text in texts]
    found = system.translate(sources, time_limit=request.time_limit, tokenized=request.tokenized)
    for text, source, translation in zip(texts, sources, found, strict=True):
        job.check()
        answer = TranslatedText(
            source=text,
            text=str(translation),
            confidence=translation.confidence,
            score=translation.score,
            match=translation.match,
        )
        if request.nbest > 1:
            answer.candidates = _candidates(system, source, translation, request)
        if request.details:
            answer.details = _details(system, translation, source_text(source) or text, request.tokenized)
        yield answer


def _terms(engine: Engine, request: TranslateRequest) -> list[Terms]:
    """The terms of a request, or those that are stored with the engine."""
    processing = None if request.tokenized else engine.system().text
    if request.terms is not None:
        pairs = [(row.term, row.translation) for row in request.terms]
        return [Terms.of(pairs, processing, ignore_case=request.ignore_case)] if pairs else []
    stored = None if request.tokenized else engine.known_terms()
    return [] if stored is None else [stored]


def _candidates(
    system: System, source: Source, translation: Translation, request: TranslateRequest
) -> list[CandidateText]:
    processing = None if request.tokenized else system.text
    given = processing.tokenize(source) if processing is not None and isinstance(source, str) else source
    store = system.nbest([given], nbest=request.nbest, time_limit=request.time_limit)
    found = [CandidateText(text=str(translation), score=translation.score)]
    for line, score in zip(store.texts(), store.scores.tolist(), strict=True):
        text = line if processing is None else processing.detokenize(line, source_text(source))
        if all(text != one.text for one in found):
            found.append(CandidateText(text=text, score=score))
    return found[: request.nbest]


def _details(system: System, translation: Translation, text: str, tokenized: bool) -> TranslationDetails:
    processing = None if tokenized else system.text
    source_tokens, tokens = translation.source_tokens, translation.tokens
    return TranslationDetails(
        source_tokens=list(source_tokens),
        tokens=list(tokens),
        source_spans=token_spans(text, source_tokens, processing, text),
        spans=token_spans(str(translation), tokens, processing, text),
        alignment=list(translation.alignment),
        unknown=list(translation.unknown),
    )


def explained_text(engine: Engine, request: ExplainRequest) -> ExplainAnswer:
    """Why a text got its translation from the search."""
    system = engine.system()
    found = system.explain(request.text, tokenized=request.tokenized)
    facts = found.to_dict()
    text = None if request.tokenized else system.text
    second = None if found.second is None or text is None else text.detokenize(found.second, request.text)
    return ExplainAnswer(
        system=engine.name,
        second_text=found.second if second is None else second,
        **{
            **{name: value for name, value in facts.items() if name in ExplainAnswer.model_fields},
            "source": with_placeholders(facts["source"], request.text, text),
            "translation": with_placeholders(facts["translation"], request.text, text),
            "derivation": [
                step
                | {side: with_placeholders(step[side], request.text, text) for side in ("source", "target")}
                for step in facts["derivation"]
            ],
            "dense": _strongest(facts["dense"], request.strongest),
            "sparse": _strongest(facts["sparse"], request.strongest),
        },
    )


def _strongest(rows: Sequence[dict[str, float]], most: int) -> list[FeaturePoints]:
    """The features that decided most, here or against the second best."""
    ordered = sorted(rows, key=lambda row: -max(abs(row["points"]), abs(row["advantage"])))
    return [FeaturePoints.model_validate(row) for row in ordered[:most]]
