"""The outputs of language models and neural toolkits, as Python objects or as JSON.

| shape | from |
|---|---|
| ``choices`` with ``message`` or ``text`` | OpenAI chat and completions, and servers like it |
| ``custom_id`` and ``response.body`` | a line of an OpenAI batch file; these come in any order |
| ``outputs`` with ``text``, ``cumulative_logprob`` | vLLM, ``LLM.generate`` |
| ``sequences`` with ``text``, ``cum_logprob`` | vLLM, ``LLM.beam_search`` |
| ``hypotheses`` and ``scores`` | CTranslate2, ``translate_batch`` |
| ``sequences`` and ``sequences_scores`` | Hugging Face ``generate``, decoded |
| a list of ``translation_text`` or ``generated_text`` | Hugging Face pipelines |
| ``samples`` with ``text``, ``logprob`` | your own files; ``source`` is optional |

One object is one sentence, in order, unless it has a number (``sentence``, ``custom_id``).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NoReturn

from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.io.streams import StrPath, decode_lines, naming_file
from isogloss.nbest.check import column_of
from isogloss.nbest.samples import ModelSample, SentenceSamples, list_of_samples
from isogloss.nbest.store import NbestStore

__all__ = ["begins_with_shape", "read", "samples_of", "store_of_outputs"]

_TEXT = ("text", "translation_text", "generated_text", "summary_text", "translation", "candidate")
_SCORE = ("logprob", "cumulative_logprob", "cum_logprob", "log_prob", "score")
_TOKENS = ("token_ids", "num_tokens", "tokens")  # a number, or the tokens themselves
_SOMETHING = re.compile(r"\S")
_SHAPES = ("samples", "choices", "outputs", "hypotheses", "sequences", "custom_id")
# What every answer of these systems has, and what says nothing about the quality of a translation.
_EXPECTED = {
    *("index", "finish_reason", "stop_reason", "logprobs", "message", "lora_request"),
    *("routed_experts", "kv_transfer_params", "content_filter_results", "prompt_logprobs"),
    *("orig_prompt", "encoder_tokens", "decoder_tokens", "multi_modal_data", "mm_processor_kwargs"),
    *("matched_stop", "prompt_token_ids"),
}


def read(chunks: Iterable[bytes], path: StrPath) -> NbestStore:
    """Read a file of such objects: one per line, or one JSON document."""
    with naming_file(path):
        documents = list(_documents("\n".join(decode_lines(chunks, path)), path))
        line, items = documents[0] if len(documents) == 1 else (0, None)
        # One list of everything, unless it is a pipeline's answer for one sentence.
        if isinstance(items, list) and not all(_text(item) is not None for item in items):
            documents = [(line, item) for item in items]
        if not documents:
            raise DataFormatError("no answers in the file", path)
        ignored: Counter[str] = Counter()
        sentences = []
        for number, (line, document) in enumerate(documents):
            try:
                sentences.append(samples_of(document, number, ignored, line=line))
            except (TypeError, ValueError) as error:
                raise DataFormatError(str(error), path, line) from None
        store = list_of_samples(_numbered(sentences, documents), ignored=ignored)
    if store.num_candidates == 0:
        raise DataFormatError("no candidates in the file", path)
    return store


def begins_with_shape(text: str) -> bool:
    """Whether the beginning of a file is one of the shapes above."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):  # the first object may be longer than what was read of the file
        return re.match(rf'\s*[\[{{\s]*"({"|".join(_SHAPES)})"\s*:', text) is not None
    return _has_shape(value)


def _has_shape(value: object) -> bool:
    if isinstance(value, list):
        return bool(value) and (_has_shape(value[0]) or _text(value[0]) is not None)
    return isinstance(value, Mapping) and any(key in value for key in _SHAPES)


def store_of_outputs(
    outputs: Iterable[object],
    *,
    join: Callable[[Sequence[str]], str] | None = None,
) -> NbestStore:
    """The list of such Python objects, one per sentence."""
    given = list(outputs)
    ignored: Counter[str] = Counter()
    sentences = []
    for number, output in enumerate(given):
        try:
            sentences.append(samples_of(output, number, ignored, join=join))
        except (TypeError, ValueError) as error:
            raise ConfigError(f"output {number}: {error}") from None
    return list_of_samples(_numbered(sentences, [(0, one) for one in given]), ignored=ignored)


def samples_of(
    output: object,
    number: int,
    ignored: Counter[str],
    *,
    line: int = 0,
    join: Callable[[Sequence[str]], str] | None = None,
) -> SentenceSamples:
    """The samples of one sentence; raises TypeError or ValueError for anything else."""
    source = _get(output, "source")
    return SentenceSamples(
        sentence=number,
        samples=list(_samples(output, ignored, join or _joined)),
        source=source if isinstance(source, str) else None,
        line=line,
    )


def _samples(
    output: object, ignored: Counter[str], join: Callable[[Sequence[str]], str]
) -> Iterator[ModelSample]:
    response = _get(output, "response")
    if _get(output, "custom_id") is not None:
        if response is None or _get(response, "body") is None:
            return  # the request failed: a sentence without candidates
        output = _get(response, "body")
    if (hypotheses := _get(output, "hypotheses")) is not None:
        yield from _of_hypotheses(hypotheses, _get(output, "scores"), join)
        return
    if (choices := _get(output, "choices")) is not None:
        for choice in _list(choices, "choices"):
            yield _of_choice(choice, ignored)
        return
    if (sequences := _get(output, "sequences")) is not None and _get(output, "sequences_scores") is not None:
        yield from _of_hypotheses(sequences, _get(output, "sequences_scores"), join)
        return
    for key in ("samples", "outputs", "sequences"):
        if (items := _get(output, key)) is not None:
            for item in _list(items, key):
                yield _of_item(item, ignored)
            return
    if isinstance(output, Sequence) and not isinstance(output, str):
        for item in output:
            yield _of_item(item, ignored)
        return
    raise TypeError(
        f"{_short(output)} is not the answer of a known system; it needs one of {', '.join(_SHAPES)}"
    )


def _of_choice(choice: object, ignored: Counter[str]) -> ModelSample:
    message = _get(choice, "message")
    text = _get(choice, "text") if message is None else _get(message, "content")
    if text is None:
        text = ""  # a refusal, or a call of a tool
    if not isinstance(text, str):
        raise TypeError(f"the text of a choice is {_short(text)}, a string is expected")
    values = _token_logprobs(_get(choice, "logprobs"))
    columns = _columns(choice, {*_EXPECTED, *_TOKENS, "text"}, ignored)
    columns["Truncated"] = float(_get(choice, "finish_reason") == "length")
    return ModelSample(
        text=text,
        score=math.fsum(values) if values else None,
        tokens=len(values) or None,
        columns=columns,
    )


def _token_logprobs(logprobs: object) -> list[float]:
    """Chat answers have ``content``, those of completions ``token_logprobs``, whose first may be null."""
    if logprobs is None:
        return []
    content = _get(logprobs, "content")
    if content is not None:
        return [_number(_get(token, "logprob"), "a logprob") for token in _list(content, "content")]
    listed = _get(logprobs, "token_logprobs")
    return [_number(one, "a logprob") for one in listed or () if one is not None]


def _of_item(item: object, ignored: Counter[str]) -> ModelSample:
    if isinstance(item, str):
        return ModelSample(text=item)
    text = _text(item)
    if text is None:
        raise TypeError(f"a sample is {_short(item)}; a string, or an object with 'text', is expected")
    found = next((name for name in _SCORE if _get(item, name) is not None), None)
    tokens = next((size for name in _TOKENS if (size := _size(_get(item, name))) is not None), None)
    columns = _columns(item, {*_EXPECTED, *_TEXT, *_TOKENS, found}, ignored)
    if _get(item, "finish_reason") is not None:
        columns["Truncated"] = float(_get(item, "finish_reason") == "length")
    score = None if found is None else _number(_get(item, found), f"'{found}'")
    return ModelSample(text=text, score=score, tokens=tokens, columns=columns)


def _size(tokens: object) -> int | None:
    """The number of tokens; the tokens of a sample may be of any type, but text is no list of tokens."""
    if isinstance(tokens, Sequence) and not isinstance(tokens, str):
        return len(tokens)
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) else None


def _of_hypotheses(
    hypotheses: object, scores: object, join: Callable[[Sequence[str]], str]
) -> Iterator[ModelSample]:
    listed = _list(hypotheses, "hypotheses")
    values: list[Any] = [None] * len(listed)
    if scores is not None and len(given := _list(scores, "scores")):
        values = list(given)
    if len(values) != len(listed):
        raise ValueError(f"{len(values)} scores for {len(listed)} hypotheses")
    for pieces, score in zip(listed, values, strict=True):
        text = pieces if isinstance(pieces, str) else join([str(piece) for piece in pieces])
        yield ModelSample(
            text=text,
            score=None if score is None else _number(score, "a score"),
            columns={} if isinstance(pieces, str) else {"Pieces": float(len(pieces))},
        )


def _joined(pieces: Sequence[str]) -> str:
    """Words of subwords: of SentencePiece (``▁``), of BPE (``@@``), else the pieces are words."""
    if any(piece.startswith("\u2581") for piece in pieces):
        return "".join(pieces).replace("\u2581", " ").strip()
    return re.sub(r"@@( |$)", "", " ".join(pieces))


def _columns(item: object, known: Iterable[object], ignored: Counter[str]) -> dict[str, float]:
    """Other numbers of a sample; what cannot be a column is counted."""
    if isinstance(item, Mapping):
        pairs = list(item.items())
    else:
        pairs = [*vars(item).items(), *(getattr(item, "model_extra", None) or {}).items()]
    skipped, columns = set(known), {}
    for name, value in pairs:
        if name in skipped or str(name).startswith("_") or value is None:
            continue
        column = column_of(str(name), value)
        if column is None:
            ignored[str(name)] += 1
        else:
            columns[str(name)] = column
    return columns


def _numbered(
    sentences: list[SentenceSamples], documents: Sequence[tuple[int, object]]
) -> list[SentenceSamples]:
    """Sentence numbers by the ``sentence`` or the last number in the ``custom_id``, if all have one."""
    numbers = [_number_of(document) for _, document in documents]
    known = [number for number in numbers if number is not None]
    if not known and all(_get(document, "custom_id") is None for _, document in documents):
        return sentences
    if len(known) < len(numbers) or len(set(known)) < len(known):
        raise ConfigError(
            "answers of a batch come in any order: each needs its number in 'custom_id' (such as line-17) "
            "or 'sentence'"
        )
    ordered = sorted(known)
    # From 1 on, as in the examples of the batch interface, unless the first sentence is missing for a reason.
    first = 1 if ordered[0] == 1 and all(b - a == 1 for a, b in pairwise(ordered)) else 0
    return [replace(one, sentence=number - first) for one, number in zip(sentences, known, strict=True)]


def _number_of(document: object) -> int | None:
    number = _get(document, "sentence")
    if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
        return number
    name = _get(document, "custom_id")
    digits = re.findall(r"\d+", str(name)) if name is not None else []
    return int(digits[-1]) if digits else None


def _documents(text: str, path: StrPath) -> Iterator[tuple[int, object]]:
    """Line and value of each JSON document."""

    def refuse(constant: str) -> NoReturn:
        raise ValueError(f"{constant} is not a number")

    decoder = json.JSONDecoder(parse_constant=refuse)
    place, line = 0, 1
    while (begin := _SOMETHING.search(text, place)) is not None:
        line += text.count("\n", place, begin.start())
        place = begin.start()
        try:
            value, end = decoder.raw_decode(text, place)
        except json.JSONDecodeError as error:
            at = line + text.count("\n", place, error.pos)
            raise DataFormatError(f"not JSON ({error.msg})", path, at) from None
        except (ValueError, RecursionError) as error:
            raise DataFormatError(f"not a usable JSON value ({error})", path, line) from None
        yield line, value
        line += text.count("\n", place, end)
        place = end


def _get(value: object, key: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(key)
    return None if isinstance(value, str | list | tuple) else getattr(value, key, None)


def _text(item: object) -> str | None:
    if isinstance(item, str):
        return None
    found = next((_get(item, key) for key in _TEXT if isinstance(_get(item, key), str)), None)
    return found if isinstance(found, str) else None


def _list(value: object, what: str) -> Sequence[Any]:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise TypeError(f"'{what}' is {_short(value)}, a list is expected")
    return value


def _number(value: object, what: str) -> float:
    try:
        if isinstance(value, bool | str):
            raise TypeError
        number = float(value)  # type: ignore[arg-type]  # numbers of any library
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{what} is {_short(value)}, a number is expected") from None
    if not math.isfinite(number):
        raise TypeError(f"{what} is {number}, a finite number is expected")
    return number


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:60] + "…"
