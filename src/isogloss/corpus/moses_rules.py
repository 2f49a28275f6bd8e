"""The engine's Moses tokenizer, with the character sets and abbreviations that sacremoses has.

Importing sacremoses takes longer than importing everything else that a translation needs, so its tables are
read by themselves where its version keeps them in modules of their own.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from isogloss import _engine
from isogloss.corpus.languages import base_language

__all__ = ["moses_tokenizer"]

_NUMERIC = "#NUMERIC_ONLY#"
_CJK_SCRIPTS = {"ko": ("Hangul",), "zh": ("Han",), "ja": ("Hiragana", "Katakana", "Han")}
_CJK_SCRIPTS["cjk"] = ("Hangul", *_CJK_SCRIPTS["ja"])
"""Scripts whose characters are letters in a language only."""
_FRENCH = frozenset({"fr", "it"})
"""Languages with apostrophes at the end of words."""


def moses_tokenizer(language: str, *, hyphens: bool = False) -> _engine.Tokenizer:
    """Return the tokenizer for a language; with ``hyphens``, it splits words at hyphens."""
    base = base_language(language)
    tables = _tables()
    letters = "".join(tables.characters[script] for script in _CJK_SCRIPTS.get(base, ()))
    prefixes = [line.strip() for line in tables.prefixes(base)]
    return _engine.Tokenizer.moses(
        alphanumeric=tables.characters["IsAlnum"] + tables.signs + letters,
        alphabetic=tables.characters["IsAlpha"] + tables.signs + letters,
        numeric=tables.characters["IsN"],
        lowercase=tables.characters["IsLower"],
        prefixes=prefixes,
        numeric_prefixes=[line.rpartition(" ")[0] for line in prefixes if _is_numeric(line)],
        apostrophe="en" if base == "en" else "fr" if base in _FRENCH else "",
        hyphens=hyphens,
    )


def _is_numeric(prefix: str) -> bool:
    before, found, _ = prefix.partition(_NUMERIC)
    return bool(found) and before[-1:].isspace()


@dataclass(frozen=True, slots=True)
class _Tables:
    characters: Mapping[str, str]
    signs: str
    """Signs of Indic scripts that count as letters."""
    abbreviations: Mapping[str, str]

    def prefixes(self, language: str) -> Iterable[str]:
        """Yield the words of a language that keep the period behind them."""
        name = f"nonbreaking_prefix.{language}"
        text = self.abbreviations.get(name, self.abbreviations["nonbreaking_prefix.en"])
        return (line for line in map(str.strip, text.splitlines()) if line and line[0] != "#")


@cache
def _tables() -> _Tables:
    spec = importlib.util.find_spec("sacremoses")
    folder = Path((spec.submodule_search_locations or [""])[0]) if spec is not None else Path()
    characters, prefixes = folder / "_data_perluniprops.py", folder / "_data_nonbreaking_prefixes.py"
    if characters.exists() and prefixes.exists():
        signs = _module(folder / "indic.py")
        return _Tables(
            _module(characters).PERLUNIPROPS,
            "".join([*signs.VIRAMAS, *signs.NUKTAS]),
            _module(prefixes).NONBREAKING_PREFIXES,
        )
    return _imported_tables()


def _module(path: Path) -> ModuleType:
    """Import a module that contains only data, without importing its package."""
    spec = importlib.util.spec_from_file_location(f"isogloss_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _imported_tables() -> _Tables:
    from sacremoses.corpus import NonbreakingPrefixes, Perluniprops
    from sacremoses.indic import NUKTAS, VIRAMAS

    sets: Any = Perluniprops()
    words: Any = NonbreakingPrefixes()
    names = {"IsAlnum", "IsAlpha", "IsN", "IsLower", *_CJK_SCRIPTS["cjk"]}
    return _Tables(
        {name: "".join(sets.chars(name)) for name in names},
        "".join([*VIRAMAS, *NUKTAS]),
        {
            f"nonbreaking_prefix.{code}": "\n".join(words.words(code))
            for code in set(words.available_langs.values())
        },
    )
