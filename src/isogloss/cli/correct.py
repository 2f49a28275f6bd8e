"""``isogloss correct``: add, list and undo corrections."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table

from isogloss.cli import console
from isogloss.cli.declared import Json, declares, heading
from isogloss.corpus.tsv import read_tsv
from isogloss.decoder import Correction, System, edited_pairs, load
from isogloss.io.errors import ConfigError
from isogloss.io.resources import Threads

__all__ = ["correct"]

_ACTION = heading("Action")


@declares({"Resources": ("threads",)}, resources=Threads, config=False)
def correct(
    engine: Annotated[str, Parameter(help="Folder of the engine, as 'isogloss train' writes it.")],
    source: Annotated[
        str | None,
        Parameter(help="Source sentence, in quotes; with --undo, the source or number of a correction."),
    ] = None,
    target: Annotated[str | None, Parameter(help="Correct translation, in quotes.")] = None,
    /,
    *,
    resources: Threads,
    catalog: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            group=_ACTION,
            help="Read corrections from an edited PO, XLIFF, TMX or TSV file: every finished pair that the "
            "engine would translate differently.",
        ),
    ] = None,
    list: Annotated[bool, Parameter(group=_ACTION, help="List the active corrections.")] = False,
    undo: Annotated[
        bool, Parameter(group=_ACTION, help="Undo the last correction, or the one given.")
    ] = False,
    json: Json = False,
) -> None:
    """Correct a translation; it holds at once and for good.

    The same source always gets exactly this translation. Other sentences that share a phrase with it prefer
    the corrected phrase. Without a sentence, corrections are read from standard input, one per line: source
    TAB translation. To train the engine on them, run 'isogloss retrain'.
    """
    _check(source, target, catalog, list, undo)
    system = load(engine, corrections=True, matches=True)
    if list:
        _print(system.corrections(), json)
    elif undo:
        number = source is not None and source.isascii() and source.isdigit()
        gone = system.undo_correction(int(source) if source is not None and number else source)
        if json:
            console.print_json({"undone": asdict(gone)})
        else:
            console.note(f"{engine}: correction {gone.number} of '{gone.source}' is undone")
    else:
        _add(engine, system, source, target, catalog, resources.count, json)


def _check(source: str | None, target: str | None, catalog: str | None, listed: bool, undo: bool) -> None:
    if listed + undo + (catalog is not None) > 1:
        raise ConfigError("--list, --undo and --catalog do not go together")
    if source is not None and (listed or catalog is not None):
        raise ConfigError("a sentence does not go together with --list or --catalog")
    if target is not None and undo:
        raise ConfigError("--undo needs only the source or the number of a correction")
    if source is not None and target is None and not undo:
        raise ConfigError("the translation is missing: isogloss correct ENGINE SOURCE TARGET")


def _add(
    engine: str,
    system: System,
    source: str | None,
    target: str | None,
    catalog: str | None,
    threads: int,
    json: bool,
) -> None:
    same = 0
    if source is not None and target is not None:
        pairs = [(source, target)]
    elif catalog is not None:
        pairs, same = edited_pairs(system, catalog, threads=threads, track=console.track)
    else:
        pairs = [(pair.source, pair.target) for pair in read_tsv(["-"])]
    made = system.correct_all(pairs)
    why_not = system.why_no_phrases if made else ""
    if json:
        rows = [asdict(one) for one in made]
        console.print_json({"corrections": rows, "unchanged": same, "phrases": not why_not, "note": why_not})
        return
    unchanged = f"; {same:,} pairs already have this translation" if catalog is not None else ""
    console.note(f"{engine}: {len(made):,} correction{'s' * (len(made) != 1)}{unchanged}")
    if why_not:
        console.note(why_not)


def _print(found: list[Correction], json: bool) -> None:
    if json:
        console.print_json([asdict(one) for one in found])
        return
    table = Table("number", "date", "source", "translation", box=None)
    for one in found:
        date = datetime.fromtimestamp(one.date).strftime("%Y-%m-%d %H:%M")
        table.add_row(str(one.number), date, one.source, one.target)
    console.print_table(table)
