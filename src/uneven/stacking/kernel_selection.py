"""The combination in the space of a kernel that a stack uses: all classifiers are kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from uneven.stacking.kernel_choice import choose_kernel_parameters
from uneven.stacking.kernel_combiner import fit_kernel_combiner
from uneven.stacking.selection import Selection

__all__ = ["select_kernel"]


def select_kernel(
    P: np.ndarray,
    y: np.ndarray,
    strengths: Any = None,
    *,
    kernel: str = "rbf",
    gamma: float | None = None,
    degree: int | None = None,
    combination: str = "cws",
    loss: str = "hinge",
    share: np.ndarray | None = None,
    **judging: Any,
) -> Selection:
    """Choose a strength and the parameter of a kernel, and fit with them.

    Parameters
    ----------
    P : ndarray of shape (n_samples, n_members, n_classes)
        Level-1 scores.
    y : ndarray of int, shape (n_samples,)
    strengths : sequence of float, optional
    kernel : {"rbf", "poly"}, default="rbf"
    gamma, degree : float, int, optional
        Of "rbf" and of "poly"; chosen by cross-validation if not given.
    combination : {"ws", "cws", "lsg"}, default="cws"
    loss : {"hinge", "squared"}, default="hinge"
    share : ndarray of shape (n_samples,), optional
    **judging
        ``cv``, ``random_state`` and ``n_jobs`` of
        :func:`~uneven.stacking.kernel_choice.choose_kernel_parameters`.

    Returns
    -------
    Selection
        Its ``coef`` is None.

    Examples
    --------
    >>> P = np.random.default_rng(0).uniform(size=(60, 2, 3))
    >>> y = np.abs(P[:, 0] - P[:, 1]).argmin(axis=1)
    >>> select_kernel(P, y, [0.001], gamma=2.0).mask
    array([ True,  True])
    """
    choice = choose_kernel_parameters(
        P,
        y,
        kernel=kernel,
        strengths=strengths,
        gammas=None if gamma is None else [gamma],
        degrees=None if degree is None else [degree],
        share=share,
        combination=combination,
        loss=loss,
        **judging,
    )
    combiner = fit_kernel_combiner(P, y, loss=loss, share=share, **choice.words)
    return Selection(np.ones(P.shape[1], dtype=bool), combiner, None, choice)
