"""CoMBo on sets of its thesis, against the published figures (Koço 2013, tables 3.2 and 3.3)."""

import numpy as np
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold

from uneven import AdaBoostMMClassifier, ComboClassifier
from uneven.datasets import DatasetUnavailableError, fetch, make_balance_scale
from uneven.metrics import confusion_norm, geometric_mean_recall

PUBLISHED = {"balance": (0.675, 0.088), "car": (0.967, 0.023), "ecoli5": (0.784, 0.066)}
"""G-mean of CoMBo: mean and deviation."""


def load(name):
    if name == "balance":
        return make_balance_scale(as_frame=True)
    try:
        return fetch(name, download=False)
    except DatasetUnavailableError as error:
        pytest.skip(f"{name} is not in the cache folder: {error}")


def cross_validate(model, data):
    """Mean norm and G-mean over 2 x 5 folds."""
    y = np.asarray(data.target)
    rows = []
    for train, test in RepeatedStratifiedKFold(n_repeats=2, random_state=0).split(data.data, y):
        answers = model.fit(data.data.iloc[train], y[train]).predict(data.data.iloc[test])
        rows.append((confusion_norm(y[test], answers), geometric_mean_recall(y[test], answers)))
    return np.mean(rows, axis=0)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_combo_reaches_the_published_figures(name):
    data = load(name)
    norm, gmean = cross_validate(ComboClassifier(), data)
    plain_norm, _ = cross_validate(AdaBoostMMClassifier(), data)
    mean, deviation = PUBLISHED[name]
    assert gmean >= mean - deviation
    assert norm < plain_norm + 0.02
