"""Options of the service."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Annotated

from isogloss.io.errors import ConfigError
from isogloss.io.options import Above, AtLeast, Between, ByteSize, Options
from isogloss.io.streams import StrPath

__all__ = ["ServeOptions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions(Options):
    """Options of the service. Limits cover all worker processes together."""

    host: str = "127.0.0.1"
    """Address to listen on. Any other than this machine's own needs ``token_file`` or ``--no-auth``."""
    port: Annotated[int, Between(0, 65535)] = 8700
    """Port to listen on; 0 takes a free one."""
    workers: Annotated[int, Between(1, 64)] = 2
    """Worker processes. They share the memory of the models; use as many as there are processors."""
    token_file: StrPath | None = None
    """File of bearer tokens, one per line. Every request to the API must then carry one of them."""
    auth: bool = True
    """Without it, listen on any address and let everybody in. Use it only in a network you trust."""
    allowed_hosts: tuple[str, ...] = ()
    """Names under which the service is reached, besides addresses and localhost; needed behind a proxy."""
    read_only: bool = False
    """Refuse corrections and changes of terms."""
    max_body: Annotated[int, ByteSize(), AtLeast(1024)] = 8 << 20
    """Largest body of a request, such as an uploaded catalog: 500K, 8M."""
    max_sentence: Annotated[int, Between(1, 1_000_000)] = 10_000
    """Characters in the longest text of a request."""
    max_batch: Annotated[int, Between(1, 1_000_000)] = 256
    """Texts in one request. Streams of events and catalogs may have a hundred times as many."""
    max_seconds: Annotated[float, Above(0)] = 30.0
    """Seconds after which a request is answered with an error; ten times as long for streams and catalogs."""
    max_in_flight: Annotated[int, AtLeast(1)] = 128
    """Requests under way at one time; more are refused and told when to come back."""
    stop_seconds: Annotated[float, AtLeast(0)] = 30.0
    """Seconds that requests under way may take when the service is told to stop."""
    access_log: bool = True
    """Write a line for each request: time, method, path, status, duration; never a text."""
    log_texts: bool = False
    """Write the texts of requests to the log too. They may be confidential."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.token_file is None and self.auth and not self.is_local:
            raise ConfigError(
                f"host {self.host} can be reached from other machines, so a token file is needed; give "
                "--token-file, or --no-auth to let everybody in"
            )
        if self.token_file is not None and not self.auth:
            raise ConfigError("--token-file and --no-auth contradict each other")

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the service."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def long_seconds(self) -> float:
        """Seconds that streams and catalogs may take."""
        return 10 * self.max_seconds

    @property
    def long_batch(self) -> int:
        """Texts in a stream or a catalog."""
        return 100 * self.max_batch
