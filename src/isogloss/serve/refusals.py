"""Requests that are refused, and how an error looks to a client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["RefusedError", "error_body"]


class RefusedError(Exception):
    """A request that is answered with an error: a status, a code for programs, a message for people."""

    def __init__(self, status: int, code: str, message: str, *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.retry_after = status, code, message, retry_after

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers of the answer."""
        found = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        if self.status == 401:
            found["WWW-Authenticate"] = "Bearer"
        return found


def error_body(code: str, message: str) -> dict[str, Any]:
    """The body of every error."""
    return {"error": {"code": code, "message": message}}
