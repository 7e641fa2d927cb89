"""
Which view supports which class?
================================

µCoMBo learns a weight for every view and class. :class:`~uneven.plots.VoteShareDisplay` shows the
share of each view in the support of each class.
"""

from uneven import MuComboClassifier
from uneven.datasets import make_imbalanced_views
from uneven.plots import VoteShareDisplay

data = make_imbalanced_views(800, random_state=0)
model = MuComboClassifier(n_estimators=40, views=data.views).fit(data.data, data.target)

# %%
# By view:

display = VoteShareDisplay.from_estimator(model)

# %%
# By feature, the strongest ones:

display = VoteShareDisplay.from_estimator(model, by="feature", n_top=8)
