"""Terminology: terms and their required translations.

A line is a term, a tab and its translation, both tokenized; a line without a tab is a term that stays
unchanged. Where terms overlap, the one that begins first is used; among those, the longest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from isogloss.decoder.sentence import Fixed, Sentence, split_words
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath, read_lines

__all__ = ["Terms"]

Words = tuple[str, ...]


class Terms:
    """Terms with their translations.

    >>> terms = Terms({("alte", "Stadt"): ("Old", "Town")})
    >>> terms.apply(Sentence.of("die alte Stadt")).fixed
    (Fixed(begin=1, end=3, translation=('Old', 'Town')),)
    """

    def __init__(self, translations: Mapping[Words, Words]) -> None:
        self._translations = dict(translations)
        self._lengths: dict[str, list[int]] = {}  # lengths of the terms that begin with a word, longest first
        for term in self._translations:
            self._lengths.setdefault(term[0], []).append(len(term))
        for lengths in self._lengths.values():
            lengths[:] = sorted(set(lengths), reverse=True)

    @classmethod
    def read(cls, path: StrPath) -> Terms:
        """Read a list (plain, gzip or zstd)."""
        translations: dict[Words, Words] = {}
        lines: dict[Words, int] = {}
        for number, line in enumerate(read_lines(path), start=1):
            if not line.strip():
                continue
            source, tab, target = line.partition("\t")
            term, translation = tuple(split_words(source)), tuple(split_words(target))
            if not term:
                raise DataFormatError("the line has no term", path, number)
            if "\t" in target:
                raise DataFormatError(
                    "more than two columns", path, number, "write a term, a tab and its translation"
                )
            if tab and not translation:
                raise DataFormatError(
                    f"no translation for '{' '.join(term)}'",
                    path,
                    number,
                    "remove the tab to keep the term unchanged",
                )
            translation = translation or term
            if translations.setdefault(term, translation) != translation:
                raise DataFormatError(
                    f"'{' '.join(term)}' has a different translation on line {lines[term]}", path, number
                )
            lines.setdefault(term, number)
        return cls(translations)

    def __len__(self) -> int:
        return len(self._translations)

    def apply(self, sentence: Sentence) -> Sentence:
        """The sentence with given translations for its terms; existing ones are kept."""
        found = tuple(self._found(sentence))
        return sentence.with_fixed(found) if found else sentence

    def _found(self, sentence: Sentence) -> Iterator[Fixed]:
        words = sentence.words
        taken = {i for part in sentence.fixed for i in range(part.begin, part.end)}
        begin = 0
        while begin < len(words):
            end = begin
            for length in self._lengths.get(words[begin], ()):
                term = words[begin : begin + length]
                if len(term) < length or term not in self._translations:
                    continue
                if taken.isdisjoint(range(begin, begin + length)):
                    end = begin + length
                    yield Fixed(begin, end, self._translations[term])
                    break
            begin = max(end, begin + 1)
