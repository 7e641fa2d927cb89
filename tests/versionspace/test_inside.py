"""Moving a point into a version space, also where rounding leaves no room."""

import numpy as np

from uneven.versionspace import centres as chebyshev
from uneven.versionspace.centres import ChebyshevCentre, inside


def test_a_point_outside_is_moved_strictly_inside():
    cuts = np.array([[1.0, 0.0], [0.6, 0.8]])
    moved = inside(cuts, np.array([-0.3, 0.2]))
    assert (cuts @ moved > 0.0).all()


def test_a_centre_on_a_cut_is_the_best_there_is(monkeypatch):
    centre = ChebyshevCentre(np.array([0.0, 0.5]), 0.0)
    monkeypatch.setattr(chebyshev, "chebyshev_centre", lambda cuts: centre)
    with np.errstate(all="raise"):
        moved = inside(np.eye(2), np.array([0.0, -0.1]))
    assert np.array_equal(moved, centre.point)
