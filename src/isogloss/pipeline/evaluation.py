"""The stage that evaluates a trained system and reaches a verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.decoder import System, Translation, list_unknown_words, load
from isogloss.decoder.sentence import split_words
from isogloss.io.progress import Track
from isogloss.io.streams import atomic_output, read_lines
from isogloss.metric import Bleu, References
from isogloss.metric.evaluation import EvaluateOptions, SystemOutput, evaluate_systems
from isogloss.pipeline.advice import Evidence, advice, warnings
from isogloss.pipeline.assessment import (
    Judged,
    combinations,
    confidence_check,
    part_verdicts,
    reported_metrics,
    unknown_words,
)
from isogloss.pipeline.similarity import memory_translations, nearest_sources
from isogloss.report.verdict import UnknownWord, Verdict

__all__ = ["SETS", "evaluate_system", "scoring"]

Paths = Mapping[str, Path]
Options = Mapping[str, Any]

SETS = ("dev", "test")
_TOKENIZERS = {"none": "none", "jieba": "zh"}
_TOKENIZERS |= dict.fromkeys(("characters", "syllables", "fugashi"), "char")


def scoring(tokenizer: str, case: str) -> dict[str, Any]:
    """Evaluation options for a target language: plain text with the usual tokenizer of the language."""
    return {"tokenize": _TOKENIZERS.get(tokenizer, "13a"), "lowercase": case == "lowercase"}


def evaluate_system(inputs: Paths, outputs: Paths, options: Options, *, threads: int, track: Track) -> None:
    """Translate the development and test sets as a user would, and judge the translations."""
    system = load(inputs["system"], near_matches=True)
    results: dict[str, Any] = {}
    translated: dict[str, list[Translation]] = {}
    for name in SETS:
        if f"{name}_source" not in inputs:
            continue
        sources = list(read_lines(inputs[f"{name}_source"]))
        lines = list(track(system.translate(sources, threads=threads), f"translating {name}", len(sources)))
        with atomic_output(outputs[name]) as stream:
            stream.writelines(f"{line}\n" for line in lines)
        if sources:
            translated[name] = lines
            results[name] = _scores(lines, _references(inputs, name), options["scoring"])
    if "dev" in translated and options["comparable"]:
        searched = _searched(inputs, translated["dev"], threads)
        results["dev"]["tokens"] = {"BLEU": _token_bleu(inputs, searched)}
    verdict = _verdict(inputs, system, translated, options, threads)
    if "test" in results:
        results["test"]["by_similarity"] = {
            name: {
                "sentences": part.strings,
                "scores": {
                    metric: {
                        "score": score.score,
                        "interval": [score.low, score.high],
                        "signature": results["test"]["scores"][metric]["signature"],
                    }
                    for metric, score in part.engine.scores.items()
                },
            }
            for name, part in _similarity_parts(verdict).items()
        }
    with atomic_output(outputs["results"]) as stream:
        stream.write(json.dumps(results, indent=1) + "\n")
    verdict.write(outputs["verdict"])


def _similarity_parts(verdict: Verdict) -> dict[str, Any]:
    return {name: part for name, part in verdict.parts.items() if name != "all"}


def _references(inputs: Paths, name: str) -> References:
    return References.read([inputs[item] for item in sorted(inputs) if item.startswith(f"{name}_target")])


def _scores(lines: Sequence[str], references: References, how: Mapping[str, Any]) -> dict[str, Any]:
    system, options = SystemOutput("system", (list(lines),)), EvaluateOptions(**how, test="none")
    found = evaluate_systems([system], references, options, metrics=reported_metrics(how))
    return {
        "sentences": len(lines),
        "scores": {
            score.metric: {
                "score": score.score,
                "interval": [score.interval.low, score.interval.high],
                "signature": found.signatures[score.metric],
            }
            for score in found.systems[0].scores
        },
    }


def _searched(inputs: Paths, lines: Sequence[Translation], threads: int) -> list[Translation]:
    """The translations by the search alone: tuning knows no near matches, nor do half of the pairs."""
    near = [at for at, line in enumerate(lines) if line.match]
    found = list(lines)
    again = load(inputs["system"]).translate([lines[at].source for at in near], threads=threads)
    for at, line in zip(near, again, strict=True):
        found[at] = line
    return found


def _token_bleu(inputs: Paths, translated: Sequence[Translation]) -> float:
    """BLEU as tuning measures it: of tokens, in the case of the engine, a placeholder as one word."""
    references = References.read(
        [inputs[item] for item in sorted(inputs) if item.startswith("tokens_dev_target")]
    )
    metric = Bleu()
    rows = metric.statistics([" ".join(line.tokens) for line in translated], references)
    return metric.score(rows.sum(axis=0))


def _done_with(
    system: System,
    words: Sequence[UnknownWord],
    translated: Sequence[Translation],
    tokens: Sequence[str],
    threads: int,
) -> list[UnknownWord]:
    """Unknown words with what was done with each in the first string that has it."""
    first: dict[str, str] = {}
    for line, text in zip(translated, tokens, strict=True):
        for word in split_words(text):
            first.setdefault(word, line.source)
    lines = dict.fromkeys(first[one.word] for one in words)
    found = {one.word: one for one in list_unknown_words(system, lines, threads=threads)}
    return [
        replace(one, origin=found[one.word].origin, translation=found[one.word].translation)
        if one.word in found
        else one
        for one in words
    ]


def _dropped(cleaning: Mapping[str, Any]) -> int:
    """Pairs that were dropped and are not known from elsewhere."""
    return int(cleaning["dropped"]) - int(cleaning["reasons"].get("duplicate", 0))


def _verdict(
    inputs: Paths,
    system: System,
    translated: Mapping[str, Sequence[Translation]],
    options: Options,
    threads: int,
) -> Verdict:
    text = system.text
    training = list(read_lines(inputs["train_source"]))
    tokens = {
        name: [line.source if text is None else text.tokenize(line.source) for line in translated[name]]
        for name in translated
    }
    listed = unknown_words(training, tokens.get("dev", ()))[0]
    if listed:
        listed = _done_with(system, listed, translated["dev"], tokens["dev"], threads)
    facts: dict[str, Any] = {
        "unknown_words": listed,
        "languages": tuple(options["languages"]),
        "tokenizers": tuple(options["tokenizers"]),
        "pairs": len(training),
    }
    name = next((one for one in ("test", "dev") if one in translated), "")
    known = {
        "set": name,
        "pairs": len(training),
        "words": listed,
        "dropped": _dropped(json.loads(inputs["cleaning"].read_bytes())),
        **options["circumstances"],
    }
    if not name:
        evidence = Evidence(**known)
        return Verdict(
            set="",
            parts={},
            p_value=None,
            best=[],
            worst=[],
            confidence=None,
            warnings=warnings(evidence),
            advice=advice(evidence),
            **facts,
        )
    sources = [line.source for line in translated[name]]
    nearest = nearest_sources(training, tokens[name])
    sides = list(read_lines(inputs["memory_source"])), list(read_lines(inputs["memory_target"]))
    judged = Judged(
        sources=sources,
        tokens=tokens[name],
        lines=[str(line) for line in translated[name]],
        memory=memory_translations(nearest, sides, sources, () if text is None else text.placeholders),
        references=_references(inputs, name),
        confidence=np.array([line.confidence for line in translated[name]]),
        nearest=nearest,
        scoring=options["scoring"],
    )
    parts, p_value = part_verdicts(judged)
    chrf = judged.chrf(judged.lines)
    unknown = unknown_words(training, tokens[name])[1]
    best, worst = judged.best_and_worst(chrf)
    half = list(read_lines(inputs["half"])) if name == "test" and "half" in inputs else []
    evidence = Evidence(
        **known,
        parts=parts,
        p_value=p_value,
        chrf=chrf,
        unknown=unknown,
        gains=judged.chrf(_searched(inputs, translated[name][: len(half)], threads)) - judged.chrf(half),
        combined=float(combinations(training, judged, unknown).mean()),
    )
    return Verdict(
        set=name,
        parts=parts,
        p_value=p_value,
        best=best,
        worst=worst,
        confidence=confidence_check(
            judged.confidence,
            chrf,
            judged.right(judged.lines),
            calibrated=system.confidence_model is not None,
        ),
        warnings=warnings(evidence),
        advice=advice(evidence),
        **facts,
    )
