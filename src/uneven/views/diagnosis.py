"""How strong each view is before views are fused, by held-out predictions of each view alone."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.utils import check_array, check_consistent_length, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from uneven.metrics import class_recalls, confusion_norm, mean_recall
from uneven.utils.estimators import deal_folds, rows_by_class
from uneven.utils.optional import require
from uneven.utils.parallel import capped_jobs
from uneven.utils.parameters import Maybe, Whole
from uneven.views.maps import ViewMap, resolve_views
from uneven.views.relations import (
    FEWEST_ROWS,
    REPEATED,
    in_conflict,
    redundant_beside,
    same_mistakes,
    sole_knowledge,
)
from uneven.views.training_rows import encode_categories, learn_categories

VERDICTS = ("strong", "moderate", "weak", "imbalanced", "absent")
"""Every word that a verdict may be."""

STRONG_GAIN = 0.5
WEAK_GAIN = 0.15
GUESSING_GAIN = 0.05
UNEVEN_RECALLS = 0.5
N_TREES = 50
MOST_DENSE_CELLS = 4_000_000


def diagnose(
    X: Any,
    y: Any,
    views: Any,
    *,
    estimator: Any = None,
    cv: int = 5,
    max_rows: int | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ViewDiagnosis:
    """Evaluate every view on its own, and how the errors of views depend on each other.

    One classifier per view and fold is fitted on the rows where the view is present, and predicts
    for the rows of the fold it has not seen.

    Parameters
    ----------
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        NaN is a missing value; category columns of frames are taken as they are.
    y : array-like of shape (n_samples,)
        Class labels, at least two different ones.
    views : dict, sequence of int, "prefix" or None
        Named groups of columns; see :func:`uneven.views.resolve_views`.
    estimator : classifier, default=None
        Fitted on each view. None is a forest of 50 extremely randomised trees with balanced class
        weights, which accepts missing values.
    cv : int, default=5
        Folds. Rows of a class are dealt out in turn, so a class with fewer rows than folds is
        missing in some of them; no class is refused.
    max_rows : int or None, default=None
        Look at so many rows at most, drawn from each class in proportion.
    random_state : int, RandomState or None, default=None
        Draws rows and folds and seeds the default estimator.
    n_jobs : int or None, default=None
        Threads; -1 uses every core. The result does not depend on it.

    Returns
    -------
    ViewDiagnosis

    Examples
    --------
    >>> from uneven.datasets import make_imbalanced_views
    >>> bunch = make_imbalanced_views(600, separation=3.0, random_state=0)
    >>> print(diagnose(bunch.data, bunch.target, bunch.views, cv=2, random_state=0).verdicts)
    ('imbalanced', 'imbalanced', 'imbalanced', 'imbalanced')
    """
    table, classes, codes, resolved = _validate(X, y, views)
    rng = check_random_state(random_state)
    Maybe(Whole(2)).check("max_rows", max_rows)
    kept = _sample(codes, max_rows, rng)
    table, codes = table[kept], codes[kept]
    if not isinstance(cv, Integral) or not 2 <= cv <= len(codes):
        raise ValueError(
            f"cv must be a whole number between 2 and {len(codes)}, the rows of X, got {cv!r}."
        )
    folds = deal_folds(codes, int(cv), rng)
    present = resolved.presence(table)
    seeds = rng.randint(2**31 - 1, size=(len(resolved), folds.max() + 1))
    answers = np.column_stack(
        Parallel(n_jobs=capped_jobs(n_jobs, len(resolved)), prefer="threads")(
            delayed(_held_out)(table, codes, folds, resolved, j, present[:, j], estimator, seeds[j])
            for j in range(len(resolved))
        )
    )
    return _summary(resolved, classes, codes, present, answers)


def _validate(X: Any, y: Any, views: Any) -> tuple[Any, np.ndarray, np.ndarray, ViewMap]:
    """Validated table, classes, positions of the labels in them, and views."""
    frame = X if hasattr(X, "columns") else None
    names = None if frame is None else list(frame.columns)
    if names is not None and not all(isinstance(name, str) for name in names):
        names = None
    table = check_array(
        encode_categories(X, learn_categories(X)),
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_all_finite="allow-nan",
    )
    y = column_or_1d(y)
    check_consistent_length(table, y)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y holds one class, {classes[0]!r}: views cannot differ in telling it.")
    resolved = resolve_views(views, n_features=table.shape[1], feature_names=names, frame=frame)
    return table, classes, codes, resolved


def _sample(codes: np.ndarray, wanted: int | None, rng: Any) -> np.ndarray:
    """Positions of at most ``wanted`` rows, about the same share of every class, in order."""
    if wanted is None or wanted >= len(codes):
        return np.arange(len(codes))
    by_class = rows_by_class(codes, rng)
    ranks = np.floor(np.arange(len(codes)) * wanted / len(codes))
    return np.sort(by_class[np.diff(ranks, prepend=-1.0) > 0])


def _held_out(
    table: Any,
    codes: np.ndarray,
    folds: np.ndarray,
    views: ViewMap,
    j: int,
    present: np.ndarray,
    estimator: Any,
    seeds: np.ndarray,
) -> np.ndarray:
    """Predictions of one view, shape (n_samples,); -1 where the view is missing."""
    block = _block(table, views.columns[j])
    answers = np.full(len(codes), -1, dtype=np.intp)
    for fold, seed in enumerate(seeds):
        train = np.flatnonzero(present & (folds != fold))
        test = np.flatnonzero(present & (folds == fold))
        if not len(test):
            continue
        if len(np.unique(codes[train])) < 2:
            answers[test] = np.bincount(codes[train] if len(train) else codes).argmax()
            continue
        model = _forest(int(seed)) if estimator is None else clone(estimator)
        answers[test] = model.fit(block[train], codes[train]).predict(block[test])
    return answers


def _forest(seed: int) -> ExtraTreesClassifier:
    return ExtraTreesClassifier(
        n_estimators=N_TREES, min_samples_leaf=5, class_weight="balanced", random_state=seed
    )


def _block(table: Any, columns: np.ndarray) -> Any:
    """Columns of one view: dense if that is small, else sparse with its missing entries as 0."""
    block = table[:, columns]
    if not sp.issparse(block):
        return block
    if block.shape[0] * block.shape[1] <= MOST_DENSE_CELLS:
        return block.toarray()
    block.data = np.nan_to_num(block.data, nan=0.0)
    return block


def _summary(
    views: ViewMap,
    classes: np.ndarray,
    codes: np.ndarray,
    present: np.ndarray,
    answers: np.ndarray,
) -> ViewDiagnosis:
    """Measures of all views from their held-out predictions, shape (n_samples, n_views)."""
    labels = np.arange(len(classes))
    measures: dict[str, list] = {name: [] for name in ("accuracy", "chance", "balanced", "norm")}
    recalls, counts, verdicts = [], [], []
    for answer, there in zip(answers.T, present.T):
        true, said = codes[there], answer[there]
        sizes = np.bincount(true, minlength=len(classes))
        any_row = bool(there.any())
        recall = class_recalls(true, said, labels=labels) if any_row else labels * np.nan
        measures["accuracy"].append((true == said).mean() if any_row else np.nan)
        measures["chance"].append(sizes.max() / sizes.sum() if any_row else np.nan)
        measures["balanced"].append(mean_recall(true, said, labels=labels) if any_row else np.nan)
        measures["norm"].append(confusion_norm(true, said, labels=labels) if any_row else np.nan)
        recalls.append(recall)
        counts.append(sizes)
        verdicts.append(judge(recall, sizes))
    redundancy, rescue = agreement(answers == codes[:, None], present, codes)
    return ViewDiagnosis(
        names=views.names,
        classes=classes,
        class_counts=np.bincount(codes, minlength=len(classes)),
        view_counts=np.array(counts),
        n_rows=len(codes),
        n_columns=np.array([len(columns) for columns in views.columns]),
        presence=present.mean(axis=0),
        accuracy=np.array(measures["accuracy"]),
        chance=np.array(measures["chance"]),
        balanced_accuracy=np.array(measures["balanced"]),
        confusion_norm=np.array(measures["norm"]),
        recalls=np.array(recalls),
        redundancy=redundancy,
        rescue=rescue,
        same_mistakes=same_mistakes(answers, present, codes),
        shared_rows=present.T.astype(np.intp) @ present,
        verdicts=tuple(verdicts),
    )


def agreement(
    right: np.ndarray, present: np.ndarray, classes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Redundancy and rescue of every pair of views, on the rows where both are present.

    Parameters
    ----------
    right : ndarray of bool, shape (n_samples, n_views)
        Which view predicts which row correctly.
    present : ndarray of bool, shape (n_samples, n_views)
    classes : ndarray of int, shape (n_samples,)
        Class of each row. Correlations are taken within classes, since views that find the same
        class easy are not yet redundant.

    Returns
    -------
    redundancy, rescue : ndarray of shape (n_views, n_views)
        As in :class:`ViewDiagnosis`.

    Examples
    --------
    >>> import numpy as np
    >>> right = np.array([[1, 1], [1, 0], [0, 0], [0, 1]], dtype=bool)
    >>> redundancy, rescue = agreement(right, np.ones_like(right), np.zeros(4, dtype=int))
    >>> redundancy.tolist(), rescue.tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.5], [0.5, 0.0]])
    """
    n_views = right.shape[1]
    redundancy, rescue = np.full((2, n_views, n_views), np.nan)
    for j in range(n_views):
        for k in range(n_views):
            both = present[:, j] & present[:, k]
            pair, group = right[both][:, [j, k]].astype(float), classes[both]
            wrong = pair[:, 0] == 0.0
            if wrong.any():
                rescue[j, k] = pair[wrong, 1].mean()
            sizes = np.maximum(np.bincount(group), 1.0)
            means = np.column_stack([np.bincount(group, column) / sizes for column in pair.T])
            centred = pair - means[group]
            spread = np.sqrt((centred**2).sum(axis=0)).prod()
            if spread > 1e-9:
                redundancy[j, k] = (centred[:, 0] * centred[:, 1]).sum() / spread
    return redundancy.clip(-1.0, 1.0), rescue


@dataclass(frozen=True)
class ViewDiagnosis:
    """Analysis of views by held-out predictions of one classifier per view.

    Every measure of a view is taken on the rows where it is present.

    Attributes
    ----------
    names : tuple of str
        The views.
    classes : ndarray of shape (n_classes,)
    class_counts : ndarray of int, shape (n_classes,)
    view_counts : ndarray of int, shape (n_views, n_classes)
        Rows of each class in which the view is present.
    n_rows : int
        Rows that were looked at.
    n_columns : ndarray of int, shape (n_views,)
    presence : ndarray of shape (n_views,)
        Share of the rows in which the view is there.
    accuracy : ndarray of shape (n_views,)
        Held-out accuracy. It estimates from below the strength of the view, which is one minus
        the error of the best possible classifier on it.
    chance : ndarray of shape (n_views,)
        Accuracy of always predicting the most frequent class.
    balanced_accuracy : ndarray of shape (n_views,)
        Mean recall; guessing gives one over the number of classes.
    confusion_norm : ndarray of shape (n_views,)
    recalls : ndarray of shape (n_views, n_classes)
        NaN where a class has no row in which the view is present.
    redundancy : ndarray of shape (n_views, n_views)
        Correlation, within the classes, of two views being right on the same rows: 1 if they
        fail together, 0 if they fail independently, below 0 if one is right where the other
        fails. Symmetric; NaN where a view never fails or always does.
    rescue : ndarray of shape (n_views, n_views)
        ``rescue[j, k]`` is the share that view k gets right of the rows that view j gets wrong;
        NaN if there are none.
    same_mistakes : ndarray of shape (n_views, n_views)
        ``same_mistakes[j, k]`` is the share of the mistakes of view j that view k makes, too, with
        the same prediction; NaN if there are none.
    shared_rows : ndarray of int, shape (n_views, n_views)
        Rows in which both views are present.
    verdicts : tuple of str
        One word per view; see :func:`judge`.

    References
    ----------
    S. Koço (2013), *Tackling the uneven views problem with cooperation based ensemble learning
    methods* (strong, weak and imbalanced views).

    Examples
    --------
    >>> from uneven.datasets import make_uneven_views
    >>> from uneven.views import diagnose
    >>> bunch = make_uneven_views(300, major_noise=0.1, random_state=0)
    >>> found = diagnose(bunch.data, bunch.target, bunch.views, cv=2, random_state=0)
    >>> found.names[found.accuracy.argmax()], found.verdicts[found.accuracy.argmax()]
    ('major', 'strong')
    """

    names: tuple[str, ...]
    classes: np.ndarray
    class_counts: np.ndarray
    view_counts: np.ndarray
    n_rows: int
    n_columns: np.ndarray
    presence: np.ndarray
    accuracy: np.ndarray
    chance: np.ndarray
    balanced_accuracy: np.ndarray
    confusion_norm: np.ndarray
    recalls: np.ndarray
    redundancy: np.ndarray
    rescue: np.ndarray
    same_mistakes: np.ndarray
    shared_rows: np.ndarray
    verdicts: tuple[str, ...]

    def remarks(self) -> list[str]:
        """One or two plain sentences about each view.

        Returns
        -------
        list of str of length n_views
        """
        return [self._remark(j) for j in range(len(self.names))]

    def redundant(self) -> dict[str, list[str]]:
        """Views that add little, each with the views that make up for it, the best one first.

        Returns
        -------
        dict of str to list of str
            See :func:`~uneven.views.relations.redundant_beside`.
        """
        merit = np.nan_to_num(self.balanced_accuracy)
        beside = redundant_beside(self.redundancy, self.same_mistakes, merit)
        order = np.argsort(-merit, kind="stable")
        found = {j: [self.names[k] for k in order if beside[j, k]] for j in range(len(self.names))}
        return {self.names[j]: others for j, others in found.items() if others}

    def conflicts(self) -> list[tuple[str, str]]:
        """Pairs of views of which one is right where the other fails, beyond chance.

        Returns
        -------
        list of tuple of str
            See :func:`~uneven.views.relations.in_conflict`.
        """
        apart = np.triu(in_conflict(self.redundancy, self.shared_rows), 1)
        return [(self.names[j], self.names[k]) for j, k in np.argwhere(apart)]

    def rescued_classes(self) -> dict[str, list[Any]]:
        """Classes that one view finds and no other does, by view.

        Returns
        -------
        dict of str to list
            See :func:`~uneven.views.relations.sole_knowledge`.
        """
        alone = sole_knowledge(self.recalls, self.view_counts)
        return {
            name: self.classes[alone[j]].tolist()
            for j, name in enumerate(self.names)
            if alone[j].any()
        }

    def to_frame(self) -> Any:
        """The measures as a table.

        Returns
        -------
        pandas.DataFrame of shape (n_views, 7 + n_classes)
            One row per view; recalls are in columns ``recall_CLASS``.
        """
        pandas = require("pandas", "ViewDiagnosis.to_frame")
        table = {
            "columns": self.n_columns,
            "presence": self.presence,
            "accuracy": self.accuracy,
            "chance": self.chance,
            "balanced_accuracy": self.balanced_accuracy,
            "confusion_norm": self.confusion_norm,
            "verdict": list(self.verdicts),
        }
        table |= {f"recall_{name}": self.recalls[:, c] for c, name in enumerate(self.classes)}
        return pandas.DataFrame(table, index=pandas.Index(self.names, name="view"))

    def __str__(self) -> str:
        head = ["view", "columns", "present", "accuracy", "chance", "balanced", "norm", "verdict"]
        rows = [
            [
                name,
                str(self.n_columns[j]),
                f"{100 * self.presence[j]:.0f}%",
                *(_number(measure[j]) for measure in self._measures()),
                self.verdicts[j],
            ]
            for j, name in enumerate(self.names)
        ]
        lines = [*_aligned([head, *rows]), "", *self.remarks()]
        return "\n".join(line.rstrip() for line in lines)

    def _measures(self) -> list[np.ndarray]:
        return [self.accuracy, self.chance, self.balanced_accuracy, self.confusion_norm]

    def _remark(self, j: int) -> str:
        name, verdict = self.names[j], self.verdicts[j]
        if verdict == "absent":
            return f"{name} is missing in every row."
        if verdict == "imbalanced":
            said = (
                f"{name} knows some classes much better than others: right in "
                f"{100 * self.accuracy[j]:.0f} % of its rows, {self._known(j)}."
            )
        else:
            said = self._strength(j)
        if self.presence[j] < 1.0:
            said += f" It is missing in {100 * (1 - self.presence[j]):.0f} % of the rows."
        return said + self._relations(j)

    def _relations(self, j: int) -> str:
        """The verdict on a view given the others, in words."""
        name, said = self.names[j], ""
        twin = self._twin(j)
        if twin is not None:
            said += f" It fails on much the same rows as {self.names[twin]}"
            makes_up = self.redundant().get(name)
            said += f", and is redundant given {makes_up[0]}." if makes_up else "."
        foes = [pair[pair[0] == name] for pair in self.conflicts() if name in pair]
        if foes:
            said += f" It conflicts with {_listed(foes)}: one is right where the other fails."
        alone = self.rescued_classes().get(name)
        if alone:
            said += f" No other view finds {_listed(alone)}."
        return said

    def _strength(self, j: int) -> str:
        """How good a view is that does not prefer some classes, in words."""
        gain = _gain(self.recalls[j], self.view_counts[j])
        how = {"strong": "strong", "moderate": "of moderate strength"}.get(self.verdicts[j])
        weak = "weak, though better than guessing" if gain.real else "close to guessing"
        said = (
            f"{self.names[j]} is {how or weak}: right in {100 * self.accuracy[j]:.0f} % of its "
            f"rows, mean recall {gain.known.mean():.2f} (guessing: {gain.guess:.2f}"
        )
        few = len(self.classes) - len(gain.known)
        if few:
            classes = "class" if few == 1 else "classes"
            enough = min(FEWEST_ROWS, self.view_counts[j].max())
            said += f"; {few} {classes} of fewer than {enough} rows not counted"
        return f"{said})."

    def _known(self, j: int) -> str:
        """Best and worst classes of a view, in words."""
        recalls = np.where(_counted(self.view_counts[j]), self.recalls[j], np.nan)
        best, worst = int(np.nanargmax(recalls)), int(np.nanargmin(recalls))
        return (
            f"it finds {100 * recalls[best]:.0f} % of {self.classes[best]} "
            f"but only {100 * recalls[worst]:.0f} % of {self.classes[worst]}"
        )

    def _twin(self, j: int) -> int | None:
        """The view that repeats this one most, if any does."""
        others = np.where(np.arange(len(self.names)) == j, np.nan, self.redundancy[j])
        if np.isnan(others).all() or np.nanmax(others) < REPEATED:
            return None
        return int(np.nanargmax(others))


def judge(recalls: np.ndarray, sizes: np.ndarray) -> str:
    """Put a view into one word.

    The gain of a view is its mean recall, scaled so that guessing is 0 and perfection 1. Classes
    with fewer than five rows do not count, neither in the mean nor as something to guess.

    Parameters
    ----------
    recalls : ndarray of shape (n_classes,)
    sizes : ndarray of int, shape (n_classes,)
        Rows of each class that the recalls were measured on.

    Returns
    -------
    {"strong", "moderate", "weak", "imbalanced", "absent"}
        "absent": no rows. "imbalanced": better than guessing (a gain of 0.05 or more, and more
        than two standard errors), and the best and the worst recall are more than 0.5 apart.
        "weak": any other view with a gain below 0.15 or within two standard errors of guessing.
        "strong": a gain of 0.5 or more. "moderate": the rest.

    Examples
    --------
    >>> import numpy as np
    >>> sizes = np.array([50, 50])
    >>> [judge(np.array(r), sizes) for r in ([0.9, 0.8], [0.5, 0.55], [0.97, 0.3], [0.7, 0.6])]
    ['strong', 'weak', 'imbalanced', 'moderate']
    """
    if not sizes.any():
        return "absent"
    gain = _gain(recalls, sizes)
    if not gain.real:
        return "weak"
    if gain.known.max() - gain.known.min() > UNEVEN_RECALLS:
        return "imbalanced"
    if gain.size < WEAK_GAIN:
        return "weak"
    return "strong" if gain.size >= STRONG_GAIN else "moderate"


class _Gain(NamedTuple):
    """Recall of a view above guessing, over the classes that count."""

    known: np.ndarray
    guess: float
    size: float
    real: bool


def _counted(sizes: np.ndarray) -> np.ndarray:
    """Classes with rows enough to count, shape (n_classes,)."""
    return np.asarray(sizes >= min(FEWEST_ROWS, sizes.max()))


def _gain(recalls: np.ndarray, sizes: np.ndarray) -> _Gain:
    """Gain of a view; it is real if it is noticeable and more than two standard errors."""
    counted = _counted(sizes)
    known, rows = recalls[counted], sizes[counted]
    guess = 1.0 / len(known)
    if len(known) == 1:
        return _Gain(known, guess, 0.0, False)
    size = float(known.mean() - guess) / (1.0 - guess)
    error = np.sqrt((1.0 / rows).sum() * guess / (1.0 - guess)) / len(rows)
    return _Gain(known, guess, size, bool(size >= max(GUESSING_GAIN, 2.0 * error)))


def _listed(names: list[Any], most: int = 5) -> str:
    """Names in a sentence, the first few of many."""
    words = [str(name) for name in names[:most]]
    if len(names) > most:
        words.append(f"{len(names) - most} more")
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _number(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.3f}"


def _aligned(rows: list[list[str]]) -> list[str]:
    """Cells padded to the width of their column, words to the left and numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    words = (0, len(widths) - 1)
    return [
        "  ".join(
            cell.ljust(width) if place in words else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths))
        )
        for row in rows
    ]
