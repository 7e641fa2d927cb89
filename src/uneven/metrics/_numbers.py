"""Equal but for rounding, and quotients whose divisor may be zero."""

import numpy as np

ALIKE = 1e-12
"""Numbers this close, as a share of the largest, are equal but for rounding."""


def ratio(top: float, bottom: float) -> float:
    """The quotient; 0 if both are 0, infinite if only the second is.

    Examples
    --------
    >>> ratio(1.0, 4.0), ratio(0.0, 0.0), ratio(-2.0, 0.0)
    (0.25, 0.0, -inf)
    """
    if bottom > 0.0:
        return top / bottom
    return 0.0 if top == 0.0 else float(np.copysign(np.inf, top))
