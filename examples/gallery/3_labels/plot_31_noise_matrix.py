"""
Estimate how labels go wrong
============================

Some labels were checked by an expert. :func:`uneven.noise.estimate_confusion` estimates the noise
matrix from them: which share of each true class gets which label, with confidence intervals.
"""

import numpy as np

from uneven.noise import corrupt_labels, estimate_confusion, pairwise_noise
from uneven.plots import NoiseMatrixDisplay

rng = np.random.default_rng(0)
truth = rng.choice(["cat", "dog", "fox"], size=400, p=[0.5, 0.3, 0.2])
noise = pairwise_noise(["cat", "dog", "fox"], {("dog", "fox"): 0.3, ("cat", "fox"): 0.1})
labels = corrupt_labels(truth, noise, rng)

# %%
# 150 of the 400 rows were checked. A third of the foxes is labelled "dog":

found = estimate_confusion(truth[:150], labels[:150])
display = NoiseMatrixDisplay.from_estimate(found)
