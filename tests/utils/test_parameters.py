"""Declared parameters: what passes, what is refused, and how classes inherit the tables."""

import numpy as np
import pytest

from uneven.utils.parameters import Flag, Interval, Jobs, Maybe, Whole, check_parameters


@pytest.mark.parametrize("value", [0.0, 1e-300, 1, np.float32(0.5), np.nextafter(1.0, 0.0)])
def test_numbers_of_an_interval_pass(value):
    assert Interval(0, 1).check("share", value) is None


@pytest.mark.parametrize("value", [True, np.True_, float("nan"), 10**400, -1e-300, "0.5", None])
def test_other_values_are_refused_in_a_sentence(value):
    with pytest.raises(ValueError, match=r"share must be in \[0, 1\], got"):
        Interval(0, 1).check("share", value)


def test_open_ends_do_not_belong_to_an_interval():
    Interval(0, 1, closed="right").check("rate", 1)
    with pytest.raises(ValueError, match=r"rate must be in \(0, 1\], got 0"):
        Interval(0, 1, closed="right").check("rate", 0)


@pytest.mark.parametrize("value", [True, 1.0, 0, "2", np.array([1, 2])])
def test_whole_numbers_are_no_flags_no_fractions_no_arrays(value):
    with pytest.raises(ValueError, match="rounds must be a whole number at least 1, got"):
        Whole(1).check("rounds", value)


def test_jobs_follow_scikit_learn():
    for value in (None, -1, 2, np.int64(-2)):
        Jobs().check("n_jobs", value)
    with pytest.raises(ValueError, match="n_jobs must be a whole number"):
        Jobs().check("n_jobs", np.array([1, 2]))


def test_a_class_adds_to_the_table_of_its_base_replaces_and_takes_away():
    class Base:
        _parameters = {"rounds": Whole(1), "depth": Whole(1), "fast": Flag()}  # noqa: RUF012
        rounds, depth, fast, rate = 0, 3, "yes", None

    class Derived(Base):
        _parameters = {"rounds": Whole(0), "fast": None, "rate": Maybe(Whole(1))}  # noqa: RUF012

    with pytest.raises(ValueError, match="rounds must be"):
        check_parameters(Base())
    check_parameters(Derived())
    derived = Derived()
    derived.depth = 0
    with pytest.raises(ValueError, match="depth must be"):
        check_parameters(derived)
