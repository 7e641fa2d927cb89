"""
Learn from noisy labels with a known confusion matrix
=====================================================

40 % of the training labels of a digit are replaced by the next digit. A classifier with the
noise matrix recovers most of what a classifier that trusts the labels loses.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from uneven import ForwardLogisticRegression
from uneven.noise import corrupt_labels, cyclic_noise

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, stratify=y, random_state=0)
rates = [0.0, 0.1, 0.2, 0.3, 0.4]

# %%
# Error on held-out rows with correct labels, as the noise rate grows:

trusting, knowing = [], []
for rate in rates:
    noise = cyclic_noise(10, (rate,))
    noisy = corrupt_labels(y_train, noise, np.random.default_rng(0))
    trusting.append(1 - LogisticRegression(C=1.0).fit(X_train, noisy).score(X_test, y_test))
    model = ForwardLogisticRegression(noise_matrix=noise).fit(X_train, noisy)
    knowing.append(1 - model.score(X_test, y_test))

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(rates, trusting, "o-", color="grey", label="logistic regression, trusts the labels")
ax.plot(rates, knowing, "o-", label="forward correction with the noise matrix")
ax.set(xlabel="share of wrong labels", ylabel="error on held-out rows", ylim=(0, None))
ax.legend(fontsize="small")
