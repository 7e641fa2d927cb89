"""One stack of one data set, and every combiner of the tables on it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from uneven_published.description import Answers, Context
from uneven_published.sen.judges import GRID, Bench, Triple, quiet
from uneven_published.sen.majorisation import majorise
from uneven_published.sen.stacks import (
    DATA,
    diverse_stack,
    rows_of,
    sample_rows,
    svm_stack,
)

__all__ = [
    "DESCENTS",
    "EVERY_HINGE",
    "FAMILIES",
    "HINGES",
    "SQUARES",
    "WIDE",
    "DiverseStacks",
    "SVMStacks",
]

FAMILIES = {"WS": "ws", "CWS": "cws", "LSG": "lsg"}

EVERY_HINGE: dict[str, Triple] = {
    "WS l2": ("ws", "hinge", "l2"),
    "WS l1": ("ws", "hinge", "l1"),
    "CWS l2": ("cws", "hinge", "l2"),
    "CWS l1": ("cws", "hinge", "l1"),
    "CWS l1-l2": ("cws", "hinge", "group"),
    "LSG l2": ("lsg", "hinge", "l2"),
    "LSG l1": ("lsg", "hinge", "l1"),
    "LSG l1-l2": ("lsg", "hinge", "group"),
}
"""The hinge of the worst class, for every combination and penalty."""

WIDE: dict[str, Triple] = {name: EVERY_HINGE[name] for name in ("LSG l1", "LSG l1-l2")}
"""The slow ones: every score of every classifier speaks for every class, and few may be left."""

HINGES: dict[str, Triple] = {k: triple for k, triple in EVERY_HINGE.items() if k not in WIDE}
SQUARES: dict[str, Triple] = {f"LS {k}": (v, "squared", "l2") for k, v in FAMILIES.items()}

DESCENTS = {
    "MM l2": ("l2", "CWS l2"),
    "MM l1": ("l1", "CWS l1"),
    "MM l1-l2": ("group", "CWS l1-l2"),
}
"""The published descent: its penalty, and whose strength it takes."""

_TINY = 1e-11
"""The smallest strength of the source."""


@dataclass(frozen=True)
class DiverseStacks:
    """Measure combiners on the stack of a repetition; 13 kinds of classifiers on random parts.

    Attributes
    ----------
    n_subsets : int
        Random parts of the rows; the source has ten.
    tuned : dict of str to tuple
        Linear combiners whose strength is chosen.
    equal_weights : bool
        Whether to measure these too.
    regressions : dict of str to str
        Combinations that are learnt by least squares without a penalty.
    descents : bool
        Whether to follow the published descent, at the strengths of the exact solutions.
    kernels : dict of str to (str, str)
        Combination and kernel of hinges that are summed over the classes, or over pairs of them.
    strengths, kernel_strengths : tuple of float
    widths : tuple of int
        See `Bench.curved`.
    tie : str
    """

    n_subsets: int
    tuned: dict[str, Triple] = field(default_factory=dict)
    equal_weights: bool = True
    regressions: dict[str, str] = field(default_factory=dict)
    descents: bool = False
    kernels: dict[str, tuple[str, str]] = field(default_factory=dict)
    strengths: tuple[float, ...] = GRID
    kernel_strengths: tuple[float, ...] = (1e-5, 1e-3, 1e-2, 1e-1)
    widths: tuple[int, ...] = (-5, -3, -1, 1)
    tie: str = "smallest"

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Stack number ``repeat`` of a data set."""
        X, y = rows_of(context.fetch(DATA[item]))
        stack = diverse_stack(X, y, repeat, self.n_subsets)
        bench = Bench(stack, self.strengths, self.tie)
        with quiet():
            self._linear(bench)
            if self.descents:
                _descend(bench)
            curved = Bench(stack, self.kernel_strengths)
            for name, (combination, kernel) in self.kernels.items():
                curved.curved(name, combination, kernel, "hinge", self.widths)
        return {**bench.answers(), **curved.answers()}

    def _linear(self, bench: Bench) -> None:
        if self.equal_weights:
            bench.mean_rule("EW")
        for name, combination in self.regressions.items():
            bench.regression(name, combination)
        for name, triple in self.tuned.items():
            bench.tuned(name, triple)


@dataclass(frozen=True)
class SVMStacks:
    """Measure linear combiners on stacks of 154 support vector machines.

    Attributes
    ----------
    tuned : dict of str to tuple
    n_rows : int
        A larger data set is cut down to a sample of so many rows, drawn anew for every
        repetition of two halves.
    max_iter : int
        Steps of a machine.
    strengths : tuple of float
    tie : str
    """

    tuned: dict[str, Triple]
    n_rows: int
    max_iter: int
    strengths: tuple[float, ...] = GRID
    tie: str = "smallest"

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Stack number ``repeat`` of a data set."""
        rows = rows_of(context.fetch(DATA[item]))
        X, y = sample_rows(*rows, n_rows=self.n_rows, random_state=repeat // 2)
        with quiet():
            bench = Bench(svm_stack(X, y, repeat, self.max_iter), self.strengths, self.tie)
            bench.mean_rule("EW")
            for name, triple in self.tuned.items():
                bench.tuned(name, triple)
        return bench.answers()


def _descend(bench: Bench) -> None:
    """The published descent at the strengths of the exact solutions, and at the smallest one."""
    for penalty, _ in DESCENTS.values():
        majorise(np.full((2, 1, 2), 0.5), np.arange(2), penalty=penalty, n_sweeps=1)
    for name, (penalty, exact) in DESCENTS.items():
        bench.descent(name, penalty, bench.found[exact].strength)
        bench.descent(f"{name}, λ = 1e-11", penalty, _TINY)
