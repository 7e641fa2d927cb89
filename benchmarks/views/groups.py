"""Multi-view tables in two groups that no default has seen alike, whole and with missing views.

Defaults were chosen while looking at tables of the development group. Tables of the report group
were looked at for nothing but their sizes and the names of their columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.views.sources import (
    GroupedColumns,
    Holes,
    HomeTasks,
    Multilingual,
    Quarters,
    calls,
    digit_features,
    partial_views,
    uneven_views,
)
from uneven_published.norm.folds import Source
from uneven_published.norm.registry import KeelTable, PlainTable, RTable

MISSING = (0, 30, 60)
"""Percent of the rows in which a view is missing."""

_PLAIN: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "development": {
        "Mfeat": GroupedColumns(
            "mfeat", tuple((view, view) for view in ("fac", "fou", "kar", "mor", "pix", "zer"))
        ),
        "Letters": GroupedColumns(
            "letter",
            (
                ("box", r"V[1-5]$|x-box|y-box|width|high|onpix"),
                ("edges", r"V1[3-6]$|x-ege|xegvy|y-ege|yegvx"),
                ("moments", ""),
            ),
        ),
        "Partial views": partial_views,
        "Uneven views": uneven_views,
        "Breast cells": GroupedColumns(
            KeelTable("wdbc"), (("mean", r".*1$"), ("error", r".*2$"), ("worst", r".*3$"))
        ),
        "Skin": GroupedColumns(
            KeelTable("dermatology"),
            (
                ("seen", "Eryth|Scal|Defin|Itch|Koeb|Poly|Foll.*pap|Oral|Knee|Family|Age"),
                ("microscope", ""),
            ),
        ),
        "Pictures": GroupedColumns(
            KeelTable("segment"),
            (("place", "Region"), ("edges", "Short|Ved|Veg|Hed"), ("colour", "")),
        ),
        "Satellite": GroupedColumns(
            PlainTable(("satimage/sat.trn.txt", "satimage/sat.tst.txt")),
            tuple(
                (f"band{b}", f"({'|'.join(str(4 * p + b) for p in range(9))})$") for b in range(4)
            ),
        ),
    },
    "report": {
        "Home tasks": HomeTasks(),
        "Hand signs": GroupedColumns(
            KeelTable("movement_libras"), (("across", ".*abcissa"), ("down", ".*ordinate"))
        ),
        "Heart images": GroupedColumns(
            KeelTable("spectfheart"), (("rest", r".*R$"), ("stress", r".*S$"))
        ),
        "Radar": GroupedColumns(
            KeelTable("ionosphere"), (("real", r".*[13579]$"), ("imaginary", ""))
        ),
        "Cells": GroupedColumns(
            RTable("modeldata", "cells", "class", ("case",)),
            tuple((f"channel{k}", f".*_ch_{k}$") for k in (1, 3, 4, 2)),
        ),
        "Leaves": GroupedColumns(
            RTable("modeldata", "leaf_id_flavia", "species", ("apex", "base", "shape")),
            (
                ("edge", ".*_edge$"),
                ("polar", ".*_polar$"),
                ("contour", ".*_contour$|num_m"),
                ("colour", ".*_val$|contrast|correlation|inverse|entropy"),
                ("form", ""),
            ),
        ),
        "Liver injury": GroupedColumns(
            RTable("modeldata", "hepatic_injury_qsar", "class"),
            (("assays", "bio"), ("fingerprint", "chem")),
        ),
        "Splice": GroupedColumns(
            KeelTable("splice"), (("before", "POS([12]?[0-9]|30)$"), ("after", ""))
        ),
        "Attrition": GroupedColumns(
            RTable("modeldata", "attrition", "Attrition"),
            (
                ("pay", ".*Rate$|.*Income|.*Hike|Stock"),
                ("answers", ".*Satisfaction|JobInv|WorkLife|Performance"),
                ("person", "Age|Distance|Edu|Gender|Marital|NumComp|TotalWork"),
                ("post", ""),
            ),
        ),
        "Digits": digit_features,
        "Calls": calls,
        "Quarters": Quarters(),
        "Multilingual news": Multilingual(),
    },
}


def row_of(table: str, percent: int) -> str:
    """Name of a table with missing views."""
    return f"{table}, {percent} % missing" if percent else table


GROUPS: Mapping[str, Mapping[str, Source]] = {
    group: {
        row_of(name, percent): Holes(source, percent / 100.0)
        for percent in MISSING
        for name, source in tables.items()
    }
    for group, tables in _PLAIN.items()
}
"""Tables by group and row."""

SMALL: Mapping[str, tuple[str, ...]] = {
    "development": ("Breast cells", row_of("Skin", 30)),
    "report": ("Heart images", row_of("Radar", 30)),
}
"""Tables of a fast run."""
