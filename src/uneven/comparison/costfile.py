"""Misclassification costs as a person writes them: a row per true class, a column per prediction.

::

    true,healthy,ill
    healthy,0,1
    ill,20,0

To predict that an ill person is well costs 20 times as much as the other mistake. Numbers below 0
are gains; only differences within a row count.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from uneven.comparison.classmatrix import Words, in_class_order, matrix_cells
from uneven.comparison.errors import InputError
from uneven.comparison.measures import Answers, Measure
from uneven.comparison.problem import Problem
from uneven.comparison.tables import AUTO
from uneven.metrics import confusion_counts

COST = "cost"
WORDS = Words("cost matrix", "the predicted classes", "the true classes", "a price")


def read_cost(given: Any, problem: Problem, encoding: str = AUTO) -> NDArray[np.float64] | None:
    r"""Costs of predictions, in the order of the classes of a problem.

    Parameters
    ----------
    given : None, path, array-like of shape (K, K), or frame of that shape
        Row = true class, column = prediction. A frame names the classes in its index and columns.
    problem : Problem
    encoding : str
        Of a text file.

    Returns
    -------
    ndarray of shape (K, K) or None

    Raises
    ------
    InputError
        If it is no such matrix, or if no misclassification costs more than the correct prediction.

    Examples
    --------
    >>> import tempfile
    >>> from uneven.comparison import make_problem
    >>> frame = pd.DataFrame({"x": np.sin(np.arange(6)), "y": ["ill", "well", "well"] * 2})
    >>> path = Path(tempfile.mkdtemp()) / "cost.csv"
    >>> _ = path.write_text("true,well,ill\nwell,0,1\nill,20,0\n")
    >>> read_cost(path, make_problem(frame, "y"))
    array([[ 0., 20.],
           [ 1.,  0.]])
    """
    if given is None:
        return None
    name = f" {given}" if isinstance(given, str | Path) else ""
    try:
        if isinstance(given, str | Path):
            cells = matrix_cells(Path(given), encoding)
        elif isinstance(given, pd.DataFrame):
            body = ([label, *row] for label, row in zip(given.index, given.to_numpy(dtype=object)))
            cells = [["", *given.columns], *body]
        else:
            cells = np.atleast_2d(np.asarray(given, dtype=object)).tolist()
        costs, _ = in_class_order(cells, problem.classes, WORDS)
        _check(costs, problem.classes)
    except InputError as error:
        told = str(error).replace(f"file {given}", "such file").replace(str(given), "it")
        raise InputError(f"--cost{name}: {told}") from error
    return costs


def cost_measure(costs: NDArray[np.float64]) -> Measure:
    """The mean cost of the predictions, as a metric.

    Parameters
    ----------
    costs : ndarray of shape (K, K)
    """
    return Measure(
        COST,
        "cost per row",
        greater_is_better=False,
        description="Mean cost of the predictions by the given cost matrix; lower is better.",
        limits=[float(costs.min()), float(costs.max())],
        value=partial(_mean_price, costs),
    )


def _mean_price(costs: NDArray[np.float64], answers: Answers) -> float:
    counts, _ = confusion_counts(answers.true, answers.predicted, labels=answers.classes)
    return float((counts * costs).sum() / counts.sum())


def _check(costs: NDArray[np.float64], classes: NDArray) -> None:
    if not np.isfinite(costs).all():
        raise InputError("it holds a number that is not finite.")
    right = costs.diagonal()
    if (costs == right[:, None]).all():
        raise InputError("every prediction costs the same; give misclassifications a higher cost.")
    cheaper = np.argwhere(costs < right[:, None])
    if len(cheaper):
        true, said = (str(classes[c]) for c in cheaper[0])
        raise InputError(
            f"predicting {said!r} for a row of {true!r} costs less than the correct class; rows "
            "are true classes, columns predictions."
        )
