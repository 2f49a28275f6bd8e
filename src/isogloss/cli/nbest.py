"""``isogloss nbest``: look at, convert and edit n-best lists of any system."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter
from rich.table import Table

from isogloss.cli import console

if TYPE_CHECKING:
    from isogloss.nbest import NbestStore

app = App(name="nbest", help="Look at, convert and edit n-best lists of any system.")


class FormatName(enum.StrEnum):
    """The formats, named here so that ``--help`` need not load them."""

    MOSES = "moses"
    MARIAN = "marian"
    FAIRSEQ = "fairseq"
    SOCKEYE = "sockeye"
    JSONL = "jsonl"
    STORE = "store"


Files = list[str]  # by another name, because `list` is what the commands call their argument

List = Annotated[
    str,
    Parameter(
        metavar="LIST", help="N-best list: a file (plain, gzip, zstd), a stored folder, or - for stdin."
    ),
]
_NAMES = ", ".join(FormatName)
Format = Annotated[
    FormatName | None,
    Parameter(
        name="--format",
        metavar="FORMAT",
        help=f"Format of the input: {_NAMES}; recognised by its first lines if not given.",
    ),
]
Output = Annotated[
    str,
    Parameter(
        name="--output",
        help="File to write (packed if it ends in .gz or .zst), folder for 'store', - for stdout.",
    ),
]
To = Annotated[
    FormatName,
    Parameter(
        name="--to",
        metavar="FORMAT",
        help=f"Format of the output: {_NAMES}. A store is a folder; it opens at once and loses nothing.",
    ),
]
Json = Annotated[bool, Parameter(name="--json", help="Print JSON.")]


def read_list(path: str, format: FormatName | None) -> NbestStore:
    """Read an n-best list with progress, and say which features some of its lines lack."""
    from isogloss.nbest import read_nbest

    file = Path(path)
    packed = file.suffix in (".gz", ".zst")
    size = file.stat().st_size if file.is_file() and not packed else None
    name = "standard input" if path == "-" else path
    store = read_nbest(
        path, format=format, watch=lambda chunks: console.track_bytes(chunks, f"reading {name}", size)
    )
    for feature, count in store.filled.items():
        console.warn(
            f"{path}: feature '{feature}' is missing on {count:,} of {store.num_candidates:,} candidates; "
            "it counts as 0 there"
        )
    return store


def _write(store: NbestStore, path: str, format: FormatName) -> None:
    from isogloss.nbest import write_nbest
    from isogloss.nbest.formats import losses

    lost = losses(store, format)
    if lost:
        console.warn(f"the format '{format}' has no place for: {'; '.join(lost)}")
    write_nbest(store, path, format=format)
    written = f"{store.num_candidates:,} candidates of {store.num_sentences:,} sentences"
    console.note(f"wrote {written}" if path == "-" else f"{path}: wrote {written}")


@app.command
def info(list: List, /, *, format: Format = None, json: Json = False) -> None:
    """Print how many sentences and candidates a list has, its features and their ranges."""
    from isogloss.nbest.summary import summarise

    store = read_list(list, format)
    summary = summarise(store)
    if json:
        console.print_json(summary.to_dict())
        return
    facts = Table(show_header=False, box=None)
    for name, value in summary.facts():
        facts.add_row(name, value)
    console.print_table(facts)
    if summary.columns:
        table = Table("dense column", box=None)
        for heading in ("least", "mean", "greatest"):
            table.add_column(heading, justify="right")
        for column in summary.columns:
            table.add_row(column.name, f"{column.least:.6g}", f"{column.mean:.6g}", f"{column.greatest:.6g}")
        console.print_table(table)


@app.command
def convert(
    list: List,
    /,
    *,
    output: Output = "-",
    to: To = FormatName.MOSES,
    format: Format = None,
) -> None:
    """Write a list in another format. What the format cannot carry is named first."""
    _write(read_list(list, format), output, to)


@app.command
def merge(
    lists: Annotated[Files, Parameter(metavar="LIST...", help="Files, stored folders, or - for stdin.")],
    /,
    *,
    output: Output = "-",
    to: To = FormatName.MOSES,
    format: Format = None,
) -> None:
    """Join lists sentence by sentence; candidates with the same words and features are kept once."""
    from isogloss.nbest.edit import merge as merge_stores

    stores = [read_list(path, format) for path in lists]
    merged = merge_stores(stores)
    for path, store in zip(lists, stores, strict=True):
        missing = [group.name for group in merged.dense_groups if group not in store.dense_groups]
        if missing:
            console.warn(f"{path}: dense features that are missing here count as 0: {', '.join(missing)}")
    _write(merged, output, to)


@app.command
def distinct(
    list: List, /, *, output: Output = "-", to: To = FormatName.MOSES, format: Format = None
) -> None:
    """Keep one candidate, the best by score, of those with the same words."""
    from isogloss.nbest.edit import distinct as distinct_candidates

    _write(distinct_candidates(read_list(list, format)), output, to)


@app.command(name="add-column")
def add_column(
    list: List,
    /,
    *,
    name: Annotated[str, Parameter(name="--name", help="Name of the new dense feature.")],
    values: Annotated[
        Path, Parameter(name="--values", help="File with one number per candidate, in list order.")
    ],
    output: Output = "-",
    to: To = FormatName.MOSES,
    format: Format = None,
) -> None:
    """Add a dense feature that was computed elsewhere, such as a quality estimate."""
    from isogloss.nbest.columns import read_column
    from isogloss.nbest.edit import add_column as with_column

    store = read_list(list, format)
    _write(with_column(store, name, read_column(values, store, list)), output, to)


@app.command
def oracle(
    list: List,
    /,
    *,
    reference: Annotated[
        Files,
        Parameter(name="--reference", metavar="FILE", help="References; give the option once per file."),
    ],
    output: Annotated[
        str | None,
        Parameter(name="--output", help="Write the oracle's translations here, one line per sentence."),
    ] = None,
    lowercase: Annotated[bool, Parameter(name="--lowercase", help="Ignore case.")] = False,
    tokenize: Annotated[
        str,
        Parameter(name="--tokenize", help="sacreBLEU's tokenizer; none if the text is tokenised already."),
    ] = "none",
    format: Format = None,
    json: Json = False,
) -> None:
    """Print the BLEU that a perfect reranker could reach with a list, and what other choices reach."""
    from isogloss.io.streams import atomic_output
    from isogloss.metric import References
    from isogloss.nbest.oracle import find_oracle
    from isogloss.nbest.statistics import bleu_statistics

    store = read_list(list, format)
    references = References.read(reference)
    statistics = bleu_statistics(store, references, tokenize=tokenize, lowercase=lowercase)
    missing = len(references) - store.num_sentences
    if missing:
        console.warn(f"{missing:,} of {len(references):,} sentences have no candidates and are left out")
    found = find_oracle(store, statistics)
    if output is not None:
        with atomic_output(output) as stream:
            stream.writelines(line + "\n" for line in store.lines(found.best.rows, len(references)))
    if json:
        console.print_json({choice.name: choice.bleu for choice in found.choices()})
        return
    table = Table("choice", "BLEU", box=None)
    for choice in found.choices():
        table.add_row(choice.name, f"{choice.bleu:.2f}")
    console.print_table(table)


@app.command
def synthetic(
    reference: Annotated[Path, Parameter(help="Tokenised references, one per line.")],
    /,
    *,
    candidates: Annotated[int, Parameter(name="--candidates", help="Candidates per sentence.")] = 50,
    seed: Annotated[int, Parameter(name="--seed", help="The same seed gives the same list.")] = 1,
    output: Output = "-",
    to: To = FormatName.MOSES,
) -> None:
    """Make a list by putting mistakes into references, to try things on."""
    from isogloss.io.streams import naming_file, read_lines
    from isogloss.nbest.synthetic import make_nbest

    references = [line.split() for line in read_lines(reference)]
    with naming_file(reference):
        made = make_nbest(references, candidates=candidates, seed=seed)
    _write(made, output, to)


@app.command
def best(
    list: List,
    /,
    *,
    output: Annotated[
        str, Parameter(name="--output", help="Text file, one line per sentence; - is stdout.")
    ] = "-",
    format: Format = None,
) -> None:
    """Write the candidate with the highest score of every sentence as plain text.

    Sentences without candidates become empty lines, so that the lines match the source.
    """
    from isogloss.io.streams import atomic_output
    from isogloss.nbest.edit import best_rows

    store = read_list(list, format)
    with atomic_output(output) as stream:
        stream.writelines(line + "\n" for line in store.lines(best_rows(store)))


@app.command(name="from-lattice")
def from_lattice(
    lattices: Annotated[
        str, Parameter(metavar="FILE", help="Word lattices (PLF), one per line; - is stdin.")
    ],
    /,
    *,
    nbest: Annotated[int, Parameter(name="--nbest", metavar="N", help="Strings of each lattice.")] = 20,
    column: Annotated[
        str, Parameter(name="--column", help="Name of the dense feature with the score.")
    ] = "asr",
    output: Output = "-",
    to: To = FormatName.MOSES,
) -> None:
    """Write the best strings of word lattices, all different, with the score of their best path.

    A lattice without words has one candidate without words, so that the sentences match the lines.
    """
    from isogloss.decoder.plf import parse_plf
    from isogloss.io.streams import read_lines
    from isogloss.speech.strings import best_strings, strings_store

    rows = enumerate(console.track(read_lines(lattices), "lattices"), start=1)
    found = (best_strings(parse_plf(line, lattices, number), nbest) for number, line in rows)
    _write(strings_store(found, column=column), output, to)
