"""What the nodes of a cluster have: versions, CPU features, shared storage."""

from __future__ import annotations

import hashlib
import platform
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np

from isogloss import _engine
from isogloss._version import __version__
from isogloss.io.errors import OutputError
from isogloss.io.streams import StrPath

__all__ = ["Node", "check_nodes", "mismatches", "node_facts", "this_node"]

_COMPARED = {
    "isogloss": "Isogloss",
    "engine": "engine",
    "python": "Python",
    "numpy": "NumPy",
    "cpu": "CPU features",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node as it describes itself."""

    name: str
    isogloss: str
    """Version, and a checksum of the Python files."""
    engine: str
    """Checksum of the compiled engine."""
    python: str
    numpy: str
    cpu: str
    """Architecture, and a checksum of the CPU features that NumPy and the engine choose code by."""
    folder: str = ""
    """What is wrong with the shared folder; empty if nothing is, or if none was given."""

    def to_dict(self) -> dict[str, str]:
        """As plain values."""
        return asdict(self)


def this_node() -> Node:
    """What this process runs with."""
    return node_facts(("", ""), 1)


def node_facts(token: tuple[str, str], threads: int) -> Node:
    """Describe this node; ``token`` is a file and what it should contain, or empty."""
    return Node(
        name=platform.node(),
        isogloss=f"{__version__} ({_digest_of_package()})",
        engine=_short(Path(_engine.__file__).read_bytes()),
        python=platform.python_version(),
        numpy=np.__version__,
        cpu=f"{platform.machine()} ({_cpu_features()})",
        folder=_shared(*token) if token[0] else "",
    )


@cache
def _digest_of_package() -> str:
    package = Path(__file__).parents[2]
    files = sorted(package.rglob("*.py"))
    return _short(
        b"".join(path.relative_to(package).as_posix().encode() + path.read_bytes() for path in files)
    )


def _cpu_features() -> str:
    from numpy._core._multiarray_umath import __cpu_features__  # type: ignore[import-not-found,unused-ignore]

    return _short(" ".join(sorted(name for name, there in __cpu_features__.items() if there)).encode())


def _short(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=6).hexdigest()


def _shared(path: str, expected: str) -> str:
    """What is wrong with the file that another node has written, and with writing beside it."""
    place = Path(path)
    try:
        if place.read_text() != expected:
            return "has another content here"
        own = place.with_name(f"{place.name}.{secrets.token_hex(8)}")
        own.write_text(expected)
        own.unlink()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def check_nodes(
    on_every_node: Callable[[Callable[[tuple[str, str], int], Node], tuple[str, str]], Sequence[Node]],
    folder: StrPath | None = None,
) -> list[Node]:
    """This machine and every node of the cluster; with a folder, whether all of them can use it."""
    if folder is None:
        return [this_node(), *on_every_node(node_facts, ("", ""))]
    token = Path(folder).resolve() / f".isogloss-token-{secrets.token_hex(8)}"
    content = secrets.token_hex(16)
    try:
        token.parent.mkdir(parents=True, exist_ok=True)
        token.write_text(content)
    except OSError as error:
        raise OutputError(error.strerror or str(error), token.parent, "choose a shared folder") from None
    try:
        return [this_node(), *on_every_node(node_facts, (str(token), content))]
    finally:
        token.unlink(missing_ok=True)


def mismatches(nodes: Sequence[Node]) -> list[str]:
    """A sentence for everything in which nodes differ from the first one."""
    first, found = nodes[0], []
    for field, name in _COMPARED.items():
        wrong = [node for node in nodes[1:] if getattr(node, field) != getattr(first, field)]
        if wrong:
            others = ", ".join(f"{node.name}: {getattr(node, field)}" for node in wrong)
            found.append(f"{name} differs: {getattr(first, field)} here, but {others}")
    unreachable = [f"{node.name} ({node.folder})" for node in nodes if node.folder]
    if unreachable:
        found.append(f"the shared folder cannot be used on {', '.join(unreachable)}")
    return found
