"""A synthetic bilingual corpus with a known word alignment, for tests, examples and first steps.

The source is simple English, the target an invented language (``isogloss.corpus.synthetic.tavri``) with the
difficulties of real languages: strong reordering, words without a counterpart on both sides, inflection,
homographs that only context resolves, synonyms, names, numbers, dates, and a long tail of rare words. A
system trained on a few thousand pairs does well, but not perfectly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.corpus.synthetic.english import speak_english
from isogloss.corpus.synthetic.lexicon import Dice
from isogloss.corpus.synthetic.meaning import Word, draw_sentence
from isogloss.corpus.synthetic.tavri import speak_tavri
from isogloss.io.errors import ConfigError, OutputError
from isogloss.io.streams import StrPath, atomic_outputs

__all__ = ["SyntheticCorpus", "as_text", "make_corpus", "write_corpus"]

Tokens = list[str]
Links = list[tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticCorpus:
    """Sentences of both languages, line by line; all lists have the same length."""

    source: list[Tokens]
    references: list[list[Tokens]]
    """One list of sentences per reference; the first reference is the target side."""
    alignment: list[Links]
    """Word alignment of the source with the first reference, as (source, target) positions from 0."""

    def __len__(self) -> int:
        return len(self.source)

    @property
    def target(self) -> list[Tokens]:
        """The first reference."""
        return self.references[0]

    def split(self, *, dev: int, test: int) -> tuple[SyntheticCorpus, SyntheticCorpus, SyntheticCorpus]:
        """Divide into training, development and test parts; no source sentence is in two of them.

        After ``dev`` and ``test`` distinct sentences are set aside, the rest is for training, except further
        copies of these sentences.
        """
        parts: dict[tuple[str, ...], int] = {}
        rows: tuple[list[int], list[int], list[int]] = ([], [], [])
        for row, sentence in enumerate(self.source):
            part = 2 if len(rows[2]) < test else 1 if len(rows[1]) < dev else 0
            known = parts.setdefault(tuple(sentence), part)
            if part == known:
                rows[part].append(row)
        if len(rows[1]) < dev or len(rows[2]) < test or not rows[0]:
            raise ConfigError(f"{len(self)} pairs are too few for {dev} dev and {test} test sentences")
        return self._take(rows[0]), self._take(rows[1]), self._take(rows[2])

    def _take(self, rows: Sequence[int]) -> SyntheticCorpus:
        return SyntheticCorpus(
            source=[self.source[row] for row in rows],
            references=[[side[row] for row in rows] for side in self.references],
            alignment=[self.alignment[row] for row in rows],
        )


def make_corpus(pairs: int, seed: int, references: int = 1) -> SyntheticCorpus:
    """Make a corpus; the same arguments always give the same one.

    More references add translations without changing the source or the first reference.

    >>> corpus = make_corpus(pairs=2, seed=1)
    >>> as_text(corpus.source[1])
    'The miller of the woman feeds the bad goats if a hungry farmer loses the light.'
    >>> as_text(corpus.target[1])
    'Agralo famo ga luzon gube esli, sela nu molaro va kozlarin mava nutre.'
    """
    if pairs < 1 or references < 1:
        raise ConfigError(f"at least 1 pair and 1 reference are needed, got {pairs} and {references}")
    corpus = SyntheticCorpus(source=[], references=[[] for _ in range(references)], alignment=[])
    dice = Dice(seed)
    speakers = [Dice(seed * 1_000_003 + number) for number in range(1, references + 1)]
    for _ in range(pairs):
        meaning = draw_sentence(dice)
        source = speak_english(meaning)
        corpus.source.append([word for word, _ in source])
        for number, speaker in enumerate(speakers):
            target = speak_tavri(meaning, speaker)
            corpus.references[number].append([word for word, _ in target])
            if number == 0:
                corpus.alignment.append(_links(source, target))
    return corpus


def _links(source: Sequence[Word], target: Sequence[Word]) -> Links:
    return [
        (at, other)
        for at, (_, key) in enumerate(source)
        for other, (_, other_key) in enumerate(target)
        if key is not None and key == other_key
    ]


def as_text(tokens: Sequence[str]) -> str:
    """Turn tokens into ordinary text: a capital at the start, no space before punctuation.

    >>> as_text(["the", "king", "'s", "dog", "slept", "."])
    "The king's dog slept."
    """
    text = ""
    for token in tokens:
        text += token if not text or token in {".", ",", "?", "!", "'s"} else f" {token}"
    return text[:1].upper() + text[1:]


def write_corpus(
    folder: StrPath,
    *,
    pairs: int,
    seed: int,
    references: int = 1,
    dev: int | None = None,
    test: int | None = None,
    raw: bool = False,
) -> list[Path]:
    """Write a corpus of ``pairs`` training pairs into a new or empty folder and return the files.

    The files are ``train.src``, ``train.tgt``, ``train.align`` and for ``dev`` and ``test`` the source
    and every reference: ``test.src``, ``test.tgt.0``, ``test.tgt.1``, … The size of ``dev`` and ``test``
    is a tenth of the training part, from 10 to 500, unless given. With ``raw`` the files contain ordinary
    text instead of tokens, and there is no ``train.align``.
    """
    usual = min(500, max(10, pairs // 10))
    dev, test = (usual if size is None else size for size in (dev, test))
    if pairs < 1 or dev < 0 or test < 0:
        raise ConfigError(
            f"at least 1 training pair and no negative sizes are needed, got {pairs}, {dev} and {test}"
        )
    place = Path(folder)
    _refuse_used(place)
    # A tenth more than needed, because repeated sentences of dev and test are left out of training.
    corpus = make_corpus(pairs + (pairs + dev + test) // 10 + dev + test + 10, seed, references)
    train, *held_out = corpus.split(dev=dev, test=test)
    write = as_text if raw else " ".join
    files = {
        "train.src": map(write, train.source[:pairs]),
        "train.tgt": map(write, train.target[:pairs]),
    }
    if not raw:
        files["train.align"] = map(_pharaoh, train.alignment[:pairs])
    for name, part in zip(("dev", "test"), held_out, strict=True):
        files[f"{name}.src"] = map(write, part.source)
        for number, side in enumerate(part.references):
            files[f"{name}.tgt.{number}"] = map(write, side)
    paths = [place / name for name in files]
    _make_folder(place)
    with atomic_outputs(paths) as streams:
        for stream, lines in zip(streams, files.values(), strict=True):
            stream.writelines(f"{line}\n" for line in lines)
    return paths


def _pharaoh(links: Links) -> str:
    return " ".join(f"{at}-{other}" for at, other in links)


def _refuse_used(folder: Path) -> None:
    held = next(folder.iterdir(), None) if folder.is_dir() else None
    if held is not None:
        raise OutputError(f"the folder is not empty (it holds '{held.name}')", folder, "choose a new one")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(error.strerror or str(error), folder) from None
