"""What a class declares to be compared by name is checked against the class."""

import pytest

from uneven.boosting.base import SingleCostBoosting
from uneven.utils.methods import METHODS, method


class Scratch(SingleCostBoosting):
    def _class_units(self, class_mass):
        return class_mass


def test_a_class_that_takes_a_noise_matrix_must_say_so():
    with pytest.raises(TypeError, match="Scratch must say takes_noise=True"):
        method("scratch", "Scratch", "One sentence.", staged=True)(Scratch)
    assert "scratch" not in METHODS


def test_a_class_that_learns_in_rounds_must_say_so():
    """Else the rounds of a comparison would hold for the others only."""
    with pytest.raises(TypeError, match="Scratch learns in rounds"):
        method("scratch", "Scratch", "One sentence.", takes_noise=True)(Scratch)
    assert "scratch" not in METHODS
