"""What a class declares for the tests that every estimator must pass.

An estimator names instances of itself in its code, the usual one first, in the class method
``_test_instances``; one without it inherits those of its base. Where a check of scikit-learn cannot
hold, the instance comes with the names of such checks and the reason. The tests find the classes
by themselves.
"""

from __future__ import annotations

TWO_VIEWS = {"all": slice(None), "first": slice(0, 1)}
"""Views of a table of any width."""


def not_repeatable(reason: str) -> dict[str, str]:
    """Checks that a row of weight 2 counts as much as two rows, which randomness defeats.

    Parameters
    ----------
    reason : str
        What is random.

    Returns
    -------
    dict of str to str
        The reason, by name of the check.
    """
    data = ("dense", "sparse")
    return {f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in data}


def rounded_by_row() -> dict[str, str]:
    """The same for trees that see gradients in whole numbers, see :func:`not_repeatable`."""
    return not_repeatable("a row of weight 2 is rounded once, which decides between equal splits")
