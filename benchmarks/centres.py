"""Centres of gravity by all methods, and a step of hit-and-run beside two samplers of polytopes."""

from __future__ import annotations

import warnings

import numpy as np

from benchmarks.lines import Line, best_of_each
from uneven.versionspace import (
    analytic_centre,
    centre_of_gravity,
    chebyshev_centre,
    hamiltonian,
    hit_and_run,
)

N_CUTS, N_DIMS = 200, 50
REFERENCE, LONG = 200_000, 20_000
"""Flights of the reference run, and steps of hit-and-run that are timed together."""


def random_cone(n_cuts: int, n_dims: int, rng: np.random.Generator) -> np.ndarray:
    """Half-spaces in random directions that share a point."""
    truth = rng.standard_normal(n_dims)
    cuts = rng.standard_normal((n_cuts, n_dims))
    cuts *= np.sign(cuts @ truth)[:, None]
    return cuts / np.linalg.norm(cuts, axis=1, keepdims=True)


def unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v)


def accuracy() -> list[Line]:
    """Error of each method against a long run, and its time."""
    cuts = random_cone(N_CUTS, N_DIMS, np.random.default_rng(0))
    long = hamiltonian(cuts, n_samples=REFERENCE, rng=1)
    reference = unit(long.centre)
    lines = [Line("reference: 200 000 flights; its own error", f"{100 * long.error:.2f} %")]
    centres = {
        "propagation": lambda: centre_of_gravity(cuts, "propagation"),
        "hamiltonian, tol=0.005": lambda: centre_of_gravity(cuts, tol=0.005, rng=0),
        "hit_and_run, 5000 samples": lambda: centre_of_gravity(cuts, "hit_and_run", rng=0),
        "billiard, 10000 bounces": lambda: centre_of_gravity(cuts, "billiard", rng=0),
        "Chebyshev centre, for comparison": lambda: chebyshev_centre(cuts).point,
        "analytic centre, for comparison": lambda: analytic_centre(cuts),
    }
    for name, find in centres.items():
        error = float(np.linalg.norm(unit(find()) - reference))
        taken = best_of_each([find], 2.0)[0]
        bound = name.startswith(("propagation", "hamiltonian"))
        lines.append(
            Line(
                f"{name}; other: its time",
                f"{100 * error:.2f} %",
                f"{1e3 * taken:.0f} ms",
                target="<= 1 % in < 1 s" if bound else "",
                met=error <= 0.01 and taken < 1.0 if bound else None,
            )
        )
    return lines


def steps(n_cuts: int, n_dims: int) -> list[Line]:
    """One step on a cone in a box, which is a polytope, so that others can walk in it too."""
    rng = np.random.default_rng(0)
    cuts = random_cone(n_cuts, n_dims, rng)
    walls = np.vstack([cuts, np.eye(n_dims), -np.eye(n_dims)])
    offsets = np.append(np.zeros(n_cuts), -np.ones(2 * n_dims))
    start = chebyshev_centre(cuts).point

    def ours() -> np.ndarray:
        return hit_and_run(
            walls, start, LONG // 10, thin=10, burn=0, offsets=offsets, ball=False, rng=0
        )

    calls, names = [ours], ["hopsy", "polytopewalk"]
    for walk in (hopsy_walk, polytopewalk_walk):
        calls.append(walk(walls, offsets, start))
    times = [1e6 * taken / LONG for taken in best_of_each(calls, 2.0)]
    what = f"hit-and-run, {n_cuts} cuts and a box, {n_dims} dimensions: one step"
    return [
        Line(
            f"{what}; other: {name}",
            f"{times[0]:.2f} us",
            f"{other:.2f} us",
            f"{other / times[0]:.2f}x",
            ">= 1x" if name == "hopsy" else "",
            other >= times[0] if name == "hopsy" else None,
        )
        for name, other in zip(names, times[1:], strict=True)
    ]


def hopsy_walk(walls, offsets, start):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import hopsy
    problem = hopsy.Problem(-walls, -offsets)

    def walk() -> object:
        chain = hopsy.MarkovChain(
            problem, proposal=hopsy.UniformHitAndRunProposal, starting_point=start
        )
        rng = hopsy.RandomNumberGenerator(0)
        return hopsy.sample(chain, rng, n_samples=LONG // 10, thinning=10)

    return walk


def polytopewalk_walk(walls, offsets, start):
    from polytopewalk.dense import HitAndRun

    walker = HitAndRun()

    def walk() -> object:
        return walker.generateCompleteWalk(LONG, start, -walls, -offsets, burnin=0, thin=10, seed=0)

    return walk


def run() -> list[Line]:
    return [*accuracy(), *steps(40, 10), *steps(N_CUTS, N_DIMS)]
