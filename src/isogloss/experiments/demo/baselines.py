"""Baselines for a translation system: copying the source, and a translation memory."""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.adapt.options import RetrievalOptions
from isogloss.adapt.segment import Example, Segment, segment_columns
from isogloss.corpus.placeholders import MARK
from isogloss.corpus.processing import TextProcessing
from isogloss.decoder.example_index import Frequencies, QueryTerms
from isogloss.decoder.sentence import split_words

__all__ = ["NearestExample"]

_NEAREST = RetrievalOptions(size=1, edit_share=0.5)


class NearestExample:
    """Returns the translation of the most similar source, like a translation memory.

    Both sides are tokens. Placeholders are replaced with those of the sentence, so that they are not counted
    as errors; a sentence that shares no word with any source is copied.
    """

    def __init__(self, sources: Sequence[str], targets: Sequence[str]) -> None:
        examples = [
            Example(source=source, references=(target,))
            for source, target in zip(sources, targets, strict=True)
            if source and target
        ]
        self._frequencies = Frequencies.count([split_words(example.source) for example in examples])
        columns = segment_columns(examples, range(len(examples)), self._frequencies)
        self._segment = Segment(columns, "the training text")

    def translate(self, tokens: str) -> str:
        """The translation of the nearest source, as tokens."""
        if not tokens:
            return ""
        positions, _ = self._segment.search(QueryTerms.of(tokens, self._frequencies), _NEAREST, 0.0)
        if not len(positions):
            return tokens
        found = self._segment.example(int(positions[0])).references[0]
        own = set(MARK.findall(tokens))
        return " ".join(
            word for word in found.split(" ") if not (match := MARK.fullmatch(word)) or match[1] in own
        )

    def translate_text(self, sentences: Sequence[str], text: TextProcessing) -> list[str]:
        """The same for plain text."""
        return [text.detokenize(self.translate(text.tokenize(line)), line) for line in sentences]
