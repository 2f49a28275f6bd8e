"""Copy the pairs of a corpus that pass all checks, and list the others in a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from isogloss.corpus.check import RULES, CheckOptions, Examination, Row
from isogloss.corpus.formats import Conversion
from isogloss.corpus.plain import unequal_lines
from isogloss.io.errors import ConfigError
from isogloss.io.streams import StrPath

__all__ = ["CleanReport", "clean_corpus"]

_CANNOT_KEEP = ("unequal-lines", "invalid-utf8")


@dataclass(slots=True, kw_only=True)
class CleanReport:
    """Numbers of kept and dropped pairs."""

    kept: int = 0
    dropped: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    """Dropped pairs by rule; a pair that breaks several rules counts for each."""

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {"kept": self.kept, "dropped": self.dropped, "reasons": dict(self.reasons.most_common())}


def clean_corpus(
    conversion: Conversion,
    options: CheckOptions | None = None,
    *,
    keep: Iterable[str] = (),
    dropped: StrPath | None = None,
    watch: Callable[[Iterable[Row]], Iterable[Row]] = iter,
) -> CleanReport:
    """Convert a corpus without the pairs in which ``check_corpus`` finds a problem.

    ``keep`` names rules to ignore. The file ``dropped`` gets a line for each dropped pair: its line in the
    input, the rules it broke, and the details.
    """
    excused = frozenset(keep)
    for rule in excused:
        if rule not in RULES or rule in _CANNOT_KEEP:
            known = ", ".join(sorted(RULES.keys() - _CANNOT_KEEP))
            raise ConfigError(f"'{rule}' is not a rule that can be excused; these can: {known}")
    examination = Examination(conversion.source, options, conversion.options, conversion.reading)
    rows = iter(watch(examination))
    first = next(rows, None)  # the languages are known once the first pair is read
    report = CleanReport()
    beside = [dropped] if dropped is not None else []
    with conversion.target.write(conversion.languages(), beside=beside) as (write, tables):
        for table in tables:
            table.write("line\treasons\tdetails\n")
        for row in chain([first] if first is not None else [], rows):
            broken = [finding for finding in row.findings if finding.rule not in excused]
            if not broken:
                report.kept += write(row.pair)
                continue
            reasons = list(dict.fromkeys(finding.rule for finding in broken))
            report.dropped += 1
            report.reasons.update(reasons)
            details = "; ".join(finding.detail for finding in broken)
            for table in tables:
                table.write(f"{row.pair.line}\t{','.join(reasons)}\t{details}\n")
        if (unequal := examination.unequal) is not None:
            source, target = conversion.source.paths
            long = target if unequal.path == str(source) else source
            raise unequal_lines(unequal.path, long, unequal.line)
    return report
