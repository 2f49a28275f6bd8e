"""Select a part of a bilingual corpus that is similar to a text."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.corpus.formats import Conversion
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, read_lines
from isogloss.selection.choice import Chosen, choose, random_numbers
from isogloss.selection.options import SampleOptions
from isogloss.selection.perplexity import ModelPerplexity, perplexities

__all__ = ["Sampled", "read_text", "sample_corpus"]

ALL, SAMPLE = "all", "sample"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """The selection and its perplexities."""

    chosen: Chosen
    perplexities: dict[str, ModelPerplexity] = field(default_factory=dict)
    """3-gram perplexity of the text by models of ``all``, ``sample`` and random samples ``random 1`` … of the
    same size; empty if not requested."""

    def as_dict(self) -> dict[str, Any]:
        """As plain values."""
        chosen = self.chosen
        return {
            "pairs": chosen.sentences,
            "chosen": len(chosen.numbers),
            "coverage": chosen.coverage,
            "ngrams": [
                {"length": length, "text": text, "corpus": found}
                for length, (text, found) in enumerate(chosen.ngrams, start=1)
            ],
            "perplexity": {name: asdict(found) for name, found in self.perplexities.items()},
        }


def read_text(paths: Sequence[StrPath]) -> list[str]:
    """The sentences of text files."""
    text = [line for path in paths for line in read_lines(path)]
    if not any(line.split() for line in text):
        raise DataFormatError("the text to select for has no words", paths[0])
    return text


def sample_corpus(
    conversion: Conversion,
    text: Sequence[str],
    options: SampleOptions | None = None,
    *,
    beside: StrPath | None = None,
    measure: bool = True,
    random_draws: int = 0,
    threads: int = 1,
    track: Track = no_track,
) -> Sampled:
    """Select pairs of a corpus by their source side and write them; the corpus is read several times.

    The table ``beside`` gets a line for each pair: its number in the corpus and its score. With ``measure``,
    the perplexity of the text is computed by language models of all source sentences and of the selected
    ones; with ``random_draws``, also by models of random selections of the same size.
    """
    options = options or SampleOptions()
    if random_draws < 0:
        raise ConfigError(f"random_draws must be at least 0, got {random_draws}")
    if any(fspath(path) == "-" for path in conversion.source.paths):
        raise ConfigError("the corpus is read more than once, so it cannot be standard input; give a file")

    def corpus() -> Iterator[str]:
        return (pair.source for pair in conversion.source.read(conversion.options, conversion.reading))

    chosen = choose(corpus, text, options, threads=threads, track=track)
    conversion.reading.skipped.clear()  # they are counted again below
    wanted = _mask(chosen.numbers, chosen.sentences)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="isogloss-sample-")))
        files = {SAMPLE: (folder / "sample", wanted)} if measure else {}
        if measure:
            files = {ALL: (folder / "all", np.ones(chosen.sentences, bool)), **files}
            for draw in range(1, random_draws + 1):
                numbers = random_numbers(chosen.sentences, len(chosen.numbers), options.seed + draw - 1)
                files[f"random {draw}"] = (folder / f"random-{draw}", _mask(numbers, chosen.sentences))
        _write(conversion, chosen, wanted, files, beside, track)
        asked = {name: path for name, (path, _) in files.items() if len(chosen.numbers)}
        return Sampled(chosen=chosen, perplexities=perplexities(asked, text, threads=threads, track=track))


def _mask(numbers: npt.NDArray[np.int64], sentences: int) -> npt.NDArray[np.bool_]:
    mask = np.zeros(sentences, bool)
    mask[numbers] = True
    return mask


def _write(
    conversion: Conversion,
    chosen: Chosen,
    wanted: npt.NDArray[np.bool_],
    files: dict[str, tuple[Path, npt.NDArray[np.bool_]]],
    beside: StrPath | None,
    track: Track,
) -> None:
    """Read the corpus again and write the selected pairs and the source sides of the samples to measure."""
    tables_wanted = [beside] if beside is not None else []
    scores = iter(chosen.scores.tolist())
    with ExitStack() as stack:
        streams = [
            (
                stack.enter_context(path.open("w", encoding="utf-8", errors="surrogatepass", newline="\n")),
                mask,
            )
            for path, mask in files.values()
        ]
        pairs = conversion.source.read(conversion.options, conversion.reading)
        write, tables = stack.enter_context(
            conversion.target.write(conversion.languages(), beside=tables_wanted)
        )
        for table in tables:
            table.write("line\tscore\n")
        for number, pair in enumerate(track(pairs, "writing", chosen.sentences)):
            if wanted[number]:
                write(pair)
                score = next(scores)
                for table in tables:
                    table.write(f"{pair.line}\t{score:.6f}\n")
            for stream, mask in streams:
                if mask[number]:
                    stream.write(pair.source.replace("\n", " ") + "\n")
