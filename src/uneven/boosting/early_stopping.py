"""Early stopping on validation rows."""

from __future__ import annotations

import numpy as np

from uneven.utils.reproducible_sums import sum_by_label
from uneven.views.training_rows import TrainingRows
from uneven.votes import Term, Vote
from uneven.votes.vote import vote_answers


class EarlyStopping:
    """Scores the vote on validation rows, and notices when learning no longer helps.

    Parameters
    ----------
    rows : TrainingRows
        The validation rows.
    signals : ndarray of int, shape (n_samples,)
        What is seen of each of them: a column of ``worth``.
    worth : ndarray of shape (n_classes, n_signals)
        What answering the row's class is worth if the column's signal is seen. Without noise
        only the diagonal counts. With noise the entries of the inverse noise matrix make the sum
        an unbiased estimate of what it would be with the true labels.
    fallback : int
        Class of rows without votes.
    patience : int
        Rounds without a better score.
    """

    def __init__(
        self,
        rows: TrainingRows,
        signals: np.ndarray,
        worth: np.ndarray,
        fallback: int,
        patience: int,
    ) -> None:
        self._rows, self._signals, self._worth = rows, signals, worth
        self._fallback, self._patience = fallback, patience
        self._scores = np.zeros((len(rows.y), len(worth)))
        self._best = -np.inf
        self._seen = 0
        self.best_round = 0

    @property
    def should_stop(self) -> bool:
        """Whether the best score is long ago."""
        return self._seen - self.best_round >= self._patience

    def score(self, terms: list[Term]) -> float:
        """What the answers are worth once ``terms`` have voted; 1 if all are right."""
        rows = self._rows
        vote = Vote(terms, [len(terms)], len(self._worth), rows.views)
        self._scores += vote.score(rows.X)
        answers = vote_answers(self._scores, self._fallback)
        pairs = answers * self._worth.shape[1] + self._signals
        mass = sum_by_label(pairs, rows.mass, self._worth.size)
        value = float((self._worth.ravel() * mass).sum())
        self._seen += 1
        if value > self._best:
            self._best, self.best_round = value, self._seen
        return value
