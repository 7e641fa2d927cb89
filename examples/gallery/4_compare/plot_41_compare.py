"""
Compare classifiers with one call
=================================

:func:`uneven.compare` cross-validates our methods, baselines and classifiers of your own on the
same folds, and says whether the lead of the best one is larger than the spread over the folds.
"""

from sklearn.neighbors import KNeighborsClassifier

from uneven import compare
from uneven.datasets import make_balance_scale

scale = make_balance_scale(as_frame=True)
found = compare(
    scale.data,
    scale.target,
    methods={
        "CoMBo": "combo",
        "forest": "random_forest",
        "logistic": "logistic_regression",
        "5 neighbours": KNeighborsClassifier(5),
    },
    cv=4,
    rounds=60,
    diagnosis=False,
)
print(found.verdict)
print(found.ranking.iloc[:, :3].round(3))

# %%
# Confusion matrix of the best method, from held-out predictions:

display = found.plot()
