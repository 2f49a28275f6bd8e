"""Text processing: from ordinary text to the tokens of a translation system, and back.

Sentences to translate must be processed like the training text, so the processing is stored with the system.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any, Literal

from isogloss.corpus.case import SourceCase, lowered, recased, source_case
from isogloss.corpus.edges import bare_text, keep_edges
from isogloss.corpus.languages import base_language, is_english_name
from isogloss.corpus.placeholders import MARK, Placeholder, Protector, restore
from isogloss.corpus.profile import script_of
from isogloss.corpus.spacing import SpacedLine, Spacing, learn_spacing, observed_spaces, parse_spacing
from isogloss.corpus.spacing_tokens import Beside, beside_in_source
from isogloss.corpus.tokenizer import TOKENIZERS, Tokenizer, tokenize_lines, tokenizer
from isogloss.corpus.truecase import Truecaser, parse_truecaser, train_truecaser
from isogloss.io.errors import ConfigError, ModelFormatError, UserError
from isogloss.io.options import Options
from isogloss.io.streams import StrPath
from isogloss.storage.folder import ArrayFolder, open_folder, write_folder
from isogloss.storage.packed import pack, unpack

__all__ = ["LEARNED_CASES", "Case", "Punctuation", "SideOptions", "TextProcessing", "TextSide"]

Case = Literal["keep", "lowercase", "truecase", "usual"]
LEARNED_CASES: tuple[Case, ...] = ("truecase", "usual")
Punctuation = Literal["keep", "remove"]

KIND, VERSION = "text-processing", 2  # in version 1, case tables were text
_SIDES = ("source", "target")
_SPOKEN = frozenset("%&@#")  # punctuation in Unicode, but read aloud


@dataclass(frozen=True, slots=True, kw_only=True)
class SideOptions(Options):
    """How to prepare the text of one language."""

    tokenizer: str = "moses"
    """Tokenizer: words (any language with spaces), moses, moses-hyphens (also splits at hyphens), characters,
    syllables (Thai, Lao, Khmer, Burmese), fugashi (Japanese), jieba (Chinese), or none for text that is
    already tokenized."""
    language: str = "en"
    """Language whose rules the tokenizer follows, such as en."""
    case: Case = "keep"
    """``lowercase`` lowercases everything; ``truecase`` gives the first word of a sentence the case that it
    usually has inside sentences, learned from the training text; ``usual`` gives every word its most frequent
    form, for text with titles and labels (Add User to Group)."""
    punctuation: Punctuation = "keep"
    """``remove`` drops tokens that are only punctuation, as speech recognizers do. A system trained this way
    restores it, because its target side has it."""
    isolate: str = ""
    """Script to separate, such as arabic: words that mix it with other characters are split where it begins
    and ends."""

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.tokenizer not in TOKENIZERS:
            raise ConfigError(f"tokenizer must be one of {', '.join(TOKENIZERS)}, got {self.tokenizer!r}")
        if self.isolate and not _is_script(self.isolate):
            raise ConfigError(
                f"'{self.isolate}' is not the name of a script; names are arabic, latin, cjk, …"
            )

    @property
    def changes(self) -> bool:
        """Whether anything is done at all."""
        plain = SideOptions(tokenizer="none", language=self.language)
        return self != plain


@dataclass(frozen=True)
class TextSide:
    """The tokens of one language.

    >>> side = TextSide(SideOptions(case="lowercase"))
    >>> side.tokenize("Isn't it?"), side.detokenize(["it", "is", "."])
    (['isn', "'t", 'it', '?'], 'it is.')
    """

    options: SideOptions = field(default_factory=SideOptions)
    truecaser: Truecaser | None = None
    """Learned case model."""
    spacing: Spacing | None = None
    """Learned spacing model; without it, the tokenizer decides where spaces go."""

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return tokenizer(self.options.tokenizer, self.options.language)

    def split(self, text: str) -> list[str]:
        """Split a sentence into tokens, without changing their case."""
        if self.options.tokenizer == "none":  # as everywhere in Isogloss, ASCII white space separates words
            tokens = [word.decode() for word in text.encode(errors="surrogatepass").split()]
        else:
            tokens = self._tokenizer.tokenize(text)
        if self.options.isolate:
            tokens = [part for token in tokens for part in _isolated(token, self.options.isolate.upper())]
        if self.options.punctuation == "remove":
            tokens = [token for token in tokens if not _is_punctuation(token)]
        return tokens

    def split_lines(self, lines: list[str], *, threads: int = 1) -> list[str]:
        """Split many sentences; return each with a space between its tokens."""
        options = self.options
        if options.tokenizer == "none" or options.isolate or options.punctuation == "remove":
            return [" ".join(self.split(line)) for line in lines]
        return tokenize_lines(self._tokenizer, lines, threads=threads)

    def tokenize(self, text: str) -> list[str]:
        """Split a sentence into tokens as the system expects them."""
        return self.cased(self.split(text))

    def cased(self, tokens: list[str]) -> list[str]:
        """Give the tokens from ``split`` the case that the system uses."""
        if self.options.case == "lowercase":
            return [lowered(token, self.options.language) for token in tokens]
        if self.truecaser is None:
            return tokens
        usual = self.options.case == "usual"
        return self.truecaser.usual(tokens) if usual else self.truecaser.truecase(tokens)

    def cased_lines(self, lines: list[str], *, threads: int = 1) -> list[str]:
        """Do the same for lines of tokens from ``split_lines``."""
        if self.options.case == "lowercase":
            return [lowered(line, self.options.language) for line in lines]
        if self.truecaser is None:
            return lines
        usual = self.options.case == "usual"
        change = self.truecaser.usual_lines if usual else self.truecaser.truecase_lines
        return change(lines, threads=threads)

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Turn tokens into ordinary text; lowercase tokens stay lowercase."""
        return self.join(self.recased(tokens))

    def recased(
        self,
        tokens: Sequence[str],
        source: SourceCase | None = None,
        tags: Container[str] = (),
        small: Container[str] | None = None,
    ) -> Sequence[str]:
        """Capitalize the beginnings of sentences, if case was learned; parameters as for ``recased``."""
        if self.options.case not in LEARNED_CASES:
            return tokens
        return recased(
            tokens,
            source or SourceCase(),
            self.options.language,
            usual=self.usual_form,
            tags=tags,
            small=small,
        )

    def usual_form(self, word: str) -> str | None:
        """Return the usual form of a word; None if it is unknown."""
        known = None if self.truecaser is None else self.truecaser.usual_form(word)
        if known is None and base_language(self.options.language) == "en" and is_english_name(word):
            return word
        return known

    def join(self, tokens: Sequence[str], beside: Sequence[Beside | None] = ()) -> str:
        """Join tokens without changing their case; ``beside`` as for ``Spacing.join``."""
        if self.spacing is not None:
            return self.spacing.join(tokens, beside)
        return self._tokenizer.detokenize(tokens)

    def learn_case(self, lines: Iterable[str]) -> TextSide:
        """Return a copy that has learned the usual case of words from ``split_lines``, if it needs it."""
        learned = None
        if self.options.case in LEARNED_CASES:
            learned = train_truecaser(lines, self.options.language)
        return replace(self, truecaser=learned)

    def learn_spacing(self, lines: Iterable[SpacedLine]) -> TextSide:
        """Return a copy that has learned spacing from these lines, unless the text is already tokenized."""
        learned = learn_spacing(lines) if self.options.tokenizer != "none" else None
        return replace(self, spacing=learned)


@dataclass(frozen=True)
class TextProcessing:
    """Converts source text to tokens, and target tokens to text.

    >>> text = TextProcessing(placeholders=("printf",))
    >>> text.tokenize("Delete %(name)s?")
    'Delete ǁ0ǁ ?'
    >>> text.detokenize("ǁ0ǁ löschen ?", "Delete %(name)s?")
    '%(name)s löschen?'
    """

    source: TextSide = field(default_factory=TextSide)
    target: TextSide = field(default_factory=TextSide)
    placeholders: tuple[str, ...] = ()
    """Kinds of placeholders that become separate tokens, numbered within their sentence."""
    case_follows: bool = True
    """Whether a translation begins in lower case if its source does."""
    case_leads: bool = False
    """Whether a translation that begins with a word begins with a capital if its source begins with a
    placeholder and goes on in lower case."""
    small_in_titles: frozenset[str] | None = None
    """Words without a capital in the translation of a title that has a capital in each word. None if such
    translations have no capitals inside."""

    @property
    def changes(self) -> bool:
        """Whether anything is done at all."""
        return bool(self.placeholders) or self.source.options.changes or self.target.options.changes

    @cached_property
    def _protector(self) -> Protector | None:
        return Protector(self.placeholders) if self.placeholders else None

    def protect(self, text: str) -> str:
        """Replace the placeholders of a source sentence by marks."""
        if self._protector is None:
            return text
        return self._protector.protect(bare_text(text, self.placeholders))[0]

    def protect_target(self, target: str, source: str) -> str:
        """Replace the placeholders of a translation by the marks that they have in the source."""
        if self._protector is None:
            return target
        plain = [bare_text(text, self.placeholders) for text in (source, target)]
        _, known = self._protector.protect(plain[0])
        return self._protector.protect(plain[1], known)[0]

    def protect_pair(self, source: str, target: str) -> tuple[str, str]:
        """Replace the placeholders that both sides of a training pair share by marks."""
        if self._protector is None:
            return source, target
        source, target = (bare_text(text, self.placeholders) for text in (source, target))
        marked, known = self._protector.protect(source, beside=target)
        return marked, self._protector.protect(target, known, beside=source)[0]

    def spaced_line(self, target: str, source: str) -> SpacedLine | None:
        """Return a line to learn spacing from; None if its tokens do not add up to the text."""
        if self._protector is None:
            marked, known = source, list[Placeholder]()
            tokens = self.target.split(target)
        else:
            marked, known = self._protector.protect(source, beside=target)
            line, found = self._protector.protect(target, known, beside=source)
            tokens = _unmarked(self.target.split(line), found)
        spaces = observed_spaces(target, tokens)
        return (
            None
            if spaces is None
            else SpacedLine(tokens, spaces, self._beside(tokens, source, marked, known))
        )

    def _beside(
        self, tokens: Sequence[str], source: str, marked: str, known: Sequence[Placeholder]
    ) -> Sequence[Beside | None]:
        """Return what the tokens of a translation are beside in its source; ``marked`` has marks."""
        if not source:
            return ()
        there = _unmarked(self.source.split(marked), known)
        spaces = observed_spaces(source, there)
        return () if spaces is None else beside_in_source(tokens, there, spaces)

    def tokenize(self, text: str) -> str:
        """Tokenize a source sentence; return the tokens joined by spaces."""
        return " ".join(self.source.tokenize(self.protect(text)))

    def tokenize_target(self, target: str, source: str) -> str:
        """Tokenize the translation of a source; return the tokens joined by spaces."""
        return " ".join(self.target.tokenize(self.protect_target(target, source)))

    @keep_edges
    def detokenize(self, line: str, source: str = "") -> str:
        """Turn a tokenized translation into ordinary text, with the placeholders of its source."""
        marked, known = (source, []) if self._protector is None else self._protector.protect(source)
        tokens = self.recased(line, source)
        if self.target.spacing is None:
            return restore(self.target.join(tokens), known)
        tokens = _unmarked(tokens, known)
        return self.target.join(tokens, self._beside(tokens, source, marked, known))

    def recased(self, line: str, source: str = "") -> Sequence[str]:
        """Return the tokens of a translation in the case that matches the source."""
        marked, known = (source, []) if self._protector is None else self._protector.protect(source)
        tags = {f"ǁ{number}ǁ" for number, found in enumerate(known) if found.text[0] == "<"}
        without_tags = MARK.sub(lambda mark: " " if mark.group() in tags else mark.group(), marked)
        case = source_case(without_tags, self.source.usual_form)
        if not (self.case_follows or case.begins):
            case = replace(case, begins=None, goes_on=None)
        elif self.case_leads and case.goes_on is False:
            case = replace(case, begins=None)
        return self.target.recased(line.split(" ") if line else [], case, tags, self.small_in_titles)

    def save(self, path: StrPath) -> None:
        """Store the text processing as a folder."""
        arrays = {
            f"{name}_case_table": pack(side.truecaser.arrays)
            for name, side in zip(_SIDES, (self.source, self.target), strict=True)
            if side.truecaser is not None
        }
        if self.target.spacing is not None:
            found = self.target.spacing.arrays()
            arrays |= {f"target_spacing_{name}": array for name, array in found.items()}
        attributes: dict[str, Any] = {
            "source": asdict(self.source.options),
            "target": asdict(self.target.options),
            "placeholders": list(self.placeholders),
            "case_follows": self.case_follows,
            "case_leads": self.case_leads,
            "small_in_titles": None if self.small_in_titles is None else sorted(self.small_in_titles),
        }
        if self.target.spacing is not None:
            attributes["target_spacing"] = self.target.spacing.attributes()
        write_folder(path, kind=KIND, version=VERSION, arrays=arrays, attributes=attributes)

    @classmethod
    def open(cls, path: StrPath) -> TextProcessing:
        """Open a stored folder."""
        folder = open_folder(path, kind=KIND, version=VERSION)
        sides = []
        try:
            for name in _SIDES:
                options = SideOptions(**folder.attributes[name])
                learned = options.case in LEARNED_CASES
                truecaser = _truecaser(folder, name, options.language) if learned else None
                sides.append(TextSide(options, truecaser))
            if "target_spacing" in folder.attributes:
                arrays = {name: folder.arrays[f"target_spacing_{name}"] for name in ("keys", "weights")}
                spacing = Spacing.restored(arrays, folder.attributes["target_spacing"], path)
                sides[1] = replace(sides[1], spacing=spacing)
            elif "target_spacing" in folder.arrays:  # of an earlier version
                text = folder.arrays["target_spacing"].tobytes().decode(errors="surrogatepass")
                sides[1] = replace(sides[1], spacing=parse_spacing(text.split("\n"), path))
            placeholders = tuple(folder.attributes.get("placeholders", ()))
            Protector(placeholders)
            small = folder.attributes.get("small_in_titles")
            small = None if small is None else frozenset(small)
        except (UserError, KeyError, TypeError, ValueError) as error:
            raise ModelFormatError(f"not a description of text processing ({error})", path) from None
        follows = folder.attributes.get("case_follows", True) is True
        leads = folder.attributes.get("case_leads", False) is True
        return cls(sides[0], sides[1], placeholders, follows, leads, small)


def _truecaser(folder: ArrayFolder, side: str, language: str) -> Truecaser:
    table = folder.arrays.get(f"{side}_case_table")
    if table is None:  # written by an earlier version
        lines = folder.arrays[f"{side}_case"].tobytes().decode().split("\n")
        return parse_truecaser(lines, folder.path, language)
    return Truecaser(unpack(table, folder.path), language, folder.path)


def _unmarked(tokens: Iterable[str], written: Sequence[Placeholder]) -> list[str]:
    """Replace marks in tokens by placeholders."""
    if not written:
        return list(tokens)
    found: list[str] = []
    for token in tokens:
        match = MARK.fullmatch(token)
        number = int(match.group(1)) if match else len(written)
        found.append(written[number].text if number < len(written) else token)
    return found


def _is_punctuation(token: str) -> bool:
    return all(unicodedata.category(c)[0] == "P" and c not in _SPOKEN for c in token)


def _is_script(name: str) -> bool:
    return any(script_of(chr(code)) == name.upper() for code in range(0x3000)) or name.upper() in _FAR_SCRIPTS


_FAR_SCRIPTS = frozenset(
    {"CJK", "HIRAGANA", "KATAKANA", "HANGUL"}
)  # scripts beyond the first 12,288 code points


def _isolated(token: str, script: str) -> Iterator[str]:
    """Split a token where a script begins and ends; combining marks stay with their base character."""
    inside: list[bool] = []
    for c in token:
        mark = unicodedata.combining(c) != 0 and bool(inside)
        inside.append(inside[-1] if mark else script_of(c) == script)
    at = 0
    for _, run in groupby(inside):
        length = len(list(run))
        yield token[at : at + length]
        at += length
