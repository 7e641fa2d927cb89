"""The results of a comparison and the HTML page that shows them."""

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
from uneven.report.verdict import Verdict, verdict

__all__ = [
    "SCHEMA",
    "CompareResults",
    "DataSummary",
    "FoldError",
    "Measure",
    "MethodResult",
    "Share",
    "Verdict",
    "render_report",
    "verdict",
    "write_report",
]
