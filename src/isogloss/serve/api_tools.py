"""Routes for the output of any system: evaluate, rerank."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter

from isogloss.metric import evaluate as evaluate_texts
from isogloss.nbest import NbestList
from isogloss.rerank import mbr
from isogloss.serve.jobs import Job
from isogloss.serve.json_values import finite
from isogloss.serve.refusals import RefusedError
from isogloss.serve.schemas import (
    EvaluateAnswer,
    EvaluateRequest,
    RerankAnswer,
    RerankedCandidate,
    RerankRequest,
)
from isogloss.serve.service import Service

__all__ = ["tool_routes"]


def tool_routes(service: Service) -> APIRouter:
    """The routes of what works on texts of any system."""
    routes = APIRouter(tags=["any system"])

    @routes.post("/v1/evaluate", summary="Score translations against references, with significance tests")
    async def evaluate(request: EvaluateRequest) -> EvaluateAnswer:
        references = [[one] if isinstance(one, str) else one for one in request.references]
        for name, texts in request.systems.items():
            if len(texts) != len(references):
                raise RefusedError(
                    422, "lengths", f"system '{name}': {len(texts)} texts for {len(references)} references"
                )
            service.check_texts(texts, service.options.long_batch)
        if len({len(some) for some in references}) != 1 or not references[0]:
            raise RefusedError(422, "references", "every sentence needs the same number of references")
        service.check_texts([one for some in references for one in some], service.options.long_batch)
        return await service.work(lambda job: _evaluated(request, references))

    @routes.post("/v1/rerank", summary="Rerank n-best lists by minimum Bayes risk")
    async def rerank(request: RerankRequest) -> RerankAnswer:
        for some in request.lists:
            if not some:
                raise RefusedError(422, "empty_list", "a list has no candidates")
            if len({one.score is None for one in some}) > 1:
                raise RefusedError(422, "scores", "all candidates of a list have a score, or none")
        service.check_texts([one.text for some in request.lists for one in some], service.options.long_batch)

        def work(job: Job) -> RerankAnswer:
            return RerankAnswer(lists=[_reranked(request, number) for number in range(len(request.lists))])

        return await service.work(work)

    return routes


def _evaluated(request: EvaluateRequest, references: list[list[str]]) -> EvaluateAnswer:
    systems = {name: [_line(text) for text in texts] for name, texts in request.systems.items()}
    known = [[_line(text) for text in some] for some in references]
    found = evaluate_texts(systems, known, metrics=request.metrics, worst=request.worst)
    return EvaluateAnswer(
        sentences=found.sentences,
        rows=[finite(row) for row in found.rows()],
        signatures=found.signatures,
        differences={system.name: [asdict(one) for one in system.differences] for system in found.systems},
        warnings=list(found.warnings),
    )


def _reranked(request: RerankRequest, number: int) -> list[RerankedCandidate]:
    given = request.lists[number]
    texts = [_line(one.text) for one in given]
    scored = all(one.score is not None for one in given)
    scores = [[one.score or 0.0 for one in given]] if scored else None
    listed = NbestList([texts], scores=scores)
    found = mbr(listed, request.utility, scale=request.scale if scored else 0.0)
    by_text: dict[str, float] = {}
    for text, utility in zip(found.texts(), found.scores.tolist(), strict=True):
        by_text.setdefault(text, utility)
    rows = [
        RerankedCandidate(text=one.text, utility=by_text.get(" ".join(text.split()), 0.0), number=place)
        for place, (one, text) in enumerate(zip(given, texts, strict=True))
    ]
    return sorted(rows, key=lambda row: -row.utility)


def _line(text: str) -> str:
    return " ".join(text.split())
