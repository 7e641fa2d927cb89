"""Compare methods of this library with a classifier of one's own, on a frame with rare classes.

The comparison is done on the same folds for all. It then gives the recalls of the rarest classes,
the rows that every method gets wrong, a model for new rows, and a page for a colleague.

Run: python examples/compare_in_python.py [report.html]
"""

import sys

from sklearn.neighbors import KNeighborsClassifier

from uneven import compare
from uneven.datasets import load_demo

demo = load_demo(as_frame=True)
found = compare(
    demo.data,
    demo.target,
    methods={"neighbours": KNeighborsClassifier(5), "combo": "combo", "forest": "random_forest"},
    views="prefix",
    diagnosis=False,
    cv=3,
    rounds=60,
)
print(found)

rarest = demo.target.value_counts().index[-3:]
print("\nrecalls of the rarest digits")
print(found.recalls[rarest].round(2))

wrong = found.predictions.ne(found.truth, axis=0).all(axis=1)
print(f"\n{wrong.sum()} of {len(wrong)} rows are misclassified by every method")

model = found.best_model()
print(f"{found.best_} predicts {model.predict(demo.data.head(5)).tolist()} for the first rows")

if len(sys.argv) > 1:
    print(f"report: {found.report(sys.argv[1])}")
