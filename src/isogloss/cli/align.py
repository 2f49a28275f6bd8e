"""``isogloss align``: word alignment of a parallel corpus."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli import console
from isogloss.io.errors import ConfigError, OutputError

if TYPE_CHECKING:
    from isogloss.align import AlignmentScores, CorpusAlignment, GoldLinks

__all__ = ["align"]


class _ModelType(StrEnum):
    hmm = "hmm"
    fast = "fast"
    model1 = "model1"


class _Method(StrEnum):
    grow_diag_final_and = "grow-diag-final-and"
    grow_diag_final = "grow-diag-final"
    grow_diag = "grow-diag"
    intersection = "intersection"
    union = "union"
    forward = "forward"
    backward = "backward"


class _Backend(StrEnum):
    isogloss = "isogloss"
    eflomal = "eflomal"


def align(
    source: Annotated[
        Path,
        typer.Argument(help="Source text, a tokenised sentence per line; plain, gzip or zstd."),
    ],
    target: Annotated[
        Path | None,
        typer.Argument(help="Target text. Without it SOURCE holds both, separated by a tab or ' ||| '."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Where the links go, a line of i-j points for each pair; - is standard output."),
    ] = None,
    method: Annotated[
        _Method, typer.Option(help="How the links of both directions are made into one set.")
    ] = _Method.grow_diag_final_and,
    model_type: Annotated[
        _ModelType | None,
        typer.Option(
            help="hmm (the default): partners follow each other; fast: partners near the diagonal; "
            "model1: anywhere.",
        ),
    ] = None,
    iterations: Annotated[int | None, typer.Option(help="Rounds of that model; 4 if not given.")] = None,
    model1_iterations: Annotated[
        int | None, typer.Option(help="Rounds of Model 1 before it; 4 if not given.")
    ] = None,
    lowercase: Annotated[
        bool | None,
        typer.Option(
            "--lowercase/--no-lowercase",
            help="Whether words that differ in case only are one word; yes if not given, except with "
            "--lexical-input.",
        ),
    ] = None,
    threshold: Annotated[float, typer.Option(help="Least posterior probability of a link.")] = 0.3,
    max_length: Annotated[
        int, typer.Option(help="Pairs with a side of more words than this get no links.")
    ] = 250,
    extra_source: Annotated[
        Path | None,
        typer.Option(help="Source text of more pairs to learn from; they are not written."),
    ] = None,
    extra_target: Annotated[Path | None, typer.Option(help="Target text of those pairs.")] = None,
    model: Annotated[
        Path | None, typer.Option(help="Align with this stored model instead of learning one.")
    ] = None,
    model_output: Annotated[Path | None, typer.Option(help="Folder to store the learnt model in.")] = None,
    lexical_input: Annotated[
        str | None,
        typer.Option(help="Align by the lexical table PREFIX.f2e and PREFIX.e2f (Moses format) alone."),
    ] = None,
    lexical_output: Annotated[
        str | None, typer.Option(help="Write the lexical table as PREFIX.f2e and PREFIX.e2f (Moses format).")
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(help="Links made by hand, i-j sure and i?j possible: print the alignment error rate."),
    ] = None,
    backend: Annotated[
        _Backend, typer.Option(help="Which aligner; eflomal is an extra.")
    ] = _Backend.isogloss,
    threads: Annotated[int, typer.Option(help="Threads to use; 0 uses all processors.")] = 0,
    memory: Annotated[
        str | None,
        typer.Option(
            help="Most memory to use, such as 512M or 4G; chance word pairs are left out to keep to it."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed, for uniformity: the aligner draws no random numbers.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Find out which words of each sentence pair translate each other."""
    from isogloss.align import AlignOptions, LinkOptions, align_corpus, read_gold
    from isogloss.align.bitext import read_pairs, read_sides
    from isogloss.align.eflomal import require_eflomal
    from isogloss.align.lexicon import read_lexicon, write_lexicon
    from isogloss.align.model import AlignmentModel
    from isogloss.io.sizes import parse_size

    chosen: dict[str, Any] = {
        "model_type": None if model_type is None else model_type.value,
        "iterations": iterations,
        "model1_iterations": model1_iterations,
        "lowercase": lowercase,
    }
    given = {name: value for name, value in chosen.items() if value is not None}
    if lexical_input is not None:
        given.pop("lowercase", None)
    learning = {**given, **_given(extra_source=extra_source, extra_target=extra_target, memory=memory)}
    kept = _given(model_output=model_output, lexical_output=lexical_output)
    _check_choices(_given(model=model, lexical_input=lexical_input), learning, kept, backend)
    _check_outputs(_given(output=output, gold=gold, **kept), json=json)
    if (extra_source is None) != (extra_target is None):
        raise ConfigError("--extra-source and --extra-target go together")
    if threads < 0:
        raise ConfigError(f"--threads must not be negative, got {threads}")
    if backend == _Backend.eflomal:
        require_eflomal()
    answers = None if gold is None else read_gold(gold)
    fitted = None
    if model is not None:
        fitted = AlignmentModel.load(model)
    elif lexical_input is not None:
        fitted = read_lexicon(lexical_input, lowercase=lowercase is True)

    result = align_corpus(
        read_pairs(source) if target is None else read_sides(source, target),
        training=AlignOptions(**given, max_length=max_length),
        links=LinkOptions(method=method.value, threshold=threshold, max_length=max_length),
        extra=() if extra_source is None or extra_target is None else read_sides(extra_source, extra_target),
        model=fitted,
        backend=backend.value,
        threads=threads or os.cpu_count() or 1,
        memory=None if memory is None else parse_size(memory),
        origin=source,
        progress=console.track,
        warn=console.warn,
    )
    scores = None if answers is None or gold is None else _score(result, answers, gold)
    _warn_about(result, max_length)
    if result.model is not None and model_output is not None:
        result.model.save(model_output)
    if result.model is not None and lexical_output is not None:
        write_lexicon(result.model, lexical_output)
    if output is not None:
        result.alignments.write(output)
    if json:
        console.print_json(_as_json(result, scores, output))
    else:
        _print(result, scores)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _names(options: Iterable[str]) -> str:
    return ", ".join("--" + name.replace("_", "-") for name in options)


def _check_choices(
    ready: dict[str, Any], learning: dict[str, Any], kept: dict[str, Any], backend: _Backend
) -> None:
    if len(ready) > 1:
        raise ConfigError(f"{_names(ready)} exclude each other")
    if ready and (learning or kept):
        raise ConfigError(
            f"{_names(ready)} uses what was learnt before: {_names([*learning, *kept])} cannot go with it"
        )
    if backend == _Backend.eflomal:
        unknown = [*ready, *kept, *(name for name in learning if not name.startswith(("extra", "lowercase")))]
        if unknown:
            raise ConfigError(f"eflomal knows nothing of {_names(unknown)}; leave it out or the backend")


def _check_outputs(outputs: dict[str, Any], *, json: bool) -> None:
    if not outputs:
        raise ConfigError("nothing to do: give --output, --model-output, --lexical-output or --gold")
    if json and str(outputs.get("output")) == "-":
        raise ConfigError("--json and --output - would both go to standard output")
    for name in ("output", "lexical_output"):
        # Learning may take an hour: a place that cannot be written is better found before.
        if name in outputs and not Path(outputs[name]).parent.is_dir():
            raise OutputError("the folder does not exist", Path(outputs[name]).parent)


def _score(result: CorpusAlignment, gold: Sequence[GoldLinks], path: Path) -> AlignmentScores:
    from isogloss.align.gold import check_gold, score_alignments

    check_gold(gold, result.source_lengths.tolist(), result.target_lengths.tolist(), path)
    return score_alignments(result.alignments, gold)


def _warn_about(result: CorpusAlignment, max_length: int) -> None:
    if result.too_long:
        console.warn(
            f"{len(result.too_long):,} sentence pairs with more than {max_length} words on a side have no "
            f"links (the first is line {result.too_long[0]:,}); --max-length sets the limit"
        )
    if result.empty:
        console.note(f"{result.empty:,} sentence pairs with an empty side have no links")


def _as_json(result: CorpusAlignment, scores: AlignmentScores | None, output: Path | None) -> dict[str, Any]:
    return {
        "output": None if output is None else str(output),
        "pairs": len(result.alignments),
        "links": len(result.alignments.links),
        "empty": result.empty,
        "too_long": len(result.too_long),
        "model": None if result.model is None else result.model.made_with,
        "scores": None if scores is None else asdict(scores),
    }


def _print(result: CorpusAlignment, scores: AlignmentScores | None) -> None:
    from rich.table import Table

    words = int(result.target_lengths.sum())
    density = len(result.alignments.links) / max(words, 1)
    console.note(
        f"{len(result.alignments):,} sentence pairs, {len(result.alignments.links):,} links, "
        f"{density:.2f} per target word"
    )
    if scores is not None:
        table = Table("alignment error rate", "precision", "recall", "links", "sure links", box=None)
        table.add_row(
            f"{scores.error_rate:.4f}",
            f"{scores.precision:.4f}",
            f"{scores.recall:.4f}",
            f"{scores.links:,}",
            f"{scores.sure:,}",
        )
        console.print_table(table)
