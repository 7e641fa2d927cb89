r"""The gradient of the norm of an error matrix, as misclassification costs.

The operator norm of an error matrix ``E`` is ``u^T E v`` with its top singular vectors, so its
gradient is ``u v^T``. Both vectors can be chosen without negative entries, because no entry of
``E`` is negative; so the gradient is a matrix of costs, and a boosting method that takes
class-pair costs can weigh exactly the mistakes that the norm consists of.

In CoMBo all misclassifications cost the same, and it drives down ``L = sum_i (1 / m_{y_i}) sum_{l
!= y_i} exp(f(i, l) - f(i, y_i))``, a bound of the norm. With costs ``G = u v^T`` of the current
error matrix, the cost-weighted loss ``L_G`` is a bound too, and never a larger one: ``norm(E) = <G,
E> <= L_G <= L``. This holds for ``E`` and ``L_G`` of the same votes on the same rows; once the
votes have changed, the gradient is another one. NormCoMBo takes it from rows that were not drawn
and mixes it with equal costs, so the bound is the reason for the costs, not a guarantee of the
result.
"""

from __future__ import annotations

import numpy as np

_DOUBLINGS = 40


def norm_gradient(errors: np.ndarray) -> np.ndarray:
    """Gradient of the operator norm of a matrix without negative entries.

    Parameters
    ----------
    errors : ndarray of shape (n_classes, n_classes)

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        ``u v^T``, no entry negative, of norm 1; zeros for a matrix of zeros. If the largest
        singular value is shared, a subgradient.

    Examples
    --------
    >>> import numpy as np
    >>> norm_gradient(np.array([[0.0, 0.3], [0.1, 0.0]]))
    array([[0., 1.],
           [0., 0.]])
    """
    largest = errors.max(initial=0.0)
    if largest <= 0.0:
        return np.zeros_like(errors, dtype=np.float64)
    scaled = errors / largest
    power = scaled.T @ scaled
    for _ in range(_DOUBLINGS):
        power /= power.max()
        power = power @ power
    right = power.sum(axis=1)
    right /= np.linalg.norm(right)
    left = scaled @ right
    return np.outer(left / np.linalg.norm(left), right)


def steering_costs(errors: np.ndarray, strength: float) -> np.ndarray:
    """Misclassification costs that lean towards the errors that make up the norm.

    Parameters
    ----------
    errors : ndarray of shape (n_classes, n_classes)
        Error rates: row = true class, column = prediction, zero diagonal.
    strength : float
        Between 0, all mistakes cost the same, and 1, the gradient of the norm alone.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        A ``class_cost``: mean 1 outside the diagonal, no negative entry, ones on the diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> steering_costs(np.array([[0.0, 0.3], [0.1, 0.0]]), 0.5)
    array([[1. , 1.5],
           [0.5, 1. ]])
    """
    gradient = norm_gradient(errors)
    np.fill_diagonal(gradient, 0.0)
    n_pairs = len(errors) * (len(errors) - 1)
    total = gradient.sum()
    if total <= 0.0:
        return np.ones_like(gradient)
    costs = (1.0 - strength) + strength * gradient * (n_pairs / total)
    np.fill_diagonal(costs, 1.0)
    return costs
