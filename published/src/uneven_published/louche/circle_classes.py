"""UMA on ten classes on a circle: how much noise, and how wrong a noise matrix, does it bear?

References
----------
U. Louche (2016), *From confusion noise to active learning: playing on label availability in linear
classification problems*, PhD thesis, Aix-Marseille Université, section 4.3.1.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from uneven.datasets import make_margin_classes
from uneven.metrics import confusion_norm
from uneven.noise import UMAClassifier, corrupt_labels, noise_family, random_noise
from uneven_published.description import Answers, Context

__all__ = ["LEVELS", "PERCEPTRON", "TOLD", "UMA", "Circle", "MoreNoise", "WrongMatrix"]

Floats = NDArray[np.float64]
LEVELS = tuple(range(1, 21))
TOLD = (0, *LEVELS)
FULL = 10
UMA, PERCEPTRON = "UMA", "Perceptron"
_FIRST_SEED = 100
_WORST_CONDITION = 1e6


@dataclass(frozen=True)
class Circle:
    """Ten classes on a circle, with a margin, and a random noise matrix."""

    seed: int
    train: Any
    test: Any
    matrix: Floats

    @classmethod
    def draw(cls, seed: int, n_classes: int, n_train: int, n_test: int) -> Circle:
        """Prototypes, rows and noise matrix of a seed."""
        train = make_margin_classes(n_train, n_classes=n_classes, random_state=seed)
        test = make_margin_classes(n_test, prototypes=train.prototypes, random_state=seed + 1000)
        return cls(seed, train, test, random_noise(n_classes, np.random.default_rng(seed)))

    def noisy(self, level: int) -> NDArray[Any]:
        """Training labels with the noise of a level; 10 is the random matrix itself."""
        rng = np.random.default_rng([self.seed, level])
        matrix = noise_family(self.matrix, level)
        classes = np.arange(len(self.matrix))
        return corrupt_labels(self.train.target, matrix, rng, classes=classes)

    def norm(self, labels: NDArray[Any], level: int | None, rule: str, steps: int) -> float:
        """Frobenius norm of the test confusion of UMA that is told the matrix of a level.

        Without a level it is told nothing; NaN if the matrix has no useful inverse.
        """
        matrix = None if level is None else noise_family(self.matrix, level)
        if matrix is not None and np.linalg.cond(matrix) > _WORST_CONDITION:
            return np.nan
        model = UMAClassifier(matrix, selection=rule, max_iter=steps, random_state=self.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model.fit(self.train.data, labels)
        return confusion_norm(self.test.target, model.predict(self.test.data), norm="fro")

    def noise_size(self, level: int) -> float:
        """Frobenius norm of the matrix of a level without its diagonal."""
        matrix = noise_family(self.matrix, level)
        return float(np.linalg.norm(matrix - np.diag(np.diag(matrix))))


@dataclass(frozen=True)
class MoreNoise:
    """UMA with the matrix of the noise and with the identity, at growing noise.

    Attributes
    ----------
    rules : dict of str to str
        Item to rule by which UMA selects pairs.
    n_classes, n_train, n_test, steps : int
    """

    rules: dict[str, str]
    n_classes: int = 10
    n_train: int = 1000
    n_test: int = 10_000
    steps: int = 500

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """One seed, all levels."""
        circle = Circle.draw(_FIRST_SEED + repeat, self.n_classes, self.n_train, self.n_test)
        found: dict[str, list[float]] = {UMA: [], PERCEPTRON: []}
        for level in LEVELS:
            labels = circle.noisy(level)
            for name, told in ((UMA, level), (PERCEPTRON, None)):
                found[name].append(circle.norm(labels, told, self.rules[item], self.steps))
        return {
            name: {"norm": [norms], "weakest": norms[0], "strongest": norms[-1]}
            for name, norms in found.items()
        }


@dataclass(frozen=True)
class WrongMatrix:
    """Noise of level 10 throughout; UMA is told the matrices of level 0, 1, ..., 20.

    Attributes
    ----------
    rules : dict of str to str
        Item to rule.
    n_classes, n_train, n_test, steps : int
    """

    rules: dict[str, str]
    n_classes: int = 10
    n_train: int = 1000
    n_test: int = 10_000
    steps: int = 500

    def __call__(self, item: str, repeat: int, context: Context) -> Answers:
        """One seed, all matrices."""
        circle = Circle.draw(_FIRST_SEED + repeat, self.n_classes, self.n_train, self.n_test)
        labels = circle.noisy(FULL)
        norms = np.array(
            [circle.norm(labels, level, self.rules[item], self.steps) for level in TOLD]
        )
        return {
            UMA: {
                "norm": norms[None],
                "exact": norms[FULL],
                "under": np.nanmean(norms[1:FULL]),
                "over": np.nanmean(norms[FULL + 1 :]),
            }
        }
