"""Self-contained HTML reports and their pictures, and results as tables."""

from isogloss.report.page import Page
from isogloss.report.plot import Bar, Line, bar_plot, line_plot
from isogloss.report.rows import Rows

__all__ = ["Bar", "Line", "Page", "Rows", "bar_plot", "line_plot"]
