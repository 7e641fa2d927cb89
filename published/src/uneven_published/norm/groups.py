"""Tables with rare classes, in two groups that no method has seen alike.

Settings of our methods were chosen while looking at tables of the development group, or at tables
they were cut from. Tables of the report group were looked at for nothing but their sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from uneven.datasets import make_long_tailed
from uneven_published.description import Context, Item
from uneven_published.norm.folds import Source
from uneven_published.norm.registry import KeelClasses, KeelTable, PlainTable, RTable

RATIO = 20.0


@dataclass(frozen=True)
class LongTail:
    """A set whose classes are cut to sizes that fall geometrically.

    Attributes
    ----------
    name : str
        Of the whole set.
    largest : int or None
        Rows of the largest class that remains; all of them if None.
    """

    name: str
    largest: int | None = None

    @property
    def data(self) -> tuple[str, ...]:
        """Data sets it needs."""
        return (self.name,)

    def __call__(self, context: Context) -> Any:
        """Fetch and cut it, always in the same way."""
        whole = context.fetch(self.name)
        X, y = make_long_tailed(
            whole.data, np.asarray(whole.target), ratio=RATIO, largest=self.largest, random_state=0
        )
        return Bunch(data=X, target=y)


DEVELOPMENT: Mapping[str, Source] = {
    "Ecoli": "ecoli",
    "Glass": "glass",
    "Yeast": PlainTable(("yeast/yeast.data.txt",), without=(0,)),
    "New-Thyroid": KeelTable("newthyroid"),
    "Balance": "balance",
    "Car": "car",
    "Page-Blocks": KeelTable("page-blocks"),
    "Satimage": PlainTable(("satimage/sat.trn.txt", "satimage/sat.tst.txt")),
    "Thyroid-ann": "thyroid_ann",
    "Robot": "robot",
    "Nursery-s": "nursery_s",
    "Automobile": KeelTable("automobile"),
    "Cleveland": KeelTable("cleveland"),
    "Contraceptive": KeelTable("contraceptive"),
    "Dermatology": KeelTable("dermatology"),
    "Flare": KeelTable("flare"),
    "Hayes-Roth": KeelTable("hayes-roth"),
    "Zoo": KeelTable("zoo"),
    "King-Rook": KeelTable("kr-vs-k", most=8000),
    "Segment, long tail": LongTail("segment"),
    "Pendigits, long tail": LongTail("pendigits", 1000),
    "Letter, long tail": LongTail("letter", 400),
    "Steel, long tail": LongTail("steel"),
    "Vehicle, long tail": LongTail("vehicle"),
    "Vowel, long tail": LongTail("vowel"),
    "Waveform, long tail": LongTail("waveform", 400),
    "Optdigits, long tail": LongTail("optdigits", 300),
}

REPORT: Mapping[str, Source] = {
    "Attacks": KeelClasses(
        (
            ("kddcup-buffer_overflow_vs_back", "buffer overflow", "back"),
            ("kddcup-guess_passwd_vs_satan", "guessed password", "satan"),
            ("kddcup-land_vs_portsweep", "land", "port sweep"),
            ("kddcup-rootkit-imap_vs_back", "rootkit or imap", "back"),
        )
    ),
    "Poker": KeelClasses(
        (
            ("poker-8_vs_6", "8", "6"),
            ("poker-9_vs_7", "9", "7"),
            ("poker-8-9_vs_5", "", "5"),
        )
    ),
    "Red wine": KeelClasses(
        (
            ("winequality-red-3_vs_5", "3", "5"),
            ("winequality-red-8_vs_6", "8", "6"),
            ("winequality-red-4", "4", ""),
        )
    ),
    "White wine": KeelClasses(
        (
            ("winequality-white-3_vs_7", "3", "7"),
            ("winequality-white-9_vs_4", "9", "4"),
            ("winequality-white-3-9_vs_5", "", "5"),
        )
    ),
    "Shuttle": KeelClasses((("shuttle-6_vs_2-3", "6", "2 or 3"), ("shuttle-2_vs_5", "", "5"))),
    "Road deaths": KeelTable("fars", most=8000),
    "Splice": KeelTable("splice"),
    "Lymphography": KeelTable("lymphography-normal-fibrosis"),
    "Haberman": KeelTable("haberman"),
    "Defects, PC1": KeelTable("pc1", "pc1.arff"),
    "Hypothyroid": PlainTable(("hypothyroid/hypothyroid.data.txt",), target=0),
    "Hepatitis": PlainTable(("hepatitis/hepatitis.data.txt",), target=0),
    "Computing jobs": RTable("modeldata", "hpc_data", "class"),
    "Houses": RTable("modeldata", "Sacramento", "type"),
    "Scat": RTable("modeldata", "scat", "Species"),
    "Leaves": RTable("modeldata", "leaf_id_flavia", "shape", ("species", "apex", "base")),
    "Liver injury": RTable("modeldata", "hepatic_injury_qsar", "class"),
    "Loans": RTable("modeldata", "lending_club", "Class"),
    "Churn": RTable("modeldata", "mlc_churn", "churn"),
    "Attrition": RTable("modeldata", "attrition", "Attrition"),
    "Credit": RTable("modeldata", "credit_data", "Status"),
    "Remote work": RTable("modeldata", "stackoverflow", "Remote"),
    "Hawks": RTable("Stat2Data", "Hawks", "Species", ("BandNumber", "CaptureTime", "ReleaseTime")),
    "Pitches": RTable(
        "Stat2Data",
        "Kershaw",
        "PitchType",
        ("Time", "Batter", "BatterNumber", "ABEvent", "Outcome", "Class", "Result"),
    ),
    "Math courses": RTable(
        "Stat2Data",
        "MathPlacement",
        "Recommends",
        ("Student", "Course", "Grade", "RecTaken", "TooHigh", "TooLow", "CourseSuccess"),
    ),
    "Olive oils": RTable("dslabs", "olive", "area", ("region",)),
    "Tissues": RTable("dslabs", "tissue_gene_expression", "y"),
    "Storms": RTable("dplyr", "storms", "status", ("name", "category")),
    "Batters": RTable("openintro", "mlbbat10", "position", ("name", "team")),
    "Fast food": RTable("openintro", "fastfood", "restaurant", ("item", "salad")),
    "Drive of cars": RTable(
        "openintro",
        "epa2021",
        "drive_sys",
        ("drive_desc", "carline", "model_type_index", "mfr_code", "release_date"),
    ),
    "Spam": RTable("openintro", "email", "spam", ("time",)),
    "Fuel economy": RTable("ggplot2", "mpg", "class", ("model",)),
    "Travel mode": RTable("Ecdat", "Mode", "choice"),
    "Math level": RTable("Ecdat", "Mathlevel", "mathlevel"),
    "Bank jobs": RTable("AER", "BankWages", "job"),
    "Chile": RTable("carData", "Chile", "vote"),
    "Professors": RTable("carData", "Salaries", "rank"),
    "Rice": RTable("plm", "RiceFarms", "varieties", ("id",)),
    "Caravan": RTable("ISLR", "Caravan", "Purchase"),
    "Default": RTable("ISLR", "Default", "default"),
    "Car types": RTable("rpart", "cu.summary", "Type"),
    "Plasma cells": RTable("survival", "flchain", "mgus", ("futime", "death", "chapter")),
    "Liver stages": RTable("survival", "pbc", "stage", ("id", "time", "status")),
}

SMALL: Mapping[str, tuple[str, ...]] = {
    "development": (
        "Ecoli",
        "Glass",
        "Yeast",
        "New-Thyroid",
        "Balance",
        "Car",
        "Segment, long tail",
    ),
    "report": (
        "Red wine",
        "Lymphography",
        "Hepatitis",
        "Scat",
        "Hawks",
        "Olive oils",
        "Fast food",
        "Fuel economy",
    ),
}
"""Tables of a fast run."""

GROUPS: Mapping[str, Mapping[str, Source]] = {"development": DEVELOPMENT, "report": REPORT}


def items_of(tables: Mapping[str, Source]) -> tuple[Item, ...]:
    """Items of a study, with the data sets or the packages that they need."""
    return tuple(
        Item(
            row,
            (source,) if isinstance(source, str) else getattr(source, "data", ()),
            getattr(source, "packages", ()),
        )
        for row, source in tables.items()
    )
