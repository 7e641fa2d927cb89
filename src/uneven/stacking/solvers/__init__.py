"""How it is minimised: one strength, a path of strengths, and the choice among them.

A solver is a function of a problem, a start, a tolerance and a limit of its rounds (None is its
own), which ends in a combiner with its certificate. The decorator `solver` makes it known by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from uneven.stacking.model.penalties import Penalty
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
    loss : str or None
        The one loss that it can do; None is all.
    penalties, combinations, constraints : tuple of str
        Those that it can do; none named are all.
    plain : bool
        Whether it needs a penalty alone: no elastic part, no member costs, no constraint.
    suits : callable
        Whether ``solver="auto"`` takes it for such a problem.
    """

    run: Callable[..., LinearCombiner]
    loss: str | None
    penalties: tuple[str, ...]
    combinations: tuple[str, ...]
    constraints: tuple[str, ...]
    plain: bool
    suits: Callable[[Problem], bool]

    def cannot(self, combination: str, loss: str, penalty: Penalty) -> str:
        """What it can do instead of such a problem; empty if it can do it."""
        pairs = (
            ("loss", (self.loss,) if self.loss else (), loss),
            ("penalty", self.penalties, penalty.name),
            ("combination", self.combinations, combination),
            ("constraint", self.constraints, penalty.constraint.name),
        )
        for what, known, asked in pairs:
            if known and asked not in known:
                return f"{what}={' or '.join(map(repr, known))}, not {asked!r}"
        if self.plain and not penalty.plain:
            return "elastic=0.0 without prices and constraints"
        return ""


SOLVERS: Registry[Solver] = Registry("solver")
"""The solvers by their names."""


def solver(
    name: str,
    *,
    loss: str | None = None,
    penalties: tuple[str, ...] = (),
    combinations: tuple[str, ...] = (),
    constraints: tuple[str, ...] = (),
    plain: bool = False,
    suits: Callable[[Problem], bool] = lambda problem: True,
) -> Callable[[Run], Run]:
    """Decorator: make a solver known by a name; see `Solver`."""

    def register(run: Run) -> Run:
        known = (run, loss, penalties, combinations, constraints, plain, suits)
        SOLVERS.register(name, Solver(*known))
        return run

    return register
