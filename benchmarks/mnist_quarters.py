"""Digits through four quarters: the Bregman vote and its seven published baselines.

Each digit against the others: 50 examples of it and 50 others to learn from, 10 000 random images
with their natural frequencies to test on; 20 draws. Shown are accuracy and F1 of the digit,
averaged over the digits. A. Goyal, E. Morvant and M.-R. Amini (2018), Table 1: `uneven reproduce
bregman-table-1` runs the same on all its collections. Settings were chosen on other draws than
those shown.
"""

from __future__ import annotations

from joblib import Parallel, delayed

from benchmarks.lines import NOT_RUN, Line
from uneven.datasets import fetch
from uneven_published.bregman.methods import CORRECTED, OURS, RANDOM_TREES
from uneven_published.bregman.runs import APART, OneAgainstRest
from uneven_published.bregman.table_1 import TABLE_1
from uneven_published.description import Answers, Context
from uneven_published.numbers import Measured
from uneven_published.significance import compare_columns

TARGET = {"accuracy": 0.8659, "f1": 0.5914}
TWICE = f"{CORRECTED} (100 + 100 examples)"
KEYS = ("accuracy", "f1")


def run() -> list[Line]:
    try:
        fetch("mnist", download=False)
    except (OSError, ValueError) as error:
        return [Line(f"MNIST quarters: {str(error).splitlines()[0][:90]}", NOT_RUN)]
    repeats = TABLE_1.studies[0].repeats
    draws = Parallel(n_jobs=2)(delayed(_draw)(repeat) for repeat in range(repeats))
    return _lines(Measured.gather((APART, answers) for answers in draws))


def _draw(repeat: int) -> Answers:
    """The published table's methods, and one of them with twice the examples."""
    more = OneAgainstRest({TWICE: OURS[CORRECTED]}, n_train=200)
    measures = (*(study.measure for study in TABLE_1.studies), more)
    tables = (ask(APART, repeat, Context()) for ask in measures)
    return {column: values for table in tables for column, values in table.items()}


def _lines(found: Measured) -> list[Line]:
    """One line per method; an arrow where the best one of the published methods is better."""
    tests = compare_columns(TABLE_1, found)
    worse = {(one.first, one.measure) for one in tests if one.significant}
    lines = []
    for column in dict.fromkeys((*TABLE_1.columns, *found.columns)):
        shown, printed = [], []
        for key in KEYS:
            own = found.values[APART, column, key]
            arrow = "↓" * ((column, key) in worse)
            shown.append(f"{own.mean:.4f} ± {own.deviation:.3f}{arrow}")
            print_ = TABLE_1.printed.mean(APART, column.split(",")[0], key)
            printed.append(f"{print_:.4f}")
        lines.append(Line(column, " / ".join(shown), " / ".join(printed)))
    best = next(line for line in lines if line.what == RANDOM_TREES)
    best.target = " / ".join(f"{'>= ' * (key == KEYS[0])}{TARGET[key]}" for key in KEYS)
    best.met = all(found.mean(APART, RANDOM_TREES, key) >= TARGET[key] for key in KEYS)
    return lines
