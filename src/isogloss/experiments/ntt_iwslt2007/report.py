"""The results of the experiment as tables and as a page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from isogloss.experiments.ntt_iwslt2007.experiment import ALL, DECODER, LATTICE, ONE_BEST, PRIMARY, TEXT
from isogloss.experiments.ntt_iwslt2007.options import NttOptions
from isogloss.report import Page

__all__ = ["ntt_page", "ntt_tables"]


def ntt_tables(results: Mapping[str, Any]) -> list[tuple[str, list[str], list[list[str]]]]:
    """The results as tables: title, head, rows."""
    conditions = [
        c for c in (TEXT, ONE_BEST, ALL, LATTICE) if c in results["systems"][PRIMARY]["scores"][DECODER]
    ]
    rows = []
    for name, system in results["systems"].items():
        for chooser, scores in system["scores"].items():
            cells = []
            for condition in conditions:
                if condition not in scores:
                    cells.append("")
                    continue
                row = scores[condition]
                compared = chooser != DECODER or condition in (ALL, LATTICE)
                cells.append(f"{row['bleu']:.2f}" + (f" (p {row['p_value']:.3f})" if compared else ""))
            rows.append([name, chooser, *cells])
    tables = [("BLEU on the test set", ["system", "chosen by", *conditions], rows)]
    sampling = results["systems"][PRIMARY]["sampling"]
    if sampling:
        tables.append(
            (
                "source-side 3-gram perplexity of dev and test",
                ["model of", "pairs", "words", "perplexity", "unknown words"],
                [
                    [
                        name,
                        f"{row['sentences']:,}",
                        f"{row['words']:,}",
                        f"{row['perplexity']:.1f}",
                        f"{row['unknown']:,}",
                    ]
                    for name, row in sampling["perplexity"].items()
                ],
            )
        )
    return tables


def ntt_page(results: Mapping[str, Any], options: NttOptions) -> Page:
    """A page with the tables."""
    page = Page("The NTT system of IWSLT 2007")
    for title, head, rows in ntt_tables(results):
        page.heading(title)
        page.table(head, rows)
    page.paragraph(
        "p: paired bootstrap, against the decoder's choice in the same condition; for all strings and "
        "lattices, against the decoder's translation of the recogniser's best string."
    )
    page.code(json.dumps({"methods": options.methods, "features": options.features, "seed": options.seed}))
    return page
