"""``isogloss extract``: rules from an aligned corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import console

__all__ = ["extract"]


def extract(
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="Source sentences, tokenised, one per line; - is stdin.")
    ],
    target: Annotated[
        Path, typer.Argument(metavar="TARGET", help="Target sentences, parallel to the source.")
    ],
    links: Annotated[
        Path,
        typer.Argument(
            metavar="LINKS", help="Links of each pair as source-target word positions from 0: 0-0 1-2."
        ),
    ],
    output: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the rule table.")],
    grammar: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="hiero: rules with gaps, in target normal form; phrase: plain phrase pairs.",
        ),
    ] = "hiero",
    max_length: Annotated[
        int | None,
        typer.Option(
            metavar="WORDS",
            help="Words of an initial phrase pair, on each side.",
            show_default="10 for hiero, 7 for phrase",
        ),
    ] = None,
    max_gaps: Annotated[
        int | None, typer.Option(metavar="N", help="Gaps of a rule, 0 to 2.", show_default="2")
    ] = None,
    max_symbols: Annotated[
        int | None, typer.Option(metavar="N", help="Words and gaps of a source side.", show_default="5")
    ] = None,
    max_target_words: Annotated[
        int | None, typer.Option(metavar="WORDS", help="Words of a target side.", show_default="7")
    ] = None,
    min_gap: Annotated[
        int | None,
        typer.Option(metavar="WORDS", help="Source words a gap stands for, at least.", show_default="1"),
    ] = None,
    tight: Annotated[
        bool | None,
        typer.Option(
            "--tight/--loose",
            help="Phrase pairs begin and end with aligned words, or may have unaligned words at their edges.",
            show_default="tight for hiero, loose for phrase",
        ),
    ] = None,
    adjacent_gaps: Annotated[
        bool | None,
        typer.Option("--adjacent-gaps/--no-adjacent-gaps", help="Let source gaps touch.", show_default="no"),
    ] = None,
    count: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="fractional: an initial phrase pair counts 1, shared by its rules; unit: each of them "
            "counts 1.",
            show_default="fractional for hiero, unit for phrase",
        ),
    ] = None,
    orientation: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What makes a neighbour monotone or swapped: a consistent block of any size (hier), one of "
            "at most max-length words (phrase), a link at the corner (word); none counts no orientations.",
        ),
    ] = "hier",
    orientation_smoothing: Annotated[
        float, typer.Option(metavar="COUNT", help="Added to each orientation count of a rule.")
    ] = 0.5,
    smoothing: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Discounting of the counts behind translation probabilities: none, kneser-ney, good-turing.",
        ),
    ] = "none",
    significance: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL",
            help="Keep only rules this significant by Fisher's exact test: alpha+epsilon (drops pairs seen "
            "once), alpha-epsilon (keeps them), or the least -log p. Reads the corpus a second time.",
        ),
    ] = None,
    max_sentence_length: Annotated[
        int, typer.Option(metavar="WORDS", help="Leave out sentence pairs with more words on a side.")
    ] = 200,
    memory: Annotated[
        str, typer.Option(metavar="SIZE", help="Memory to use, such as 500M or 4G; more waits on disk.")
    ] = "1G",
    threads: Annotated[int, typer.Option(metavar="N", help="Threads; the result does not depend on it.")] = 1,
    scratch: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for intermediate files.",
            show_default="the system's temporary folder",
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Extract and score translation rules from an aligned corpus."""
    from dataclasses import asdict

    from isogloss.grammar import ExtractOptions, Significance, extract_rules
    from isogloss.io.sizes import parse_size

    report = extract_rules(
        source,
        target,
        links,
        output,
        ExtractOptions.for_grammar(
            grammar,
            max_length=max_length,
            max_gaps=max_gaps,
            max_symbols=max_symbols,
            max_target_words=max_target_words,
            min_gap=min_gap,
            tight=tight,
            adjacent_gaps=adjacent_gaps,
            count=count,
            orientation=orientation,
            orientation_smoothing=orientation_smoothing,
            smoothing=smoothing,
            max_sentence_length=max_sentence_length,
        ),
        significance=None if significance is None else Significance.parse(significance),
        memory=parse_size(memory),
        threads=threads,
        scratch=scratch,
        track=console.track,
    )
    if report.skipped:
        console.warn(
            f"{report.skipped:,} sentence pairs have more than {max_sentence_length} words on a side and "
            "were left out; --max-sentence-length raises the limit"
        )
    if json:
        console.print_json(asdict(report))
        return
    kind = "phrase pairs" if grammar == "phrase" else "rules"
    console.note(
        f"{output}: {report.rules:,} {kind} with {report.sides:,} source sides "
        f"from {report.pairs:,} sentence pairs"
        + (f"; {report.pruned:,} were not significant" if significance is not None else "")
    )
