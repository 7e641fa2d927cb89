"""A small exhibit for tests of the runner."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np

from uneven_published import (
    Claim,
    Document,
    Exhibit,
    Item,
    Measure,
    Plot,
    Significance,
    Study,
)
from uneven_published.claims import compare
from uneven_published.numbers import printed_table

BOOK = Document("toy", "A. Nobody (2000), A toy")
REPEATS = 6
PRINT = """
set        | A         | B           | C
wine       | .50 ± .10 | 1.50 ± .20* | 3
glass & co | .40       | -           | 1
"""


def measure(item, repeat, context):
    """Five errors and two curves; B errs one more than A. Slow if the environment says so."""
    log = os.environ.get("TOY_LOG")
    if log:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(f"{os.getpid()} {item} {repeat}\n")
        time.sleep(0.15)
    rng = np.random.default_rng([len(item), repeat])
    errors = rng.random(5)
    return {"A": {"error": errors, "curve": rng.random((2, 4))}, "B": {"error": errors + 1.0}}


def other(item, repeat, context):
    """A column that another study adds."""
    return {"D": {"error": [0.1]}}


def broken(item, repeat, context):
    """Fail in the second repetition."""
    if repeat == 1:
        raise ValueError("the second one cannot be done")
    return {"A": {"error": [0.5]}}


STUDY = Study("toy", (Item("wine"), Item("glass & co")), measure, repeats=REPEATS, fast_repeats=2)


def exhibit(*studies, **words):
    words = {
        "measures": (Measure("error", "Error", "lower", 2), Measure("curve", "Curve")),
        "printed": printed_table(PRINT, "error"),
        "claims": (
            Claim("A errs less than B.", compare("A", "B", "error")),
            Claim("A errs less than C.", compare("A", "C", "error")),
        ),
        "significance": Significance("student", 0.05, ("error",), (("A", "B"),)),
        "plots": (Plot("curve", (1.0, 2.0, 3.0, 4.0), "round", "curve"),),
        **words,
    }
    return Exhibit(BOOK, "Table 1", "A toy", "original", studies=studies or (STUDY,), **words)
