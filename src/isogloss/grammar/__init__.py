"""Translation rules: extracting, storing, looking up, exchanging."""

from isogloss.grammar.extraction import ExtractReport, extract_rules
from isogloss.grammar.options import ExtractOptions, Significance
from isogloss.grammar.table import Rule, RuleTable

__all__ = ["ExtractOptions", "ExtractReport", "Rule", "RuleTable", "Significance", "extract_rules"]
