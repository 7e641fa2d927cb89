"""
Several annotators: who is reliable?
====================================

Three annotators label the same rows, one of them badly. The model of Dawid and Skene estimates the
confusion matrix of each annotator and the true classes, without any checked label.
"""

import matplotlib.pyplot as plt
import numpy as np

from uneven.noise import corrupt_labels, dawid_skene, uniform_noise
from uneven.plots import NoiseMatrixDisplay

rng = np.random.default_rng(0)
truth = rng.choice(3, size=300, p=[0.6, 0.3, 0.1])
rates = [0.1, 0.15, 0.5]
annotations = np.column_stack([corrupt_labels(truth, uniform_noise(3, r), rng) for r in rates])
model = dawid_skene(annotations)

# %%
# Estimated noise matrices; the third annotator is close to guessing:

figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
for k, ax in enumerate(axes):
    title = f"annotator {k}: {np.mean(annotations[:, k] == truth):.0%} correct"
    NoiseMatrixDisplay(model.matrices[k], [0, 1, 2]).plot(ax=ax, title=title)
