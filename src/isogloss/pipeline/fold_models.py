"""The models of a fold of the training text: made from all other sentences."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from isogloss.adapt.leave_one_out import OtherPairs
from isogloss.decoder.decoder import Decoder
from isogloss.decoder.system import System
from isogloss.grammar import ExtractOptions, extract_rules
from isogloss.grammar.options import Significance
from isogloss.grammar.selection import prune_table
from isogloss.grammar.table import RuleTable
from isogloss.io.errors import ConfigError
from isogloss.io.streams import atomic_output, read_lines
from isogloss.lm import LanguageModel, LmOptions, build

__all__ = ["FoldDecoders", "FoldText", "decoder_without", "quick_decoder_without"]

Lines = Sequence[str]
_DONE = "done"


@dataclass(frozen=True, slots=True)
class FoldText:
    """The tokenized text that models are made from, and how."""

    lines: Sequence[Lines]
    """Source, target and links of the pairs that rules are extracted from."""
    lm_text: tuple[Path, Path]
    """Files with source and target of the pairs that the language model is estimated from."""
    extraction: ExtractOptions
    lm: LmOptions
    significance: str = ""
    """Threshold of rules, as in ``isogloss train``."""


def decoder_without(
    text: FoldText, hidden: Set[str], whole: Decoder, folder: Path, *, threads: int, memory: int
) -> Decoder:
    """The decoder as it would be without the pairs of some source sentences, with the same weights."""
    _make_models(text, hidden, folder, threads=threads, memory=memory)
    return _open_models(folder, whole, own_memory=True)


@contextlib.contextmanager
def quick_decoder_without(
    text: FoldText, hidden: Set[str], system: System, folder: Path, *, threads: int, memory: int
) -> Iterator[Decoder]:
    """The same in a fraction of the time: the rules of the hidden pairs are subtracted from the system's.

    Lexical weights and orientations are those of all pairs. A table that was smoothed is made again.
    """
    whole, rules = system.decoder, system.path / "rules"
    _make_language_model(text, hidden, folder, threads=threads, memory=memory)
    model = LanguageModel.load(folder / "lm", own_memory=True)
    like = Decoder(RuleTable.open(rules), model, whole.options, sparse=whole.sparse, joint=whole.joint)
    like.take_weights(whole)
    try:
        others = OtherPairs(rules, like)
    except ConfigError:
        yield decoder_without(text, hidden, whole, folder, threads=threads, memory=memory)
        return
    with others.without([pair for pair in zip(*text.lines, strict=True) if pair[0] in hidden]) as decoder:
        yield decoder


@dataclass(frozen=True, slots=True)
class FoldDecoders:
    """Decoders for groups of training sentences; models that are in ``folder`` already are used again."""

    text: FoldText
    whole: Decoder
    folder: Path
    threads: int = 1
    memory: int = 1 << 30
    say: Callable[[str], None] = lambda message: None

    def __call__(self, groups: Sequence[Sequence[str]]) -> list[Decoder]:
        """A decoder for each group, made without its sentences and others with the same source."""
        return [self._decoder(number, group, len(groups)) for number, group in enumerate(groups)]

    def _decoder(self, number: int, group: Sequence[str], of: int) -> Decoder:
        key = hashlib.sha256("\n".join(group).encode()).hexdigest()[:16]
        folder = self.folder / key
        if not (folder / _DONE).exists():
            self.say(f"models of fold {number + 1} of {of}, without its {len(group):,} sentences")
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            _make_models(self.text, set(group), folder, threads=self.threads, memory=self.memory)
            with atomic_output(folder / _DONE) as stream:
                stream.write("")
        return _open_models(folder, self.whole, own_memory=False)


def _make_models(text: FoldText, hidden: Set[str], folder: Path, *, threads: int, memory: int) -> None:
    paths = [folder / name for name in ("source", "target", "links")]
    kept = [i for i, line in enumerate(text.lines[0]) if line not in hidden]
    for path, lines in zip(paths, text.lines, strict=True):
        path.write_text("".join(lines[i] + "\n" for i in kept), encoding="utf-8")
    source_file, target_file, links_file = paths
    extracted = folder / ("all-rules" if text.significance else "rules")
    extract_rules(
        source_file, target_file, links_file, extracted, text.extraction, memory_limit=memory, threads=threads
    )
    if text.significance:
        significance = Significance.parse(text.significance)
        prune_table(extracted, folder / "rules", source_file, target_file, significance, threads=threads)
        shutil.rmtree(extracted)
    _make_language_model(text, hidden, folder, threads=threads, memory=memory)
    for path in paths:
        path.unlink()


def _make_language_model(
    text: FoldText, hidden: Set[str], folder: Path, *, threads: int, memory: int
) -> None:
    kept = folder / "lm.txt"
    with kept.open("w", encoding="utf-8") as stream:
        for source, target in zip(*map(read_lines, text.lm_text), strict=True):
            if source not in hidden:
                stream.write(target + "\n")
    build([kept], options=text.lm, binary=folder / "lm", threads=threads, memory_limit=memory)
    kept.unlink()


def _open_models(folder: Path, whole: Decoder, *, own_memory: bool) -> Decoder:
    decoder = Decoder(
        RuleTable.open(folder / "rules"),
        LanguageModel.load(folder / "lm", own_memory=own_memory),
        whole.options,
        sparse=whole.sparse,
        joint=whole.joint,
    )
    decoder.take_weights(whole)
    return decoder
