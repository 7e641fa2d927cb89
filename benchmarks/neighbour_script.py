"""Run by :mod:`benchmarks.neighbour` in an environment that holds scikit-multimodallearn."""

import json
import sys
import time
import warnings

import numpy as np
from multimodal.boosting.combo import MuComboClassifier
from multimodal.boosting.mumbo import MumboClassifier
from sklearn.tree import DecisionTreeClassifier

warnings.filterwarnings("ignore")
data = np.load(sys.argv[1])
X, y, views = data["X"], data["y"], data["views"].tolist()
half = len(y) // 2
found = {}
for name, method, tries in (("MuMBo", MumboClassifier, 3), ("µCoMBo", MuComboClassifier, 2)):
    seconds = []
    for _ in range(tries):
        model = method(DecisionTreeClassifier(max_depth=1), n_estimators=50, random_state=0)
        start = time.process_time()
        model.fit(X[:half], y[:half], views)
        seconds.append(time.process_time() - start)
    accuracy = float(model.score(X[half:], y[half:]))
    found[name] = {"seconds": min(seconds), "accuracy": accuracy}
print(json.dumps(found))
