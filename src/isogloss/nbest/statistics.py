"""BLEU statistics of all candidates of a list, computed once and kept with a stored list."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict

import numpy as np
import numpy.typing as npt

from isogloss import _engine
from isogloss.io.errors import DataFormatError
from isogloss.metric import Bleu, BleuOptions, References
from isogloss.metric.tokens import EncodedReferences, ScoringEncoder, ScoringTokenizer
from isogloss.nbest.store import Int64, NbestStore

__all__ = ["BatchStatistics", "bleu_statistics"]


def bleu_statistics(
    store: NbestStore,
    references: References,
    options: BleuOptions | None = None,
    *,
    tokenize: str = "none",
    lowercase: bool = False,
    threads: int = 1,
) -> npt.NDArray[np.int32]:
    """One row of statistics per candidate; sentence n of the list has the n-th references.

    With ``tokenize`` "none", words are compared by id, without making text. For a list stored on disk, the
    result is stored too, so that the next call only opens it.
    """
    options = options or BleuOptions()
    owners = store.sentence_ids[store.sentence_of_row()]
    if store.num_sentences and store.sentence_ids[-1] >= len(references):
        raise DataFormatError(
            f"the list has candidates for sentence {store.sentence_ids[-1]}, but there are references for "
            f"{len(references):,} sentences only (0 to {len(references) - 1})",
            store.path or "n-best list",
            hint="are these the references of this list?",
        )
    name = _cache_name(references, options, tokenize, lowercase)
    known = store.cached(name)
    shape = (store.num_candidates, 2 + 2 * options.order)
    if known is not None and known.shape == shape and known.dtype == np.int32:
        return known
    encoder = ScoringEncoder(ScoringTokenizer(tokenize, lowercase=lowercase))
    rows = _rows(store, owners, references, options, encoder, threads)
    store.keep(name, rows)
    return rows


class BatchStatistics:
    """BLEU statistics of small lists for some sentences at a time; references are processed once."""

    def __init__(self, references: References, options: BleuOptions | None = None) -> None:
        self._options, self._references = options or BleuOptions(), references
        self._encoder = ScoringEncoder(ScoringTokenizer("none"))

    def rows(self, store: NbestStore, sentences: Int64) -> npt.NDArray[np.int32]:
        """One row per candidate; sentence n of the list has the references of ``sentences[n]``, in ascending
        order."""
        owners = sentences[store.sentence_ids[store.sentence_of_row()]]
        return _rows(store, owners, self._references, self._options, self._encoder)


def _rows(
    store: NbestStore,
    owners: Int64,
    references: References,
    options: BleuOptions,
    encoder: ScoringEncoder,
    threads: int = 1,
) -> npt.NDArray[np.int32]:
    encoded = encoder.references(references)
    numbers = _word_numbers(store, encoded, encoder.tokenizer)
    if numbers is None:
        tokenizer = encoder.tokenizer
        metric = Bleu(options, tokenize=tokenizer.name, lowercase=tokenizer.lowercase, threads=threads)
        return metric.statistics(list(store.texts()), references, owners.tolist())
    return _engine.bleu_statistics(
        numbers[store.tokens.values],
        store.tokens.offsets,
        _sentence_offsets(owners, len(references)),
        encoded.ids,
        encoded.offsets,
        encoded.sentence_offsets,
        order=options.order,
        length=options.length,
        threads=threads,
    )


def _sentence_offsets(owners: Int64, sentences: int) -> Int64:
    return np.searchsorted(owners, np.arange(sentences + 1)).astype(np.int64)


def _word_numbers(
    store: NbestStore, references: EncodedReferences, tokenizer: ScoringTokenizer
) -> npt.NDArray[np.uint32] | None:
    """The id in the references for each word of the list, or None if a word would be split."""
    if tokenizer.name != "none":
        return None
    numbers = np.empty(len(store.words), np.uint32)
    for index, word in enumerate(store.words.words()):
        parts = tokenizer(word)  # a word with a no-break space inside is two words to BLEU
        if len(parts) != 1:
            return None
        numbers[index] = references.vocabulary.find(parts[0])
    return numbers


def _cache_name(references: References, options: BleuOptions, tokenize: str, lowercase: bool) -> str:
    what = [references.streams, asdict(options), tokenize, lowercase]
    digest = hashlib.sha256(json.dumps(what, ensure_ascii=False).encode()).hexdigest()
    return f"bleu_{digest[:16]}"
