"""
How informative is each view?
=============================

A view is a group of features from one source. Before they are combined,
:func:`uneven.views.diagnose` cross-validates a classifier per view and reports recalls,
redundancy and a verdict.
"""

from uneven.datasets import make_imbalanced_views
from uneven.plots import ViewDiagnosisDisplay
from uneven.views import diagnose

data = make_imbalanced_views(800, random_state=0)
found = diagnose(data.data, data.target, data.views, cv=3, random_state=0)
print(found)

# %%
# Left: recall of every view and class. Right: which views fail on the same rows.

display = ViewDiagnosisDisplay.from_diagnosis(found)
