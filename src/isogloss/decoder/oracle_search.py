"""Oracle search: the best translations within reach of a system, given the references."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os import fspath
from typing import Annotated, Literal

from isogloss.decoder.search_result import Searched
from isogloss.decoder.system import System
from isogloss.io.errors import ConfigError
from isogloss.io.options import AtLeast, Options
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, read_lines
from isogloss.metric import Bleu, References
from isogloss.metric.references import check_length
from isogloss.nbest import jsonl, moses
from isogloss.nbest.edit import best_rows

__all__ = ["OracleOptions", "OracleSearch"]

_BATCH = 20  # sentences per thread


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleOptions(Options):
    """What to find and how to write it."""

    force: bool = False
    """Find the derivations with the highest model score that yield exactly a reference. If there is none, the
    output line is empty."""
    nbest: Annotated[int, AtLeast(1)] = 1
    """Number of different translations per sentence; with ``force``, of derivations of a reference."""
    format: Literal["text", "moses", "jsonl"] = "text"
    """``text``: the best translation; ``moses``: an n-best list; ``jsonl``: one JSON object per translation
    with score, features, word alignment and derivation."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.nbest > 1 and self.format == "text":
            raise ConfigError("`nbest` above 1 needs the `format` moses or jsonl")


class OracleSearch:
    """Yields the output for the sentences; afterward it has the score of the best translations."""

    def __init__(
        self,
        system: System,
        sentences: Sequence[str],
        references: References,
        options: OracleOptions | None = None,
        *,
        threads: int = 1,
        track: Track = no_track,
    ) -> None:
        self._system, self._sentences, self._references = system, sentences, references
        self._options, self._threads, self._track = options or OracleOptions(), threads, track
        self._best: dict[int, str] = {}

    @classmethod
    def of_files(
        cls,
        system: System,
        source: StrPath,
        references: Sequence[StrPath],
        options: OracleOptions | None = None,
        *,
        threads: int = 1,
        track: Track = no_track,
    ) -> OracleSearch:
        """For tokenized sentences and references in files, one per line."""
        sentences, read = list(read_lines(source)), References.read(references)
        check_length(fspath(source), len(sentences), fspath(references[0]), len(read))
        return cls(system, sentences, read, options, threads=threads, track=track)

    def __iter__(self) -> Iterator[str]:
        decoder, options = self._system.decoder, self._options
        search = decoder.force if options.force else decoder.oracle
        size = _BATCH * self._threads
        for begin in self._track(range(0, len(self._sentences), size), "batches"):
            batch = self._sentences[begin : begin + size]
            texts = [self._references.of(number) for number in range(begin, begin + len(batch))]
            found = search(batch, texts, nbest=options.nbest, threads=self._threads)
            yield from _pieces(found, options.format, begin, len(batch))
            for sentence in range(found.store.num_sentences):
                number = begin + int(found.store.sentence_ids[sentence])
                self._best[number] = found.store.text(found.store.rows_of(sentence)[0])

    def summary(self) -> str:
        """A sentence with the score, after all translations were found."""
        if self._options.force:
            return f"{len(self._best):,} of {len(self._references):,} sentences reach a reference"
        metric = Bleu()
        lines = [self._best.get(number, "") for number in range(len(self._references))]
        bleu = metric.score(metric.statistics(lines, self._references).sum(axis=0))
        return f"BLEU of the best translations as a document: {bleu:.2f}"


def _pieces(found: Searched, format: str, first: int, count: int) -> Iterator[str]:
    """The result for ``count`` sentences as text; ``first`` is the number of the first one."""
    store = replace(found.store, sentence_ids=found.store.sentence_ids + first)
    if format == "text":
        yield from (line + "\n" for line in found.store.lines(best_rows(found.store), count))
    elif format == "moses":
        yield from moses.write(store)
    else:
        for entry, derivation in zip(jsonl.entries(store), found.derivations, strict=True):
            entry["derivation"] = [step._asdict() for step in derivation]
            yield json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n"
