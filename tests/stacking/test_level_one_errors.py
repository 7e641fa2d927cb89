"""What level-1 data refuse, and what they say."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from uneven.stacking import Member, level_one

X, Y = load_iris(return_X_y=True)
NB = [("nb", GaussianNB())]


class Broken(GaussianNB):
    def predict_proba(self, X):
        said = super().predict_proba(X)
        said[2] = np.nan
        return said


class Failing(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        raise OSError("the disk is full")


@pytest.mark.parametrize(
    ("members", "options", "sentence"),
    [
        ([("bad", Broken())], {}, r"member 'bad' gives scores that are not finite in 1 of 38 rows"),
        ([("bad", SVC(decision_function_shape="ovo"))], {}, r"member 'bad' cannot score: .*pairs"),
        ([("bad", Member(GaussianNB(), columns=[4]))], {}, r"member 'bad' reaches outside the 4"),
        ([("bad", Member(GaussianNB(), columns=["a"]))], {}, r"member 'bad' is given by column"),
        ([("bad", Member(GaussianNB(), rows=[150]))], {}, r"from 150 to 150, but there are 150"),
        ([("bad", Member(GaussianNB(), rows=[3]))], {"cv": 75}, r"on fold 4 of 50"),
        ([("bad", Member(GaussianNB(), rows=[0.5]))], {}, r"rows must be a list of whole numbers"),
        ([("bad", Member(GaussianNB(), rows=[1], share=0.5))], {}, r"nothing to draw"),
        ([("bad", Member(GaussianNB(), share=1.5))], {}, r"share must be .*, got 1.5"),
        ([("bad", Member(GaussianNB(), score="shout"))], {}, r"score must be one of"),
        ([("bad", Member(GaussianNB(), score="decision_function"))], {}, r"GaussianNB has no deci"),
        ([("a__b", GaussianNB())], {}, r"'a__b' cannot be the name"),
        ([*NB, *NB], {}, r"two members are called 'nb'"),
        ([], {}, r"a stack needs at least one member"),
        ([("nb", "drop")], {}, r"a stack needs at least one member"),
        (GaussianNB(), {}, r"members must be a list"),
        ([GaussianNB()], {}, r"must be pairs"),
        (NB, {"cv": 1}, r"cv must be a whole number at least 2, got 1"),
        (NB, {"cv": "fold"}, r"cv='fold' is not known"),
        (NB, {"cv": 1.5}, r"cv=1.5: the share"),
        (NB, {"cv": RepeatedStratifiedKFold(n_splits=2, n_repeats=3)}, r"out 3 times"),
        (NB, {"cv": [(np.arange(150), np.arange(10))]}, r"its parts overlap"),
        (NB, {"sample_weight": np.ones(3)}, r"sample_weight has 3 entries, X has 150 rows"),
        (NB, {"classes": [0, 1]}, r"the label .*2.* is not among the classes"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*fewer rows")
def test_errors_say_what_is_wrong(members, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        level_one(members, X, Y, **options)


def test_other_errors():
    with pytest.raises(
        RuntimeError, match=r"'bad' \(Failing\) .* on fold 1 of 4: the disk is full"
    ):
        level_one([("bad", Failing())], X, Y)
    with pytest.raises(TypeError, match="member 'scaler' must be a classifier"):
        level_one([("scaler", StandardScaler())], X, Y)
    with pytest.raises(ValueError, match=r"y has shape \(3,\), but X has 150 rows"):
        level_one(NB, X, Y[:3])
    with pytest.raises(ValueError, match="needs at least 2 rows"):
        level_one(NB, X[:1], Y[:1])
