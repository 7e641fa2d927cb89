"""Run by :mod:`benchmarks.views.rivals` in an environment that holds scikit-multimodallearn."""

import json
import sys
import warnings

import numpy as np
from multimodal.boosting.combo import MuComboClassifier
from multimodal.boosting.mumbo import MumboClassifier
from sklearn.tree import DecisionTreeClassifier

warnings.filterwarnings("ignore")
data = np.load(sys.argv[1])
method = {"MuMBo": MumboClassifier, "µCoMBo": MuComboClassifier}[str(data["method"])]
tree = DecisionTreeClassifier(max_depth=int(data["depth"]))
model = method(tree, n_estimators=int(data["rounds"]), random_state=int(data["seed"]))
model.fit(data["X"], data["y"], data["views"].tolist())
scores = np.asarray(model.decision_function(data["asked"]), dtype=float)
answers = np.asarray(model.predict(data["asked"]))
print(json.dumps({"scores": scores.tolist(), "answers": answers.tolist()}))
