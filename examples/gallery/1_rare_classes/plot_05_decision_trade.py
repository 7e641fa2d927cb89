"""
What a decision rule gives up
=============================

From the most probable class to full correction by the class frequencies, every decision rule
trades accuracy for the confusion norm. The fitted rule is marked.
"""

from sklearn.ensemble import ExtraTreesClassifier

from uneven import TunedDecisionClassifier
from uneven.datasets import make_balance_scale
from uneven.plots import DecisionTradeDisplay

scale = make_balance_scale()
trees = ExtraTreesClassifier(100, bootstrap=True, oob_score=True, random_state=0)
tuned = TunedDecisionClassifier(trees).fit(scale.data, scale.target)

# %%
# The rows are those that the trees have not seen (out-of-bag):

display = DecisionTradeDisplay.from_estimator(tuned)

# %%
# The same trade between two classes: the recall of the rare class against that of a frequent one.

display = DecisionTradeDisplay.from_estimator(tuned, classes=("B", "L"))
