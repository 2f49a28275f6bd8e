"""WordNet's own files: ``index.noun``, ``index.verb``, ``index.adj``, ``index.adv``, ``noun.exc`` and so on.

A line of an index has a lemma, its part of speech, the number of synsets, the number of pointer types and
their symbols, two counts, and the synsets. A line of exceptions has a word and its lemmas.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from isogloss.io.errors import DataFormatError, InputFileError
from isogloss.io.streams import StrPath, read_lines

__all__ = ["WordNetFolder"]

_ENDINGS = {
    "noun": "s: ses:s xes:x zes:z ches:ch shes:sh men:man ies:y",
    "verb": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "adj": "er: est: er:e est:e",
    "adv": "",
}
"""English inflectional endings and their replacements."""


class WordNetFolder:
    """Synsets of lemmas and, in English, of inflected words; named like ``n02084071``."""

    def __init__(self, folder: StrPath, language: str) -> None:
        place = Path(folder)
        self._english = language == "en"
        self._synsets: dict[str, dict[str, tuple[str, ...]]] = {}
        self._exceptions: dict[str, dict[str, list[str]]] = {}
        for part in _ENDINGS:
            if (place / f"index.{part}").exists():
                self._synsets[part] = dict(_read_index(place / f"index.{part}"))
            if (place / f"{part}.exc").exists():
                self._exceptions[part] = {
                    word: lemmas
                    for word, *lemmas in (line.split() for line in read_lines(place / f"{part}.exc") if line)
                }
        if not self._synsets:
            raise InputFileError(
                "is not a WordNet folder: there is no index.noun, index.verb, index.adj or index.adv", place
            )

    def annotate(self, tokens: Sequence[str]) -> Sequence[Sequence[str]]:
        """All synsets of every token."""
        return [self._of(token) for token in tokens]

    def _of(self, word: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for part, synsets in self._synsets.items():
            for lemma in self._lemmas(word.lower(), part):
                found |= dict.fromkeys(synsets.get(lemma, ()))
        return tuple(found)

    def _lemmas(self, word: str, part: str) -> Iterator[str]:
        yield word
        yield from self._exceptions.get(part, {}).get(word, ())
        for rule in _ENDINGS[part].split() if self._english else ():
            ending, put = rule.split(":")
            if word.endswith(ending):
                yield word[: -len(ending)] + put


def _read_index(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    for number, line in enumerate(read_lines(path), start=1):
        if not line or line.startswith(" "):  # the license text at the top
            continue
        fields = line.split()
        try:
            count, pointers = int(fields[2]), int(fields[3])
            synsets = fields[6 + pointers :]
            if len(synsets) != count or not all(synset.isdigit() for synset in synsets):
                raise ValueError
        except (IndexError, ValueError):
            raise DataFormatError(f"'{line[:60]}' is not a line of a WordNet index", path, number) from None
        yield fields[0], tuple(f"{fields[1]}{synset}" for synset in synsets)
