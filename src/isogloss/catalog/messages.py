"""Translate messages: every placeholder occurs as often as in the source, and tags are properly nested.

A message may have several lines. Each line is translated on its own; line ends and leading and trailing white
space are preserved. A line without letters is copied. In an ICU message with choices (plural, select), each
text is translated on its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from isogloss.catalog.checks import TAG, hollow_tags, unnumbered, well_nested
from isogloss.catalog.icu import NUMBER, icu_parts
from isogloss.corpus.edges import bare_text
from isogloss.corpus.placeholders import DEFAULT_KINDS, MARK, Protector
from isogloss.corpus.processing import TextProcessing
from isogloss.decoder import Fixed, Sentence, Terms, Translator, best_lines, translation_confidences
from isogloss.io.errors import ConfigError
from isogloss.io.progress import Track, no_track
from isogloss.nbest.edit import best_rows

__all__ = ["Draft", "EntryState", "MessageTranslator"]

EntryState = Literal["empty", "draft", "fuzzy", "done"]
"""How far an entry of a catalog is: no translation, an engine's draft, to be reviewed, finished."""

_LINE_END = re.compile(r"(\s*[\n\r]\s*)")
_LETTER = re.compile(r"[^\W\d_]")
_BATCH = 50


@dataclass(frozen=True, slots=True)
class Draft:
    """A machine translation that has not been reviewed."""

    text: str
    confidence: float
    """Expected chrF of the draft, divided by 100, as the engine learned it; of its least certain line."""
    whole: bool = True
    """False if a part is copied from the source, because no translation kept its placeholders intact."""
    accepted: bool = False
    """Whether a person has accepted it, so that it is written as a finished translation."""
    known: bool = False
    """Whether it is a known translation: a correction, or one of the training text."""


class MessageTranslator:
    """Translates messages with a system that was trained with a tokenizer."""

    def __init__(self, system: Translator, *, threads: int = 1, terms: Terms | None = None) -> None:
        if system.text is None:
            raise ConfigError(
                "the system was made from tokens, and messages are text: train one with a tokenizer"
            )
        kinds = tuple(dict.fromkeys([*(system.text.placeholders or DEFAULT_KINDS), "tags"]))
        self._system, self._threads, self._terms = system, threads, terms
        self._text: TextProcessing = replace(system.text, placeholders=kinds)
        self._protector = Protector(kinds)
        self.target_language = system.text.target.options.language
        """Language that the system translates into."""

    def translate(
        self, messages: Sequence[str], *, contexts: Sequence[str] = (), track: Track = no_track
    ) -> list[Draft]:
        """Translate messages in order; a message with an exact match gets its known translation.

        With ``contexts``, one for each message, a translation from the same context comes first.
        """
        asked = list(zip(messages, contexts or [""] * len(messages), strict=True))
        found = {one: draft for one in dict.fromkeys(asked) if (draft := self._known(*one)) is not None}
        lines = [line for one in asked if one not in found for line in _parts(one[0])[::2]]
        wanted = list(dict.fromkeys(line.strip() for line in lines if self._has_words(line)))
        drafts: dict[str, Draft] = {}
        starts = range(0, len(wanted), _BATCH * self._threads)
        for begin in track(starts, "batches", len(starts)):
            batch = wanted[begin : begin + _BATCH * self._threads]
            drafts |= zip(batch, self._known_or_drafts(batch), strict=True)
        return [found[one] if one in found else _whole(one[0], drafts) for one in asked]

    def _known(self, text: str, context: str = "") -> Draft | None:
        """Return the exact match of a text, if any; with terms, only corrections count."""
        match = self._system.match(text, context=context)
        if match is None or (self._terms is not None and match.kind != "correction"):
            return None
        return Draft(match.text, 1.0, known=True)

    def _known_or_drafts(self, sentences: Sequence[str]) -> Iterator[Draft]:
        """Yield exact matches where there are any, and new drafts for the other lines."""
        known = [self._known(sentence) for sentence in sentences]
        drafts = self._drafts([one for one, draft in zip(sentences, known, strict=True) if draft is None])
        for draft in known:
            yield next(drafts) if draft is None else draft

    def _has_words(self, text: str) -> bool:
        return _LETTER.search(MARK.sub("", self._protector.protect(text)[0])) is not None

    def _drafts(self, sentences: Sequence[str]) -> Iterator[Draft]:
        first = self._decoded(sentences, fixed=False)
        wrong = [at for at, draft in enumerate(first) if draft is None]
        again = dict(zip(wrong, self._decoded([sentences[at] for at in wrong], fixed=True), strict=True))
        for at, sentence in enumerate(sentences):
            draft = again.get(at, first[at])
            if draft is None:
                yield self._between(sentence, self._protector.found(sentence))
            elif well_nested(sentence) and not (
                well_nested(draft.text) and hollow_tags(draft.text) <= hollow_tags(sentence)
            ):
                yield self._between(sentence, [match.group() for match in TAG.finditer(sentence)])
            else:
                yield draft

    def _keeps(self, sentence: str, translation: str, line: str) -> bool:
        """Whether a translation has all placeholders, with unnumbered ones in the order of the source."""
        plain = [bare_text(text, self._text.placeholders) for text in (sentence, translation)]
        if any(self._protector.difference(*plain)):
            return False
        found = self._protector.found(plain[0])
        by_place = {str(at) for at, text in enumerate(found) if unnumbered(text)}
        order = [number for number in MARK.findall(line) if number in by_place]
        return order == sorted(order, key=int)

    def _between(self, sentence: str, separators: Iterable[str]) -> Draft:
        """Split at some placeholders, translate the parts separately, and leave the placeholders in place."""
        kept = sorted(set(separators), key=len, reverse=True)
        parts = re.split(f"({'|'.join(map(re.escape, kept))})", sentence) if kept else [sentence]
        texts = [part.strip() for part in parts[::2] if self._has_words(part)]
        if sentence.strip() in texts:  # no placeholder to split at: copy the source
            return Draft(sentence, 0.0, whole=False)
        return _joined(parts, dict(zip(texts, self._drafts(texts), strict=True)))

    def _decoded(self, sentences: Sequence[str], *, fixed: bool) -> list[Draft | None]:
        """Return the best translations, or None for those that do not keep their placeholders.

        With ``fixed``, no rule of the system may touch a placeholder.
        """
        if not sentences:
            return []
        sources = [Sentence.of(self._text.tokenize(sentence), text=sentence) for sentence in sentences]
        if fixed:
            sources = [source.with_fixed(_marks(source)) for source in sources]
        if self._terms is not None:
            sources = [self._terms.apply(source) for source in sources]
        store = self._system.nbest(sources, nbest=1, threads=self._threads)
        chosen = best_rows(store)
        lengths = [len(source.words) for source in sources]
        sure = translation_confidences(store, chosen, lengths, self._system.confidence_model)
        lines = best_lines(store, list(sources), chosen)
        near = self._system.near_matches(sources, store, chosen, threads=self._threads)
        found: list[Draft | None] = []
        for line, source, confidence, match in zip(lines, sources, sure, near, strict=True):
            drafts = [(line, confidence)]
            if match is not None:
                drafts.insert(0, (match.line, match.confidence(confidence)))
            found.append(next((draft for one in drafts if (draft := self._kept(source, *one))), None))
        return found

    def _kept(self, source: Sentence, line: str, confidence: float) -> Draft | None:
        """Return the draft for a tokenized translation if it keeps all placeholders."""
        text = self._text.detokenize(line, source.text)
        return Draft(text, confidence) if self._keeps(source.text, text, line) else None


def _marks(sentence: Sentence) -> list[Fixed]:
    words = enumerate(sentence.words)
    return [Fixed(place, place + 1, (word,)) for place, word in words if MARK.fullmatch(word)]


def _parts(message: str) -> list[str]:
    """Split a message into texts to translate (even places) and what stays: line ends, choices of ICU."""
    found: list[str] = []
    for at, part in enumerate(icu_parts(message) or [message]):
        found += [part] if at % 2 else _LINE_END.split(part)
    return found


def _whole(message: str, drafts: Mapping[str, Draft]) -> Draft:
    draft = _joined(_parts(message), drafts)
    return replace(draft, text=draft.text.replace(NUMBER, "#")) if icu_parts(message) else draft


def _joined(parts: Sequence[str], drafts: Mapping[str, Draft]) -> Draft:
    """Join parts, replacing texts that have a draft; the white space around them is preserved."""
    used = [drafts[part.strip()] for part in parts[::2] if part.strip() in drafts]
    text = "".join(
        part.replace(part.strip(), drafts[part.strip()].text, 1)
        if at % 2 == 0 and part.strip() in drafts
        else part
        for at, part in enumerate(parts)
    )
    sure = min((draft.confidence for draft in used), default=1.0)
    known = bool(used) and all(draft.known for draft in used)
    return Draft(text, sure, whole=all(draft.whole for draft in used), known=known)
