"""The default query rule: the one that measured best for the kind of pool."""

from __future__ import annotations

import numpy as np

from uneven.active.registry import rule
from uneven.active.rules import uncertainty
from uneven.active.state import QueryState
from uneven.active.uncertainty_herding import herding


@rule("auto", "the rule that measured best for the kind of pool", blind=True)
def automatic(state: QueryState, *, nearest: int = 120) -> np.ndarray:
    """`herding`; `uncertainty` of the classifier if the rows are not all finite numbers.

    Parameters
    ----------
    state : QueryState
    nearest : int, default=120
        Rows of a sparse pool that are looked at, see `herding`.

    Returns
    -------
    ndarray of shape (n_candidates,)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from uneven import ActiveLearner
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = ActiveLearner(random_state=0).start(X).tell([0, 60, 120], y[[0, 60, 120]])
    >>> bool((automatic(learner.state()) == herding(learner.state())).all())
    True
    """
    return herding(state, nearest=nearest) if state.pool.is_numeric else uncertainty(state)
