"""The outputs of language models and neural toolkits, in the shapes that these systems really write.

How we know the shapes: from the sources of the systems, read in November 2026.

- OpenAI: the response types of the package ``openai`` (``types/chat/chat_completion.py``,
  ``types/completion_choice.py``) and lines of batch output files, which its documentation shows.
- vLLM: ``CompletionOutput`` and ``RequestOutput`` in ``vllm/outputs.py``, ``BeamSearchSequence`` in
  ``vllm/beam_search.py``.
- CTranslate2: ``TranslationResult`` in ``python/cpp/translation_result.cc``.
- Hugging Face: ``GenerateBeamEncoderDecoderOutput`` and ``GenerateDecoderOnlyOutput`` in the documentation of
  ``generate``; pipelines return lists of dictionaries with ``translation_text`` or ``generated_text``.
- fairseq: ``fairseq_cli/generate.py`` prints S, T, H, D and P lines; Marian: ``output_printer.h`` writes
  alignment, ``WordScores=`` and ``F0=`` in this order; sockeye: ``--output-type json``.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.io.errors import ConfigError, DataFormatError
from isogloss.nbest import NbestList, read_nbest


def chat_choice(index: int, text: str, logprobs: list[float] | None, **more: Any) -> dict[str, Any]:
    tokens = [
        {"token": "x", "logprob": value, "bytes": [120], "top_logprobs": []} for value in logprobs or ()
    ]
    return {
        "index": index,
        "message": {"role": "assistant", "content": text, "refusal": None, "annotations": []},
        "logprobs": None if logprobs is None else {"content": tokens, "refusal": None},
        "finish_reason": "stop",
        **more,
    }


def chat_response(*choices: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
        "object": "chat.completion",
        "created": 1741569952,
        "model": "gpt-4.1-2025-04-14",
        "choices": list(choices),
        "usage": {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29},
        "service_tier": "default",
    }


def batch_line(custom_id: str, body: dict[str, Any] | None) -> str:
    failed = {"code": "server_error", "message": "internal error"}
    response = None if body is None else {"status_code": 200, "request_id": "req_1", "body": body}
    error = failed if body is None else None
    return json.dumps({"id": "batch_req_1", "custom_id": custom_id, "response": response, "error": error})


def columns(nbest: NbestList) -> list[tuple[str, dict[str, float]]]:
    return [(one.text, dict(one.features)) for own in nbest for one in own]


def test_openai_chat(tmp_path: Path) -> None:
    first = chat_response(
        chat_choice(0, "Ein Haus.", [-0.5, -0.25, -0.25]),
        chat_choice(1, "Das Haus.", [-0.5, -0.75, -0.25]),
        chat_choice(2, "Ein Haus.", [-0.5, -0.25, -0.25]),
    )
    second = chat_response(chat_choice(0, "Ja.\n", [-0.125, -0.125], finish_reason="length"))
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(first) + "\n" + json.dumps(second) + "\n", "utf-8")
    nbest = NbestList.read(path)
    assert [[one.text for one in own] for own in nbest] == [["Ein Haus.", "Das Haus."], ["Ja."]]
    assert nbest.scores.tolist() == [-1.0, -1.5, -0.25]
    assert nbest[0][0].features == {
        "Count": 2,
        "LogProb": -1.0,
        "LogProbMissing": 0,
        "Tokens": 3,
        "LogProbMean": pytest.approx(-1 / 3),
        "Truncated": 0,
    }
    assert nbest[1][0].features["Truncated"] == 1
    assert nbest.warnings == []
    again = NbestList.from_outputs([first, second], tokenizer=None)
    assert columns(again) == columns(nbest)


def test_one_pretty_printed_response_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(chat_response(chat_choice(0, "ja", None)), indent=2), "utf-8")
    nbest = NbestList.read(path)
    assert columns(nbest) == [("ja", {"Count": 1.0, "Truncated": 0.0})]
    assert math.isnan(nbest.scores[0])


def test_openai_completions(tmp_path: Path) -> None:
    choice = {
        "text": "a house",
        "index": 0,
        "logprobs": {
            "tokens": ["a", " house"],
            "token_logprobs": [None, -0.5],
            "top_logprobs": [{}, {}],
            "text_offset": [0, 1],
        },
        "finish_reason": "stop",
    }
    body = {"id": "cmpl-1", "object": "text_completion", "model": "m", "choices": [choice]}
    path = tmp_path / "answers"
    path.write_text(json.dumps(body), "utf-8")
    assert NbestList.read(path).scores.tolist() == [-0.5]


@pytest.mark.parametrize("first", [0, 1])
def test_batch_files_come_in_any_order_and_count_from_0_or_1(tmp_path: Path, first: int) -> None:
    answers = [chat_response(chat_choice(0, text, None)) for text in ("null", "eins", "zwei")]
    order = [2, 0, 1]
    path = tmp_path / "batch.jsonl"
    path.write_text("\n".join(batch_line(f"request-{i + first}", answers[i]) for i in order), "utf-8")
    assert NbestList.read(path).best() == ["null", "eins", "zwei"]


def test_failed_requests_are_sentences_without_candidates(tmp_path: Path) -> None:
    path = tmp_path / "batch.jsonl"
    lines = [batch_line("a-0", None), batch_line("a-1", chat_response(chat_choice(0, "eins", None)))]
    path.write_text("\n".join(lines), "utf-8")
    nbest = NbestList.read(path, source=["null", "eins"])
    assert nbest.best() == ["", "eins"]
    assert nbest.missing == 1
    path.write_text("\n".join([batch_line("a", answer) for answer in [chat_response()] * 2]), "utf-8")
    with pytest.raises(ConfigError, match="custom_id"):
        NbestList.read(path)


@dataclass
class CompletionOutput:
    """The fields of vLLM's class."""

    index: int
    text: str
    token_ids: list[int]
    cumulative_logprob: float | None
    logprobs: None = None
    routed_experts: None = None
    finish_reason: str | None = "stop"
    stop_reason: None = None
    lora_request: None = None
    kv_transfer_params: None = None


class RequestOutput:
    """The attributes of vLLM's class."""

    def __init__(self, prompt: str, outputs: list[CompletionOutput]) -> None:
        self.request_id, self.prompt, self.prompt_token_ids = "0", prompt, [1, 2]
        self.prompt_logprobs = self.metrics = self.lora_request = None
        self.outputs, self.finished = outputs, True


def test_vllm_objects_and_the_json_of_them(tmp_path: Path) -> None:
    outputs = [
        RequestOutput(
            "Translate: a",
            [CompletionOutput(0, " ein", [5, 6], -1.0), CompletionOutput(1, " ein", [5, 6], -1.0)],
        ),
        RequestOutput("Translate: b", [CompletionOutput(0, "zwei", [7], -0.5, finish_reason="length")]),
    ]
    nbest = NbestList.from_outputs(outputs)
    assert columns(nbest) == [
        (
            "ein",
            {
                "Count": 2,
                "LogProb": -1,
                "LogProbMissing": 0,
                "Tokens": 2,
                "LogProbMean": -0.5,
                "Truncated": 0,
            },
        ),
        (
            "zwei",
            {
                "Count": 1,
                "LogProb": -0.5,
                "LogProbMissing": 0,
                "Tokens": 1,
                "LogProbMean": -0.5,
                "Truncated": 1,
            },
        ),
    ]
    path = tmp_path / "vllm.jsonl"
    rows = [
        {"request_id": one.request_id, "prompt": one.prompt, "outputs": [vars(each) for each in one.outputs]}
        for one in outputs
    ]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert columns(NbestList.read(path, "vllm")) == columns(nbest)


def test_vllm_beam_search() -> None:
    @dataclass
    class BeamSearchSequence:
        tokens: list[int]
        text: str
        cum_logprob: float
        logprobs: list[Any] = field(default_factory=list)
        lora_request: None = None
        finish_reason: None = None
        stop_reason: None = None

    @dataclass
    class BeamSearchOutput:
        sequences: list[BeamSearchSequence]

    nbest = NbestList.from_outputs(
        [BeamSearchOutput([BeamSearchSequence([1], "a", -1.0), BeamSearchSequence([2], "b", -2.0)])]
    )
    assert nbest.scores.tolist() == [-1.0, -2.0]
    assert [one.features["Tokens"] for one in nbest[0]] == [1, 1]
    assert nbest.warnings == []


def test_samples_missing_log_probabilities_and_extra_keys(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    rows = [
        {
            "source": "ein Haus",
            "samples": [
                {"text": "a house", "logprob": -1.0, "comet": 0.8, "model": "x", "kept": True},
                {"text": "house", "logprob": -3.0, "comet": 0.5, "model": "x", "kept": False},
                {"text": "one house", "comet": 0.75, "model": "x", "kept": True},
                {"text": "a house", "comet": 0.8, "model": "x", "kept": True},
            ],
        },
        {"source": "ja", "samples": [{"text": "yes", "comet": 0.9, "kept": True}]},
    ]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    nbest = NbestList.read(path)
    assert nbest.source == ["ein Haus", "ja"]
    assert nbest.feature_names == ["Count", "LogProb", "LogProbMissing", "comet", "kept"]
    # Never 0, which would be the highest: the smallest of the sentence, else of the list.
    assert nbest.scores.tolist() == [-1.0, -3.0, -3.0, -3.0]
    assert [own.features["LogProbMissing"] for own in [*nbest[0], *nbest[1]]] == [0, 0, 1, 1]
    assert nbest[0][0].features["Count"] == 2
    assert nbest.warnings == [
        f"{path}: 2 of 4 candidates have no log-probability; they get the smallest of their sentence, and "
        "the column 'LogProbMissing' is 1",
        f"{path}: keys that are not numbers are left out: 'model'",
    ]


@pytest.mark.parametrize("name", ["tokens", "num_tokens", "token_ids"])
def test_the_number_of_tokens_of_a_sample_becomes_a_column(name: str) -> None:
    def tokens(count: int) -> int | list[int]:
        return list(range(count)) if name == "token_ids" else count

    samples = [
        {"text": "a", "logprob": -1.0, name: tokens(2)},
        {"text": "b", "logprob": -3.0, name: tokens(4)},
    ]
    nbest = NbestList.from_outputs([{"samples": samples}])
    assert [one.features["Tokens"] for one in nbest[0]] == [2, 4]
    assert [one.features["LogProbMean"] for one in nbest[0]] == [-0.5, -0.75]
    assert nbest.warnings == []


def test_plain_strings_are_samples_never_characters() -> None:
    nbest = NbestList.from_outputs([["a house", "house", "a house"]], source=["ein Haus"])
    assert columns(nbest) == [("a house", {"Count": 2.0}), ("house", {"Count": 1.0})]
    with pytest.raises(ConfigError, match="output 0: 'a house' is not the answer of a known system"):
        NbestList.from_outputs(["a house"])
    with pytest.raises(ConfigError, match="is not a list with an output for each sentence"):
        NbestList.from_outputs("a house")


@dataclass
class TranslationResult:
    """The attributes of CTranslate2's class; scores and attention are empty unless asked for."""

    hypotheses: list[list[str]]
    scores: list[float]
    attention: list[Any] = field(default_factory=list)
    logits: list[Any] = field(default_factory=list)


def test_ctranslate2_objects_and_the_json_of_them(tmp_path: Path) -> None:
    results = [
        TranslationResult([["▁a", "▁hou", "se"], ["▁house"]], [-0.25, -0.5]),
        TranslationResult([["yes", "in@@", "deed"]], [-0.125]),
    ]
    nbest = NbestList.from_outputs(results)
    assert [one.text for own in nbest for one in own] == ["a house", "house", "yes indeed"]
    assert nbest.scores.tolist() == [-0.25, -0.5, -0.125]
    assert [one.features["Pieces"] for own in nbest for one in own] == [3, 1, 3]
    path = tmp_path / "ct2.jsonl"
    path.write_text("\n".join(json.dumps(vars(one)) for one in results), "utf-8")
    assert columns(NbestList.read(path)) == columns(nbest)
    bare = NbestList.from_outputs([TranslationResult([["a"]], [])], decode="+".join)
    assert math.isnan(bare.scores[0])


class WordTokenizer:
    """Like a tokenizer of Hugging Face: ids to text, and the ids of special tokens."""

    pad_token_id, eos_token_id = 0, 1
    words = ("<pad>", "</s>", "ein", "Haus", "das")

    def decode(self, token_ids: list[int], *, skip_special_tokens: bool = False) -> str:
        return " ".join(self.words[i] for i in token_ids if i > 1 or not skip_special_tokens)


@dataclass
class GenerateOutput:
    sequences: np.ndarray[Any, Any]
    sequences_scores: np.ndarray[Any, Any] | None = None
    scores: tuple[np.ndarray[Any, Any], ...] | None = None


def test_hugging_face_beams() -> None:
    output = GenerateOutput(
        np.array([[0, 2, 3, 1], [0, 4, 3, 1], [0, 3, 1, 0], [0, 2, 1, 0]]),
        np.array([-0.5, -0.75, -1.0, -2.0]),
    )
    nbest = NbestList.from_outputs(output, source=["a house", "house"], decode=WordTokenizer())
    assert [[one.text for one in own] for own in nbest] == [["ein Haus", "das Haus"], ["Haus", "ein"]]
    assert nbest.scores.tolist() == [-0.5, -0.75, -1.0, -2.0]
    assert nbest[0][0].features["Tokens"] == 2
    with pytest.raises(ConfigError, match="4 sequences cannot be lists of the same length for 3 sentences"):
        NbestList.from_outputs(output, source=["a", "b", "c"], decode=WordTokenizer())
    with pytest.raises(ConfigError, match="give decode=tokenizer"):
        NbestList.from_outputs(output, source=["a", "b"])


def test_hugging_face_samples_are_scored_by_their_logits() -> None:
    rng = np.random.default_rng(1)
    steps = tuple(rng.normal(size=(2, 5)) for _ in range(3))
    sequences = np.array([[7, 7, 2, 3, 1], [7, 7, 4, 1, 0]])  # two tokens of prompt; the second ends early
    expected = []
    for row, length in ((0, 3), (1, 2)):
        tokens = sequences[row, 2 : 2 + length]
        logits = [steps[i][row] for i in range(length)]
        expected.append(
            sum(math.log(math.exp(own[t]) / np.exp(own).sum()) for own, t in zip(logits, tokens, strict=True))
        )
    nbest = NbestList.from_outputs(
        GenerateOutput(sequences, scores=steps), source=["x"], decode=WordTokenizer()
    )
    assert nbest.scores.tolist() == pytest.approx(expected)
    assert nbest[0][0].text == "ein Haus"


def test_hugging_face_pipelines(tmp_path: Path) -> None:
    answers = [[{"translation_text": "a"}, {"translation_text": "b"}], [{"generated_text": "c"}]]
    path = tmp_path / "pipeline.json"
    path.write_text(json.dumps(answers), "utf-8")
    expected = [["a", "b"], ["c"]]
    assert [[one.text for one in own] for own in NbestList.read(path)] == expected
    assert [[one.text for one in own] for own in NbestList.from_outputs(answers)] == expected
    path.write_text(json.dumps(answers[0]), "utf-8")
    assert [[one.text for one in own] for own in NbestList.read(path)] == expected[:1]


def test_fairseq_with_and_without_positional_scores(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with_scores = "S-0\tein haus\nT-0\ta house\nH-0\t-0.5\ta house\nD-0\t-0.5\ta house\nP-0\t-0.25 -0.75\n"
    path.write_text(with_scores, "utf-8")
    assert read_nbest(path).dense_names == ["PositionalSum", "PositionalCount"]
    path.write_text("".join(line + "\n" for line in with_scores.splitlines() if line[0] != "P"), "utf-8")
    bare = read_nbest(path)
    assert bare.dense_names == []
    assert bare.scores.tolist() == [-0.5]


def test_marian_word_scores_become_columns(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text(
        "0 ||| a b ||| 0-0 1-1 ||| WordScores= -0.5 -2 -0.25 ||| F0= -2.75 ||| -0.9\n"
        "0 ||| c ||| 0-0 ||| WordScores= -1 -0.5 ||| F0= -1.5 ||| -0.75\n",
        "utf-8",
    )
    store = read_nbest(path)
    assert dict(zip(store.dense_names, store.dense.T.tolist(), strict=True)) == {
        "WordScoreMin": [-2, -1],
        "WordScoreCount": [3, 2],
        "F0": [-2.75, -1.5],
    }
    assert store.alignment is not None


def test_plain_lines(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_text("a\nb\nc\nd\n", "utf-8")
    nbest = NbestList.read(path, "lines", source=["x", "y"])
    assert [[one.text for one in own] for own in nbest] == [["a", "b"], ["c", "d"]]
    assert NbestList.read(path, "lines", references=["x", "y", "z", "w"]).best() == ["a", "b", "c", "d"]
    with pytest.raises(DataFormatError, match="4 lines cannot be lists of the same length for 3 sentences"):
        NbestList.read(path, "lines", source=["x", "y", "z"])
    path.write_text("-0.5 ||| a b\n-1e-1 ||| c\n\n-2 ||| d\n", "utf-8")
    scored = NbestList.read(path, "lines")
    assert [[one.text for one in own] for own in scored] == [["a b", "c"], ["d"]]
    assert scored.scores.tolist() == [-0.5, -0.1, -2]


def test_lists_that_count_from_1_are_recognized(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text("1 ||| a\n2 ||| b\n", "utf-8")
    for text in ({"source": ["x", "y"]}, {"references": ["a", "b"]}):
        nbest = NbestList.read(path, **text)  # type: ignore[arg-type]
        assert nbest.best() == ["a", "b"]
        assert nbest.warnings == [f"{path}: the sentences are numbered from 1; they count from 0 here"]
    # The first sentence may also be missing.
    assert NbestList.read(path, source=["x", "y", "z"]).best() == ["", "a", "b"]


def test_extra_keys_of_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "list.jsonl"
    path.write_text('{"sentence": 0, "text": "a", "comet": 0.5, "model": "x"}\n', "utf-8")
    nbest = NbestList.read(path)
    assert nbest.feature_names == ["comet"]
    assert nbest.warnings == [f"{path}: keys that are not numbers are left out: 'model'"]


WRONG = [
    ('{"choices": 3}', "'choices' is 3, a list is expected"),
    ('{"choices": [{"message": {"content": 3}}]}', "the text of a choice is 3, a string is expected"),
    ('{"samples": [3]}', "a sample is 3; a string, or an object with 'text', is expected"),
    ('{"samples": [{"text": "a", "logprob": "x"}]}', "'logprob' is 'x', a number is expected"),
    ('{"hypotheses": [["a"], ["b"]], "scores": [1]}', "1 scores for 2 hypotheses"),
    ('{"samples": []}', "no candidates in the file"),
    ('{"samples": ["a"]}\n{"samples": [', "not JSON"),
    ('{"samples": ["a"]}\n{"other": 1}', "is not the answer of a known system"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_says_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "answers"
    path.write_text(text + "\n", "utf-8")
    with pytest.raises(DataFormatError) as caught:
        NbestList.read(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
