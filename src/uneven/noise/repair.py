r"""Few labels, many rows: a rough classifier labels the rest, and its mistakes are undone.

A classifier fitted to few labels is wrong often, but in a pattern, and the few labels are enough to
see the pattern: its confusion matrix. So its predictions are labels with known noise, and a learner
that takes a noise matrix can use all rows.

References
----------
U. Louche (2016), example 4.1 and section 4.6.

Notes
-----
Corrections of the source: its recipe mixes the rows with right labels with the others, although
they do not follow the noise matrix. Here they are left out, or enter as what they are. In the sums
that UMA undoes with :math:`C^{-1}`, a row of true class t stands for its expected label
:math:`C e_t`, so that :math:`C^{-1} C e_t = e_t` counts it for its class and for no other.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import accuracy_score
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    has_fit_parameter,
)

from uneven.noise.boundary import (
    calibrated_shares,
    class_scores,
    fit_temperature,
    unseen_scores,
)
from uneven.noise.estimation import (
    ConfusionEstimate,
    confusion_from_classifier,
    confusion_from_clean,
)
from uneven.noise.matrices import invert_noise, learning_matrix
from uneven.noise.uma.classifier import UMAClassifier
from uneven.utils.contract import not_repeatable
from uneven.utils.labels import split_labels
from uneven.utils.model_types import UnknownPartError, check_classes, check_part, persisted
from uneven.utils.parameters import (
    Choice,
    Interval,
    check_integer,
    check_parameters,
    store_parameters,
)
from uneven.utils.validation import hold_out, validate_data, whole_or_nothing
from uneven.views.training_rows import encode_categories, learn_categories

_X_RULES: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": np.float64,
    "ensure_all_finite": "allow-nan",
}


_LEAST_BELIEF = 0.02
"""A row makes no copy for a class that is less probable than this."""


def _learner_has(name: str) -> Callable[[Any], bool]:
    def check(pipeline: LabelRepairPipeline) -> bool:
        getattr(getattr(pipeline, "learner_", None) or pipeline._learner(), name)
        return True

    return check


@persisted("label_repair", role="repair")
class LabelRepairPipeline(ClassifierMixin, BaseEstimator):
    """Learn from few labels and many unlabelled rows, through cheap labels of known noise.

    1. A rough classifier learns from the rows that have a label.
    2. Its confusion matrix is estimated on labels that it did not see.
    3. It labels all other rows, cheaply and often wrongly.
    4. A learner with a parameter ``noise_matrix`` gets those rows and that matrix.

    With ``noise="boundary"`` its scores are calibrated instead of its confusion matrix estimated:
    step 3 gives each row probabilities of its true class, and any learner that takes weights learns
    from these.

    Parameters
    ----------
    rough : classifier, default=None
        Labels the unlabelled rows. None is a :class:`UMAClassifier` without noise matrix.
    learner : classifier, default=None
        The classifier that learns from the cheap labels: any, or pipeline of such, with a parameter
        ``noise_matrix``, which is set to the confusion matrix. None is a :class:`UMAClassifier`.
        With ``noise="boundary"`` any classifier whose ``fit`` takes ``label_weights`` or
        ``sample_weight``.
    noise : {"class", "boundary"}, default="class"
        Model of the wrong labels. "class": the confusion matrix, which is the same for all rows of
        a class. "boundary": errors lie near the boundary of the rough classifier, and its second
        guess is the most probable truth; its scores, divided by a temperature, give the
        probabilities of each row. It must have ``predict_proba`` or ``decision_function``. The
        learner gets these probabilities as ``label_weights``, or a copy of the row for each class
        with its probability as weight.
    cv : int or splitter, default=5
        Folds for ``confusion="cv"``; a number makes stratified ones, no more than the smallest
        class has labels.
    confusion : {"cv", "holdout"}, default="cv"
        Where the rough classifier's confusion is seen: in cross-validation over the labelled rows,
        after which it learns from all of them; or on a part of them that it never learns from.
        The first uses every label twice; its matrix is that of classifiers that were fitted to a
        little less, and so err a little more.
    holdout : float, default=0.5
        Share of every class to set aside for ``confusion="holdout"``.
    smoothing : float, default=1.0
        Added to the diagonal of the confusion counts: with few labels a class may never be
        predicted correctly, and then the matrix has no inverse.
    use_clean : {"known", "drop", "mixed"}, default="known"
        What the learner gets of the rows with labels: the label, and that it is right (its ``fit``
        must take ``label_weights`` or ``clean``); nothing; the label like any other, as in the
        source (not with ``noise="boundary"``).
    unlabelled : number, str or None, default=-1
        What ``y`` holds where there is no label, in addition to None and NaN, which always mean
        that. Use None if -1 is one of your classes.
    random_state : int, RandomState or None, default=None
        Seeds the held-out rows and the default classifiers.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    rough_ : classifier
    confusion_ : ConfusionEstimate
        ``confusion_.matrix[i, j]`` is the share of class j that the rough classifier calls i.
    temperature_ : float or None
        What scores of the rough classifier are divided by; only with ``noise="boundary"``.
    learner_ : classifier
    labelled_ : ndarray of bool, shape (n_samples,)
        Which training rows had a label.
    cheap_labels_ : ndarray of shape (n_unlabelled,)
        Predictions of the rough classifier for the others.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if ``X`` had string column names.

    Notes
    -----
    The rough classifier is taken to err alike all over a class. That is never quite true, and least
    of all for a linear classifier that labels rows for another one on the same columns: what it
    gets wrong lies on the wrong side of its own border (``noise="boundary"`` models that). The
    defaults are such a pair, that of the source; they gain where few labels are hardly informative
    about the rest (narrow kernels). Rather take two of different kinds: a simple rough classifier
    (naive Bayes) and a learner that can use many rows (``ComboClassifier`` with
    ``subsample=0.5``). That is no promise: on digits this pair gained, but the same learner gained
    nothing from nearest neighbours, which were good already, and `UMAClassifier` gains nothing from
    naive Bayes there. Compare on rows whose class you know with ``rough_``, with the learner on the
    given labels alone, and with a
    well-regularised classifier on these.

    References
    ----------
    U. Louche (2016), *From confusion noise to active learning: playing on label availability in
    linear classification problems*, PhD thesis, Aix-Marseille Université, example 4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from uneven.noise import LabelRepairPipeline
    >>> X, t = load_digits(return_X_y=True)
    >>> y = np.where(np.arange(len(t)) < 100, t, -1)
    >>> model = LabelRepairPipeline(GaussianNB(var_smoothing=0.1)).fit(X, y)
    >>> model.confusion_.matrix.shape, len(model.cheap_labels_)
    ((10, 10), 1697)
    >>> bool(model.score(X[100:], t[100:]) > 0.7)
    True
    """

    _parameters: ClassVar = {
        "noise": Choice(("class", "boundary")),
        "confusion": Choice(("cv", "holdout")),
        "use_clean": Choice(("known", "drop", "mixed")),
        "holdout": Interval(0, 1, closed="neither", says="between 0 and 1"),
    }

    classes_: np.ndarray
    rough_: Any
    confusion_: ConfusionEstimate
    temperature_: float | None = None
    learner_: Any
    labelled_: np.ndarray
    cheap_labels_: np.ndarray

    def __init__(
        self,
        rough: Any = None,
        learner: Any = None,
        *,
        noise: str = "class",
        cv: Any = 5,
        confusion: str = "cv",
        holdout: float = 0.5,
        smoothing: float = 1.0,
        use_clean: str = "known",
        unlabelled: Any = -1,
        random_state: Any = None,
    ) -> None:
        store_parameters(self, locals())

    def fit(self, X: Any, y: Any) -> Self:
        """Label the rows without label, and learn from all.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels; None, NaN or ``unlabelled`` where there is none.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        with whole_or_nothing(self):
            rng = check_random_state(self.random_state)
            labelled, labels = split_labels(y, self.unlabelled)
            check_consistent_length(X, labelled)
            self.categories_ = learn_categories(X)
            X = validate_data(self, encode_categories(X, self.categories_), **_X_RULES)
            self.classes_, self.labelled_ = self._check_labels(labels), labelled
            few, rest = np.flatnonzero(labelled), np.flatnonzero(~labelled)
            self._label_roughly(X[few], labels, rng)
            self.cheap_labels_ = self.rough_.predict(X[rest]) if len(rest) else labels[:0]
            learn = self._learn if self.noise == "class" else self._learn_beliefs
            self.learner_ = learn(X, few, labels, rest, rng)
        return self

    def _check_parameters(self) -> None:
        check_parameters(self)
        if not hasattr(self.cv, "split"):
            check_integer("cv", self.cv, 2)
        if self.noise == "boundary" and self.use_clean == "mixed":
            raise ValueError(
                "use_clean='mixed' needs the noise matrix of the given labels, and "
                "noise='boundary' has none: use 'known' or 'drop'."
            )

    def _check_labels(self, labels: np.ndarray) -> np.ndarray:
        """Find the classes, each with two labels at least: one to learn from and one to check."""
        classes, counts = np.unique(labels, return_counts=True)
        if len(classes) < 2:
            raise ValueError(
                f"all {len(labels)} labels are of one class, {classes[0].item()!r}, and two are "
                f"needed. Rows where y is {self.unlabelled!r} count as unlabelled; pass "
                "unlabelled=None if that is a class."
            )
        if counts.min() < 2:
            rarest = classes[counts.argmin()].item()
            raise ValueError(
                f"class {rarest!r} has a single label: every class needs two at least, one to "
                "learn from and one to see the mistakes on."
            )
        return classes

    def _label_roughly(self, X: Any, labels: np.ndarray, rng: np.random.RandomState) -> None:
        """Train the rough classifier, and see its confusion on labels it did not learn from."""
        rough, near = self._rough(rng), self.noise == "boundary"
        rules: dict[str, Any] = {"classes": self.classes_, "smoothing": self.smoothing}
        codes, scores = np.searchsorted(self.classes_, labels), np.empty(0)
        if self.confusion == "cv":
            self.confusion_ = confusion_from_classifier(rough, X, labels, cv=self.cv, **rules)
            scores = unseen_scores(rough, X, labels, self.cv) if near else scores
            self.rough_ = rough.fit(X, labels)
        else:
            aside = np.flatnonzero(hold_out(labels, float(self.holdout), rng))
            kept = np.setdiff1d(np.arange(len(labels)), aside)
            self.rough_, codes = rough.fit(X[kept], labels[kept]), codes[aside]
            seen = rough.predict(X[aside])
            self.confusion_ = confusion_from_clean(labels[aside], seen, **rules)
            scores = class_scores(rough, X[aside]) if near else scores
        self.temperature_ = fit_temperature(scores, codes) if near else None

    def _learn(
        self,
        X: Any,
        few: np.ndarray,
        labels: np.ndarray,
        rest: np.ndarray,
        rng: np.random.RandomState,
    ) -> Any:
        """Train the learner on noisy labels and, by ``use_clean``, on the correct ones."""
        self._check_enough(rest)
        learner = self._learner(rng)
        prefix = _prefix_of_noise_matrix(learner)
        noise = invert_noise(learning_matrix(self.confusion_), on_singular="shrink").matrix
        learner.set_params(**{f"{prefix}noise_matrix": noise})
        if self.use_clean == "drop":
            return learner.fit(X[rest], self.cheap_labels_)
        y = np.empty(X.shape[0], dtype=self.classes_.dtype)
        y[few], y[rest] = labels, self.cheap_labels_
        if self.use_clean == "mixed":
            return learner.fit(X, y)
        parameter = _parameter_for_clean(learner)
        value = self.labelled_
        if parameter == "label_weights":
            codes = np.searchsorted(self.classes_, y)
            value = np.where(self.labelled_[:, None], noise[:, codes].T, np.eye(len(noise))[codes])
        return learner.fit(X, y, **{f"{prefix}{parameter}": value})

    def _learn_beliefs(
        self,
        X: Any,
        few: np.ndarray,
        labels: np.ndarray,
        rest: np.ndarray,
        rng: np.random.RandomState,
    ) -> Any:
        """Train the learner on the probabilities of cheap rows and, if wanted, on right labels."""
        self._check_enough(rest)
        assert self.temperature_ is not None
        beliefs = np.zeros((X.shape[0], len(self.classes_)))
        beliefs[few, np.searchsorted(self.classes_, labels)] = 1.0
        if len(rest):
            scores = class_scores(self.rough_, X[rest])
            beliefs[rest] = calibrated_shares(scores, self.temperature_)
        kept = rest if self.use_clean == "drop" else np.arange(X.shape[0])
        beliefs, learner = beliefs[kept], self._learner(rng)
        prefix, final = _last_step(learner)
        if has_fit_parameter(final, "label_weights"):
            y = self.classes_[beliefs.argmax(axis=1)]
            return learner.fit(X[kept], y, **{f"{prefix}label_weights": beliefs})
        if not has_fit_parameter(final, "sample_weight"):
            raise ValueError(
                f"learner {type(final).__name__} cannot learn from probabilities of the true class "
                "(its fit takes neither 'label_weights' nor 'sample_weight'): use noise='class'."
            )
        rows, codes = np.nonzero(beliefs >= min(_LEAST_BELIEF, 1.0 / beliefs.shape[1]))
        weight = {f"{prefix}sample_weight": beliefs[rows, codes]}
        return learner.fit(X[kept[rows]], self.classes_[codes], **weight)

    def _check_enough(self, rest: np.ndarray) -> None:
        if not len(rest) and self.use_clean == "drop":
            raise ValueError(
                "every row has a label, so with use_clean='drop' nothing is left to learn from."
            )
        if not len(rest):
            marks = (
                "None or NaN" if self.unlabelled is None else f"None, NaN or {self.unlabelled!r}"
            )
            warnings.warn(
                "every row has a label: there is nothing to repair. Mark rows without label by "
                f"{marks}.",
                stacklevel=4,
            )
        never = np.setdiff1d(self.classes_, self.cheap_labels_)
        if self.use_clean == "drop" and len(never):
            raise ValueError(
                f"the rough classifier gives no row the label {never[0].item()!r}, so that class "
                "cannot be learnt from its labels. Give it more labels, or pass use_clean='known'."
            )

    def _rough(self, rng: Any) -> Any:
        return UMAClassifier(random_state=rng) if self.rough is None else clone(self.rough)

    def _learner(self, rng: Any = None) -> Any:
        return UMAClassifier(random_state=rng) if self.learner is None else clone(self.learner)

    def _validate_again(self, X: Any) -> Any:
        check_is_fitted(self, "learner_")
        X = encode_categories(X, self.categories_)
        return validate_data(self, X, reset=False, **_X_RULES)

    def predict(self, X: Any) -> np.ndarray:
        """Predicted class.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._validate_again(X)
        return np.asarray(self.learner_.predict(X))

    @available_if(_learner_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the learner.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        X = self._validate_again(X)
        return np.asarray(self.learner_.predict_proba(X))

    @available_if(_learner_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the learner.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        X = self._validate_again(X)
        return np.asarray(self.learner_.decision_function(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy on the rows that have a label; the others do not count.

        So the default score of a grid search may be given the ``y`` of ``fit``. Named scorers
        (``scoring="accuracy"``) do not skip rows without label.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels; None, NaN or ``unlabelled`` where there is none.
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        float
        """
        labelled, labels = split_labels(y, self.unlabelled)
        answers = self.predict(X)
        check_consistent_length(answers, labelled, sample_weight)
        weights = None if sample_weight is None else np.asarray(sample_weight)[labelled]
        return float(accuracy_score(labels, answers[labelled], sample_weight=weights))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = [get_tags(model).input_tags for model in (self._rough(None), self._learner())]
        tags.input_tags.sparse = all(one.sparse for one in inner)
        tags.input_tags.allow_nan = all(one.allow_nan for one in inner)
        return tags

    @classmethod
    def _test_instances(cls) -> list[Any]:
        from sklearn.naive_bayes import GaussianNB

        return [
            (
                cls(
                    GaussianNB(), UMAClassifier(max_iter=20), cv=2, unlabelled=None, random_state=0
                ),
                not_repeatable("folds are numbered after rows of weight zero have been left out"),
            )
        ]

    def _check_model_(self) -> None:
        """Refuse a loaded rough classifier, or a learner, of other columns or classes."""
        check_classes(self.classes_)
        for part in (self.rough_, self.learner_):
            if type(part) is LabelRepairPipeline:
                raise UnknownPartError("it repairs labels within itself")
            refusal = "its classifier is a {}, which is not known"
            check_part(("classifier", "stack"), part, refusal=refusal)
            if part.n_features_in_ != self.n_features_in_:
                raise ValueError("its parts disagree about the number of columns")
            if not np.isin(part.classes_, self.classes_).all():
                raise ValueError("its parts know other classes")


def _prefix_of_noise_matrix(learner: Any) -> str:
    """What stands before ``noise_matrix`` in the learner's parameters, as in ``step__``."""
    names = [name for name in learner.get_params() if name.split("__")[-1] == "noise_matrix"]
    if not names:
        raise ValueError(
            f"learner {type(learner).__name__} has no parameter noise_matrix, so it cannot know "
            "the noise of the cheap labels. Use UMAClassifier, AdaBoostMMClassifier, "
            "ComboClassifier, MumboClassifier or MuComboClassifier."
        )
    return str(min(names, key=len)).removesuffix("noise_matrix")


def _parameter_for_clean(learner: Any) -> str:
    """The parameter of the learner's ``fit`` for labels that are certain."""
    final = _last_step(learner)[1]
    for parameter in ("label_weights", "clean"):
        if has_fit_parameter(final, parameter):
            return parameter
    raise ValueError(
        f"learner {type(final).__name__} cannot use which labels are right (its fit takes "
        "neither 'clean' nor 'label_weights'): pass use_clean='drop'."
    )


def _last_step(learner: Any) -> tuple[str, Any]:
    """The classifier at the end of a pipeline, and what stands before its fit parameters."""
    if not hasattr(learner, "steps"):
        return "", learner
    name, final = learner.steps[-1]
    return f"{name}__", final
