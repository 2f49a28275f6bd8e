"""Options are checked against their declaration, and tell of themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest

from isogloss.io.config import check_types, from_settings
from isogloss.io.errors import ConfigError
from isogloss.io.options import Above, AtLeast, Between, ByteSize, DefaultText, Options, Range, every_option
from isogloss.io.streams import StrPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner(Options):
    order: Annotated[int, Between(1, 7)] = 5
    """Words in the longest n-grams. Longer ones
    need more text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer(Options):
    source: StrPath
    """Text."""
    share: Annotated[float, Above(0)] = 0.5
    mode: Literal["a", "b"] = "a"
    size: Annotated[int, AtLeast(0), DefaultText("a tenth")] = 0
    budget: Annotated[int, ByteSize()] = 4 << 30
    flag: bool = True
    names: tuple[str, ...] = ()
    files: tuple[StrPath, ...] = ()
    table: Mapping[str, StrPath] = field(default_factory=dict)
    inner: Inner = field(default_factory=lambda: Inner(order=3))
    other: Inner | None = None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"share": 0.0}, "share must be above 0, got 0.0"),
        ({"share": float("nan")}, "share must be above 0, got nan"),
        ({"share": float("inf")}, "share must be above 0, got inf"),
        ({"share": "x"}, "share must be a number, got 'x'"),
        ({"share": True}, "share must be a number, got True"),
        ({"mode": "c"}, "mode must be one of a, b, got 'c'"),
        ({"size": -1}, "size must be at least 0, got -1"),
        ({"size": 1.5}, "size must be a whole number, got 1.5"),
        ({"size": None}, "size must be a whole number, at least 0, got None"),
        ({"flag": 1}, "flag must be true or false, got 1"),
        ({"source": 3}, "source must be text, got 3"),
    ],
)
def test_what_does_not_fit_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Outer(**{"source": "a", **values})
    assert str(caught.value) == message


def test_what_fits_is_taken() -> None:
    assert Outer(source="a", share=1, mode="b", size=3).share == 1


def test_messages_of_inner_options_name_the_path() -> None:
    with pytest.raises(ConfigError, match=r"^inner\.order must be between 1 and 7, got 0$"):
        from_settings(Outer, {"source": "a", "inner": {"order": 0}})
    with pytest.raises(ConfigError, match=r"no option is called 'ordr' in \[inner\]"):
        from_settings(Outer, {"source": "a", "inner": {"ordr": 0}})


def test_sizes_may_be_written_with_units() -> None:
    assert from_settings(Outer, {"source": "a", "budget": "1M"}).budget == 1 << 20
    with pytest.raises(ConfigError, match="budget must be a size such as 512M or 4G, got 'much'"):
        check_types(Outer, {"budget": "much"})


def test_options_tell_of_themselves() -> None:
    found = {option.name: option for option in every_option(Outer)}
    assert [*found] == [
        "source", "share", "mode", "size", "budget", "flag", "names", "files", "table", "inner.order",
        "other.order",
    ]  # fmt: skip
    assert found["inner.order"].help == "Words in the longest n-grams. Longer ones need more text."
    assert found["inner.order"].summary == "Words in the longest n-grams."
    assert found["inner.order"].kind == "a whole number, between 1 and 7"
    assert found["inner.order"].shown_default == "3"  # of the field, not of the class
    assert found["other.order"].shown_default == "5"
    assert found["source"].required
    kinds = {name: option.kind for name, option in found.items()}
    assert kinds["source"] == "a file name"
    assert (kinds["names"], kinds["files"]) == ("list of words", "list of files")
    assert kinds["table"] == "table of files"
    defaults = {name: option.shown_default for name, option in found.items()}
    assert defaults["size"] == "a tenth"
    assert defaults["budget"] == "4G"
    assert defaults["flag"] == "yes"


def test_ranges_in_words() -> None:
    assert str(AtLeast(1)) == "at least 1"
    assert str(Between(0, 1)) == "between 0 and 1"
    assert str(Range(low=0, high=1, below=True)) == "at least 0 and below 1"
    assert str(Range(high=3)) == "at most 3"
