"""The models of a fold of the training text: made from all other sentences."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from isogloss.decoder.decoder import Decoder
from isogloss.grammar import ExtractOptions, extract_rules
from isogloss.grammar.table import RuleTable
from isogloss.io.streams import read_lines
from isogloss.lm import LanguageModel, LmOptions, build

__all__ = ["FoldText", "decoder_without"]

Lines = Sequence[str]


@dataclass(frozen=True, slots=True)
class FoldText:
    """The tokenized text that models are made from, and how."""

    lines: Sequence[Lines]
    """Source, target and links of the pairs that rules are extracted from."""
    lm_text: tuple[Path, Path]
    """Files with source and target of the pairs that the language model is estimated from."""
    extraction: ExtractOptions
    lm: LmOptions


def decoder_without(
    text: FoldText, hidden: Set[str], whole: Decoder, folder: Path, *, threads: int, memory: int
) -> Decoder:
    """The decoder as it would be without the pairs of some source sentences, with the same weights."""
    paths = [folder / name for name in ("source", "target", "links")]
    kept = [i for i, line in enumerate(text.lines[0]) if line not in hidden]
    for path, lines in zip(paths, text.lines, strict=True):
        path.write_text("".join(lines[i] + "\n" for i in kept), encoding="utf-8")
    source_file, target_file, links_file = paths
    extract_rules(
        source_file,
        target_file,
        links_file,
        folder / "rules",
        text.extraction,
        memory_limit=memory,
        threads=threads,
    )
    with (folder / "lm.txt").open("w", encoding="utf-8") as stream:
        for source, target in zip(*map(read_lines, text.lm_text), strict=True):
            if source not in hidden:
                stream.write(target + "\n")
    build(
        [folder / "lm.txt"],
        options=text.lm,
        binary=folder / "lm",
        threads=threads,
        memory_limit=memory,
    )
    decoder = Decoder(
        RuleTable.open(folder / "rules"),
        LanguageModel.load(folder / "lm", own_memory=True),
        whole.options,
        sparse=whole.sparse,
        joint=whole.joint,
    )
    decoder.take_weights(whole)
    return decoder
