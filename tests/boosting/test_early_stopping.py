"""What early stopping looks at: the log-loss of validation rows."""

import numpy as np
import pytest

from uneven.boosting import early_stopping
from uneven.boosting.early_stopping import Likelihood
from uneven.utils.parallel import thread_pool


@pytest.mark.parametrize("is_noisy", [False, True])
@pytest.mark.parametrize("n_classes", [2, 5, 9])
def test_the_log_loss_is_the_same_bits_with_any_number_of_threads(monkeypatch, n_classes, is_noisy):
    rng = np.random.default_rng(n_classes)
    y, weight = rng.integers(0, n_classes, 501).astype(np.int32), rng.random(501)
    chances = rng.random((n_classes, n_classes)) if is_noisy else np.zeros((0, 0))
    units, scores = rng.random(n_classes), rng.normal(size=(501, n_classes))
    expected = Likelihood(y, weight, chances, units)(scores, 1.5)

    odds = np.exp(1.5 * scores) * (units if is_noisy else 1.0)
    odds /= odds.sum(axis=1, keepdims=True)
    seen = (odds * chances[y]).sum(axis=1) if is_noisy else odds[np.arange(501), y]
    assert expected == pytest.approx(np.average(np.log(seen), weights=weight))

    monkeypatch.setattr(early_stopping, "_PARALLEL_SCORES", 0)
    monkeypatch.setattr(early_stopping, "_BLOCK", 100)
    with thread_pool(2) as pool:
        assert Likelihood(y, weight, chances, units, pool)(scores, 1.5) == expected
