"""The web application of a worker: routes, errors, the page."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import AsyncIterator

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from isogloss._version import __version__
from isogloss.serve.api_catalog import catalog_routes
from isogloss.serve.api_memory import memory_routes
from isogloss.serve.api_system import status_routes, system_routes
from isogloss.serve.api_tools import tool_routes
from isogloss.serve.api_translate import translate_routes
from isogloss.serve.guard import Guard, Tokens, logged
from isogloss.serve.libre import libre_routes
from isogloss.serve.page_files import page_routes
from isogloss.serve.refusals import RefusedError, error_body
from isogloss.serve.service import ERRORS, Service

__all__ = ["make_app"]

_DESCRIPTION = """Translate, explain, complete, correct.

Errors look alike: `{"error": {"code": …, "message": …}}`. An answer 503 says in `Retry-After`
when to come back. With tokens, send `Authorization: Bearer TOKEN`."""


def make_app(service: Service, tokens: Tokens | None) -> Guard:
    """The application of a worker process, behind its guard."""

    @contextlib.asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        # In a thread, so that /health answers while large engines are being loaded.
        threading.Thread(target=service.open, daemon=True).start()
        yield

    app = FastAPI(
        title="Isogloss",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=life,
        docs_url=None,  # those pages load scripts from elsewhere; ours is /api
        redoc_url=None,
        responses=dict(ERRORS),
    )
    names: list[str] = []
    routers = [
        system_routes(service),
        translate_routes(service),
        memory_routes(service),
        tool_routes(service),
        catalog_routes(service),
        libre_routes(service),
        status_routes(service, names),
        page_routes(service),
    ]
    for router in routers:
        app.include_router(router)
        names += [route.path for route in router.routes if isinstance(route, APIRoute)]
    names[:] = dict.fromkeys(names)
    app.add_exception_handler(RefusedError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _bug)
    service.guard = Guard(app, service.options, tokens, service.counters)
    service.guard.know_routes(names)
    return service.guard


def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RefusedError)
    return JSONResponse(
        error_body(error.code, error.message), status_code=error.status, headers=dict(error.headers)
    )


def _invalid(request: Request, error: Exception) -> JSONResponse:
    """Say where the mistake is, without repeating what was sent."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][:6])
    code, status = "invalid", 422
    if first["type"] == "json_invalid":
        code, status, place = "no_json", 400, "body"
    return JSONResponse(error_body(code, f"{place}: {first['msg']}"), status_code=status)


def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    codes = {404: "not_found", 405: "wrong_method"}
    return JSONResponse(
        error_body(codes.get(error.status_code, "error"), str(error.detail)),
        status_code=error.status_code,
        headers=error.headers,
    )


def _bug(request: Request, error: Exception) -> JSONResponse:
    logged(f"error: {type(error).__name__} in {request.method} {request.url.path}")
    return JSONResponse(
        error_body("bug", "This is a bug in Isogloss; please report it with the log."), status_code=500
    )
