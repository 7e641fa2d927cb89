"""
What a decision rule gives up
=============================

From the most probable class to full correction by the class frequencies, every decision rule
trades accuracy for the confusion norm. The fitted rule is marked.
"""

from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from uneven import TunedDecisionClassifier
from uneven.plots import DecisionTradeDisplay

X, y = make_classification(
    1500, 10, n_informative=6, n_classes=3, weights=[0.7, 0.22], class_sep=0.8, random_state=5
)
forest = RandomForestClassifier(100, oob_score=True, random_state=0)
tuned = TunedDecisionClassifier(forest).fit(X, y)

# %%
# The rows are those that the trees have not seen (out-of-bag):

display = DecisionTradeDisplay.from_estimator(tuned)

# %%
# The same trade between two classes: the recall of the rare class against that of a frequent one.

display = DecisionTradeDisplay.from_estimator(tuned, classes=(2, 0))
