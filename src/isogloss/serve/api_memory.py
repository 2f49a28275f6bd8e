"""Routes: corrections, memory, terms."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Path, Query

from isogloss.decoder import Correction
from isogloss.io.errors import ConfigError
from isogloss.serve.engines import Engine
from isogloss.serve.jobs import Job
from isogloss.serve.refusals import RefusedError
from isogloss.serve.schemas import (
    CorrectionList,
    CorrectionRequest,
    CorrectionRow,
    MemoryAnswer,
    MemoryRequest,
    MemoryRow,
    TermEntry,
    TermList,
    TermRequest,
)
from isogloss.serve.service import Service

__all__ = ["memory_routes"]

System = Query(None, description="Name of a system; by default the first one.", max_length=64)


def memory_routes(service: Service) -> APIRouter:
    """The routes of what people teach the engine."""
    routes = APIRouter()

    @routes.get("/v1/corrections", tags=["correct"], summary="List the corrections that hold")
    async def list_corrections(
        system: str | None = System,
        search: str = Query("", max_length=500, description="Only those whose texts contain this."),
        limit: int = Query(200, ge=1, le=5000),
    ) -> CorrectionList:
        def work(engine: Engine, job: Job) -> CorrectionList:
            wanted = search.casefold()
            rows = [
                _row(one)
                for one in reversed(engine.system().corrections())
                if wanted in one.source.casefold() or wanted in one.target.casefold()
            ]
            return CorrectionList(
                system=engine.name,
                total=len(rows),
                note=engine.system().why_no_phrases,
                corrections=rows[:limit],
            )

        return await service.run(system, work)

    @routes.post(
        "/v1/corrections",
        tags=["correct"],
        summary="Correct a translation",
        description="The correction is stored before the answer. It holds from the next request on, in every "
        "worker and in `isogloss translate`.",
    )
    async def correct(request: CorrectionRequest) -> CorrectionRow:
        service.check_writable()
        service.check_texts([request.source, request.target])
        return await service.run(
            request.system, lambda engine, job: _row(engine.system().correct(request.source, request.target))
        )

    @routes.delete("/v1/corrections/{number}", tags=["correct"], summary="Take a correction back")
    async def undo(number: int = Path(ge=1, le=2**53), system: str | None = System) -> CorrectionRow:
        service.check_writable()

        def work(engine: Engine, job: Job) -> CorrectionRow:
            try:
                return _row(engine.system().undo_correction(number))
            except ConfigError:
                raise RefusedError(404, "unknown_correction", f"there is no correction {number}") from None

        return await service.run(system, work)

    @routes.post("/v1/memory/search", tags=["memory"], summary="Find the examples nearest to a text")
    async def search_memory(request: MemoryRequest) -> MemoryAnswer:
        service.check_texts([request.text])

        def work(engine: Engine, job: Job) -> MemoryAnswer:
            engine.system()
            found = engine.examples.search(request.text, request.size, at_least=request.min_similarity)
            rows = [MemoryRow.model_validate(asdict(one)) for one in found]
            return MemoryAnswer(system=engine.name, examples=rows)

        return await service.run(request.system, work)

    @routes.get("/v1/terms", tags=["terms"], summary="List the stored terms")
    async def list_terms(system: str | None = System) -> TermList:
        return await service.run(system, lambda engine, job: _terms(engine))

    @routes.post("/v1/terms", tags=["terms"], summary="Store a term, or change its translation")
    async def set_term(request: TermRequest) -> TermList:
        service.check_writable()
        service.check_texts([request.term, request.translation or ""])

        def work(engine: Engine, job: Job) -> TermList:
            engine.set_term(request.term, request.translation)
            return _terms(engine)

        return await service.run(request.system, work)

    @routes.delete("/v1/terms", tags=["terms"], summary="Remove a stored term")
    async def remove_term(
        term: str = Query(min_length=1, max_length=500), system: str | None = System
    ) -> TermList:
        service.check_writable()

        def work(engine: Engine, job: Job) -> TermList:
            if not engine.terms.remove(term):
                raise RefusedError(404, "unknown_term", "there is no such term")
            return _terms(engine)

        return await service.run(system, work)

    return routes


def _row(one: Correction) -> CorrectionRow:
    return CorrectionRow(number=one.number, source=one.source, target=one.target, date=one.date)


def _terms(engine: Engine) -> TermList:
    rows = [TermEntry(term=term, translation=translation) for term, translation in engine.terms.read()[1]]
    return TermList(system=engine.name, terms=rows)
