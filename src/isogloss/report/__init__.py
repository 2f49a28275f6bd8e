"""Self-contained HTML reports and their pictures."""

from isogloss.report.page import Page
from isogloss.report.plot import Bar, Line, bar_plot, line_plot

__all__ = ["Bar", "Line", "Page", "bar_plot", "line_plot"]
