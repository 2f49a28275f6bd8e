"""Routes: the systems and how they were made; health, readiness, metrics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Response
from fastapi import Path as PathParameter
from fastapi.responses import PlainTextResponse

from isogloss._version import __version__
from isogloss.decoder.stored_system import inspect_system
from isogloss.report.verdict import VERDICT
from isogloss.serve.engines import Engine
from isogloss.serve.json_values import read_json
from isogloss.serve.schemas import Health, Ready, SystemFacts, SystemList, SystemSummary
from isogloss.serve.service import ERRORS, Service

__all__ = ["status_routes", "system_routes"]

_ENOUGH = 20  # corrections that make it worth training again
_STRONGEST = "strongest of "


def status_routes(service: Service, route_names: list[str]) -> APIRouter:
    """Routes for those who watch over the service."""
    routes = APIRouter(tags=["status"])

    @routes.get("/health", summary="Whether the service runs")
    async def health() -> Health:
        return Health(status="ok")

    @routes.get(
        "/ready",
        summary="Whether every byte was verified and the service translates",
        responses={503: {"model": Ready}},
    )
    async def ready(response: Response) -> Ready:
        verified = service.counters.total("verified") > 0
        failed = service.counters.total("failed") > 0
        is_ready = verified and service.is_open and not failed
        message = service.problem
        if not message and not is_ready:
            message = "a system is damaged; see the log" if failed else "the systems are being verified"
        if not is_ready:
            response.status_code = 503
            response.headers["Retry-After"] = "1"
        return Ready(ready=is_ready, verified=verified, systems=list(service.folders), message=message)

    @routes.get(
        "/metrics",
        summary="Numbers for Prometheus",
        response_class=PlainTextResponse,
        responses={401: ERRORS[401]},
    )
    async def metrics() -> PlainTextResponse:
        text = service.counters.exposition([*route_names, "other"])
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    return routes


def system_routes(service: Service) -> APIRouter:
    """Routes about the systems."""
    routes = APIRouter(tags=["systems"])

    @routes.get("/v1/systems", summary="List the systems and the limits of the service")
    async def systems() -> SystemList:
        engines = list(service.engines)
        options = service.options
        return await service.work(
            lambda job: SystemList(
                version=__version__,
                systems=[_summary(engine, options.read_only) for engine in engines],
                limits={
                    "sentence": options.max_sentence,
                    "batch": options.max_batch,
                    "body": options.max_body,
                    "seconds": options.max_seconds,
                },
            )
        )

    @routes.get("/v1/systems/{name}", summary="How a system was made, and what it has learned")
    async def system(name: str = PathParameter(min_length=1, max_length=64)) -> SystemFacts:
        return await service.run(name, lambda engine, job: _facts(engine, service))

    return routes


def _summary(engine: Engine, read_only: bool) -> SystemSummary:
    system = engine.system()
    source, target = engine.languages
    return SystemSummary(
        name=engine.name,
        source_language=source,
        target_language=target,
        plain_text=system.text is not None,
        corrections=len(system.corrections()),
        terms=len(engine.terms.read()[1]),
        read_only=read_only,
    )


def _facts(engine: Engine, service: Service) -> SystemFacts:
    system = engine.system()
    found = inspect_system(system.path)
    attributes = dict(found.attributes)
    strongest = {
        name.removeprefix(_STRONGEST): dict(attributes.pop(name))
        for name in list(attributes)
        if name.startswith(_STRONGEST)
    }
    summary = _summary(engine, service.options.read_only)
    place = system.path.parent
    return SystemFacts(
        **summary.model_dump(),
        made_by=found.made_by,
        bytes=found.bytes,
        options=attributes.get("options", {}),
        weights=dict(system.weights),
        strongest=strongest,
        sparse_features=int(attributes.get("sparse features", 0)),
        training=_training(place),
        retrain={
            "possible": (place / "options.json").exists(),
            "enough": summary.corrections >= _ENOUGH,
            "wanted": _ENOUGH,
            "command": f"isogloss retrain {engine.folder.name}",
            "last": read_json(place / "retrained.json"),
        },
    )


def _training(place: Path) -> dict[str, Any]:
    """Scores, learning curve and cost of training, if the folder has them."""
    return {
        "results": read_json(place / "results.json"),
        "verdict": read_json(place / VERDICT),
        "history": read_json(place / "work" / "tuning" / "history.json"),
        "cleaning": read_json(place / "work" / "clean" / "facts.json"),
        "stages": _stages(place / "run.jsonl"),
    }


def _stages(path: Path) -> list[dict[str, Any]]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError:
        return []
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and row.get("outcome") == "done":
            found[str(row.get("stage"))] = {
                name: row.get(name)
                for name in ("stage", "wall_seconds", "cpu_seconds", "peak_bytes", "start")
            }
    return list(found.values())
