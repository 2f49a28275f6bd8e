"""Reports: self-contained HTML pages with tables and plots, drawn here without a plotting library."""

from isogloss.report.page import Page
from isogloss.report.plot import Line, line_plot

__all__ = ["Line", "Page", "line_plot"]
