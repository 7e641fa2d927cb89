"""Calibration of one classifier on unseen rows: a temperature and a bias per class.

    p(c | x)  ~  prior_c (p(c | x) / prior_c)^a exp(b_c)

The temperature acts on p / prior, the evidence of the row: without evidence (a = 0) the class
frequencies are predicted.
"""

from __future__ import annotations

import numpy as np

from uneven.decisions.log_pool import (
    LogPool,
    bias_penalty_of,
    log_probabilities,
    minimise_pool_loss,
    probability_floor,
)
from uneven.decisions.rows import class_evidence, effective_mass, share_of_classes
from uneven.decisions.unseen import UnseenRows

_TEMPERATURE_PENALTY = 3.0
"""Rows' worth of evidence that it takes to leave a temperature of 1."""

_TOLERANCE = 1e-13


def fit_calibration(unseen: UnseenRows, trained: np.ndarray | None = None) -> LogPool:
    """Fit temperature and biases.

    A class counts as many rows as it is evidence for: weights that differ between classes change
    the class frequencies for which the probabilities are, not how certain the fit is.

    Parameters
    ----------
    unseen : UnseenRows
    trained : ndarray of shape (n_classes,), optional
        Class frequencies in the rows that the classifier was fitted to; None: as in ``unseen``.

    Returns
    -------
    LogPool
        Of one member.

    Examples
    --------
    A classifier without any evidence gives a tiny class its share:

    >>> said = np.random.default_rng(0).dirichlet([20.0, 20.0, 0.5], size=400)
    >>> rows = UnseenRows(said, np.repeat([0, 1, 2], [199, 199, 2]), np.ones(400))
    >>> fit_calibration(rows).probabilities([said]).mean(axis=0).round(3)
    array([0.497, 0.498, 0.005])
    """
    said, codes = unseen.probabilities, unseen.codes
    n_classes, floors = said.shape[1], np.array([probability_floor(said)])
    mass = class_evidence(unseen.weight, codes)
    seen = share_of_classes(codes, mass, n_classes)
    prior = trained
    if prior is None:
        prior = share_of_classes(codes, effective_mass(unseen.weight, len(codes)), n_classes)
    centre = np.concatenate([[1.0], np.log(seen)])
    found = centre
    if mass.any():
        evidence = log_probabilities(said[None], floors, prior) - np.log(prior)
        sizes = np.bincount(codes, weights=mass, minlength=n_classes)
        penalty = np.concatenate([[_TEMPERATURE_PENALTY], bias_penalty_of(sizes)])
        found, _ = minimise_pool_loss(evidence, codes, mass, centre, penalty, _TOLERANCE)
    bias = (found - centre)[1:] + (1.0 - found[0]) * np.log(prior)
    return LogPool(found[:1], bias, prior, floors)


def calibrated_rows(unseen: UnseenRows, calibration: LogPool | None) -> UnseenRows:
    """The same rows with calibrated probabilities, if there is a calibration."""
    if calibration is None:
        return unseen
    said = calibration.probabilities([unseen.probabilities])
    return UnseenRows(said, unseen.codes, unseen.weight)
