"""``isogloss catalog``: fill translation catalogs."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

from cyclopts import App, Parameter

from isogloss.adapt import LocalOptions, RetrievalOptions
from isogloss.catalog import FillOptions, MessageTranslator, fill_catalog
from isogloss.cli import console
from isogloss.cli.adapted import LocalDev, LocalMethod, LocalReport, MemoryFolder, adapted
from isogloss.cli.declared import Changes, Json, declares
from isogloss.cli.parameters import UseMatches
from isogloss.decoder import SearchOptions, Terms, load
from isogloss.io.config import Settings
from isogloss.io.resources import Threads

__all__ = ["app"]

app = App(name="catalog", help="Fill translation catalogs: PO, XLIFF, TMX.")

Output = Annotated[
    str, Parameter(name=["--output", "-o"], metavar="FILE", help="Where to write the filled file.")
]

_UNSURE = 0.5
_SHOWN = 10  # unfilled messages to print
_GROUPS = {
    "Catalog": (
        "source_language",
        "target_language",
        "terms",
        "terms_ignore_case",
        "replace_drafts",
        "replace_fuzzy",
        "fuzzy_flag",
        "min_confidence",
        "confidence",
    ),
    "Resources": ("threads",),
}


@app.command
@declares(
    _GROUPS,
    options=FillOptions,
    search=Changes(SearchOptions, "the system's"),
    retrieval=Changes(RetrievalOptions, "the memory's", prefix="local"),
    update=Changes(LocalOptions, "the memory's", prefix="local"),
    resources=Threads,
)
def fill(
    engine: Annotated[str, Parameter(help="Folder of the engine, as written by 'isogloss train'.")],
    catalog: Annotated[str, Parameter(help="PO, XLIFF or TMX file.")],
    /,
    *,
    output: Output,
    options: FillOptions,
    search: Settings,
    retrieval: Settings,
    update: Settings,
    resources: Threads,
    matches: UseMatches = True,
    local: LocalMethod = None,
    memory: MemoryFolder = None,
    local_dev: LocalDev = None,
    local_report: LocalReport = None,
    json: Json = False,
) -> None:
    """Translate the untranslated entries of a catalog and mark them as drafts.

    Existing translations stay unless you ask to replace them; all other bytes of the file are preserved.
    Drafts are marked fuzzy in PO files, as needing review in XLIFF, and with a property in TMX.
    """
    with ExitStack() as open_files:
        system = load(engine, changes=search, corrections=True, matches=matches)
        system = adapted(system, local, memory, {**retrieval, **update}, local_dev, local_report, open_files)
        terms = None
        if options.terms is not None:
            terms = Terms.read(options.terms, system.text, ignore_case=options.terms_ignore_case)
        translator = MessageTranslator(system, threads=resources.count, terms=terms)
        filled = fill_catalog(catalog, output, translator, options, track=console.track)
    unsure = sum(draft.confidence < _UNSURE for draft in filled.drafts)
    meaning = "a rule of thumb" if system.confidence_model is None else "expected chrF / 100"
    if json:
        console.print_json(
            {
                "filled": len(filled.drafts),
                "kept": filled.translated,
                "kept_fuzzy": filled.fuzzy,
                "mean_confidence": filled.confidence,
                "confidence_is": meaning,
                "unsure": unsure,
                "unfilled": [
                    {"line": item.line, "message": item.message, "reason": item.reason}
                    for item in filled.unfilled
                ],
            }
        )
    for item in filled.unfilled[:_SHOWN]:
        console.warn(f"{catalog}:{item.line}: not filled, {item.reason}: {item.message!r}")
    if len(filled.unfilled) > _SHOWN:
        console.warn(f"and {len(filled.unfilled) - _SHOWN:,} more messages are not filled")
    if filled.other_language:
        console.warn(
            f"{catalog}: the file is declared to be in '{filled.other_language}', "
            f"and the engine writes '{translator.target_language}'"
        )
    sure = f"mean confidence {filled.confidence:.2f} ({meaning}), {unsure:,} below {_UNSURE}"
    console.note(
        f"{output}: {len(filled.drafts):,} filled as drafts, {filled.translated:,} left as they were"
        + (f"; {sure}" if filled.drafts else "")
    )
    if filled.fuzzy:
        console.note(
            f"{filled.fuzzy:,} of those left are fuzzy or need work; --replace-fuzzy translates them again"
        )
