"""UMA, on numbers worked by hand and as an estimator."""

import numpy as np
import pytest
import scipy.sparse as sp

from uneven.noise import UMAClassifier, update_vectors

C = np.array([[0.8, 0.1, 0.2], [0.1, 0.7, 0.1], [0.1, 0.2, 0.7]])
X = np.array(
    [(1, 0), (0.8, 0.6), (0.6, 0.8), (0, 1), (-0.6, 0.8), (-0.8, -0.6), (0, -1), (0.8, -0.6)]
)
Y = np.array([0, 1, 1, 0, 2, 2, 1, 0])
COEF = np.array([[0.5, -0.1], [-0.3, 0.4], [-0.2, -0.3]])
GOLDEN = {
    (0, 1): ((0.225, 0.275), 0.3553167601),
    (0, 2): ((-0.1041666667, -0.0625), 0.1214781645),
    (1, 0): ((0.0270833333, 0.1270833333), 0.1299372177),
    (1, 2): ((-0.1145833333, 0.1354166667), 0.1773894413),
    (2, 0): ((0.0361111111, 0.0375), 0.0520601800),
    (2, 1): ((0.0166666667, -0.175), 0.1757918592),
}


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix, np.asfortranarray])
def test_golden_vectors(form):
    vectors = update_vectors(form(X), Y, COEF, C)
    for pair, (vector, norm) in GOLDEN.items():
        assert vectors[pair] == pytest.approx(vector, abs=1e-9)
        assert np.linalg.norm(vectors[pair]) == pytest.approx(norm, abs=1e-9)


def test_golden_vectors_of_the_first_step():
    vectors = update_vectors(X, Y, np.zeros((3, 2)), C)
    expected = [
        (0.3423611111, 0.0520833333),
        (0.2541666667, 0.0625),
        (-0.3715277778, 0.0104166667),
    ]
    assert vectors == pytest.approx(np.broadcast_to(expected, (3, 3, 2)), abs=1e-9)
    history = UMAClassifier(C, max_iter=1).fit(X, Y).history_
    assert (history["predicted"][0], history["true"][0]) == (0, 2)
    assert history["norm"][0] == pytest.approx(0.3716737771, abs=1e-9)
