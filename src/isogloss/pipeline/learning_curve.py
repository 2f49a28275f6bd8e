"""What more training pairs would bring: translate the test set with half of them.

Rules and language model are made from half of the pairs; word alignments and weights are those of the whole
system, so the loss from halving is a little underestimated.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from isogloss.decoder import Decoder, System, load
from isogloss.grammar import ExtractOptions, extract_rules
from isogloss.grammar.table import RuleTable
from isogloss.io.config import from_settings
from isogloss.io.progress import Track
from isogloss.io.streams import atomic_output, read_lines
from isogloss.lm import LanguageModel, LmOptions, build

__all__ = ["translate_with_half"]

Paths = Mapping[str, Path]
Options = Mapping[str, Any]

_FEWEST, _MOST = 200, 50_000
"""Training pairs: with fewer there is little to learn from it, with more it takes too long."""
_STRINGS = 500


def translate_with_half(
    inputs: Paths, outputs: Paths, options: Options, *, threads: int, memory: int, track: Track
) -> None:
    """Translate strings of the test set with half of the training pairs; none if it would take too long."""
    sides = [list(read_lines(inputs[name])) for name in ("source", "target", "links")]
    strings = list(read_lines(inputs["test_source"]))[:_STRINGS]
    lines: list[str] = []
    if _FEWEST <= len(sides[0]) <= _MOST and strings:
        with tempfile.TemporaryDirectory(prefix="isogloss-half-") as folder:
            system = _half(inputs, Path(folder), sides, options, threads, memory)
            found = system.translate(strings, threads=threads)
            lines = [str(line) for line in track(found, "translating with half of the pairs", len(strings))]
    with atomic_output(outputs["translation"]) as stream:
        stream.writelines(f"{line}\n" for line in lines)


def _half(
    inputs: Paths, folder: Path, sides: list[list[str]], options: Options, threads: int, memory: int
) -> System:
    """The system as it would be with half of the pairs; equal sources stay together."""
    chosen = [at for at, source in enumerate(sides[0]) if blake2b(source.encode()).digest()[0] % 2]
    paths = [folder / name for name in ("source", "target", "links")]
    for path, lines in zip(paths, sides, strict=True):
        path.write_text("".join(f"{lines[at]}\n" for at in chosen), encoding="utf-8")
    extract_rules(
        paths[0],
        paths[1],
        paths[2],
        folder / "rules",
        ExtractOptions(**options["rules"]),
        memory_limit=memory,
        threads=threads,
    )
    build(
        [paths[1]],
        options=from_settings(LmOptions, options["lm"]),
        binary=folder / "lm",
        threads=threads,
        memory_limit=memory,
    )
    whole = load(inputs["system"])
    decoder = Decoder(
        RuleTable.open(folder / "rules"),
        LanguageModel.load(folder / "lm", own_memory=True),
        whole.options,
        sparse=whole.decoder.sparse,
        joint=whole.decoder.joint,
    )
    decoder.take_weights(whole.decoder)
    return System(decoder, folder, whole.text)
