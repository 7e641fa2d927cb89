"""Which digits should a person label? Those near the centre of the version space, or random ones?

The pool holds 1200 images without labels, except for one of each digit. Ten at a time are labelled:
those that cut closest to the centre of gravity of what the labels so far leave, but not alike, or
any ten. A simulated annotator gives the labels.

    python examples/active_learning.py [picture.png]
"""

from __future__ import annotations

import sys

import numpy as np
from matplotlib import pyplot as plt
from sklearn.datasets import load_digits

from uneven.active import ActiveLearner, LearningCurve, PerfectOracle, Pool, simulate
from uneven.plots import LearningCurveDisplay, VolumeDisplay

QUERIES = {"centre of gravity": "centre_of_gravity", "random": "random"}
N_DRAWS, N_TEST = 3, 597
BUDGET, AT_ONCE = 120, 10


def by_hand() -> None:
    """The same with a person: ask for rows, tell their labels, repeat."""
    X, digits = load_digits(return_X_y=True)
    learner = ActiveLearner(random_state=0).start(X / 16.0)
    for _ in range(3):
        rows = learner.ask(10)
        learner.tell(rows, digits[rows])
    print(f"{len(learner.labelled_)} labels, {len(learner.classes_)} digits seen")
    print(f"next: rows {', '.join(map(str, learner.ask(5)))}")


def one_run(query: str, seed: int) -> LearningCurve:
    X, digits = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(digits))
    test, pool = order[:N_TEST], order[N_TEST:]
    return simulate(
        ActiveLearner(Pool(X[pool] / 16.0).bayes_point, query, random_state=seed),
        X[pool] / 16.0,
        PerfectOracle(digits[pool]),
        budget=BUDGET,
        batch_size=AT_ONCE,
        start=[int(np.argmax(digits[pool] == digit)) for digit in range(10)],
        X_test=X[test] / 16.0,
        y_test=digits[test],
        volumes=True,
    )


def main(picture: str) -> None:
    by_hand()
    runs = {
        name: [one_run(query, seed) for seed in range(N_DRAWS)] for name, query in QUERIES.items()
    }
    print(
        f"\n{'accuracy after':<20}" + "".join(f"{n:>6}" for n in (0, 30, 60, 90, 120)) + " labels"
    )
    for name, curves in runs.items():
        mean = np.mean([curve.scores for curve in curves], axis=0)
        print(f"{name:<20}" + "".join(f"{score:>6.3f}" for score in mean[::3]))

    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
    LearningCurveDisplay.from_simulations(runs, title="Accuracy on other digits", ax=left)
    VolumeDisplay.from_simulations(runs, guides=False, ax=right)
    figure.savefig(picture, dpi=120)
    print(f"wrote {picture}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "active-learning.png")
