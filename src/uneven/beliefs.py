r"""What the true labels may be, given noisy ones and the votes so far.

A vote that minimises the exponential pair loss ``sum_q P(q | x) / m_q sum_l exp(f_l - f_q)``, in
which the examples of class ``q`` are divided by ``m_q``, ends where ``exp(2 f_q)`` is proportional
to ``P(q | x) / m_q``: so the votes themselves say how likely each class is. With the noise matrix
``C`` and the observed label ``y``, Bayes' rule gives the true class:
``P(q | x, y)`` is proportional to ``C[y, q] m_q exp(2 f_q)``. A row that nobody has voted on knows
only its label: ``C[y, q]`` times the class frequency.
"""

from __future__ import annotations

from threading import Lock

import numpy as np

from uneven import belief_kernels
from uneven.cost_kernels import BLOCK
from uneven.threads import Workers

__all__ = ["Beliefs"]


class Beliefs:
    """Probabilities of the true labels, from the observed ones and all votes heard.

    Parameters
    ----------
    y : ndarray of int, shape (n_samples,)
        What is observed of each row: its label, or any other signal.
    noise_matrix : ndarray of shape (n_signals, n_classes)
        ``[i, j]`` is the share of true class ``j`` that shows signal ``i``.
    prior : ndarray of shape (n_classes,)
        True class frequencies.
    units : ndarray of shape (n_classes,), optional
        Numbers that the loss divides the examples of each class by.
    team : Workers, optional

    Examples
    --------
    >>> import numpy as np
    >>> noise = np.array([[0.9, 0.3], [0.1, 0.7]])
    >>> beliefs = Beliefs(np.array([0, 1]), noise, np.array([0.5, 0.5]))
    >>> beliefs.current()
    array([[0.75 , 0.25 ],
           [0.125, 0.875]])
    >>> beliefs.begin_round()
    >>> beliefs.hear(np.array([1, 1]), np.full(2, 0.5 * np.log(3.0)))
    >>> beliefs.current().round(4)
    array([[0.5   , 0.5   ],
           [0.0455, 0.9545]])
    """

    def __init__(
        self,
        y: np.ndarray,
        noise_matrix: np.ndarray,
        prior: np.ndarray,
        units: np.ndarray | None = None,
        team: Workers | None = None,
    ) -> None:
        self._y = np.ascontiguousarray(y, dtype=np.int32)
        self._team = team or Workers(1, None)
        self._n_blocks = -(-len(y) // BLOCK)
        with np.errstate(divide="ignore"):
            self._log_noise = np.log(noise_matrix)
            log_prior = np.log(prior)
        log_units = np.zeros(len(prior)) if units is None else np.log(units)
        self._logs = (log_prior, log_units)
        self._scores = np.zeros((len(y), len(prior)))
        self._beliefs = np.empty((len(y), len(prior)))
        self._share = np.empty(0)
        self._rounds_heard = 0
        self._rounds_out = np.zeros(len(y))
        self._row_scale = np.ones(len(y))
        self._is_new_round = True
        self._stale = True
        self._lock = Lock()
        self.version = 0

    def scale_votes(self, factor: np.ndarray) -> None:
        """Multiply the votes on each row by a factor, shape (n_samples,), from now on."""
        self._row_scale = factor
        self._stale = True
        self.version += 1

    def begin_round(self, drawn: np.ndarray | None = None) -> None:
        """Say which rows the voters of the coming round learn from.

        Parameters
        ----------
        drawn : ndarray of bool, shape (n_samples,), optional
            None for all of them. A row that voters learnt from has told them its label; they are
            heard about the others only, whose votes are scaled up for the rounds they miss.
        """
        self._share = np.empty(0) if drawn is None else (~drawn).astype(np.float64)
        self._is_new_round = True

    def hear(self, answers: np.ndarray, votes: np.ndarray) -> None:
        """Listen to a voter that enters the vote.

        Parameters
        ----------
        answers : ndarray of int, shape (n_samples,)
            -1 abstains.
        votes : ndarray of shape (n_classes,)
            Weight of each answer.
        """
        if self._is_new_round:
            self._rounds_heard += 1
            self._rounds_out += self._share if self._share.size else 1.0
            self._is_new_round = False
        self._team.over(
            self._n_blocks, belief_kernels.add_votes, answers, votes, self._share, self._scores
        )
        self._stale = True
        self.version += 1

    def current(self) -> np.ndarray:
        """Probability of every class, shape (n_samples, n_classes)."""
        with self._lock:
            if self._stale:
                scale = self._row_scale * self._rounds_heard / np.maximum(self._rounds_out, 1.0)
                self._team.over(
                    self._n_blocks, belief_kernels.believe,
                    self._y, self._log_noise, self._logs, self._scores, scale, self._beliefs,
                )  # fmt: skip
                self._stale = False
            return self._beliefs

    def labels(self) -> np.ndarray:
        """The most probable class of every row, shape (n_samples,)."""
        return self.current().argmax(axis=1).astype(np.int32)
