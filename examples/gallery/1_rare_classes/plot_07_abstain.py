"""
Abstain where a prediction is too uncertain
===========================================

With ``abstain_cost`` a classifier withholds predictions that are likely to be wrong (reject
option). The lower the cost of abstaining, the fewer rows are predicted and the fewer of them are
misclassified.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from uneven import TunedDecisionClassifier

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=200, stratify=y, random_state=0
)
model = make_pipeline(StandardScaler(), LogisticRegression())

# %%
# Each point is a cost of abstaining:

coverage, error = [], []
for price in (0.9, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05):
    careful = TunedDecisionClassifier(model, measure="accuracy", abstain_cost=price)
    predicted = careful.fit(X_train, y_train).predict(X_test)
    given = predicted != -1
    coverage.append(100 * given.mean())
    error.append(100 * (predicted[given] != y_test[given]).mean())

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(coverage, error, "o-")
ax.set(xlabel="rows with a prediction, %", ylabel="misclassified among them, %", ylim=(0, None))
