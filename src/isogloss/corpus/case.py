"""Letter case by language, and what the case of a source says about the case of its translation.

Turkish and Azerbaijani pair the dotless ı with the capital I, Dutch capitalizes IJ as one letter, Greek drops
accents in all-caps words, and Georgian words never begin with a capital.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from isogloss.corpus.languages import base_language, is_english_name
from isogloss.corpus.placeholders import MARK

__all__ = [
    "SourceCase",
    "capitalized",
    "case_follows",
    "case_leads",
    "is_dotted",
    "lowered",
    "raised",
    "recased",
    "small_in_titles",
    "source_case",
]

_DOTTED = frozenset({"tr", "az", "crh", "gag"})
_NO_CAPITALS = "GEORGIAN"
_NOUNS = frozenset({"de", "lb", "nds", "gsw", "bar", "pfl"})
"""Languages that capitalize nouns, so that a capital in an unknown word may be right."""
_FEW = 10
"""Fewest lines from which case can be learned."""
_LED = 3
"""Fewest lines that tell how translations begin whose source begins with a placeholder."""
_LAST_CASED = "\u052f"
"""End of the Latin, Greek and Cyrillic blocks; their letters without case are signs such as ª."""
_SHOUTED = 6
"""A word with this many capitals is not an abbreviation."""
_SHORT = 3
"""Letters of the longest words that may be small in a title: ``of``, ``and``, ``ve``."""
_WORD = re.compile(r"[^\W\d_][\w'’.-]*")
_SENTENCE = re.compile(r"[.?!…]['\"”’»)\]]*\s+[\"'“‘«(\[¿¡]*([^\W\d_])")
_COLON = re.compile(r":\s+[\"'“‘«(\[¿¡]*([^\W\d_])")
_ENDS = frozenset({".", "?", "!", "..", "...", "…"})
_COLONS = frozenset({":"})
_OPENINGS = frozenset("([{\"'“‘«„‚<‹¿¡-–—*`")
"""Characters that do not count as the beginning of a sentence; it begins after them."""


def is_dotted(language: str) -> bool:
    """Whether I is the capital of ı in this language, and İ that of i."""
    return base_language(language) in _DOTTED


def lowered(text: str, language: str = "") -> str:
    """Convert text to lower case.

    >>> lowered("ISPARTA İzmir", "tr"), lowered("ΟΔΟΣ", "el")
    ('ısparta izmir', 'οδος')
    """
    if is_dotted(language):
        text = text.replace("I", "ı").replace("İ", "i")
    return text.lower()


def raised(text: str, language: str = "") -> str:
    """Convert text to upper case.

    >>> raised("diğer ısı", "tr"), raised("Άγνωστη ώρα", "el"), raised("Straße", "de")
    ('DİĞER ISI', 'ΑΓΝΩΣΤΗ ΩΡΑ', 'STRASSE')
    """
    base = base_language(language)
    if base in _DOTTED:
        text = text.replace("i", "İ")
    if base == "el":
        marks = unicodedata.normalize("NFD", text)
        text = unicodedata.normalize("NFC", marks.replace("\u0301", ""))
    return "".join(c if unicodedata.name(c, "").startswith(_NO_CAPITALS) else c.upper() for c in text)


def capitalized(word: str, language: str = "") -> str:
    """Capitalize the first letter of a word.

    >>> capitalized("ijs", "nl"), capitalized("izmir", "tr"), capitalized("კაცი", "ka")
    ('IJs', 'İzmir', 'კაცი')
    """
    base = base_language(language)
    if base == "nl" and word[:2] == "ij":
        return "IJ" + word[2:]
    if base in _DOTTED and word[:1] == "i":
        return "İ" + word[1:]
    return word[:1].title() + word[1:]


def _small(word: str, language: str) -> str:
    if base_language(language) == "nl" and word[:2] == "IJ":
        return "ij" + word[2:]
    return lowered(word[:1], language) + word[1:]


def _is_mixed(word: str) -> bool:
    """Whether a word has capitals after its first letter: ``iOS``, ``eBay``, ``USB``, ``GmbH``."""
    return any(c.isupper() for c in word[1:])


@dataclass(frozen=True, slots=True)
class SourceCase:
    """What a source says about the case of its translation; None if it says nothing."""

    begins: bool | None = None
    """Whether the sentence begins with a capital."""
    goes_on: bool | None = None
    """Whether a capital follows the placeholder or number at the beginning of the sentence."""
    is_name: bool = False
    """Whether the sentence is just a name that other languages may not capitalize: ``Monday``."""
    shouted: bool = False
    """Whether the sentence is all in capitals."""
    sentences: bool = True
    """Whether sentences after the first one begin with capitals."""
    colons: bool = True
    """Whether the text after a colon begins with a capital."""
    titled: bool = False
    """Whether the sentence is a title with a capital in each word, such as ``File Name``."""


def source_case(text: str, usual: Callable[[str], str | None]) -> SourceCase:
    """Examine a sentence with marks for placeholders but without tags.

    ``usual`` returns the usual form of a word, or None if it is unknown.

    >>> source_case("ǁ0ǁ files", lambda word: None).goes_on, source_case("(all)", lambda word: None).begins
    (False, False)
    """
    blank = MARK.sub(lambda mark: "0" * len(mark.group()), text)
    words = [word.rstrip(".") for word in _WORD.findall(blank)]
    cased = [word for word in words if any(map(_has_case, word))]
    if not cased:
        return SourceCase()
    shouted = all(map(str.isupper, cased)) and any(
        len(word) >= _SHOUTED or (usual(word) or word) != word for word in cased
    )
    first = cased[0]
    capital: bool | None = first[0] != first[0].lower()
    if first != words[0] or (not capital and (_is_mixed(first) or "_" in first)):
        capital = None  # the first word has no case, or is an identifier or a word such as iOS
    later = any(map(str.isalnum, blank[: blank.index(first)]))
    if later and capital and (usual(first) or first) == first:
        capital = None  # a name
    begins = capital
    if later:  # text without case comes first: lower case is certain only if this is not a full sentence
        begins = False if capital is False and not blank.rstrip().endswith((".", "?", "!")) else None
    return SourceCase(
        begins,
        capital if later else None,
        not later and capital is True and _is_name(words, usual),
        shouted,
        _any_capital(_SENTENCE.findall(blank)),
        _any_capital(_COLON.findall(blank)),
        _is_title(cased) and not shouted and not _SENTENCE.search(blank),
    )


def _is_name(words: Sequence[str], usual: Callable[[str], str | None]) -> bool:
    """Whether words are just a name: ``Monday``, ``Brazilian Portuguese``."""
    if len(words) == 1:
        return usual(words[0]) == words[0] and not words[0].isupper()
    return all(word[0].isupper() and len(word) > _SHORT for word in words) and is_english_name(words[-1])


def _is_title(words: Sequence[str]) -> bool:
    """Whether all words but short ones have capitals, and one after the first is not an abbreviation."""
    long = [word for word in words if len(word) > _SHORT]
    return all(word[0].isupper() for word in long) and any(
        word[0].isupper() and not word.isupper() for word in words[1:]
    )


def small_in_titles(pairs: Iterable[tuple[str, str]]) -> frozenset[str] | None:
    """Return the words that are small in the translation of titles with a capital in each word.

    None if the translations of titles usually have no capitals inside.

    >>> small_in_titles([("File and Name", "Dosya ve Adı")] * 10)
    frozenset({'ve'})
    >>> small_in_titles([("File Name", "Nom du fichier")] * 10)
    """
    titles = follows = 0
    counts: Counter[str] = Counter()
    for source, target in pairs:
        if "." in source or not _is_title(_cased_words(source)):  # nearly all lines of running text
            continue
        if inner := [word for word in _cased_words(target)[1:] if not word.isupper()]:
            titles += 1
            follows += all(word[0].isupper() for word in inner if len(word) > _SHORT)
            counts.update({word: -1 if word[0].isupper() else 1 for word in inner})
            counts.update({word.lower(): -1 for word in inner if word[0].isupper()})
    if titles < _FEW or follows <= 0.5 * titles:
        return None
    return frozenset(word for word, count in counts.items() if count > 1)


def _cased_words(text: str) -> list[str]:
    """Words that begin with a letter that has case."""
    return [word for word in _WORD.findall(text) if _has_case(word[0])]


def _any_capital(letters: Sequence[str]) -> bool:
    """Whether one of the letters is a capital; True if there are no letters."""
    return not letters or any(map(str.isupper, letters))


def case_follows(pairs: Iterable[tuple[str, str]], language: str = "") -> bool:
    """Whether translations of lowercase sources usually begin in lower case too.

    In catalogs whose sources are message identifiers they do not.

    >>> case_follows([("open", "Öffnen"), ("close", "Schließen")] * 10)
    False
    """
    small = follows = 0
    for source, target in pairs:
        first, other = (next(filter(_has_case, text), "") for text in (source, target))
        if first and other and first == first.lower():
            small += 1
            follows += other == other.lower()
    return small < _FEW or follows >= (0.1 if base_language(language) in _NOUNS else 0.5) * small


def case_leads(pairs: Iterable[tuple[str, str]]) -> bool:
    """Whether a translation begins with a capital if only placeholders or numbers come first in the source.

    Pairs have marks for placeholders. Counted are translations that begin with a word, of sources that go on
    in lower case and are not full sentences.

    >>> case_leads([("ǁ0ǁ files selected", "Vybrané soubory: ǁ0ǁ")] * 3)
    True
    """
    seen = capitals = 0
    for source, target in pairs:
        if _has_case(next(filter(str.isalnum, source), "a")):
            continue  # a word comes first; most lines are like that
        case = source_case(source, lambda word: None)
        first = next(filter(str.isalnum, target), "")
        if case.goes_on is False and case.begins is False and first and _has_case(first):
            seen += 1
            capitals += first != first.lower()
    return seen >= _LED and capitals > 0.5 * seen


@lru_cache(1 << 12)
def _has_case(character: str) -> bool:
    return character.title() != character.lower()


def recased(
    tokens: Sequence[str],
    source: SourceCase,
    language: str = "",
    *,
    usual: Callable[[str], str | None] = lambda word: None,
    tags: Container[str] = (),
    small: Container[str] | None = None,
) -> list[str]:
    """Give the tokens of a translation their final case, starting from their usual case.

    ``usual`` returns the usual form of a word, or None if it is unknown. ``tags`` are the marks that stand
    for tags; a sentence may begin before or after a tag. ``small`` are words without a capital in titles, or
    None if titles do not follow the source.

    >>> recased(["(", "silindi", ")"], SourceCase(begins=True), "tr")
    ['(', 'Silindi', ')']
    """
    if source.shouted:
        return [token if MARK.fullmatch(token) else raised(token, language) for token in tokens]
    if any(map(_is_caseless, tokens)):
        return list(tokens)  # Latin words in such text are names and identifiers
    cased: list[str] = []
    # Whether to capitalize the next word; None leaves it as it is.
    wanted = None if source.is_name else source.begins is not False
    begun, last = False, ""
    for token in tokens:
        if token in tags or token in _OPENINGS:
            cased.append(token)
            continue
        is_word = not MARK.fullmatch(token) and any(map(str.isalpha, token))
        if is_word and wanted is not None:
            token = _with_case(token, wanted, language, usual)
        if (token in _ENDS and source.sentences and not _is_short(last)) or (
            token in _COLONS and source.colons and begun
        ):
            wanted = True
        else:
            # After a placeholder or number at the beginning, follow the case of the source.
            wanted = None if is_word or begun else source.goes_on
        if small is not None and source.titled and is_word and token not in small:
            token = _with_case(token, True, language, usual)
        begun = begun or is_word
        last = token
        cased.append(token)
    return cased


def _with_case(word: str, capital: bool, language: str, usual: Callable[[str], str | None]) -> str:
    if _is_mixed(word):
        return word
    if capital:
        return capitalized(word, language)
    known = usual(word)
    is_name = known == word if known is not None else base_language(language) in _NOUNS
    return word if is_name else _small(word, language)


def _is_caseless(token: str) -> bool:
    """Whether a token begins with a letter of a script without case."""
    return token[0] > _LAST_CASED and unicodedata.category(token[0]) == "Lo"


def _is_short(word: str) -> bool:
    """Whether a period after this word need not end a sentence: ``z.B``, ``p.m``, ``J``, ``3``."""
    return len(word) == 1 or "." in word[:-1] or word.isdigit()
