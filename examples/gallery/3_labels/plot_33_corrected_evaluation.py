"""
Evaluate a classifier with noisy test labels
============================================

If test labels are noisy, a good classifier seems bad. With the noise matrix the true error rate can
be estimated from the noisy labels, with a standard error.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from uneven.noise import corrected_error, corrupt_labels, uniform_noise

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=0.5, random_state=0)
predicted = LogisticRegression().fit(X_train, y_train).predict(X_test)

# %%
# The apparent error grows with the noise, the corrected one stays near the true error:

rates = [0.0, 0.1, 0.2, 0.3, 0.4]
apparent, corrected, spread = [], [], []
for rate in rates:
    noise = uniform_noise(10, rate)
    noisy = corrupt_labels(y_test, noise, np.random.default_rng(1))
    estimate = corrected_error(noisy, predicted, noise)
    apparent.append(np.mean(predicted != noisy))
    corrected.append(estimate.value)
    spread.append(2 * estimate.standard_error)

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(rates, apparent, "o-", color="grey", label="apparent: compared with noisy labels")
ax.errorbar(rates, corrected, spread, fmt="o-", capsize=3, label="corrected, two standard errors")
ax.axhline(np.mean(predicted != y_test), color="black", linestyle=":", label="true error")
ax.set(xlabel="share of wrong test labels", ylabel="error")
ax.legend(fontsize="small")
