"""Majorisation-minimisation on level-1 data: curvatures, thresholds, modes, and the collapse."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.lines import NOT_RUN, Line
from uneven.datasets import fetch
from uneven.stacking.model.problem import LinearCombiner
from uneven.stacking.solvers.solve import solve
from uneven_published.sen.ensembles import diverse_ensemble
from uneven_published.sen.majorisation import PAPER, MajorisedCombiner, majorise
from uneven_published.sen.runs import build_stack, quiet, rows_of

DATA = ("vehicle", "waveform")
PENALTIES = ("l2", "l1", "group")
N_TRAIN = 423
"""Half of the vehicles, and as many waveforms."""

STRENGTH = 0.1
TINY = 1e-11
"""The smallest strength of the published grid."""

Stack = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def run() -> list[Line]:
    lines = []
    for name in DATA:
        try:
            data = fetch(name, download=False)
        except (OSError, ValueError) as error:
            lines.append(Line(f"{name}: {str(error).splitlines()[0][:90]}", NOT_RUN))
            continue
        with quiet():
            stack = _stack(data)
            lines += _curvatures(name, stack) + _thresholds(name, stack) + _modes(name, stack)
            lines += _collapse(name, stack)
    return lines


def _stack(data: Any) -> Stack:
    """Scores and labels for learning weights, and new ones; 26 classifiers."""
    X, y = rows_of(data)
    X, X_new, y, y_new = train_test_split(X, y, train_size=N_TRAIN, stratify=y, random_state=0)
    members = diverse_ensemble(2, random_state=0)
    made = build_stack(members, (X_new, y_new), (X, y), n_jobs=2)
    return made.scores, made.y, made.new_scores, made.new_y


def _curvatures(name: str, stack: Stack) -> list[Line]:
    """Objective after fifteen sweeps, with the optimal curvature and with the largest one."""
    lines = []
    for penalty in PENALTIES:
        optimal, maximum = (
            majorise(
                *stack[:2], penalty=penalty, strength=STRENGTH, curvature=kind, n_sweeps=15, tol=0.0
            ).objective
            for kind in ("optimal", "maximum")
        )
        lines.append(
            Line(
                f"{name}, {penalty}: 15 sweeps, optimal | maximum curvature",
                f"{optimal:.4f}",
                f"{maximum:.4f}",
                f"{maximum / optimal:.3f}x",
                "<= maximum",
                optimal <= maximum,
            )
        )
    return lines


def _thresholds(name: str, stack: Stack) -> list[Line]:
    """Classifiers dropped from equal weights, with the published threshold and without."""
    n_members, n_classes = stack[0].shape[1:]
    equal = LinearCombiner("cws", np.full((n_members, n_classes), 1.0 / n_members), np.zeros(0))
    lines = []
    for n_sweeps in (50, 200):
        small, none = (
            majorise(
                *stack[:2],
                strength=STRENGTH,
                threshold=threshold,
                start=equal,
                n_sweeps=n_sweeps,
                tol=0.0,
            )
            for threshold in (1e-5, 0.0)
        )
        dropped = n_members - small.trace.selected[-1]
        without = n_members - none.trace.selected[-1]
        lines.append(
            Line(
                f"{name}, group: dropped after {n_sweeps} sweeps, threshold 1e-5 | 0",
                str(dropped),
                str(without),
                "",
                "some | none",
                dropped > 0 == without,
            )
        )
    return lines


def _modes(name: str, stack: Stack) -> list[Line]:
    """Objective and time of the published sweeps, beside those that cannot rise."""
    lines = []
    for penalty in PENALTIES:
        paper, safe = (
            majorise(*stack[:2], penalty=penalty, strength=0.01, mode=mode, n_sweeps=1000)
            for mode in ("paper", "safe")
        )
        lines.append(
            Line(
                f"{name}, {penalty}: objective, sweeps and seconds, safe | published",
                _story(safe),
                _story(paper),
            )
        )
    return lines


def _story(found: MajorisedCombiner) -> str:
    return f"{found.objective:.5f}, {found.n_iter}, {found.trace.seconds[-1]:.2f}"


def _collapse(name: str, stack: Stack) -> list[Line]:
    """Test errors at the smallest strength; one classifier never speaks for the first class."""
    P, y, P_new, y_new = (part.copy() for part in stack)
    for scores in (P, P_new):
        scores[:, 0, 0] = 0.0
    lines = []
    for penalty in PENALTIES:
        literal = majorise(P, y, penalty=penalty, strength=TINY, guards=False, **PAPER)
        guarded = majorise(P, y, penalty=penalty, strength=TINY, **PAPER)
        safe = majorise(P, y, penalty=penalty, strength=TINY, mode="safe", **PAPER)
        exact = solve(P, y, penalty=penalty, strength=TINY, tol=1e-2)
        errors = [
            100.0 * np.mean(found.predict(P_new) != y_new)
            for found in (guarded, safe, exact, literal)
        ]
        mean = 100.0 * np.mean(P_new.mean(axis=1).argmax(axis=1) != y_new)
        lines.append(
            Line(
                f"{name}, {penalty}: error %, guarded, safe, exact | unguarded",
                " ".join(f"{error:.1f}" for error in errors[:3]),
                f"{errors[3]:.1f}",
                target=f"mean of all {mean:.1f} + 10",
                met=max(errors[:3]) <= mean + 10.0,
            )
        )
    return lines
