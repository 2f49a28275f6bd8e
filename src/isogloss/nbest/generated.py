"""The output of Hugging Face ``generate``: token ids of all sentences below each other, and their scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

import numpy as np

from isogloss.io.errors import ConfigError
from isogloss.nbest.samples import ModelSample, SentenceSamples, list_of_samples
from isogloss.nbest.store import Float64, Int64, NbestStore

__all__ = ["BatchDecoder", "is_generated", "store_of_generated"]

Decode = Callable[[Sequence[int]], str]


class BatchDecoder(Protocol):
    """The part of a Hugging Face tokenizer that makes text from token ids."""

    def decode(self, token_ids: Any, /, *, skip_special_tokens: bool = ...) -> str:
        """The text of token ids."""


def is_generated(output: object) -> bool:
    """Whether this is the output of ``generate``: with ``sequences`` of token ids."""
    sequences = getattr(output, "sequences", None)
    return getattr(sequences, "ndim", 0) == 2 or getattr(output, "ndim", 0) == 2


def store_of_generated(
    output: object, decode: BatchDecoder | Decode | None, sentences: int, prompt_tokens: int | None = None
) -> NbestStore:
    """The list of the sequences, the same number for each sentence.

    Scores are ``sequences_scores`` of beam search. For samples they are the sums of the log-probabilities in
    ``scores`` (``generate(..., return_dict_in_generate=True, output_scores=True)``). ``prompt_tokens`` is how
    long the prompt at the beginning of every sequence is; with ``scores``, it is known.
    """
    sequences = cast(Int64, _array(getattr(output, "sequences", output)))
    if decode is None:
        raise ConfigError("token ids need a tokenizer: give decode=tokenizer")
    if sentences < 1 or len(sequences) % sentences:
        raise ConfigError(
            f"{len(sequences):,} sequences cannot be lists of the same length for {sentences:,} sentences; "
            "give source, as the sentences that were translated"
        )
    steps = getattr(output, "scores", None)
    prompt = prompt_tokens or (max(sequences.shape[1] - len(steps), 0) if steps else 0)
    special = {
        number
        for name in ("pad_token_id", "eos_token_id")
        if isinstance(number := getattr(decode, name, None), int)
    }
    texts = [_text(decode, row[prompt:].tolist()) for row in sequences]
    tokens = [sum(one not in special for one in row[prompt:].tolist()) for row in sequences]
    scores, summed = _scores(output, sequences, special)
    size = len(sequences) // sentences
    made = [
        ModelSample(
            text=text, score=None if scores is None else float(scores[row]), tokens=max(tokens[row], 1)
        )
        for row, text in enumerate(texts)
    ]
    return list_of_samples(
        (
            SentenceSamples(sentence=number, samples=made[number * size : (number + 1) * size])
            for number in range(sentences)
        ),
        summed=summed,
    )


def _text(decode: BatchDecoder | Decode, ids: list[int]) -> str:
    method = getattr(decode, "decode", None)
    return str(decode(ids)) if method is None else str(method(ids, skip_special_tokens=True))  # type: ignore[operator]


def _scores(output: object, sequences: Int64, special: set[int]) -> tuple[Float64 | None, bool]:
    """The score of every sequence, and whether it is a sum over tokens."""
    given = getattr(output, "sequences_scores", None)
    if given is not None:
        return np.asarray(_array(given), dtype=np.float64), False
    steps = getattr(output, "scores", None)
    if not steps:
        return None, True
    total, open_rows = np.zeros(len(sequences)), np.ones(len(sequences), dtype=bool)
    rows, first = np.arange(len(sequences)), sequences.shape[1] - len(steps)
    for step, values in enumerate(steps):
        logits = np.asarray(_array(values), dtype=np.float64)
        if len(logits) != len(sequences):
            raise ConfigError("the scores of beam search need sequences_scores; use a newer transformers")
        chosen = sequences[:, first + step]
        highest = logits.max(axis=1)
        norm = highest + np.log(np.exp(logits - highest[:, np.newaxis]).sum(axis=1))
        total += np.where(open_rows, logits[rows, chosen] - norm, 0.0)
        open_rows &= ~np.isin(chosen, list(special))
    return total, True


def _array(values: object) -> Any:
    """Tensors of any library as an array."""
    for name in ("detach", "cpu"):
        method = getattr(values, name, None)
        values = values if method is None else method()
    try:
        return np.asarray(values)
    except (TypeError, ValueError):
        return np.asarray(values.float())  # type: ignore[attr-defined]  # such as bfloat16
