"""What stands before every request: who may ask, how much, and how many at a time.

A page of a stranger that a user has open must not drive a service on the user's own machine. Therefore the
service answers only under addresses, localhost and names it was given (DNS rebinding), refuses what a browser
sends from another site (CSRF), and never allows another site to read an answer (no CORS headers).
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import ipaddress
import json
import sys
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from isogloss.io.errors import ConfigError
from isogloss.io.streams import StrPath, read_lines
from isogloss.serve.counters import SharedCounters
from isogloss.serve.options import ServeOptions
from isogloss.serve.refusals import RefusedError, error_body

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Guard", "Tokens", "logged"]

_LEAST_TOKEN = 16  # characters
_CROSS_SITE = ("cross-site", "same-site")
_OWN_KEY = ("/translate", "/languages")  # their clients send the token as `api_key`
_DISCARDED = 4  # times the largest body: what is read of a larger one
_DISCARD_SECONDS = 5.0
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"font-src 'self'; manifest-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    ),
)


class Tokens:
    """Bearer tokens, compared in constant time."""

    def __init__(self, tokens: Iterable[str]) -> None:
        self._digests = [hashlib.sha256(token.encode()).digest() for token in tokens]

    @classmethod
    def read(cls, path: StrPath) -> Tokens:
        """Read a file with one token per line; empty lines and lines that begin with # are left out."""
        tokens = [line.strip() for line in read_lines(path)]
        tokens = [token for token in tokens if token and not token.startswith("#")]
        if not tokens:
            raise ConfigError(
                f"{path}: there is no token; write one per line, such as 'openssl rand -hex 32'"
            )
        for number, token in enumerate(tokens, start=1):
            if len(token) < _LEAST_TOKEN or not token.isascii() or " " in token:
                raise ConfigError(
                    f"{path}: token {number} is shorter than {_LEAST_TOKEN} characters, or has spaces or "
                    "other than ASCII characters; make one with 'openssl rand -hex 32'"
                )
        return cls(tokens)

    def known(self, token: str) -> bool:
        """Whether it is one of the tokens; the time does not tell how much of it is right."""
        given = hashlib.sha256(token.encode(errors="replace")).digest()
        return sum([hmac.compare_digest(given, digest) for digest in self._digests]) > 0


class Guard:
    """Checks, counts and logs requests before the application sees them."""

    def __init__(
        self, app: ASGIApp, options: ServeOptions, tokens: Tokens | None, counters: SharedCounters
    ) -> None:
        self._app, self._options, self._tokens, self._counters = app, options, tokens, counters
        self._hosts = {"localhost", options.host.lower(), *(name.lower() for name in options.allowed_hosts)}
        self._numbers: dict[str, int] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        begun, status = time.perf_counter(), 500

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            await send(message)

        try:
            await self._guarded(scope, receive, answer)
        except RefusedError as refused:
            await _send_error(answer, refused)
        finally:
            seconds = time.perf_counter() - begun
            self._counters.record(self._route(scope), status, seconds)
            if self._options.access_log:
                client = (scope.get("client") or ("-",))[0]
                path = json.dumps(scope["path"], ensure_ascii=True)[1:-1]
                logged(f"{client} {scope['method']} {path} {status} {seconds * 1000:.1f} ms")

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        self._check_host(headers)
        _check_origin(headers)
        path: str = scope["path"]
        scope.setdefault("state", {})["authorized"] = self._authorized(headers)
        if not scope["state"]["authorized"] and self._needs_token(path):
            raise RefusedError(401, "no_token", "this service needs a token: Authorization: Bearer TOKEN")
        if not (path.startswith("/v1/") or path in _OWN_KEY):
            await self._app(scope, receive, send)
            return
        if not self._counters.enter(self._options.max_in_flight):
            raise RefusedError(
                503, "busy", f"{self._options.max_in_flight} requests are under way already", retry_after=1
            )
        try:
            body = await self._body(headers, receive)
            await self._app(scope, _Replayed(body, receive), send)
        finally:
            self._counters.leave()

    def _check_host(self, headers: Mapping[str, str]) -> None:
        given = headers.get("host", "")
        try:
            name = (urlsplit(f"//{given}").hostname or "").lower()
        except ValueError:
            name = ""
        if name in self._hosts and name:
            return
        try:
            ipaddress.ip_address(name)
        except ValueError:
            raise RefusedError(
                421, "wrong_host", "the service is not known under this name; see --allowed-hosts"
            ) from None

    def _authorized(self, headers: Mapping[str, str]) -> bool:
        if self._tokens is None:
            return True
        kind, _, token = headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and self._tokens.known(token.strip())

    def authorized_by(self, key: str) -> bool:
        """Whether a token that a client sends in another way than as a header is known."""
        return self._tokens is None or self._tokens.known(key)

    @staticmethod
    def _needs_token(path: str) -> bool:
        """The page itself and its files are public; what it asks the service for is not."""
        return path.startswith("/v1/") or path == "/metrics"

    async def _body(self, headers: Mapping[str, str], receive: Receive) -> bytes:
        most = self._options.max_body
        too_large = RefusedError(413, "too_large", f"the body of the request is larger than {most:,} bytes")
        length = headers.get("content-length", "")
        if length.isascii() and length.isdigit() and int(length[:20]) > most:
            if "expect" not in headers:  # who asks first sends nothing when it is refused
                await self._discard(receive)
            raise too_large
        body = bytearray()
        try:
            async with asyncio.timeout(self._options.max_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return bytes(body)
                    body += message.get("body", b"")
                    if len(body) > most:
                        await self._discard(receive)
                        raise too_large
                    if not message.get("more_body"):
                        return bytes(body)
        except TimeoutError:
            raise RefusedError(408, "too_slow", "the body of the request did not arrive in time") from None

    async def _discard(self, receive: Receive) -> None:
        """Read the rest of a body that is too large, within limits.

        Most clients send all of it before they read the answer; a connection that is closed while they do so
        shows them a broken pipe instead of the reason.
        """
        left = _DISCARDED * self._options.max_body
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(_DISCARD_SECONDS, self._options.max_seconds)):
                while left > 0:
                    message = await receive()
                    left -= len(message.get("body", b""))
                    if message["type"] == "http.disconnect" or not message.get("more_body"):
                        return

    def _route(self, scope: Scope) -> int:
        name = getattr(scope.get("route"), "path", "other")
        return self._numbers.get(name, len(self._numbers))

    def know_routes(self, names: Iterable[str]) -> None:
        """Number the routes, for the counters; the number after the last is for everything else."""
        self._numbers = {name: number for number, name in enumerate(names)}


class _Replayed:
    """A body that was read already, as the application receives it."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


def _check_origin(headers: Mapping[str, str]) -> None:
    """Refuse what a browser sends from the page of another site."""
    origin = headers.get("origin")
    try:
        own = origin is None or urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
    except ValueError:
        own = False
    if not own or (
        headers.get("sec-fetch-site", "") in _CROSS_SITE and headers.get("sec-fetch-mode") != "navigate"
    ):
        raise RefusedError(403, "other_site", "requests from the pages of other sites are refused")


async def _send_error(send: Send, refused: RefusedError) -> None:
    body = json.dumps(error_body(refused.code, refused.message)).encode()
    headers = [(name.lower().encode(), value.encode()) for name, value in refused.headers.items()]
    headers += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refused.status in (408, 413):  # what is left of the body is not read
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def logged(line: str) -> None:
    """Write a line to the log, which is standard error."""
    stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime())
    sys.stderr.write(f"{stamp} {line}\n")
