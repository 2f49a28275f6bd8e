"""Translation rules: extract, store, look up, import and export them."""

from typing import TYPE_CHECKING

from isogloss.io.lazy import lazy_names

if TYPE_CHECKING:
    from isogloss.grammar.extraction import ExtractReport, extract_rules
    from isogloss.grammar.formats import (
        ImportReport,
        TableOrientation,
        TextFormat,
        export_rules,
        import_rules,
    )
    from isogloss.grammar.options import ExtractOptions, GrammarOptions, Significance
    from isogloss.grammar.selection import filter_table, prune_table
    from isogloss.grammar.table import Rule, RuleTable

__all__ = [
    "ExtractOptions",
    "ExtractReport",
    "GrammarOptions",
    "ImportReport",
    "Rule",
    "RuleTable",
    "Significance",
    "TableOrientation",
    "TextFormat",
    "export_rules",
    "extract_rules",
    "filter_table",
    "import_rules",
    "prune_table",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "extraction": (
            "ExtractReport",
            "extract_rules",
        ),
        "formats": (
            "ImportReport",
            "TableOrientation",
            "TextFormat",
            "export_rules",
            "import_rules",
        ),
        "options": (
            "ExtractOptions",
            "GrammarOptions",
            "Significance",
        ),
        "selection": (
            "filter_table",
            "prune_table",
        ),
        "table": (
            "Rule",
            "RuleTable",
        ),
    },
)
