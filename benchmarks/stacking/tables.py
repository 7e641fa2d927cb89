"""Tables of the comparison in two groups: defaults were chosen on the first, none on the second."""

from __future__ import annotations

from collections.abc import Mapping

from uneven_published.norm.folds import Source
from uneven_published.norm.groups import REPORT as RARE_CLASSES
from uneven_published.norm.registry import KeelTable, PlainTable, RTable

DEVELOPMENT: Mapping[str, Source] = {
    "Wine": "wine",
    "Vehicle": "vehicle",
    "Vowel": "vowel",
    "Segment": "segment",
    "Steel": "steel",
    "Waveform": "waveform",
    "Glass": "glass",
    "Ecoli": "ecoli",
    "Balance": "balance",
    "Car": "car",
    "Yeast": PlainTable(("yeast/yeast.data.txt",), without=(0,)),
    "Contraceptive": KeelTable("contraceptive"),
    "Cleveland": KeelTable("cleveland"),
    "Dermatology": KeelTable("dermatology"),
}

REPORT: Mapping[str, Source] = {
    "Letter": "letter",
    "Pendigits": "pendigits",
    "Optdigits": "optdigits",
    "Robot": "robot",
    "Banana": "banana",
    "Satimage": PlainTable(("satimage/sat.trn.txt", "satimage/sat.tst.txt")),
    "Page-Blocks": KeelTable("page-blocks"),
    "Hand signs": KeelTable("movement_libras"),
    "Breast cells": KeelTable("wdbc"),
    "Radar": KeelTable("ionosphere"),
    "Display": KeelTable("led7digit"),
    "Diabetes": KeelTable("pima"),
    "Appendix": KeelTable("appendicitis"),
    "Credit cards": KeelTable("crx"),
    "Credit, Australia": KeelTable("australian"),
    "Mammograms": KeelTable("mammographic"),
    "Heart disease": KeelTable("saheart"),
    "Heart scans": KeelTable("spectfheart"),
    "Liver tests": KeelTable("bupa"),
    "Breast cells, Wisconsin": KeelTable("wisconsin"),
    "Teaching": KeelTable("tae"),
    "New-Thyroid": KeelTable("newthyroid"),
    "King-Rook": KeelTable("kr-vs-k"),
    "Nursery": KeelTable("nursery"),
    "Monks": KeelTable("monk-2"),
    "Flare": KeelTable("flare"),
    "Automobile": KeelTable("automobile"),
    "Hayes-Roth": KeelTable("hayes-roth"),
    "Cells": RTable("modeldata", "cells", "class", ("case",)),
    **{name: table for name, table in RARE_CLASSES.items() if name != "Lymphography"},
}
"""The last ones are those of the comparison for rare classes; Lymphography has one class of ten
rows or more."""

GROUPS: Mapping[str, Mapping[str, Source]] = {"development": DEVELOPMENT, "report": REPORT}

SMALL = ("Wine", "Glass", "Scat", "Olive oils")
"""Tables of a fast run."""
