"""Comparisons as HTML: a page of their own, and a short table in a notebook."""

from uneven.report.notebook import render_summary
from uneven.report.page import render_report, write_report

__all__ = ["render_report", "render_summary", "write_report"]
