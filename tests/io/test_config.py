"""Reading descriptions: types, tables, files, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from isogloss.io.config import read_description
from isogloss.io.errors import DataFormatError, InputFileError
from isogloss.io.streams import StrPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    source: Path
    references: tuple[Path, ...] = ()
    others: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    size: int = 3
    share: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    name: str
    main: Files
    sets: Mapping[str, Files] = field(default_factory=dict)
    pairs: tuple[tuple[StrPath, StrPath], ...] = ()
    numbers: tuple[float, ...] = ()
    limits: Limits = Limits(size=7)
    further: Limits | None = None
    anything: Mapping[str, Any] = field(default_factory=dict)


SMALLEST = 'name = "x"\nmain = { source = "a" }\n'


def test_all_kinds_of_values(tmp_path: Path) -> None:
    (tmp_path / "d.toml").write_text(
        """
        name = "x"
        pairs = [["a", "b"]]
        numbers = [1, 0.5]
        anything = { source = "as it is" }
        limits = { share = 1 }
        [main]
        source = "a"
        references = "one"
        others = { moses = "m" }
        [sets.dev]
        source = "/b"
        references = ["c", "d"]
        """
    )
    assert read_description(Described, tmp_path / "d.toml") == Described(
        name="x",
        main=Files(source=tmp_path / "a", references=(tmp_path / "one",), others={"moses": tmp_path / "m"}),
        sets={"dev": Files(source=Path("/b"), references=(tmp_path / "c", tmp_path / "d"))},
        pairs=((str(tmp_path / "a"), str(tmp_path / "b")),),
        numbers=(1, 0.5),
        limits=Limits(size=7, share=1),  # what is not given is as it is by default, not as in the class
        anything={"source": "as it is"},
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", "not a TOML file"),
        ('name = "x"', "'main' is missing"),
        ('name = "x"\nmain = {}', "'main.source' is missing"),
        ("name = 3\nmain = { source = 'a' }", "name must be text, got 3"),
        ("name = 'x'\nmain = { source = true }", "main.source must be a file, got True"),
        (SMALLEST + "nane = 3", "no option is called 'nane'; known are name, main"),
        (
            SMALLEST + "limits = { siz = 3 }",
            r"no option is called 'siz' in \[limits\]; known are size, share",
        ),
        (SMALLEST + "sets = { dev = { sorce = 3 } }", r"no option is called 'sorce' in \[sets.dev\]"),
        (SMALLEST + "sets = 3", "sets must be a table, got 3"),
        (SMALLEST + "limits = 3", "limits must be a table of options, got 3"),
        (SMALLEST + "numbers = ['a']", "numbers must be a number, got 'a'"),
        (SMALLEST + "numbers = 3", "numbers must be a list, got 3"),
        (SMALLEST + "limits = { size = true }", "limits.size must be a whole number, got True"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "d.toml"
    path.write_text(text)
    with pytest.raises(DataFormatError, match=f"^{path}: {message}"):
        read_description(Described, path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputFileError, match="No such file"):
        read_description(Described, tmp_path / "d.toml")
    with pytest.raises(InputFileError, match="Is a directory"):
        read_description(Described, tmp_path)
