"""
Active learning: fewer labels for the same accuracy
===================================================

Which rows should be labelled next? Queries near the centre of gravity of the version space,
compared with random rows, on two classes of digits.
"""

import numpy as np
from sklearn.datasets import load_digits

from uneven import ActiveLearner
from uneven.active import PerfectOracle, simulate
from uneven.plots import LearningCurveDisplay

X, y = load_digits(return_X_y=True)
pair = np.isin(y, [3, 8])
X, y = X[pair] / 16, y[pair]


def run(query, seed):
    """One simulated labelling session; the oracle knows the labels."""
    order = np.random.default_rng(seed).permutation(len(y))
    test, pool = order[:150], order[150:]
    first = [int(np.argmax(y[pool] == digit)) for digit in (3, 8)]
    return simulate(
        ActiveLearner(query=query, random_state=seed), X[pool], PerfectOracle(y[pool]),
        budget=24, batch_size=2, start=first, X_test=X[test], y_test=y[test],
    )  # fmt: skip


# %%
# Mean and standard deviation over four pools:

queries = {"centre of gravity": "centre_of_gravity", "random": "random"}
runs = {name: [run(query, seed) for seed in range(4)] for name, query in queries.items()}
display = LearningCurveDisplay.from_simulations(runs, title="Accuracy on held-out digits")
