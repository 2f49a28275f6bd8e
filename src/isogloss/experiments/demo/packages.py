"""The packages with the catalogs of the demo: pinned, hash-checked, downloaded once by pip.

All have the Apache License 2.0. None of their text is part of isogloss.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from isogloss.io.errors import UserError

__all__ = ["LARGE", "PACKAGES", "DownloadError", "Package", "cache_folder", "fetch"]

_TIMEOUT = 600


class DownloadError(UserError, OSError):
    """The packages are not in the cache and cannot be downloaded."""


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel by its name, version and content."""

    name: str
    version: str
    wheel: str
    sha256: str

    def is_in(self, folder: Path) -> bool:
        """Whether the folder has the wheel with the expected hash."""
        path = folder / self.wheel
        return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == self.sha256

    @property
    def requirement(self) -> str:
        """A line for pip, which checks the hash."""
        return f"{self.name}=={self.version} --hash=sha256:{self.sha256}"


def _universal(name: str, version: str, sha256: str, tag: str = "py2.py3") -> Package:
    return Package(name, version, f"{name.replace('-', '_')}-{version}-{tag}-none-any.whl", sha256)


PACKAGES = (
    _universal("horizon", "15.0.0", "e274a1f2fcc29f0488dfc6d3d8c25111d2df05ecc0e2a620113d83b41639aaad"),
    _universal("cinder", "11.2.0", "98811fab9be4d3422c9ebd13500a534c5016f0c338e6e97774f892e5c8946c46"),
    _universal("neutron", "10.0.7", "62207276aa387aff5ee413644b786479df62a056270ccb923a8d149c6f14d511"),
    _universal(
        "openstack-heat", "13.0.0", "0d5ab5f8e1ad34e4d7c923e80af7a49ae86951f6040bfb0b26057a6ed308d6f7"
    ),
    _universal("nova", "18.3.0", "e883ded356970820f5c17e7c3751cb4827aca80913df47476ddea4a8d1de2378"),
    _universal("glance", "18.0.0", "c12dcb1be74fdd688f5ebd9211194865e6a1fe1c8179a0c2c6c1a03543e5705a"),
    _universal("keystone", "15.0.0", "7d1c3eb755b72db31ca7d3e869e6fad706f055d66515f03efd1d545d0b772542"),
)
"""About 25 MB; their German catalogs have about 10,000 messages."""
LARGE = (
    _universal(
        "homeassistant",
        "2024.1.6",
        "b1526ac823737a48959b1a46a493ac158174b4a7fbcaeb2a701e738f7b9241bc",
        tag="py3",
    ),
)
"""Additional packages for ``--large``: another 34 MB."""


def cache_folder() -> Path:
    """The folder for downloads: below ``XDG_CACHE_HOME`` or the system's cache folder."""
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or Path.home() / ".cache"
    return Path(home) / "isogloss" / "demo"


def fetch(packages: Sequence[Package], folder: Path) -> list[Path]:
    """The wheels; missing ones are downloaded into the folder."""
    missing = [package for package in packages if not package.is_in(folder)]
    if missing:
        _download(missing, folder)
    return [folder / package.wheel for package in packages]


def _download(packages: Sequence[Package], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder) as scratch:
        listed = Path(scratch) / "requirements.txt"
        listed.write_text("".join(f"{package.requirement}\n" for package in packages), encoding="utf-8")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        command += ["--no-deps", "--only-binary=:all:", "--ignore-requires-python", "--require-hashes"]
        command += ["--retries", "1", "--timeout", "15", "--dest", scratch, "--requirement", str(listed)]
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_TIMEOUT
            )
        except subprocess.TimeoutExpired:
            raise DownloadError(f"pip took more than {_TIMEOUT} seconds to download the packages") from None
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            raise DownloadError("pip could not download the packages: " + (said or [done.stderr.strip()])[-1])
        for package in packages:
            if not package.is_in(Path(scratch)):
                raise DownloadError(f"pip downloaded a different {package.wheel} than expected")
            (Path(scratch) / package.wheel).replace(folder / package.wheel)
