"""
Four quarters of an image as views
==================================

Quarters of handwritten digits are views of uneven strength. Which quarter decides for which digit?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from uneven import MuComboClassifier
from uneven.datasets import image_quarters
from uneven.plots import VoteShareDisplay

digits = load_digits()
X, views = image_quarters(digits.images)
model = MuComboClassifier(n_estimators=40, views=views).fit(X[:1200], digits.target[:1200])
print(f"accuracy on held-out digits: {model.score(X[1200:], digits.target[1200:]):.2f}")

# %%
# Share of each quarter in the support of each digit, in percent:

figure, ax = plt.subplots(figsize=(8, 3), layout="constrained")
display = VoteShareDisplay.from_estimator(model, ax=ax)
