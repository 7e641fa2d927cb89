"""Many classifiers: ways of joining them, judged on the same level-1 scores."""
