"""The picture of what a stack keeps as the penalty grows."""

from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from sklearn.base import BaseEstimator
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from uneven import MarginStackingClassifier
from uneven.plots import SelectionPathDisplay
from uneven.plots.drawing import GRID, ORANGE
from uneven.plots.selection_path import MOST_NAMED

STRENGTHS = [1.0, 0.001, 0.1, 0.01]
KEPT = [0, 12, 3, 7]
ERROR = [0.60, 0.06, 0.04, 0.05]


@pytest.fixture(autouse=True)
def _closed_figures():
    before = dict(mpl.rcParams)
    yield
    plt.close("all")
    assert dict(mpl.rcParams) == before, "a display changed matplotlib's settings"


def a_path(n_members=12, **changes):
    coef = [np.zeros((n_members, 2)) for _ in STRENGTHS]
    for weights, kept in zip(coef, KEPT):
        weights[:kept] = np.arange(kept, 0, -1)[:, None] * [3.0, 4.0]
    fields = {
        "strengths": STRENGTHS,
        "n_selected": KEPT,
        "error_mean": ERROR,
        "error_std": [0.01] * 4,
        "coef": coef,
        "names": [f"member {m}" for m in range(n_members)],
        "chosen": 2,
    }
    return SimpleNamespace(**fields | changes)


def marks(ax):
    return [line for line in ax.lines if to_hex(line.get_color()) == ORANGE]


def test_strengths_are_sorted_and_the_choice_moves_with_them():
    display = SelectionPathDisplay.from_path(a_path())
    upper, lower = display.axes_
    error = upper.lines[0]
    assert error.get_xdata().tolist() == [0.001, 0.01, 0.1, 1.0]
    np.testing.assert_allclose(error.get_ydata(), [6.0, 5.0, 4.0, 60.0])
    for panel, height in ((upper, 4.0), (lower, 3.0)):
        rule, dot = sorted(marks(panel), key=lambda line: len(line.get_xdata()), reverse=True)
        assert set(rule.get_xdata()) == {0.1}
        assert dot.get_ydata()[0] == pytest.approx(height)
    assert display.ax_.get_title(loc="left") == "3 of 12 classifiers are kept"
    told = [text.get_text() for text in upper.texts]
    assert told == ["strength 0.1, cross-validated error 4.0 ± 1.0 %"]


def test_the_steps_change_half_way_between_strengths():
    display = SelectionPathDisplay.from_path(a_path())
    stairs = display.axes_[1].patches[0].get_data()
    assert stairs.values.tolist() == [12.0, 7.0, 3.0, 0.0]
    np.testing.assert_allclose(stairs.edges, [0.001, 10**-2.5, 10**-1.5, 10**-0.5, 1.0])


def test_hopeless_penalties_do_not_flatten_the_others():
    display = SelectionPathDisplay.from_path(a_path())
    assert display.ax_.get_ylim()[1] < 20.0
    tame = SelectionPathDisplay.from_path(a_path(error_mean=[0.08, 0.06, 0.04, 0.05]))
    assert tame.ax_.get_ylim()[1] > 8.0


def test_lines_stay_in_the_picture_if_there_is_little_else():
    display = SelectionPathDisplay([0.01, 1e3], [3, 0], error_mean=[0.05, 0.6]).plot()
    low, high = display.ax_.get_ylim()
    assert low == 0.0
    assert high > 60.0


def test_a_given_strength_is_marked_and_a_lone_one_needs_others():
    X, y = load_wine(return_X_y=True)
    members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2))]
    stack = MarginStackingClassifier(members, strength=0.02, strengths=[0.01, 0.1], cv=2)
    display = SelectionPathDisplay.from_estimator(stack.fit(X, y))
    assert display.strengths.tolist() == [0.01, 0.02, 0.1]
    assert display.chosen == 1
    assert marks(display.ax_)
    lone = MarginStackingClassifier(members, strengths=[0.02], cv=2).fit(X, y)
    with pytest.raises(ValueError, match=r"only the strength 0\.02 .* strengths=\[0\.001"):
        SelectionPathDisplay.from_estimator(lone)
    assert SelectionPathDisplay.from_estimator(lone, strengths=[0.02, 0.1]).chosen == 0
    with pytest.raises(TypeError, match="a GaussianNB has no path of strengths"):
        SelectionPathDisplay.from_estimator(GaussianNB().fit(X, y))


def test_weights_are_norms_of_rows_with_the_strongest_named():
    display = SelectionPathDisplay.from_path(a_path(), kind="weights")
    assert [text.get_text() for text in display.text_] == [f"member {m}" for m in range(8)]
    grey = [line for line in display.ax_.lines if to_hex(line.get_color()) == GRID]
    assert len(grey) == 12 - MOST_NAMED
    first = next(line for line in display.ax_.lines if to_hex(line.get_color()) not in {GRID})
    assert first.get_ydata().tolist() == [60.0, 35.0, 15.0, 0.0]
    low, high = display.ax_.get_xlim()
    assert low > high, "the names stand where the penalty is weak"


def test_no_choice_no_spread_and_one_classifier():
    bare = SelectionPathDisplay(STRENGTHS, [0, 1, 1, 1], error_mean=ERROR).plot()
    assert marks(bare.ax_) == []
    assert bare.ax_.get_title(loc="left") == "Which classifiers are kept"
    lone = SelectionPathDisplay(
        STRENGTHS, [0, 1, 1, 1], error_mean=ERROR, chosen=1, n_members=1
    ).plot()
    assert lone.ax_.get_title(loc="left") == "1 of 1 classifier is kept"
    assert lone.ax_.texts[0].get_text().endswith("error 6.0 %")
    numbered = SelectionPathDisplay(STRENGTHS, KEPT, norms=np.ones((4, 3)), chosen=0)
    assert [t.get_text() for t in numbered.plot(kind="weights").text_] == ["0", "1", "2"]


def test_axes_may_be_given():
    _, ax = plt.subplots()
    inside = SelectionPathDisplay.from_path(a_path(), ax=ax)
    assert inside.axes_ == ax.child_axes
    _, pair = plt.subplots(2, 1)
    assert SelectionPathDisplay.from_path(a_path(), ax=pair).axes_ == list(pair)
    with pytest.raises(ValueError, match="3 Axes"):
        SelectionPathDisplay.from_path(a_path(), ax=plt.subplots(3, 1)[1])


def test_estimators_are_asked_for_their_path():
    class Stack(BaseEstimator):
        def fit(self, X, y):
            self.classes_ = [0, 1]
            return self

        def path(self, strengths=None):
            return a_path(names=["given" if strengths else "own"] * 12)

    with pytest.raises(NotFittedError):
        SelectionPathDisplay.from_estimator(Stack())
    fitted = Stack().fit(None, None)
    assert SelectionPathDisplay.from_estimator(fitted).names[0] == "own"
    assert SelectionPathDisplay.from_estimator(fitted, strengths=[1, 2]).names[0] == "given"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"strengths": [1.0]}, "at least two"),
        ({"strengths": [0.0, 1.0, 2.0, 3.0]}, "above 0"),
        ({"strengths": [1.0, 1.0, 2.0, 3.0]}, "must differ"),
        ({"n_selected": [1, 2]}, "n_selected has shape"),
        ({"error_mean": [0.1]}, "error_mean has shape"),
        ({"coef": [np.ones((3, 2))]}, "norms has shape"),
        ({"names": ["a"]}, "1 names, but 12 columns"),
        ({"chosen": 4}, "chosen=4"),
    ],
)
def test_parts_that_do_not_fit_are_refused(changes, says):
    with pytest.raises(ValueError, match=says):
        SelectionPathDisplay.from_path(a_path(**changes))


def test_what_was_not_given_cannot_be_drawn():
    with pytest.raises(ValueError, match="needs error_mean"):
        SelectionPathDisplay(STRENGTHS, KEPT).plot()
    with pytest.raises(ValueError, match="needs norms"):
        SelectionPathDisplay(STRENGTHS, KEPT, error_mean=ERROR).plot(kind="weights")
    with pytest.raises(ValueError, match="unknown"):
        SelectionPathDisplay(STRENGTHS, KEPT, error_mean=ERROR).plot(kind="norms")
