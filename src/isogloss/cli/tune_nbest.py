"""``isogloss tune-nbest``: weights for the n-best list of any system."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.table import Table

from isogloss.cli import console
from isogloss.cli.lists import file_names, open_list
from isogloss.cli.nbest import Files, Format, Json, List
from isogloss.io.errors import ConfigError

if TYPE_CHECKING:
    from isogloss.learn import Constraints
    from isogloss.rerank import NbestTuning

__all__ = ["tune_nbest"]

_SHOWN = 40  # weights in the table; a file has all


def tune_nbest(
    list: List,
    /,
    *,
    reference: Annotated[
        Files | None,
        Parameter(name="--reference", metavar="FILE", help="References; give the option once per file."),
    ] = None,
    quality: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            help="Instead of references: one number per candidate, in list order, the higher the better.",
        ),
    ] = None,
    method: Annotated[
        str,
        Parameter(
            metavar="NAME",
            help="mert (exact line searches on the metric, dense features only), batch-mira (k-best batch "
            "MIRA), pro (pairwise ranking), or any other learner of lists; options may follow the name: "
            "NAME:KEY=VALUE,...",
        ),
    ] = "mert",
    metric: Annotated[str, Parameter(metavar="NAME", help="bleu, nist, chrf or ter.")] = "bleu",
    output: Annotated[
        str | None,
        Parameter(metavar="FILE", help="Write the weights here, a line with a name and a number each."),
    ] = None,
    start: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            help="Weights to start from; by default those that explain the list's own scores best.",
        ),
    ] = None,
    held_out: Annotated[
        str | None,
        Parameter(metavar="LIST", help="Another list, which decides between the weights found on the way."),
    ] = None,
    held_out_reference: Annotated[
        Files | None,
        Parameter(metavar="FILE", help="References of the held-out list; once per file."),
    ] = None,
    runs: Annotated[
        int, Parameter(metavar="N", help="Runs with seeds one apart; the best is kept, all are reported.")
    ] = 1,
    seed: Annotated[int, Parameter(metavar="N", help="Seed of all random draws.")] = 1,
    threads: Annotated[
        int, Parameter(metavar="N", help="Searches of mert at a time; changes no result.")
    ] = 1,
    restarts: Annotated[
        int | None, Parameter(metavar="N", help="Restarts of mert.", show_default="20")
    ] = None,
    iterations: Annotated[
        int | None, Parameter(metavar="N", help="Passes of batch-mira over the list.", show_default="60")
    ] = None,
    aggressiveness: Annotated[
        float | None, Parameter(metavar="C", help="Largest step of batch-mira.", show_default="0.01")
    ] = None,
    regularization: Annotated[
        float | None, Parameter(metavar="X", help="Pull of pro towards 0.", show_default="1")
    ] = None,
    freeze: Annotated[
        Files | None, Parameter(metavar="NAME", help="Leave this dense weight as it is; repeatable.")
    ] = None,
    bound: Annotated[
        Files | None,
        Parameter(metavar="NAME=LOW:HIGH", help="Keep this dense weight in a range; repeatable."),
    ] = None,
    prior: Annotated[
        Files | None,
        Parameter(
            metavar="NAME=MEAN:STRENGTH",
            help="Expect this dense weight near MEAN; being 1 away costs half of STRENGTH; repeatable.",
        ),
    ] = None,
    lowercase: Annotated[bool, Parameter(name="--lowercase", help="Ignore case.")] = False,
    tokenize: Annotated[
        str, Parameter(metavar="NAME", help="sacreBLEU's tokenizer for BLEU and NIST; none: by spaces.")
    ] = "none",
    format: Format = None,
    json: Json = False,
) -> None:
    """Tune weights on an n-best list.

    The list can come from any system. Weights that cannot be used are reported with their cause and never
    written.
    """
    if (reference is None) == (quality is None):
        raise ConfigError("give either --reference or --quality")
    if (held_out is None) != (held_out_reference is None) or (held_out is not None and quality is not None):
        raise ConfigError("--held-out needs --held-out-reference, and both need --reference")

    from isogloss.decoder.weights import write_weights
    from isogloss.learn.registry import make_learner
    from isogloss.rerank import tune_nbest as tune

    given: dict[str, object] = {
        "restarts": restarts,
        "iterations": iterations,
        "aggressiveness": aggressiveness,
        "regularization": regularization,
        "constraints": _constraints(freeze or [], bound or [], prior or [])
        if freeze or bound or prior
        else None,
    }
    learner = make_learner(
        method,
        {name: value for name, value in given.items() if value is not None},
        usual={"threads": threads},
        warn=console.note,
    )
    other = None
    if held_out is not None and held_out_reference is not None:
        other = (open_list(held_out), [Path(name) for name in held_out_reference])
    tuned = tune(
        open_list(list, format),
        file_names(reference or []),
        method=learner,
        metric=metric,
        tokenize=tokenize,
        lowercase=lowercase,
        quality=quality,
        start=start,
        held_out=other,
        runs=runs,
        seed=seed,
        progress=console.track,
    )
    for warning in tuned.warnings:
        console.warn(warning if warning.startswith(f"{list}: ") else f"{list}: {warning}")
    if output is not None:
        write_weights(output, tuned.weights)
        console.note(f"{output}: wrote {len(tuned.weights):,} weights")
    if json:
        console.print_json(tuned.to_dict())
    else:
        _print(tuned)


def _constraints(freeze: Files, bound: Files, prior: Files) -> Constraints:
    from isogloss.learn import Constraints, Prior

    return Constraints(
        frozen=freeze,
        bounds=_pairs("--bound", bound),
        priors={name: Prior(*numbers) for name, numbers in _pairs("--prior", prior).items()},
    )


def _pairs(option: str, texts: Files) -> dict[str, tuple[float, float]]:
    """``NAME=NUMBER:NUMBER``, many times."""
    found: dict[str, tuple[float, float]] = {}
    for text in texts:
        name, _, numbers = text.rpartition("=")
        first, _, second = numbers.partition(":")
        try:
            found[name] = (float(first), float(second))
        except ValueError:
            raise ConfigError(
                f"{option} '{text}': a name, '=' and two numbers with ':' between are expected"
            ) from None
    return found


def _print(tuned: NbestTuning) -> None:
    facts = Table(show_header=False, box=None)
    facts.add_row(f"{tuned.metric} before", f"{tuned.start_score:.2f}")
    facts.add_row(f"{tuned.metric} after", f"{tuned.score:.2f}")
    if tuned.held_out_score is not None:
        facts.add_row("held out", f"{tuned.held_out_score:.2f}")
    if tuned.deviation is not None:
        facts.add_row(f"{len(tuned.runs)} runs", f"mean {tuned.mean:.2f}, std. dev. {tuned.deviation:.2f}")
    console.print_table(facts)
    table = Table("feature", box=None)
    table.add_column("weight", justify="right")
    strongest = sorted(tuned.weights.items(), key=lambda item: -abs(item[1]))
    for name, weight in strongest[:_SHOWN]:
        table.add_row(name, f"{weight:.6f}")
    console.print_table(table)
    if len(strongest) > _SHOWN:
        console.print_line(f"and {len(strongest) - _SHOWN:,} weaker ones")
