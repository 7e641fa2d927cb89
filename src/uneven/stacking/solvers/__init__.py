"""How it is minimised: one strength, a path of strengths, and the choice among them.

A solver is a function of a problem, a start, a tolerance and a limit of its rounds (None is its
own), which ends in a combiner with its certificate. The decorator `solver` makes it known by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from uneven.stacking.model.problem import LinearCombiner, Problem
from uneven.utils.registry import Registry

__all__ = ["SOLVERS", "Solver", "solver"]

Run = TypeVar("Run", bound=Callable[..., LinearCombiner])


@dataclass(frozen=True)
class Solver:
    """A solver and what it is for.

    Attributes
    ----------
    run : callable
        Gets the problem, a combiner to start from or None, the tolerance, and the limit or None.
    only : (str, str) or None
        The one loss and the one penalty, without an elastic part, that it can do; None is all.
    suits : callable
        Whether ``solver="auto"`` takes it for such a problem.
    """

    run: Callable[..., LinearCombiner]
    only: tuple[str, str] | None
    suits: Callable[[Problem], bool]


SOLVERS: Registry[Solver] = Registry("solver")
"""The solvers by their names."""


def solver(
    name: str,
    only: tuple[str, str] | None = None,
    suits: Callable[[Problem], bool] = lambda problem: True,
) -> Callable[[Run], Run]:
    """Decorator: make a solver known by a name; see `Solver`."""

    def register(run: Run) -> Run:
        SOLVERS.register(name, Solver(run, only, suits))
        return run

    return register
