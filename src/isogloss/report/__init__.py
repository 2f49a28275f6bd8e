"""Self-contained HTML reports and their pictures, verdicts, and results as tables."""

from isogloss.report.page import Page
from isogloss.report.plot import Bar, Line, bar_plot, line_plot
from isogloss.report.rows import Rows
from isogloss.report.verdict import Verdict

__all__ = ["Bar", "Line", "Page", "Rows", "Verdict", "bar_plot", "line_plot"]
