"""The results of a comparison and the HTML page that shows them."""

from uneven.report.results import (
    SCHEMA,
    CompareResults,
    DataSummary,
    FoldError,
    Measure,
    MethodResult,
    Share,
)

__all__ = [
    "SCHEMA",
    "CompareResults",
    "DataSummary",
    "FoldError",
    "Measure",
    "MethodResult",
    "Share",
]
