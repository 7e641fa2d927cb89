"""What classifiers share that depend on a few cuts: fitting class by class, the bound."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from uneven.bounds import compression_bound
from uneven.linear.base import (
    LinearClassifier,
    generator,
    validate_labelled_rows,
)
from uneven.linear.expansions import KernelExpansion, KernelMixin
from uneven.linear.rows import scale_rows
from uneven.utils.parameters import Choice, Interval, Maybe, Whole, check_parameters
from uneven.utils.validation import whole_or_nothing
from uneven.versionspace.error_oracles import ORACLES, Rule, error_rule
from uneven.versionspace.normal_rows import KernelSample, LinearSample, Sample, SoftSample


class CutClassifier(KernelMixin, LinearClassifier, ABC):
    """Base of the classifiers that look at rows through an oracle.

    A subclass has the parameters of `CompressionPerceptron` but ``pick`` and ``max_updates``, and
    supplies `_run`; it may keep more in `_keep` and say why it failed in `_advice`.
    """

    oracle: str | Rule
    slack: float
    max_cuts: int | None
    random_state: Any

    _parameters: ClassVar = {
        "oracle": Choice(ORACLES, or_callable=True),
        "slack": Interval(0, closed="left", says="a number in [0, inf)"),
        "max_cuts": Maybe(Whole(1)),
    }

    expansion_: KernelExpansion
    compression_set_: np.ndarray
    converged_: bool

    def fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Show mistakes until there are none.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Kernel values of shape (n_samples, n_samples) with "precomputed".
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,), optional
            All classes, if ``y`` may lack some, as the rows of a compression set can.

        Returns
        -------
        self
        """
        check_parameters(self)
        with whole_or_nothing(self):
            X, y = validate_labelled_rows(self, X, y, classes)
            self._clear()
            rng = generator(self.random_state)
            rows = self._as_learnt(X) if self._linear() else X
            rule = error_rule(self.oracle, rows, rng)
            positive = [1] if len(self.classes_) == 2 else range(len(self.classes_))
            samples = [self._sample(X, rows, np.where(y == k, 1.0, -1.0)) for k in positive]
            self._keep(X, samples, [self._run_softly(one, rule, rng) for one in samples])
        if not self.converged_:
            warnings.warn(
                f"there are still mistakes after {len(self.compression_set_)} rows were shown: the "
                "rows may not be separable by a hyperplane. Try fit_intercept=True or another "
                f"kernel{self._advice()}.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Kernel values with all training rows if the kernel is "precomputed".

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            Products with unit vectors; for two classes those of the second one.
        """
        check_is_fitted(self)
        if not hasattr(self, "expansion_"):
            return super().decision_function(X)
        scores = self.expansion_(self._validate(X)) + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def risk_bound(self, delta: float = 0.05) -> float:
        """Bound the error rate on new rows of the same distribution.

        Parameters
        ----------
        delta : float, default=0.05
            Allowed probability that the bound fails, in (0, 1).

        Returns
        -------
        float
            1 if the model misclassifies a training row: there is no bound then.

        Notes
        -----
        The size of the compression set is read off the fitted model, so delta is shared among all
        sizes. The kernel must not have been chosen by looking at the rows: give ``gamma`` as a
        number.
        """
        check_is_fitted(self)
        size = len(self.compression_set_)
        bound = compression_bound(self.n_samples_fit_, size, delta, size_from_data=True)
        return bound if self.converged_ else 1.0

    def _run_softly(self, sample: Sample, rule: Rule, rng: np.random.Generator) -> Any:
        """Learn one class against the rest, optionally with a dimension of its own for each row."""
        if not self.slack:
            return self._run(sample, rule, rng)
        run = self._run(SoftSample(sample, float(self.slack)), rule, rng)
        return replace(run, w=run.w.shared)

    @abstractmethod
    def _run(self, sample: Sample, rule: Rule, rng: np.random.Generator) -> Any:
        """Learn one class against the rest; return its ``w``, ``cuts`` and ``converged``."""

    @abstractmethod
    def _advice(self) -> str:
        """What to do if mistakes are left."""

    def _linear(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "linear"

    def _clear(self) -> None:
        """Drop the form of an earlier model with another kernel."""
        for name in ("coef_", "expansion_"):
            if hasattr(self, name):
                delattr(self, name)

    def _sample(self, X: Any, rows: Any, t: np.ndarray) -> Sample:
        if self._linear():
            return LinearSample(scale_rows(rows, t))
        params = self._kernel_parameters(X)
        return KernelSample(
            X,
            t,
            self.kernel,
            params,
            constant=float(self.fit_intercept),
            normalize=bool(self.normalize),
        )

    def _keep(self, X: Any, samples: list[Sample], runs: list[Any]) -> None:
        self.compression_sets_ = [run.cuts for run in runs]
        joined = dict.fromkeys(np.concatenate(self.compression_sets_).tolist())
        self.compression_set_ = np.array(list(joined), dtype=np.intp)
        self.converged_ = all(run.converged for run in runs)
        self.n_samples_fit_ = X.shape[0]
        scales = [1.0 / (one.length(run.w) or 1.0) for one, run in zip(samples, runs)]
        if self._linear():
            self._store(np.array([run.w * scale for run, scale in zip(runs, scales)]))
        else:
            self._store_expansion(X, samples, runs, scales)

    def _store_expansion(
        self, X: Any, samples: list[Any], runs: list[Any], scales: list[float]
    ) -> None:
        support = np.sort(self.compression_set_)
        coefficients = np.zeros((len(support), len(runs)))
        for k, (one, run) in enumerate(zip(samples, runs)):
            where = np.searchsorted(support, run.w.rows)
            coefficients[where, k] = run.w.coefficients * one.factors[run.w.rows] * scales[k]
        rows = None if self.kernel == "precomputed" else X[support]
        params = samples[0].params
        self.expansion_ = KernelExpansion(coefficients, rows, support, self.kernel, params)
        self.intercept_ = coefficients.sum(axis=0) * float(self.fit_intercept)
