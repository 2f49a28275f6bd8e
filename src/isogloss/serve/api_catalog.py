"""Routes for catalogs: fill one, or open it, edit its entries and save it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fastapi import APIRouter, Query, Request, Response

from isogloss.catalog import Draft, FillOptions, MessageTranslator, fill_catalog
from isogloss.catalog.checks import fault
from isogloss.catalog.fill import Catalog, open_catalog
from isogloss.corpus.placeholders import ALL_KINDS, Protector
from isogloss.io.errors import UserError
from isogloss.serve.engines import Engine
from isogloss.serve.jobs import Job
from isogloss.serve.refusals import RefusedError
from isogloss.serve.schemas import (
    CatalogEdit,
    CatalogRow,
    CatalogRows,
    CatalogSave,
    CheckAnswer,
    CheckRequest,
)
from isogloss.serve.service import Service

__all__ = ["catalog_routes"]

_KINDS = {".po": "po", ".pot": "po", ".xlf": "xliff", ".xliff": "xliff", ".tmx": "tmx"}
_STEP = 64  # messages that are translated between two looks at the clock
_BINARY = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_UPLOAD = {"requestBody": {"required": True, "content": _BINARY}}

System = Query(None, description="Name of a system; by default the first one.", max_length=64)
Name = Query(
    max_length=255,
    description="Name of the file; its ending tells the format: .po, .xlf or .tmx.",
    examples=["messages.po"],
)


def catalog_routes(service: Service) -> APIRouter:
    """The routes of catalogs. Files are the body of a request or of an answer; none is kept."""
    routes = APIRouter(tags=["catalog"])

    @routes.post(
        "/v1/catalog/fill",
        summary="Fill the untranslated entries of a PO, XLIFF or TMX file",
        description="Send the file as the body. Drafts are marked for review; all other bytes are preserved.",
        response_class=Response,
        responses={200: {"content": _BINARY, "description": "The filled file"}},
        openapi_extra=_UPLOAD,
    )
    async def fill(
        request: Request,
        name: str = Name,
        system: str | None = System,
        min_confidence: float = Query(0.0, ge=0, le=1),
    ) -> Response:
        content = await request.body()
        ending = _ending(name)

        def work(engine: Engine, job: Job) -> tuple[bytes, str]:
            with _file(content, ending) as path:
                out = path.with_name("filled" + ending)
                options = FillOptions(min_confidence=min_confidence)
                filled = fill_catalog(path, out, _Timed(engine, job, service), options)
                return out.read_bytes(), str(len(filled.drafts))

        made, count = await service.run(system, work, seconds=service.options.long_seconds)
        headers = {"X-Filled": count, "Content-Disposition": "attachment"}
        return Response(made, media_type="application/octet-stream", headers=headers)

    @routes.post(
        "/v1/catalog/open",
        summary="List the entries of a catalog, with drafts for those that are not finished",
        openapi_extra=_UPLOAD,
    )
    async def open_file(request: Request, name: str = Name, system: str | None = System) -> CatalogRows:
        content = await request.body()
        ending = _ending(name)

        def work(engine: Engine, job: Job) -> CatalogRows:
            with _file(content, ending) as path:
                catalog = open_catalog(
                    path, FillOptions(), target_language=engine.languages[1], everything=True
                )
                rows = _rows(catalog, _Timed(engine, job, service), service)
            digest = hashlib.sha256(content).hexdigest()[:16]
            return CatalogRows(system=engine.name, format=_KINDS[ending], digest=digest, rows=rows)

        return await service.run(system, work, seconds=service.options.long_seconds)

    @routes.post(
        "/v1/catalog/save",
        summary="Write changed entries into a catalog",
        description="All bytes outside the changed entries are preserved. A translation that would break a "
        "program (a placeholder is missing, a tag is not closed) is refused.",
        response_class=Response,
        responses={200: {"content": _BINARY, "description": "The changed file"}},
    )
    async def save(request: CatalogSave) -> Response:
        ending = _ending(request.name)
        try:
            content = base64.b64decode(request.content, validate=True)
        except (binascii.Error, ValueError):
            raise RefusedError(422, "no_base64", "content is not base64") from None

        def work(engine: Engine, job: Job) -> bytes:
            with _file(content, ending) as path:
                catalog = open_catalog(
                    path, FillOptions(), target_language=engine.languages[1], everything=True
                )
                return catalog.filled(_edits(catalog, request.edits))

        made = await service.run(request.system, work, seconds=service.options.long_seconds)
        return Response(
            made, media_type="application/octet-stream", headers={"Content-Disposition": "attachment"}
        )

    @routes.post("/v1/check", summary="Check placeholders and tags of a translation")
    async def check(request: CheckRequest) -> CheckAnswer:
        service.check_texts([request.source, request.target])
        return await service.work(lambda job: _checked(request))

    return routes


def _checked(request: CheckRequest) -> CheckAnswer:
    formats = frozenset(request.formats)
    return CheckAnswer(fault=fault(request.source, request.target, Protector(ALL_KINDS), formats))


class _Timed(MessageTranslator):
    """Translates messages in steps, and stops when the time of the request is over."""

    def __init__(self, engine: Engine, job: Job, service: Service) -> None:
        super().__init__(engine.system(), terms=engine.known_terms())
        self._job, self._service = job, service

    def translate(self, messages: Sequence[str], **kwargs: object) -> list[Draft]:
        """Translate messages in order."""
        self._service.check_texts(messages, self._service.options.long_batch)
        found: list[Draft] = []
        for begin in range(0, len(messages), _STEP):
            self._job.check()
            found += super().translate(messages[begin : begin + _STEP])
        self._service.counters.add("sentences", len(messages))
        return found


def _rows(catalog: Catalog, translator: _Timed, service: Service) -> list[CatalogRow]:
    messages, targets, states = catalog.messages(), catalog.targets(), catalog.states()
    waiting = [number for number, state in enumerate(states) if state != "done"]
    drafts = dict(zip(waiting, translator.translate([messages[at] for at in waiting]), strict=True))
    protector = Protector(ALL_KINDS)
    rows = []
    columns = zip(
        messages, targets, states, catalog.places(), catalog.formats(), catalog.contexts(), strict=True
    )
    for number, (message, target, state, line, formats, context) in enumerate(columns):
        draft = drafts.get(number)
        shown = target or (draft.text if draft is not None else "")
        rows.append(
            CatalogRow(
                number=number,
                line=line,
                source=message,
                target=target,
                state=state,
                confidence=None if draft is None else round(draft.confidence, 3),
                draft=None if draft is None else draft.text,
                match=draft is not None and draft.known,
                fault=fault(message, shown, protector, formats) if shown else "",
                context=context,
            )
        )
    return rows


def _edits(catalog: Catalog, edits: Sequence[CatalogEdit]) -> list[Draft | None]:
    messages, formats, places = catalog.messages(), catalog.formats(), catalog.places()
    protector = Protector(ALL_KINDS)
    found: list[Draft | None] = [None] * len(messages)
    for edit in edits:
        if edit.number >= len(messages):
            raise RefusedError(422, "unknown_entry", f"the catalog has no entry {edit.number}")
        reason = fault(messages[edit.number], edit.target, protector, formats[edit.number])
        reason = reason or catalog.refuses(edit.target)
        if reason:
            raise RefusedError(422, "fault", f"line {places[edit.number]}, entry {edit.number}: {reason}")
        found[edit.number] = Draft(edit.target, 0.0, accepted=edit.accepted)
    return found


def _ending(name: str) -> str:
    """The ending of a name, if it is that of a catalog. The name itself is not used for anything else."""
    ending = "." + name.rpartition(".")[2].lower()
    if ending not in _KINDS:
        raise RefusedError(
            422, "unknown_format", "the name of the file must end in .po, .xlf, .xliff or .tmx"
        )
    return ending


@contextmanager
def _file(content: bytes, ending: str) -> Iterator[Path]:
    """An uploaded file under a name of our own, for readers that need a path."""
    with tempfile.TemporaryDirectory(prefix="isogloss-upload-") as folder:
        path = Path(folder) / f"upload{ending}"
        path.write_bytes(content)
        try:
            yield path
        except UserError as error:
            # The path of the temporary file is nobody's business.
            raise RefusedError(422, "bad_catalog", str(error).replace(str(path), path.name)) from None
