"""The results of a comparison and the HTML page that shows them."""

from uneven.report.noise import NoiseSummary
from uneven.report.page import render_report, write_report
from uneven.report.results import (
    SCHEMA,
    CompareResults,
    DataSummary,
    FoldError,
    Measure,
    MethodResult,
    Share,
)
from uneven.report.stack import StackSummary
from uneven.report.verdict import Verdict, verdict
from uneven.report.views import ViewSummary

__all__ = [
    "SCHEMA",
    "CompareResults",
    "DataSummary",
    "FoldError",
    "Measure",
    "MethodResult",
    "NoiseSummary",
    "Share",
    "StackSummary",
    "Verdict",
    "ViewSummary",
    "render_report",
    "verdict",
    "write_report",
]
