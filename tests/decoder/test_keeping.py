"""What must not be touched comes out as often as it goes in, whatever the sentence and the rules."""

from __future__ import annotations

import io
import random
import re
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.cli.main import main
from isogloss.corpus.placeholders import ALL_KINDS, Protector
from isogloss.corpus.processing import TextProcessing
from isogloss.decoder import System, create_system, load

THINGS = [
    "%s", "%(name)s", "%1$d", "100%%", "{x}", "{{ a.b }}", "${HOME}", "<b>", "</b>", '<a href="/x y">',
    "&nbsp;",
    "https://example.org/a_b?c=%20d", "info@example.org", "snake_case", "FOO_BAR", "getElementById", "call()",
    "os.path.join()", "/usr/share/doc", "~/notes.txt", "main.py", "C:\\Windows\\a", "1.2.3",
    "v2.0-rc1", "\\n", "\\t",
    "\t", "__init__",
]  # fmt: skip
WORDS = ["the", "man", "sees", "a", "house", "zorb", ",", "old", "100", ".", "(", ")", ":", "'s", "50%"]


@pytest.fixture(scope="module")
def system(systems: Path, tmp_path_factory: pytest.TempPathFactory) -> System:
    """A system whose rules have never seen a mark."""
    path = tmp_path_factory.mktemp("keeping") / "system"
    create_system(
        path,
        rules=systems / "rules",
        lm=systems / "lm",
        options=load(systems / "hierarchical").options,
        text=TextProcessing(placeholders=ALL_KINDS),
    )
    return load(path)


def sentences(count: int) -> list[str]:
    rng = random.Random(5)
    found = []
    for _ in range(count):
        parts = rng.choices(WORDS, k=rng.randint(0, 9)) + rng.choices(THINGS, k=rng.randint(0, 4))
        rng.shuffle(parts)
        blanks = [rng.choice(["", " ", "\t", "  "]) for _ in range(2)]
        joint = rng.choice(["", " ", " "])
        found.append(blanks[0] + joint.join(parts) + blanks[1])
    return found


@pytest.mark.parametrize("unknown", ["pass", "drop"])
def test_protected_things_come_out_as_often(system: System, unknown: str) -> None:
    changed = load(system.path, options=replace(system.options, unknown=unknown))  # type: ignore[arg-type]
    sources = sentences(400)
    protector = Protector(ALL_KINDS)
    for source, translation in zip(sources, changed.translate(sources, threads=2), strict=True):
        before, after = (
            Counter(protector.found(source)),
            Counter(protector.found(translation)),
        )
        assert all(after[text] == count for text, count in before.items()), (source, str(translation))
        if translation.strip():
            blanks = re.findall(r"^\s*|\s*$", source)
            assert translation.startswith(blanks[0])
            assert translation.endswith(blanks[-1])


def test_the_command_keeps_them_too(
    system: System, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "  the man sees snake_case at https://a.b/c\t\n&the man\nsee call() in main.py\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["translate", str(system.path)]) == 0
    first, second, third = capsys.readouterr().out.split("\n")[:3]
    assert first.startswith("  ")
    assert first.endswith("\t")
    assert Protector(ALL_KINDS).found(first.strip()) == ["snake_case", "https://a.b/c"]
    assert second.count("&") == 1
    assert second[second.index("&") + 1].isalpha()
    assert {"call()", "main.py"} <= set(Protector(ALL_KINDS).found(third))
