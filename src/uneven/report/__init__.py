"""Comparisons as HTML and in words: a page, a short table in a notebook, a verdict."""

from uneven.report.outcome import Verdict, verdict
from uneven.report.page import render_report, render_summary, write_report

__all__ = ["Verdict", "render_report", "render_summary", "verdict", "write_report"]
