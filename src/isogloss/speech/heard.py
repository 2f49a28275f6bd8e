"""Read the output of a recognizer: n-best lists, word lattices or plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from isogloss.decoder.plf import Lattice, parse_plf
from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.options import AtLeast, DefaultText, Options
from isogloss.io.progress import Track, no_track
from isogloss.io.streams import StrPath, read_lines
from isogloss.nbest.formats import read_nbest
from isogloss.speech.hypotheses import Utterance, lattice_utterances, list_utterances, text_utterances

__all__ = ["HeardOptions", "read_heard"]

_NOTHING_HEARD = Lattice(1, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardOptions(Options):
    """The format of a recognizer's output."""

    input: Literal["nbest", "plf", "text"] = "nbest"
    """Format of the file: ``nbest`` for an n-best list with scores, in any format that 'isogloss nbest'
    reads; ``plf`` for one word lattice per line; ``text`` for one sentence per line."""
    hypotheses: Annotated[int, AtLeast(1)] = 20
    """Hypotheses of each utterance to translate, best first."""
    count: Annotated[int | None, AtLeast(1), DefaultText("as many as the list has")] = None
    """Number of utterances, if the last ones are missing in the n-best list."""
    tokenized: bool = False
    """Read and write tokens separated by spaces, even if the system was trained with a tokenizer. N-best
    lists always contain tokens."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.count is not None and self.input != "nbest":
            raise ConfigError(
                f"`count` cannot be used with input {self.input}, which has a line for each utterance"
            )


def read_heard(
    path: StrPath,
    options: HeardOptions | None = None,
    *,
    bad_line: Callable[[DataFormatError], None] | None = None,
    warn: Callable[[str], None] = lambda message: None,
    track: Track = no_track,
    watch: Callable[[Iterable[bytes]], Iterable[bytes]] = iter,
) -> list[Utterance]:
    """The utterances of a file (``-`` is standard input), each with its best hypotheses.

    ``bad_line`` is called for a lattice that cannot be read, which then has no hypotheses; without
    ``bad_line`` it is an error. ``warn`` is called if scores are missing in the list. ``track`` and ``watch``
    show progress by lattices and by chunks of a list.
    """
    options = options or HeardOptions()
    if options.input == "text":
        return text_utterances(read_lines(path))
    if options.input == "nbest":
        store = read_nbest(path, watch=watch)
        for feature, missing in store.filled.items():
            warn(
                f"{path}: feature '{feature}' is missing on {missing:,} of {store.num_candidates:,} "
                "candidates; the lowest value of the utterance is used instead"
            )
        return list_utterances(store, options.hypotheses, options.count)

    def lattice(line: str, number: int) -> Lattice:
        try:
            return parse_plf(line, path, number)
        except DataFormatError as error:
            if bad_line is None:
                raise
            bad_line(error)
            return _NOTHING_HEARD

    lines = enumerate(track(read_lines(path), "lattices"), start=1)
    return lattice_utterances((lattice(line, number) for number, line in lines), options.hypotheses)
