"""Routes: translate, translate as a stream of events, explain, complete."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from isogloss.serve.completing import completed_text
from isogloss.serve.engines import Engine
from isogloss.serve.jobs import Job
from isogloss.serve.refusals import RefusedError, error_body
from isogloss.serve.schemas import (
    CompleteAnswer,
    CompleteRequest,
    ExplainAnswer,
    ExplainRequest,
    TranslateAnswer,
    TranslatedText,
    TranslateRequest,
)
from isogloss.serve.service import Service
from isogloss.serve.translating import explained_text, translated_texts

__all__ = ["translate_routes"]

_STEP = 16  # texts of a stream that are translated together


def translate_routes(service: Service) -> APIRouter:
    """The routes of translation."""
    routes = APIRouter(tags=["translate"])

    @routes.post("/v1/translate", summary="Translate one text or many", response_model_exclude_none=True)
    async def translate(request: TranslateRequest) -> TranslateAnswer:
        texts = [request.text] if isinstance(request.text, str) else request.text
        service.check_texts(texts)

        def work(engine: Engine, job: Job) -> TranslateAnswer:
            found = list(translated_texts(engine, request, texts, job))
            return TranslateAnswer(system=engine.name, translations=found)

        answer = await service.run(request.system, work)
        service.counters.add("sentences", len(texts))
        return answer

    @routes.post(
        "/v1/translate/stream",
        summary="Translate many texts, as a stream of events",
        description="Server-sent events: `translation` with a number and a translation, `progress` with "
        "`done` and `total`, and at the end `done`, or `error`.",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {}}, "description": "Events"}},
    )
    async def stream(request: TranslateRequest) -> StreamingResponse:
        texts = [request.text] if isinstance(request.text, str) else request.text
        service.check_texts(texts, service.options.long_batch)
        engine = service.engines.named(request.system)
        return StreamingResponse(
            _events(service, engine, request, texts), media_type="text/event-stream", headers=_NOT_STORED
        )

    @routes.post("/v1/explain", summary="Show why a text got its translation")
    async def explain(request: ExplainRequest) -> ExplainAnswer:
        service.check_texts([request.text])
        return await service.run(request.system, lambda engine, job: explained_text(engine, request))

    @routes.post("/v1/complete", summary="Complete a translation that somebody has begun to type")
    async def complete(request: CompleteRequest) -> CompleteAnswer:
        service.check_texts([request.source, request.typed])
        return await service.run(request.system, lambda engine, job: completed_text(engine, request))

    return routes


_NOT_STORED = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


async def _events(
    service: Service, engine: Engine, request: TranslateRequest, texts: list[str]
) -> AsyncIterator[bytes]:
    end = asyncio.get_running_loop().time() + service.options.long_seconds
    try:
        for begin in range(0, len(texts), _STEP):
            batch = texts[begin : begin + _STEP]
            left = end - asyncio.get_running_loop().time()

            def work(job: Job, batch: list[str] = batch) -> list[TranslatedText]:
                return list(translated_texts(engine, request, batch, job))

            found = await service.work(work, seconds=max(left, 0.001))
            service.counters.add("sentences", len(batch))
            for number, answer in enumerate(found, start=begin):
                body = answer.model_dump(exclude_none=True)
                yield _event("translation", {"number": number, **body})
            yield _event("progress", {"done": begin + len(batch), "total": len(texts)})
        yield _event("done", {"total": len(texts)})
    except RefusedError as refused:
        yield _event("error", error_body(refused.code, refused.message)["error"])


def _event(name: str, data: object) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
