"""The work behind the tables and figures of the thesis."""

from __future__ import annotations

from uneven_published.description import Study
from uneven_published.sen.combiners import (
    FAMILIES,
    HINGES,
    SQUARES,
    WIDE,
    DiverseStacks,
    SVMStacks,
)
from uneven_published.sen.fixed_splits import FixedSplits, split_items
from uneven_published.sen.judges import GRID
from uneven_published.sen.stacks import items
from uneven_published.sen.traces import DescentTraces, StrengthPaths

__all__ = [
    "DESCENT",
    "DIVERSE",
    "DIVERSE_PATHS",
    "DIVERSE_WIDE",
    "FEW_CLASSES",
    "FIXED_CWS",
    "FIXED_LSG",
    "FIXED_WS",
    "KERNELS",
    "LARGER",
    "LSG_PATHS",
    "MACHINES",
    "MACHINE_PATHS",
    "MACHINE_ROWS",
    "N_SUBSETS",
    "N_SWEEPS",
]

N_SUBSETS = 3
"""Random parts of the rows for each kind of classifier: 39 classifiers. The source has ten, 130."""

MACHINE_ROWS = 1000
"""Rows of a larger data set that the 154 support vector machines see, both halves together."""

N_SWEEPS = 50
"""Of the descent whose way is shown."""

LARGER = tuple(strength for strength in GRID if strength >= 5e-3)
"""For the machines: much alike, they make problems of little strength take minutes."""

FEW_CLASSES = ("Waveform", "Robot", "Statlog", "Wine")
"""Where every score may speak for every class within minutes: at most four classes."""

_LSG = "LSG l2"
_NARROW = {name: triple for name, triple in HINGES.items() if name != _LSG}
_LOSSES = {"Hinge": "hinge", "LS": "squared"}

KERNELS = {
    f"{family} {title}": (combination, kernel)
    for family, combination in FAMILIES.items()
    for title, kernel in (("Lin", "linear"), ("RBF", "rbf"))
}

DIVERSE = Study(
    "sen-diverse",
    items(),
    DiverseStacks(
        N_SUBSETS,
        tuned={**_NARROW, **SQUARES},
        regressions={f"MLR {name}": family for name, family in FAMILIES.items()},
        descents=True,
        kernels=KERNELS,
    ),
    repeats=10,
    fast_repeats=2,
    fast_items=("Statlog", "Vowel", "Wine", "Yeast"),
)

DIVERSE_WIDE = Study(
    "sen-diverse-lsg",
    items(*FEW_CLASSES),
    DiverseStacks(N_SUBSETS, tuned={_LSG: HINGES[_LSG], **WIDE}, equal_weights=False),
    repeats=10,
    fast_repeats=2,
    fast_items=("Statlog", "Wine"),
)

MACHINES = Study(
    "sen-machines",
    items("Segment", "Waveform", "Robot", "Statlog", "Vowel", "Wine"),
    SVMStacks(_NARROW, n_rows=MACHINE_ROWS, max_iter=10_000, strengths=LARGER),
    repeats=10,
    fast_repeats=1,
    fast_items=("Statlog", "Wine"),
)

DIVERSE_PATHS = Study(
    "sen-strengths",
    items("Robot"),
    StrengthPaths(diverse=True, families=("WS", "CWS"), n_subsets=N_SUBSETS),
)
LSG_PATHS = Study(
    "sen-strengths-lsg",
    items("Robot"),
    StrengthPaths(diverse=True, families=("LSG",), n_subsets=N_SUBSETS),
)
MACHINE_PATHS = Study(
    "sen-strengths-machines",
    items("Robot"),
    StrengthPaths(False, ("WS", "CWS"), n_rows=MACHINE_ROWS, strengths=LARGER),
)


def _fixed(family: str, title: str, loss: str) -> Study:
    """One loss at a time, so that a cell ends soon."""
    name = f"sen-kernels-{family}-{loss}"
    measure = FixedSplits(family, {title: loss})
    return Study(name, split_items(), measure, fast_items=("segment", "waveform"))


FIXED_WS = tuple(_fixed("ws", title, loss) for title, loss in _LOSSES.items())
FIXED_CWS = tuple(_fixed("cws", title, loss) for title, loss in _LOSSES.items())
FIXED_LSG = (_fixed("lsg", "LSG", "hinge"),)

DESCENT = Study("sen-descent", items("Statlog", "Waveform"), DescentTraces(N_SUBSETS, N_SWEEPS))
