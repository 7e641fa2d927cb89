"""Which metric ranks the methods, and which one predictions are optimised for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from uneven.comparison.costfile import COST, cost_measure
from uneven.comparison.deciding import Deciding
from uneven.comparison.errors import InputError
from uneven.comparison.measures import MEASURES, LabelNoise, Measure, choose_measure


def ranking_measure(metric: str | None, measure: str | None, priced: bool, noisy: bool) -> str:
    """Name of the metric that ranks: the one requested, else the one that is optimised.

    Without either the mean cost if there are costs, else the norm of the errors, or with noisy
    labels what can be corrected for noise without bias.
    """
    usual = COST if priced else "balanced_accuracy" if noisy else "confusion_norm"
    name = metric or measure or usual
    for one in (name, measure or name):
        if one != COST:
            choose_measure(one)
        elif not priced:
            raise InputError("the measure 'cost' needs a cost matrix; give it with --cost.")
    return name


def measures_of(noise: LabelNoise | None, costs: NDArray[np.float64] | None) -> dict[str, Measure]:
    """What is measured, the cost first."""
    measures = dict(noise.measures if noise else MEASURES)
    return measures if costs is None else {COST: cost_measure(costs), **measures}


def judged_by(name: str, noise: LabelNoise | None, measures: Mapping[str, Measure]) -> Measure:
    """A measure, or its corrected form if there is one."""
    plain = measures[name]
    return noise.judged_by(plain) if noise else plain


def deciding_for(
    measure: str | None,
    calibrate: bool | None,
    judged: Measure,
    noise: LabelNoise | None,
    measures: Mapping[str, Measure],
    costs: NDArray[np.float64] | None,
) -> Deciding | None:
    """The goal of decision rules, if one was given."""
    if measure is None and costs is None and not calibrate:
        return None
    goal = measure or (COST if costs is not None else None)
    wanted = judged if goal is None else judged_by(goal, noise, measures)
    return Deciding(wanted, costs, calibrate is not False, always=bool(calibrate))
