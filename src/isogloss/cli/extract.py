"""``isogloss extract``: rules from an aligned corpus."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import console

__all__ = ["extract"]


class GrammarChoice(str, Enum):
    """What kind of rules to extract."""

    hiero = "hiero"
    phrase = "phrase"


class CountChoice(str, Enum):
    """How occurrences count."""

    fractional = "fractional"
    unit = "unit"


class OrientationChoice(str, Enum):
    """What counts as a neighbour."""

    hier = "hier"
    phrase = "phrase"
    word = "word"
    none = "none"


class SmoothingChoice(str, Enum):
    """How counts are discounted."""

    none = "none"
    kneser_ney = "kneser-ney"
    good_turing = "good-turing"


def extract(
    output: Annotated[Path, typer.Argument(help="Folder for the rule table.")],
    source: Annotated[
        Path, typer.Option(help="Source sentences, one tokenised line each; - is standard input.")
    ],
    target: Annotated[Path, typer.Option(help="Target sentences, parallel to the source.")],
    alignment: Annotated[
        Path, typer.Option(help="Word links of each pair as source-target positions from 0, such as 0-0 1-2.")
    ],
    grammar: Annotated[
        GrammarChoice,
        typer.Option(help="Rules with gaps in target normal form (hiero), or plain phrase pairs (phrase)."),
    ] = GrammarChoice.hiero,
    max_length: Annotated[
        int | None, typer.Option(help="Words of an initial phrase pair on each side [hiero: 10, phrase: 7].")
    ] = None,
    max_gaps: Annotated[int | None, typer.Option(help="Gaps of a rule, 0 to 2 [hiero: 2].")] = None,
    max_symbols: Annotated[
        int | None, typer.Option(help="Words and gaps of a source side [hiero: 5].")
    ] = None,
    max_target_words: Annotated[int | None, typer.Option(help="Words of a target side [hiero: 7].")] = None,
    min_gap: Annotated[
        int | None, typer.Option(help="Source words a gap stands for, at least [hiero: 1].")
    ] = None,
    tight: Annotated[
        bool | None,
        typer.Option(
            "--tight/--loose",
            help="Phrase pairs begin and end with aligned words, or may have unaligned words at their edges "
            "[hiero: tight, phrase: loose].",
        ),
    ] = None,
    adjacent_gaps: Annotated[
        bool | None,
        typer.Option("--adjacent-gaps/--no-adjacent-gaps", help="Let source gaps touch [hiero: no]."),
    ] = None,
    count: Annotated[
        CountChoice | None,
        typer.Option(
            help="An initial phrase pair counts 1 and its rules share it (fractional), or each of them "
            "counts 1 (unit) [hiero: fractional, phrase: unit]."
        ),
    ] = None,
    orientation: Annotated[
        OrientationChoice,
        typer.Option(
            help="What makes a neighbour monotone or swapped: a consistent block of any size (hier), of at "
            "most max-length words (phrase), a link at the corner (word); none counts no orientations."
        ),
    ] = OrientationChoice.hier,
    orientation_smoothing: Annotated[
        float, typer.Option(help="Added to each orientation count of a rule.")
    ] = 0.5,
    smoothing: Annotated[
        SmoothingChoice, typer.Option(help="Discounting of the counts behind the translation probabilities.")
    ] = SmoothingChoice.none,
    significance: Annotated[
        str | None,
        typer.Option(
            help="Keep only rules this significant by Fisher's exact test: alpha+epsilon (drops pairs seen "
            "once), alpha-epsilon (keeps them), or the least -log p. Reads the corpus a second time."
        ),
    ] = None,
    max_sentence_length: Annotated[
        int, typer.Option(help="Leave out sentence pairs with more words on a side.")
    ] = 200,
    memory: Annotated[
        str, typer.Option(help="Memory for sorting, such as 500M or 4G; more waits on disk.")
    ] = "1G",
    threads: Annotated[int, typer.Option(help="Threads; the result does not depend on it.")] = 1,
    scratch: Annotated[
        Path | None, typer.Option(help="Folder for intermediate files [the system's temporary folder].")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Extract and score translation rules from an aligned corpus."""
    from dataclasses import asdict

    from isogloss.errors import ConfigError
    from isogloss.grammar import ExtractOptions, Significance, extract_rules
    from isogloss.grammar.sizes import parse_size

    given = {
        "max_length": max_length,
        "max_gaps": max_gaps,
        "max_symbols": max_symbols,
        "max_target_words": max_target_words,
        "min_gap": min_gap,
        "tight": tight,
        "adjacent_gaps": adjacent_gaps,
        "count": None if count is None else count.value,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    make = ExtractOptions
    if grammar is GrammarChoice.phrase:
        unfit = sorted(set(changes) - {"max_length", "tight"})
        if unfit:
            option = unfit[0].replace("_", "-")
            raise ConfigError(f"--{option} has no meaning for phrase pairs; use it with --grammar hiero")
        make = ExtractOptions.for_phrases  # type: ignore[assignment]
    options = make(
        **changes,  # type: ignore[arg-type]
        orientation=orientation.value,
        orientation_smoothing=orientation_smoothing,
        smoothing=smoothing.value,
        max_sentence_length=max_sentence_length,
    )
    report = extract_rules(
        source,
        target,
        alignment,
        output,
        options,
        significance=None if significance is None else Significance.parse(significance),
        memory=parse_size(memory),
        threads=threads,
        scratch=scratch,
        track=console.track,
    )
    if report.skipped:
        console.warn(
            f"{report.skipped:,} sentence pairs have more than {max_sentence_length} words on a side and were "
            "left out; --max-sentence-length raises the limit"
        )
    if json:
        console.print_json(asdict(report))
        return
    kind = "phrase pairs" if grammar is GrammarChoice.phrase else "rules"
    console.note(
        f"{output}: {report.rules:,} {kind} with {report.sides:,} source sides from {report.pairs:,} sentence pairs"
        + (f"; {report.pruned:,} were not significant" if significance is not None else "")
    )
