"""What non-linear combinations are for, and that they survive a model file."""

import numpy as np
import pytest
import skops.io

from tests.stacking.problems import level_one_problem
from uneven.stacking.kernel.combiner import fit_kernel_combiner
from uneven.utils.model_types import trusted_types

CASES = [(c, loss) for c in ("ws", "cws", "lsg") for loss in ("squared", "hinge")]


def test_curved_functions_see_what_sums_cannot():
    """The members agree only on the right class: a sum of scores cannot see agreement."""
    rng = np.random.default_rng(0)
    P = rng.uniform(size=(400, 2, 3))
    y = np.abs(P[:, 0] - P[:, 1]).argmin(axis=1)
    train, test = slice(0, 250), slice(250, 400)
    errors = {}
    for kernel in ("linear", "poly", "rbf"):
        words = {"kernel": kernel, "degree": 2, "gamma": 5.0 if kernel == "rbf" else None}
        found = fit_kernel_combiner(P[train], y[train], combination="ws", strength=1e-3, **words)
        errors[kernel] = (found.predict(P[test]) != y[test]).mean()
    assert errors["rbf"] < 0.2
    assert errors["poly"] < 0.3
    assert errors["linear"] > 0.5


@pytest.mark.parametrize(("combination", "loss"), CASES)
def test_it_can_be_kept_in_a_model_file(combination, loss):
    P, y = level_one_problem(30, 2, 3, 43)
    found = fit_kernel_combiner(P, y, combination=combination, loss=loss)
    data = skops.io.dumps(found)
    assert set(skops.io.get_untrusted_types(data=data)) <= set(trusted_types())
    again = skops.io.loads(data, trusted=trusted_types())
    assert np.array_equal(again.scores(P), found.scores(P))
