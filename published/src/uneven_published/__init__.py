"""Published tables and figures, run again: descriptions, one runner, one record of the result."""

from uneven_published.collection import catalogue, choose
from uneven_published.description import (
    Answers,
    Claim,
    Context,
    Document,
    Exhibit,
    Item,
    Measure,
    Plot,
    Ranking,
    Significance,
    Study,
)
from uneven_published.numbers import Measured, Numbers, Printed, Value, Verdict
from uneven_published.record import build_record, measured_part, record_of
from uneven_published.runner import Harvest, Run, harvest, plan, run_cells

__all__ = [
    "Answers",
    "Claim",
    "Context",
    "Document",
    "Exhibit",
    "Harvest",
    "Item",
    "Measure",
    "Measured",
    "Numbers",
    "Plot",
    "Printed",
    "Ranking",
    "Run",
    "Significance",
    "Study",
    "Value",
    "Verdict",
    "build_record",
    "catalogue",
    "choose",
    "harvest",
    "measured_part",
    "plan",
    "record_of",
    "run_cells",
]
