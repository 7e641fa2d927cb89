"""Thirteen classifiers on one fixed split, joined in the spaces of three kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import train_test_split

from uneven_published.description import Answers, Context, Item
from uneven_published.sen.ensembles import diverse_learners
from uneven_published.sen.judges import Bench, quiet
from uneven_published.sen.stacks import Rows, build_stack, rows_of

__all__ = ["KERNELS", "SPLITS", "FixedSplits", "Split", "split_items"]

KERNELS = {"Lin": "linear", "Poly": "poly", "RBF": "rbf"}


@dataclass(frozen=True)
class Split:
    """A data set, and how many rows are for training and for the test.

    Attributes
    ----------
    data : str
        As `uneven.datasets.fetch` knows it.
    n_train, n_test : int
        As printed; the test rows are all that the training rows leave, if they are fewer.
    as_filed : bool
        Whether the first rows are for training; else they are drawn.
    """

    data: str
    n_train: int
    n_test: int
    as_filed: bool

    def divide(self, X: np.ndarray, y: np.ndarray) -> tuple[Rows, Rows]:
        """Training rows and test rows."""
        if self.as_filed:
            return (X[: self.n_train], y[: self.n_train]), (X[self.n_train :], y[self.n_train :])
        X_train, X_test, y_train, y_test = train_test_split(
            X, y, train_size=self.n_train, stratify=y, random_state=0
        )
        return (X_train, y_train), (X_test, y_test)


SPLITS = {
    "optdigit": Split("optdigits", 3823, 1797, as_filed=True),
    "satellite": Split("satimage", 4435, 2000, as_filed=True),
    "segment": Split("segment", 1000, 1310, as_filed=False),
    "waveform": Split("waveform", 2000, 3000, as_filed=False),
}


@dataclass(frozen=True)
class FixedSplits:
    """Measure combinations on the fixed split of a data set.

    Attributes
    ----------
    family : str
        "ws", "cws" or "lsg".
    losses : dict of str to str
        Names of the columns begin with these.
    strengths : tuple of float
    widths, degrees : tuple of int
        Exponents of gamma, see `Bench.curved`, and degrees of the polynomials.
    landmarks : int
        See `Bench.curved`.
    """

    family: str
    losses: dict[str, str]
    strengths: tuple[float, ...] = (1e-5, 1e-3, 1e-2, 1e-1)
    widths: tuple[int, ...] = (-5, -3, -1, 1)
    degrees: tuple[int, ...] = (1, 2, 3)
    landmarks: int = 500

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """Errors of every loss and kernel."""
        split = SPLITS[item]
        train, new = split.divide(*rows_of(context.fetch(split.data)))
        with quiet():
            members = list(diverse_learners().items())
            bench = Bench(build_stack(members, new, train, cv=2, seed=repeat), self.strengths)
            bench.mean_rule("EW")
            for title, loss in self.losses.items():
                for name, kernel in KERNELS.items():
                    words = (self.family, kernel, loss, self.widths, self.degrees, self.landmarks)
                    bench.curved(f"{title} {name}".strip(), *words)
        return bench.answers()


def split_items() -> tuple[Item, ...]:
    """The four data sets."""
    return tuple(Item(name, (split.data,)) for name, split in SPLITS.items())
