"""The workbench page and its files, served from the package."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, Request, Response

from isogloss.serve.refusals import RefusedError
from isogloss.serve.service import Service

__all__ = ["page_routes"]

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


def page_routes(service: Service) -> APIRouter:
    """The page at /, the pages /api and their files below /page/; all are read into memory at the start."""
    routes = APIRouter(include_in_schema=False)
    known = _all_files(files("isogloss.serve") / "page")

    def answer(name: str, request: Request) -> Response:
        if name not in known:
            raise RefusedError(404, "not_found", "there is no such page")
        content, kind, tag = known[name]
        headers = {"ETag": tag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, media_type=kind, headers=headers)

    @routes.get("/")
    async def page(request: Request) -> Response:
        return answer("index.html", request)

    @routes.get("/api")
    async def reference(request: Request) -> Response:
        return answer("api.html", request)

    @routes.get("/favicon.ico")
    async def icon(request: Request) -> Response:
        return answer("icon.svg", request)

    @routes.get("/page/{name:path}")
    async def file(name: str, request: Request) -> Response:
        return answer(name, request)

    return routes


def _all_files(folder: Traversable, prefix: str = "") -> dict[str, tuple[bytes, str, str]]:
    """Every file of the page by its name, so that no request reaches the file system."""
    found: dict[str, tuple[bytes, str, str]] = {}
    for item in folder.iterdir():
        if item.is_dir():
            found |= _all_files(item, f"{prefix}{item.name}/")
            continue
        kind = _KINDS.get("." + item.name.rpartition(".")[2])
        if kind is not None:
            content = item.read_bytes()
            tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
            found[prefix + item.name] = content, kind, tag
    return found
