"""Labels that are wrong in a pattern: see it on a few clean rows, then learn in spite of it.

Somebody types in digits from a list of words, and slips: of each class, 20 % get the label of the
next word in the list and 10 % that of the word after it. A second look at one row in ten shows the
pattern.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from uneven import AdaBoostMMClassifier
from uneven.noise import corrected_error, corrupt_labels, cyclic_noise, estimate_confusion

WORDS = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])


def main() -> None:
    rng = np.random.default_rng(5)
    X, digits = load_digits(return_X_y=True)
    truth = WORDS[digits]
    labels = corrupt_labels(truth, cyclic_noise(10, (0.2, 0.1)), rng)
    learn, test = train_test_split(np.arange(len(X)), test_size=0.3, random_state=0, stratify=truth)

    checked = rng.random(len(X)) < 0.1
    noise = estimate_confusion(truth[checked], labels[checked], smoothing=1.0)
    print(noise.summary())

    models = {
        "ignores the noise": AdaBoostMMClassifier(n_estimators=100, max_depth=3),
        "models the noise": AdaBoostMMClassifier(n_estimators=100, max_depth=3, noise_matrix=noise),
    }
    print(f"\n{'wrong about':<20} {'labels':>8} {'truth, estimated':>18} {'truth':>8}")
    for name, model in models.items():
        predicted = model.fit(X[learn], labels[learn]).predict(X[test])
        seen = np.mean(predicted != labels[test])
        guess = corrected_error(predicted, labels[test], noise)
        real = np.mean(predicted != truth[test])
        estimate = f"{guess.value:.3f} ± {guess.standard_error:.3f}"
        print(f"{name:<20} {seen:>8.3f} {estimate:>18} {real:>8.3f}")


if __name__ == "__main__":
    main()
