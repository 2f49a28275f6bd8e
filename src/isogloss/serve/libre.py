"""What clients use of LibreTranslate's interface: Weblate, OmegaT's plug-ins, ``libretranslatepy``."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from isogloss.serve.jobs import Job
from isogloss.serve.refusals import RefusedError
from isogloss.serve.schemas import TranslateRequest
from isogloss.serve.service import Service
from isogloss.serve.translating import translated_texts

__all__ = ["libre_routes"]

_NAMES = {
    "ar": "Arabic", "bn": "Bengali", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "en": "English", "es": "Spanish", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew",
    "hi": "Hindi", "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese",
    "ko": "Korean", "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese",
    "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "th": "Thai", "tr": "Turkish",
    "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": words, "content": {"application/json": {"schema": {"type": "object"}}}}
    for status, words in {
        400: "Invalid request",
        403: "Unknown key",
        413: "Too large",
        422: "Invalid request",
        503: "Too busy",
    }.items()
}
_FIELDS = {
    "type": "object",
    "required": ["q", "source", "target"],
    "properties": {
        "q": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        "source": {"type": "string"},
        "target": {"type": "string"},
        "format": {"type": "string", "enum": ["text", "html"]},
        "alternatives": {"type": "integer", "minimum": 0, "maximum": 25},
        "api_key": {"type": "string"},
    },
}
_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": _FIELDS,
                "example": {"q": "Open the file.", "source": "en", "target": "de"},
            }
        },
    }
}


def libre_routes(service: Service) -> APIRouter:
    """The routes of LibreTranslate, without detection of languages."""
    routes = APIRouter(tags=["LibreTranslate"])

    @routes.get("/languages", summary="Languages, as LibreTranslate lists them", responses=_ERRORS)
    async def languages() -> list[dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for engine in service.engines:
            source, target = engine.languages
            row = found.setdefault(source, {"code": source, "name": _name(source), "targets": []})
            if target not in row["targets"]:
                row["targets"].append(target)
        for engine in service.engines:  # clients choose the target from the same list
            target = engine.languages[1]
            found.setdefault(target, {"code": target, "name": _name(target), "targets": []})
        return list(found.values())

    @routes.post(
        "/translate", summary="Translate, as LibreTranslate does", responses=_ERRORS, openapi_extra=_BODY
    )
    async def translate(request: Request) -> JSONResponse:
        try:
            asked = await _asked(request)
            if not (request.scope["state"]["authorized"] or service.guard.authorized_by(asked["api_key"])):
                raise RefusedError(403, "no_key", "Invalid API key")
            return JSONResponse(await _translated(service, asked))
        except RefusedError as refused:
            return JSONResponse(
                {"error": refused.message}, status_code=refused.status, headers=dict(refused.headers)
            )

    return routes


async def _asked(request: Request) -> dict[str, Any]:
    """The fields of a request: JSON or a form, as clients differ."""
    body = await request.body()
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    try:
        if kind == "application/json":
            fields = json.loads(body)
        elif kind == "application/x-www-form-urlencoded":
            fields = dict(parse_qsl(body.decode(), keep_blank_values=True, errors="strict"))
        else:
            raise RefusedError(400, "kind", "Invalid request: send JSON or a form")
    except (ValueError, RecursionError):
        raise RefusedError(400, "unreadable", "Invalid request: the body cannot be read") from None
    if not isinstance(fields, dict):
        raise RefusedError(400, "unreadable", "Invalid request: an object is expected")
    for name in ("q", "source", "target"):
        if not fields.get(name):
            raise RefusedError(400, "missing", f"Invalid request: missing {name} parameter")
    return {"api_key": "", "alternatives": 0, **fields}


async def _translated(service: Service, asked: dict[str, Any]) -> dict[str, Any]:
    many = isinstance(asked["q"], list)
    texts = asked["q"] if many else [asked["q"]]
    if not all(isinstance(text, str) for text in texts) or not all(
        isinstance(asked[name], str) for name in ("source", "target", "api_key")
    ):
        raise RefusedError(400, "types", "Invalid request: q, source and target must be text")
    service.check_texts(texts)
    engine = service.engines.between(asked["source"], asked["target"])
    wanted = asked["alternatives"]
    more = int(wanted) if isinstance(wanted, int) or str(wanted).isdecimal() else 0
    request = TranslateRequest(text=texts, nbest=1 + max(0, min(more, 25)))

    def work(job: Job) -> list[list[str]]:
        # A text of LibreTranslate may have several lines; each is a sentence here.
        lines = [line for text in texts for line in text.split("\n")]
        found = iter(translated_texts(engine, request, lines, job))
        made: list[list[str]] = []
        for text in texts:
            rows = [next(found) for _ in text.split("\n")]
            made.append(["\n".join(row.text for row in rows)])
            if len(rows) == 1:
                made[-1] += [one.text for one in rows[0].candidates or ()][1:]
        return made

    made = await service.work(work)
    service.counters.add("sentences", len(texts))
    answer: dict[str, Any] = {"translatedText": [one[0] for one in made] if many else made[0][0]}
    if more:
        answer["alternatives"] = [one[1:] for one in made] if many else made[0][1:]
    if asked["source"] == "auto":
        found = {"confidence": 100, "language": engine.languages[0]}
        answer["detectedLanguage"] = [found for _ in made] if many else found
    return answer


def _name(code: str) -> str:
    return _NAMES.get(code.split("-")[0], code)
