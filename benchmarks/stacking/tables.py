"""Tables of the comparison in two groups: defaults were chosen on the first, none on the second."""

from __future__ import annotations

from collections.abc import Mapping

from uneven_published.norm.folds import Source
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
    "Splice": KeelTable("splice"),
    "Cells": RTable("modeldata", "cells", "class", ("case",)),
    "Scat": RTable("modeldata", "scat", "Species"),
    "Leaves": RTable("modeldata", "leaf_id_flavia", "shape", ("species", "apex", "base")),
    "Hawks": RTable("Stat2Data", "Hawks", "Species", ("BandNumber", "CaptureTime", "ReleaseTime")),
    "Olive oils": RTable("dslabs", "olive", "area", ("region",)),
    "Fast food": RTable("openintro", "fastfood", "restaurant", ("item", "salad")),
    "Fuel economy": RTable("ggplot2", "mpg", "class", ("model",)),
    "Travel mode": RTable("Ecdat", "Mode", "choice"),
    "Math level": RTable("Ecdat", "Mathlevel", "mathlevel"),
    "Chile": RTable("carData", "Chile", "vote"),
    "Liver stages": RTable("survival", "pbc", "stage", ("id", "time", "status")),
}

GROUPS: Mapping[str, Mapping[str, Source]] = {"development": DEVELOPMENT, "report": REPORT}

SMALL = ("Wine", "Glass", "Scat", "Olive oils")
"""Tables of a fast run."""
