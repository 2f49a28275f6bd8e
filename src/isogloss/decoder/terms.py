"""Terminology: terms and their required translations.

A line is a term, a tab and its translation; a line without a tab is a term that stays unchanged. CSV and TBX
files are read too. A system with a tokenizer tokenizes terms; otherwise they are tokens. Where terms overlap,
the one that begins first is used; among those, the longest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from isogloss.corpus.processing import TextProcessing
from isogloss.decoder.sentence import Fixed, Sentence, split_words
from isogloss.io.errors import DataFormatError
from isogloss.io.streams import StrPath

if TYPE_CHECKING:
    from isogloss.corpus.term_lists import TermRow

__all__ = ["Terms"]

Words = tuple[str, ...]


class Terms:
    """Terms with their translations.

    >>> terms = Terms({("alte", "Stadt"): ("Old", "Town")})
    >>> terms.apply(Sentence.of("die alte Stadt")).fixed
    (Fixed(begin=1, end=3, translation=('Old', 'Town')),)
    """

    def __init__(self, translations: Mapping[Words, Words], *, ignore_case: bool = False) -> None:
        self._ignore_case = ignore_case
        self._translations = {self._known(term): words for term, words in translations.items()}
        self._lengths: dict[str, list[int]] = {}  # lengths of the terms that begin with a word, longest first
        for term in self._translations:
            self._lengths.setdefault(term[0], []).append(len(term))
        for lengths in self._lengths.values():
            lengths[:] = sorted(set(lengths), reverse=True)

    def _known(self, words: Words) -> Words:
        return tuple(word.casefold() for word in words) if self._ignore_case else words

    @classmethod
    def read(cls, path: StrPath, text: TextProcessing | None = None, *, ignore_case: bool = False) -> Terms:
        """Read a term list (TSV, CSV or TBX; plain, gzip or zstd) and tokenize it with ``text``."""
        from isogloss.corpus.term_lists import read_terms

        languages = ("", "") if text is None else (text.source.options.language, text.target.options.language)
        return cls._made(read_terms(path, *languages), text, path, ignore_case)

    @classmethod
    def of(
        cls,
        pairs: Iterable[tuple[str, str | None]],
        text: TextProcessing | None = None,
        *,
        ignore_case: bool = False,
        where: str = "terms",
    ) -> Terms:
        """Make it of terms and translations; None keeps a term. ``where`` names them in messages."""
        from isogloss.corpus.term_lists import TermRow

        rows = (TermRow(term, translation, line) for line, (term, translation) in enumerate(pairs, start=1))
        return cls._made(rows, text, where, ignore_case)

    @classmethod
    def _made(
        cls, rows: Iterable[TermRow], text: TextProcessing | None, path: StrPath, ignore_case: bool
    ) -> Terms:
        translations: dict[Words, Words] = {}
        lines: dict[Words, int] = {}
        for row in rows:
            forms = _source_forms(row.term, text)
            if not forms[0]:
                raise DataFormatError("the line has no term", path, row.line)
            written = row.term if row.translation is None else row.translation
            translation = tuple(split_words(written) if text is None else text.target.split(written))
            if not translation:
                raise DataFormatError(
                    f"no translation for '{' '.join(forms[0])}'",
                    path,
                    row.line,
                    "remove the separator to keep the term unchanged",
                )
            for term in forms:
                if translations.setdefault(term, translation) != translation:
                    raise DataFormatError(
                        f"'{' '.join(term)}' has a different translation on line {lines[term]}",
                        path,
                        row.line,
                    )
                lines.setdefault(term, row.line)
        return cls(translations, ignore_case=ignore_case)

    def __len__(self) -> int:
        return len(self._translations)

    def apply(self, sentence: Sentence) -> Sentence:
        """Return the sentence with fixed translations for its terms; existing ones are kept."""
        found = tuple(self._found(sentence))
        return sentence.with_fixed(found) if found else sentence

    def _found(self, sentence: Sentence) -> Iterator[Fixed]:
        words = self._known(sentence.words)
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


def _source_forms(term: str, text: TextProcessing | None) -> list[Words]:
    """Return the forms of a term in a sentence: as written, and as at the start of a sentence."""
    if text is None:
        return [tuple(split_words(term))]
    return list(dict.fromkeys([tuple(text.source.split(term)), tuple(text.source.tokenize(term))]))
