"""Made-up records of published tables and figures, from usual to odd."""

import numpy as np

from uneven_published import (
    Claim,
    Document,
    Exhibit,
    Item,
    Measure,
    Measured,
    Plot,
    Printed,
    Significance,
    Study,
    Value,
    build_record,
    measured_part,
)
from uneven_published.claims import best, compare
from uneven_published.numbers import printed_curve, printed_table
from uneven_published.runner import Harvest

PAPER = Document("paper", "A. Author (2013), On tables & their <figures>, PhD thesis")
MADE = {"date": "2025-03-01T12:00:00+00:00", "uneven": "0.1.0", "python": "3.11.2"}
NASTY = ['<script>alert("x")</script>', "a|b & `c` $x$", "naïve ☃ 漢字", "</table><b>", "x" * 90]
X = tuple(range(0, 100, 10))


def _never(item, repeat, context):
    raise AssertionError("samples are not run")


def study(rows):
    """A study of that many rows; it is never run."""
    return Study("sample", tuple(Item(row) for row in rows), _never, repeats=3)


def measured_by(values, *, fast=False, planned=None, missing=(), failed=()):
    """Measured part of a record from samples by row, column and measure."""
    rows = {row: {} for row, _, _ in values}
    for (row, column, key), x in values.items():
        rows[row].setdefault(column, {})[key] = x
    done = 3 * len(rows)
    harvest = Harvest(
        Measured.gather(rows.items()), done, planned or done, dict.fromkeys(rows, 3), 75.0, [MADE]
    )
    return measured_part(harvest, fast=fast, missing=dict(missing), failed=dict(failed))


def numbers_exhibit(**changes):
    """A table of two measures with claims, marks, errata and a test."""
    printed = printed_table(
        """set | A: error | B: error | C: error | A: norm | B: norm
        wine | .50 ± .10 | .62 ± .05* | .40 | .210 ± .020 | .300 ± .030
        glass & co | .40 ± .02 | - | .35 ± .01 | .150 ± .010 | .180 ± .020
        yeast | .31 ± .04 | .36 ± .03* | .30 ± .02 | .250 ± .050 | .290 ± .040"""
    )
    given = {
        "document": PAPER,
        "place": "Table 2.1",
        "title": "Errors and norms of three methods",
        "status": "original",
        "protocol": "Ten folds, three times; stumps, 100 rounds.",
        "studies": (study(("wine", "glass & co", "yeast")),),
        "measures": (
            Measure("error", "error rate", "lower", 2),
            Measure("norm", "norm of the confusion", "lower"),
        ),
        "printed": printed,
        "claims": (
            Claim("The norm of A is below that of B.", compare("A", "B", "norm")),
            Claim("C errs least everywhere.", best("C", "error", "lower")),
            Claim("A errs less than D.", compare("A", "D", "error")),
        ),
        "significance": Significance("student", 0.05, ("error",), (("A", "B"),)),
        "errata": ("The deviation of yeast is printed twice.",),
        "explanation": "Our folds are drawn anew.",
    }
    return Exhibit(**{**given, **changes})


def numbers_measured(seed=0, **options):
    """Samples for `numbers_exhibit`; B has no norm in glass, C was not measured in yeast."""
    rng = np.random.default_rng(seed)
    centre = {"A": 0.45, "B": 0.55, "C": 0.38}
    values = {}
    for row, lift in (("wine", 0.05), ("glass & co", 0.0), ("yeast", -0.1)):
        for column, base in centre.items():
            values[row, column, "error"] = base + lift + 0.03 * rng.standard_normal(30)
            values[row, column, "norm"] = 0.5 * base + 0.02 * rng.standard_normal(30)
    del values["yeast", "C", "error"]
    del values["glass & co", "B", "norm"]
    return measured_by(values, **options)


def numbers_record(**options):
    """A usual table, wholly measured."""
    return build_record(numbers_exhibit(), numbers_measured(**options))


def odd_record():
    """Odd names everywhere, a row without data, a failed cell, a fast run of a substitute."""
    columns = [f"{name} {j}" for j, name in enumerate(NASTY)]
    printed = Printed({(NASTY[0], c, "m"): Value(0.5, 0.0, "†") for c in columns[:3]})
    exhibit = Exhibit(
        PAPER,
        "Table 9",
        NASTY[0],
        "substitute",
        status_note=NASTY[3],
        protocol=NASTY[1],
        studies=(study(NASTY),),
        measures=(Measure("m", NASTY[3], "higher"), Measure("unused", "never seen")),
        printed=printed,
        claims=(Claim(NASTY[0], compare(columns[0], columns[1], "m")),),
        errata=(NASTY[3],),
        explanation=NASTY[1],
    )
    values = {(row, c, "m"): [0.5, np.nan, 0.6] for row in NASTY[:3] for c in columns}
    values[NASTY[1], columns[0], "m"] = [np.nan]
    return build_record(
        exhibit,
        measured_by(
            values,
            fast=True,
            planned=20,
            missing={NASTY[4]: f"data set {NASTY[0]!r} is missing"},
            failed={f"sample: {NASTY[3]}, repetition 1": NASTY[0]},
        ),
    )


def curves_record(measured=True, kind="line", printed=True, n_columns=2):
    """A figure of two panels; the print has a few points."""
    names = [f"method {j}" for j in range(n_columns)]
    prints = Printed()
    for row in ("banana", "ring") if printed else ():
        for j, name in enumerate(names):
            points = {10: 0.40 - 0.02 * j, 50: 0.25, 90: 0.2 + 0.01 * j}
            prints |= printed_curve(row, name, "err", X, points, {10: 0.03, 50: 0.02})
    exhibit = Exhibit(
        PAPER,
        "Figure 6.3",
        "Error against labels",
        "original",
        studies=(study(("banana", "ring")),),
        measures=(Measure("err", "error", "lower"),),
        printed=prints,
        plots=(Plot("err", X, "labels", "error", kind=kind),),
    )
    rng = np.random.default_rng(3)
    values = {}
    for row in ("banana", "ring"):
        for j, name in enumerate(names):
            curve = 0.2 + (0.3 - 0.01 * j) * np.exp(-np.arange(10) / (3 + j))
            runs = curve + 0.02 * rng.standard_normal((6, 10))
            runs[:, 0] = np.nan
            values[row, name, "err"] = runs
    return build_record(exhibit, measured_by(values) if measured else None)


def matrices_record(n=3):
    """Printed and measured matrices; the second one was not printed."""
    mean = np.arange(n * n, dtype=float).reshape(n, n) / n**2
    mean[0, -1] = np.nan
    exhibit = Exhibit(
        PAPER,
        "Table 3.5",
        "Confusion matrices",
        "original",
        studies=(study(("nursery",)),),
        measures=(Measure("matrix", "confusion matrix", None, 2),),
        printed=Printed({("nursery", "A", "matrix"): Value(mean)}),
    )
    rng = np.random.default_rng(1)
    values = {("nursery", c, "matrix"): rng.random((4, n, n)) for c in "AB"}
    return build_record(exhibit, measured_by(values))


def impossible_record():
    """An exhibit that nobody can run."""
    return build_record(
        Exhibit(
            PAPER,
            "Table 4.9",
            "A private corpus",
            "impossible",
            status_note="The corpus is private.",
            measures=(Measure("error", "error", "lower"),),
            printed=printed_table("set | A\ncorpus | .5 ± .1", "error"),
            claims=(Claim("A errs.", compare("A", "B", "error")),),
        ),
        None,
    )


def starved_record():
    """An exhibit that was run, but none of its data could be had."""
    missing = {"wine": "data set 'wine' is missing"}
    found = measured_by({}, planned=9, missing=missing)
    return build_record(numbers_exhibit(), found)


def doubtful_record():
    """Claims of the source with and without print, and three that are not the source's."""
    claims = (
        Claim("The norm of A is below that of B.", compare("A", "B", "norm")),
        Claim("The norm of A is below that of C.", compare("A", "C", "norm")),
        Claim("Asked besides: A errs less than B.", compare("A", "B", "error")),
        Claim("By theory: B errs less than A.", compare("B", "A", "error")),
        Claim("Asked about C: it errs less than B.", compare("C", "B", "error")),
    )
    return build_record(numbers_exhibit(claims=claims), numbers_measured())


def unmeasured_record():
    """An exhibit that could be run but was not."""
    return build_record(numbers_exhibit(), None)


def unprinted_record():
    """Only our numbers."""
    exhibit = numbers_exhibit(printed=Printed(), errata=(), explanation="")
    return build_record(exhibit, numbers_measured())


RECORDS = {
    "numbers": numbers_record,
    "odd": odd_record,
    "curves": curves_record,
    "bars": lambda: curves_record(kind="bar"),
    "steps": lambda: curves_record(kind="step", n_columns=9),
    "unmeasured curves": lambda: curves_record(measured=False),
    "unprinted curves": lambda: curves_record(printed=False),
    "matrices": matrices_record,
    "large matrices": lambda: matrices_record(14),
    "impossible": impossible_record,
    "unmeasured": unmeasured_record,
    "starved": starved_record,
    "doubtful": doubtful_record,
    "unprinted": unprinted_record,
}
